#!/usr/bin/python3
"""Attention in plain PyTorch and double precision: for every score, mask, self or cross attention,
and dense or ragged batch, the output, the weights and all gradients. Writes
attention/<score>.safetensors next to this file.

Self attention means that one array is queries, keys and values, and its gradient is the sum of
theirs. The scores that can compare queries and keys of different widths (bilinear, additive) do so
in cross attention.

Names in a file: <self|cross>.score.<parameter>; <self|cross>.<dense|ragged>.<input>, also for what
all its masks share; <self|cross>.<dense|ragged>.<mask>.<result>. The bandwidth of the Gaussian
score is stored as "width". Ragged sequences lie end to end; their masks, biases and weights are as
large as the longest sequence, and what lies beyond a sequence's end is zero and means nothing."""
from pathlib import Path

import torch

from golden_file import random_numbers, write_golden

# Each with the seed of its sample: one without gradients that are small differences of large
# numbers, of which float32 cannot hold five digits.
SCORES = {"dot": 0, "scaled-dot": 1, "bilinear": 2, "additive": 43, "cosine": 4, "gaussian": 5}
MASKS = [
    "none", "causal", "valid_lengths", "valid_lengths_per_query",
    "boolean", "bias", "window", "combination",
]
HIDDEN = 7  # of the additive score
VALUE_WIDTH = 5
WINDOW = 2
COMBINED_WINDOW = 4

# Lengths of the sequences. The ragged batches hold a sequence without queries and one without keys.
LENGTHS = {
    ("self", "dense"): ([9, 9, 9], [9, 9, 9]),
    ("self", "ragged"): ([4, 0, 9, 1], [4, 0, 9, 1]),
    ("cross", "dense"): ([7, 7, 7], [11, 11, 11]),
    ("cross", "ragged"): ([4, 0, 7, 2], [6, 5, 11, 0]),
}


def widths(score: str, kind: str) -> tuple:
    """(query width, key width, value width)"""
    if kind == "self":
        return 6, 6, 6
    return 6, 4 if score in ("bilinear", "additive") else 6, VALUE_WIDTH


def score_parameters(score: str, kind: str, generator) -> dict:
    query_width, key_width, _ = widths(score, kind)
    if score == "bilinear":
        return {"weight": random_numbers(generator, query_width, key_width)}
    if score == "additive":
        return {
            "query.weight": 2 * random_numbers(generator, HIDDEN, query_width),
            "key.weight": 2 * random_numbers(generator, HIDDEN, key_width),
            "value.weight": 2 * random_numbers(generator, HIDDEN),
        }
    if score == "gaussian":
        return {"width": torch.tensor([1.75], dtype=torch.float64)}
    return {}


def scores_of(score: str, q, k, parameters: dict):
    """q (queries, query width), k (keys, key width) -> (queries, keys)"""
    if score == "dot":
        return q @ k.T
    if score == "scaled-dot":
        return q @ k.T / q.shape[-1] ** 0.5
    if score == "bilinear":
        return q @ parameters["weight"] @ k.T
    if score == "additive":
        projected_queries = (q @ parameters["query.weight"].T)[:, None, :]
        projected_keys = (k @ parameters["key.weight"].T)[None, :, :]
        return torch.tanh(projected_queries + projected_keys) @ parameters["value.weight"]
    if score == "cosine":
        return (q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).T
    if score == "gaussian":
        return -((q[:, None, :] - k[None, :, :]) ** 2).sum(-1) / (2 * parameters["width"] ** 2)
    raise ValueError(score)


def masked_softmax(scores, allowed):
    """Softmax over the allowed keys of each row; a row without any is zero."""
    exponentials = torch.exp(scores - scores.detach().amax(-1, keepdim=True)) * allowed
    sums = exponentials.sum(-1, keepdim=True)
    return exponentials / torch.where(sums == 0, torch.ones_like(sums), sums)


def mask_arrays(mask: str, batch: str, query_lengths: list, key_lengths: list, generator) -> dict:
    """The arrays that the mask consists of."""
    sequences, queries, keys = len(query_lengths), max(query_lengths), max(key_lengths)
    limits = torch.tensor(key_lengths)
    arrays = {}
    if mask in ("valid_lengths", "combination"):
        arrays["valid_lengths"] = limits - torch.tensor([2, 0, 1, 0][:sequences]).minimum(limits)
    if mask == "valid_lengths":
        arrays["valid_lengths"][0] = 0
    if mask == "valid_lengths_per_query":
        share = torch.rand(sequences, queries, generator=generator)
        arrays["valid_lengths"] = (share * (limits[:, None] + 1)).long()
        arrays["valid_lengths"][-2, 3] = 0
    if mask in ("boolean", "combination"):
        arrays["mask"] = torch.rand(sequences, queries, keys, generator=generator) < 0.6
        arrays["mask"][-2, 1] = False
    if mask in ("bias", "combination"):
        # Dense batches have a bias of their own for each sequence, ragged ones share it.
        leading = (sequences,) if batch == "dense" else ()
        arrays["bias"] = random_numbers(generator, *leading, queries, keys)
    return arrays


def allowed_keys(mask: str, arrays: dict, sequence: int, queries: int, keys: int):
    """Which keys each query of one sequence may see: (queries, keys)."""
    i, j = torch.arange(queries)[:, None], torch.arange(keys)[None, :]
    allowed = torch.ones(queries, keys, dtype=torch.bool)
    if mask in ("causal", "combination"):
        allowed = allowed & (j <= i)
    if mask == "window":
        allowed = allowed & ((i - j).abs() <= WINDOW)
    if mask == "combination":
        allowed = allowed & ((i - j).abs() <= COMBINED_WINDOW)
    if "valid_lengths" in arrays:
        limits = arrays["valid_lengths"][sequence]
        allowed = allowed & (j < (limits[:queries, None] if limits.dim() else limits))
    if "mask" in arrays:
        allowed = allowed & arrays["mask"][sequence, :queries, :keys]
    return allowed


def attend(score, parameters, mask, arrays, queries, keys, values):
    """Lists of the sequences' outputs and weights."""
    outputs, weights = [], []
    for s, (q, k, v) in enumerate(zip(queries, keys, values)):
        if len(q) == 0 or len(k) == 0:
            weights.append(torch.zeros(len(q), len(k), dtype=torch.float64))
        else:
            scores = scores_of(score, q, k, parameters)
            if "bias" in arrays:
                bias = arrays["bias"][s] if arrays["bias"].dim() == 3 else arrays["bias"]
                scores = scores + bias[: len(q), : len(k)]
            weights.append(masked_softmax(scores, allowed_keys(mask, arrays, s, len(q), len(k))))
        outputs.append(weights[-1] @ v)
    return outputs, weights


def padded(matrices: list):
    """(sequences, longest rows, longest columns), zeros beyond each matrix."""
    result = torch.zeros(
        len(matrices), max(m.shape[0] for m in matrices), max(m.shape[1] for m in matrices)
    )
    for s, part in enumerate(matrices):
        result[s, : part.shape[0], : part.shape[1]] = part.detach()
    return result


def joined(batch: str, sequences: list):
    return torch.stack(sequences) if batch == "dense" else torch.cat(sequences)


def parted(batch: str, array, lengths: list) -> list:
    return list(array) if batch == "dense" else list(array.split(lengths))


def sample_inputs(kind: str, batch: str, sizes: tuple, generator) -> tuple:
    """The inputs of a batch, and the gradient that its output receives."""
    query_lengths, key_lengths = LENGTHS[kind, batch]
    query_width, key_width, value_width = sizes

    def numbers(lengths, width):
        return joined(batch, [random_numbers(generator, length, width) for length in lengths])

    if kind == "self":
        inputs = {"input": numbers(query_lengths, query_width)}
    else:
        inputs = {
            "queries": numbers(query_lengths, query_width),
            "keys": numbers(key_lengths, key_width),
            "values": numbers(key_lengths, value_width),
        }
    return inputs, numbers(query_lengths, value_width)


def watched(arrays: dict) -> dict:
    return {name: value.clone().requires_grad_() for name, value in arrays.items()}


def results(
    score: str, mask: str, kind: str, batch: str, inputs, parameters, arrays, output_gradient
) -> dict:
    """Output, weights and gradients of one case."""
    query_lengths, key_lengths = LENGTHS[kind, batch]
    inputs, parameters = watched(inputs), watched(parameters)
    biases = watched({name: value for name, value in arrays.items() if name == "bias"})
    queries, keys, values = (
        parted(batch, inputs["input" if kind == "self" else name], lengths)
        for name, lengths in (
            ("queries", query_lengths), ("keys", key_lengths), ("values", key_lengths)
        )
    )
    outputs, weights = attend(score, parameters, mask, {**arrays, **biases}, queries, keys, values)
    output = joined(batch, outputs)
    output.backward(output_gradient)
    learned = {**inputs, **biases, **{f"score.{name}": value for name, value in parameters.items()}}
    gradients = {f"{name}.gradient": value.grad for name, value in learned.items()}
    return {"output": output, "weights": padded(weights), **gradients}


def under(place: str, arrays: dict) -> dict:
    return {f"{place}.{name}": value for name, value in arrays.items()}


def golden_arrays(score: str) -> dict:
    generator = torch.Generator().manual_seed(SCORES[score])
    golden = {}
    for kind in ("self", "cross"):
        parameters = score_parameters(score, kind, generator)
        golden.update(under(f"{kind}.score", parameters))
        for batch in ("dense", "ragged"):
            place = f"{kind}.{batch}"
            inputs, output_gradient = sample_inputs(kind, batch, widths(score, kind), generator)
            lengths = dict(
                zip(("query_lengths", "key_lengths"), map(torch.tensor, LENGTHS[kind, batch]))
            )
            golden.update(under(place, {**inputs, "output.gradient": output_gradient, **lengths}))
            for mask in MASKS:
                arrays = mask_arrays(mask, batch, *LENGTHS[kind, batch], generator)
                found = results(
                    score, mask, kind, batch, inputs, parameters, arrays, output_gradient
                )
                golden.update(under(f"{place}.{mask}", {**arrays, **found}))
    return golden


if __name__ == "__main__":
    for each in SCORES:
        write_golden(
            Path(__file__).parent / "attention" / f"{each}.safetensors", golden_arrays(each)
        )
