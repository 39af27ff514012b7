#!/usr/bin/python3
"""Writes the same small tensors as PyTorch saves them, to torch/<form>.bin next to this file: as a
zip archive, as before PyTorch 1.6, and as a zip archive with a newer pickle in it. The test knows
the numbers: each tensor counts upwards.
"""
from collections import OrderedDict
from pathlib import Path

import torch

FOLDER = Path(__file__).parent / "torch"


def tensors() -> OrderedDict:
    base = torch.arange(24, dtype=torch.float32)
    matrix = base.reshape(4, 6)
    found = OrderedDict(
        [
            ("plain", matrix),
            ("shared", matrix),
            ("transposed", matrix.t()),
            ("part", matrix[1:3, 2:5]),
            ("every_second", base[::2]),
            ("half", torch.arange(6).half().reshape(2, 3)),
            ("bfloat", torch.arange(4).bfloat16()),
            ("double", torch.arange(3, dtype=torch.float64)),
            ("numbers", torch.arange(5)),
            ("single", torch.tensor(7.5)),
            ("empty", torch.zeros(0, 3)),
            ("parameter", torch.nn.Parameter(torch.arange(2, dtype=torch.float32))),
        ]
    )
    found._metadata = OrderedDict([("", {"version": 1, "scale": 0.5, "name": None})])
    return found


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    torch.save(tensors(), FOLDER / "zip.bin")
    torch.save(tensors(), FOLDER / "old.bin", _use_new_zipfile_serialization=False)
    torch.save(dict(tensors()), FOLDER / "protocol4.bin", pickle_protocol=4)
    torch.save({"plain": print}, FOLDER / "function.bin")
    torch.save({"plain": torch.nn.Linear(2, 2)}, FOLDER / "module.bin")
