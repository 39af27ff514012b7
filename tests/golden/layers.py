#!/usr/bin/env python3
"""Writes what PyTorch computes for layer norm, GRU and LSTM: layer_norm, gru and lstm.safetensors,
next to this file.

Inputs are float32 numbers, results are computed and kept in float64. Array names are
"<case>.<array>"; gradients are those of the sum of each result times its own ".gradient".
"""
import json
import pathlib
import struct

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

TYPES = {torch.float32: ("F32", "f"), torch.float64: ("F64", "d"), torch.int64: ("I64", "q")}


def save(path, arrays):
    """The safetensors format: the header's length, the header, the numbers."""
    header, data = {}, b""
    for name, array in arrays.items():
        type_name, code = TYPES[array.dtype]
        numbers = array.detach().reshape(-1).tolist()
        encoded = struct.pack(f"<{len(numbers)}{code}", *numbers)
        header[name] = {
            "dtype": type_name,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(encoded)],
        }
        data += encoded
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def numbers(*shape):
    """Random float32 numbers, as float64 leaves."""
    return torch.randn(*shape, dtype=torch.float32).double().requires_grad_()


def record(inputs, results):
    """The inputs, the results, random gradients of the results and those of the inputs."""
    arrays = {name: value.float() for name, value in inputs.items()}
    loss = 0
    for name, value in results.items():
        gradient = numbers(*value.shape).detach()
        arrays[name] = value
        arrays[name + ".gradient"] = gradient.float()
        loss = loss + (value * gradient).sum()
    loss.backward()
    for name, value in inputs.items():
        arrays[name + ".gradient"] = value.grad
    return arrays


def layer_norm():
    x = numbers(9, 37)
    layer = torch.nn.LayerNorm(37).double()
    layer.weight.data = numbers(37).detach()
    layer.bias.data = numbers(37).detach()
    return record({"x": x, "weight": layer.weight, "bias": layer.bias}, {"outputs": layer(x)})


def recurrent(kind, layers, bidirectional, initial):
    lengths, width, hidden = [4, 7, 1, 5], 5, 11
    network = kind(width, hidden, layers, bidirectional=bidirectional, batch_first=True).double()
    for parameter in network.parameters():
        parameter.data = parameter.data.float().double()
    x = numbers(sum(lengths), width)
    inputs = {"x": x}
    states = layers * (2 if bidirectional else 1)
    lstm = kind is torch.nn.LSTM
    if initial:
        inputs["hidden"] = numbers(states, len(lengths), hidden)
        if lstm:
            inputs["cells"] = numbers(states, len(lengths), hidden)
    start = (inputs["hidden"], inputs["cells"]) if initial and lstm else inputs.get("hidden")

    padded = pad_sequence(torch.split(x, lengths), batch_first=True)
    packed = pack_padded_sequence(
        padded, torch.tensor(lengths), batch_first=True, enforce_sorted=False
    )
    packed_outputs, last = network(packed, start)
    outputs, _ = pad_packed_sequence(packed_outputs, batch_first=True)
    results = {"outputs": torch.cat([row[:length] for row, length in zip(outputs, lengths)])}
    results.update(
        {"last_hidden": last[0], "last_cells": last[1]} if lstm else {"last_hidden": last}
    )

    inputs.update({"parameter." + name: value for name, value in network.named_parameters()})
    arrays = record(inputs, results)
    arrays["lengths"] = torch.tensor(lengths)
    return arrays


def all_recurrent(kind):
    arrays = {}
    for layers in (1, 2):
        for bidirectional in (False, True):
            case = f"{layers}_{'both' if bidirectional else 'one'}"
            # With given initial states for half of the cases, and with zeros for the others.
            recorded = recurrent(
                kind, layers, bidirectional, initial=(layers == 2) != bidirectional
            )
            arrays.update({f"{case}.{name}": array for name, array in recorded.items()})
    return arrays


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(__file__).parent
    save(folder / "layer_norm.safetensors", {f"affine.{k}": v for k, v in layer_norm().items()})
    save(folder / "gru.safetensors", all_recurrent(torch.nn.GRU))
    save(folder / "lstm.safetensors", all_recurrent(torch.nn.LSTM))


if __name__ == "__main__":
    main()
