#!/usr/bin/python3
"""What torch.nn.MultiheadAttention computes: output, weights and all gradients, in double
precision. Writes multi_head.safetensors next to this file.

Causal self attention, and cross attention whose keys and values have their own widths; both with
padding after the ends of the sequences. Of the ragged batches, PyTorch computes the padded form:
the golden arrays are its tokens laid end to end, and only these propagate gradients. Names:
<self|cross>.<heads>.<array>, <self|cross>.<heads>.<dense|ragged>.<array>; the parameters have
PyTorch's names."""
from pathlib import Path

import torch

from golden_file import random_numbers, write_golden

WIDTH, KEY_WIDTH, VALUE_WIDTH = 12, 7, 10
HEADS = [1, 4]
QUERY_LENGTHS, KEY_LENGTHS = [6, 2, 5], [4, 8, 1]


def within(lengths: list):
    """(sequences, longest): true for tokens, false for padding."""
    return torch.arange(max(lengths))[None, :] < torch.tensor(lengths)[:, None]


def make_layer(kind: str, heads: int, generator):
    sizes = {"kdim": KEY_WIDTH, "vdim": VALUE_WIDTH} if kind == "cross" else {}
    layer = torch.nn.MultiheadAttention(WIDTH, heads, batch_first=True, **sizes).double()
    for parameter in layer.parameters():
        parameter.data = random_numbers(generator, *parameter.shape)
    return layer


def run(kind: str, layer, inputs: dict, key_lengths: list) -> tuple:
    """Output, weights per head and their average."""
    queries = inputs["queries"]
    keys, values = (queries, queries) if kind == "self" else (inputs["keys"], inputs["values"])
    length = queries.shape[1]
    future = torch.ones(length, length, dtype=torch.bool).triu(1) if kind == "self" else None
    masks = {"attn_mask": future, "key_padding_mask": ~within(key_lengths)}
    output, weights = layer(queries, keys, values, average_attn_weights=False, **masks)
    _, average = layer(queries, keys, values, average_attn_weights=True, **masks)
    return output, weights, average


def sample_inputs(kind: str, generator) -> dict:
    batch, queries, keys = len(QUERY_LENGTHS), max(QUERY_LENGTHS), max(KEY_LENGTHS)
    inputs = {"queries": random_numbers(generator, batch, queries, WIDTH)}
    if kind == "cross":
        inputs["keys"] = random_numbers(generator, batch, keys, KEY_WIDTH)
        inputs["values"] = random_numbers(generator, batch, keys, VALUE_WIDTH)
    return inputs


def results(kind: str, form: str, layer, inputs: dict, output_gradient) -> dict:
    """Inputs and results of one case: whole arrays if dense, tokens laid end to end if ragged."""
    key_lengths = QUERY_LENGTHS if kind == "self" else KEY_LENGTHS
    lengths = {"queries": QUERY_LENGTHS, "keys": key_lengths, "values": key_lengths}

    def stored(array, name):
        return array[within(lengths[name])] if form == "ragged" else array

    layer.zero_grad()
    learned = {name: value.clone().requires_grad_() for name, value in inputs.items()}
    output, weights, average = run(kind, layer, learned, key_lengths)
    real = (
        within(QUERY_LENGTHS)
        if form == "ragged"
        else torch.ones(output.shape[:2], dtype=torch.bool)
    )
    output.backward(output_gradient * real[:, :, None])
    return {
        **{name: stored(value, name) for name, value in inputs.items()},
        **{f"{name}.gradient": stored(value.grad, name) for name, value in learned.items()},
        **{f"{name}.gradient": value.grad.clone() for name, value in layer.named_parameters()},
        "output": stored(output, "queries"),
        "output.gradient": stored(output_gradient, "queries"),
        "weights": weights * real[:, None, :, None],
        "average_weights": average * real[:, :, None],
    }


def under(place: str, arrays: dict) -> dict:
    return {f"{place}.{name}": value for name, value in arrays.items()}


def golden_arrays() -> dict:
    generator = torch.Generator().manual_seed(1)
    golden = {
        "query_lengths": torch.tensor(QUERY_LENGTHS),
        "key_lengths": torch.tensor(KEY_LENGTHS),
    }
    for kind in ("self", "cross"):
        for heads in HEADS:
            layer = make_layer(kind, heads, generator)
            inputs = sample_inputs(kind, generator)
            output_gradient = random_numbers(generator, *inputs["queries"].shape[:2], WIDTH)
            place = f"{kind}.{heads}"
            golden.update(
                under(place, {name: value.clone() for name, value in layer.named_parameters()})
            )
            for form in ("dense", "ragged"):
                golden.update(
                    under(f"{place}.{form}", results(kind, form, layer, inputs, output_gradient))
                )
    return golden


if __name__ == "__main__":
    write_golden(Path(__file__).parent / "multi_head.safetensors", golden_arrays())
