"""Writes named arrays to a safetensors file: a header in JSON, then the numbers.

Floats are stored as float32."""
import json
import struct
from pathlib import Path

import numpy
import torch

STORED = {"f": ("F32", "<f4"), "i": ("I64", "<i8"), "b": ("BOOL", "?")}


def write_golden(path: Path, arrays: dict) -> None:
    """`arrays` maps names to torch tensors. Equal arrays give equal bytes."""
    header, data = {}, bytearray()
    for name, array in sorted(arrays.items()):
        numbers = torch.as_tensor(array).detach().numpy()
        type_name, stored_type = STORED[numbers.dtype.kind]
        begin = len(data)
        data += numpy.ascontiguousarray(numbers, dtype=stored_type).tobytes()
        header[name] = {
            "dtype": type_name,
            "shape": list(numbers.shape),
            "data_offsets": [begin, len(data)],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(data))


def random_numbers(generator: torch.Generator, *shape: int) -> torch.Tensor:
    """Normal numbers of deviation 1/2 in double precision that float32 holds exactly, so that the
    file contains exactly what was computed with. Larger ones would saturate softmax, whose
    gradients are then differences of nearly equal numbers."""
    return torch.randn(*shape, generator=generator, dtype=torch.float32).double() / 2
