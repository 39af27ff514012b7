#!/usr/bin/python3
"""Writes what PyTorch computes for a small BERT with the heads of several tasks: what the encoder
gives, logits, every gradient, and the losses of ten steps of gradient descent, to
encoders/<case>.safetensors next to this file. The cases are classifiers with each pooling, one of
several labels, masked-language training, and a classifier whose encoder begins with a convolution.

The equations are written out below, in double precision and without padding: texts are processed
one by one. Parameters are called "parameter.<name>" and their gradients "gradient.<name>".
"""
import math
from pathlib import Path

import torch
from torch.nn import functional

from golden_file import random_numbers, write_golden

VOCABULARY, LAYERS, WIDTH, FFN, HEADS, CONTEXT, TYPES, LABELS = 11, 2, 8, 12, 2, 7, 2, 3
KERNEL = 3  # tokens that a convolution reads
EPSILON = 1e-12
LEARNING_RATE = 0.1
CASES = ["mean", "max", "first", "attention", "pooler", "several", "masked", "convolution"]
TEXTS = [[2, 5, 3], [2, 7, 8, 4, 1, 9, 3], [2, 3], [2, 6, 10, 3]]
LABELS_OF_TEXTS = [2, 0, 1, 2]
ANSWERS = [[1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]]  # of each label, where there are several
PLACES, MISSING = [1, 4, 6, 11], [5, 10, 4, 6]  # in all texts, and what was there


def parameter_shapes(case: str) -> dict:
    """The names of Hugging Face's models, and heed's for what they do not have."""
    shapes = {
        "bert.embeddings.word_embeddings.weight": (VOCABULARY, WIDTH),
        "bert.embeddings.position_embeddings.weight": (CONTEXT, WIDTH),
        "bert.embeddings.token_type_embeddings.weight": (TYPES, WIDTH),
    }

    def pair(name, outputs, *inputs):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, *inputs), (outputs,)

    pair("bert.embeddings.LayerNorm", WIDTH)
    if case == "convolution":
        pair("bert.encoder.convolution.dense", WIDTH, KERNEL * WIDTH)
        pair("bert.encoder.convolution.LayerNorm", WIDTH)
    for i in range(LAYERS):
        layer = f"bert.encoder.layer.{i}"
        for role in ("query", "key", "value"):
            pair(f"{layer}.attention.self.{role}", WIDTH, WIDTH)
        pair(f"{layer}.attention.output.dense", WIDTH, WIDTH)
        pair(f"{layer}.attention.output.LayerNorm", WIDTH)
        pair(f"{layer}.intermediate.dense", FFN, WIDTH)
        pair(f"{layer}.output.dense", WIDTH, FFN)
        pair(f"{layer}.output.LayerNorm", WIDTH)
    if case == "masked":
        pair("cls.predictions.transform.dense", WIDTH, WIDTH)
        pair("cls.predictions.transform.LayerNorm", WIDTH)
        shapes["cls.predictions.bias"] = (VOCABULARY,)
        return shapes
    if case == "pooler":
        pair("bert.pooler.dense", WIDTH, WIDTH)
    if case == "attention":
        shapes["pooling.query"] = (WIDTH,)
    pair("classifier", LABELS, WIDTH)
    return shapes


def linear(p: dict, x: torch.Tensor, name: str) -> torch.Tensor:
    return functional.linear(x, p[f"{name}.weight"], p[f"{name}.bias"])


def norm(p: dict, x: torch.Tensor, name: str) -> torch.Tensor:
    return functional.layer_norm(x, (WIDTH,), p[f"{name}.weight"], p[f"{name}.bias"], EPSILON)


def convolution(p: dict, x: torch.Tensor) -> torch.Tensor:
    """Of neighbouring tokens; the weight has the columns of the first of them first."""
    name = "bert.encoder.convolution.dense"
    weight = p[f"{name}.weight"].view(WIDTH, KERNEL, WIDTH).transpose(1, 2)
    found = functional.conv1d(x.T[None], weight, p[f"{name}.bias"], padding=KERNEL // 2)
    return functional.gelu(found[0].T)


def encode(p: dict, ids: list) -> torch.Tensor:
    def heads(x):
        return x.view(len(ids), HEADS, WIDTH // HEADS).transpose(0, 1)

    words = p["bert.embeddings.word_embeddings.weight"][ids]
    positions = p["bert.embeddings.position_embeddings.weight"][: len(ids)]
    x = words + positions + p["bert.embeddings.token_type_embeddings.weight"][0]
    x = norm(p, x, "bert.embeddings.LayerNorm")
    if "bert.encoder.convolution.dense.weight" in p:
        x = norm(p, x + convolution(p, x), "bert.encoder.convolution.LayerNorm")
    for i in range(LAYERS):
        layer = f"bert.encoder.layer.{i}"
        q, k, v = (
            heads(linear(p, x, f"{layer}.attention.self.{r}")) for r in ("query", "key", "value")
        )
        weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(WIDTH // HEADS), -1)
        found = (weights @ v).transpose(0, 1).reshape(len(ids), WIDTH)
        x = norm(p, x + linear(p, found, f"{layer}.attention.output.dense"),
                 f"{layer}.attention.output.LayerNorm")
        inner = functional.gelu(linear(p, x, f"{layer}.intermediate.dense"))
        x = norm(p, x + linear(p, inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return x


def pool(p: dict, case: str, x: torch.Tensor) -> torch.Tensor:
    if case == "max":
        return x.max(0).values
    if case == "first":
        return x[0]
    if case == "pooler":
        return torch.tanh(linear(p, x[0], "bert.pooler.dense"))
    if case == "attention":
        return torch.softmax(x @ p["pooling.query"] / math.sqrt(WIDTH), 0) @ x
    return x.mean(0)


def logits(p: dict, case: str) -> torch.Tensor:
    if case == "masked":
        x = torch.cat([encode(p, ids) for ids in TEXTS])[PLACES]
        x = functional.gelu(linear(p, x, "cls.predictions.transform.dense"))
        x = norm(p, x, "cls.predictions.transform.LayerNorm")
        return functional.linear(
            x, p["bert.embeddings.word_embeddings.weight"], p["cls.predictions.bias"]
        )
    vectors = torch.stack([pool(p, case, encode(p, ids)) for ids in TEXTS])
    return linear(p, vectors, "classifier")


def target(case: str) -> torch.Tensor:
    """What the loss compares with: labels, tokens, or an answer for each label."""
    if case == "several":
        return torch.tensor(ANSWERS)
    return torch.tensor(MISSING if case == "masked" else LABELS_OF_TEXTS)


def loss_of(p: dict, case: str) -> torch.Tensor:
    if case == "several":
        return functional.binary_cross_entropy_with_logits(logits(p, case), target(case).double())
    return functional.cross_entropy(logits(p, case), target(case))


def golden(case: str) -> dict:
    generator = torch.Generator().manual_seed(CASES.index(case) + 1)
    p = {
        name: random_numbers(generator, *shape).requires_grad_()
        for name, shape in parameter_shapes(case).items()
    }
    arrays = {f"parameter.{name}": value.detach().clone() for name, value in p.items()}
    arrays["source.ids"] = torch.tensor([token for ids in TEXTS for token in ids])
    arrays["source.lengths"] = torch.tensor([len(ids) for ids in TEXTS])
    arrays["target"] = target(case).flatten()
    arrays["places"] = torch.tensor(PLACES if case == "masked" else [], dtype=torch.int64)
    arrays["encoded"] = torch.cat([encode(p, ids) for ids in TEXTS])
    arrays["logits"] = logits(p, case)
    losses = []
    for step in range(10):
        loss = loss_of(p, case)
        gradients = torch.autograd.grad(loss, list(p.values()))
        if step == 0:
            arrays |= {f"gradient.{name}": g for name, g in zip(p, gradients)}
        losses.append(loss.detach())
        with torch.no_grad():
            for value, gradient in zip(p.values(), gradients):
                value -= LEARNING_RATE * gradient
    arrays["losses"] = torch.stack(losses)
    return arrays


def main() -> None:
    torch.set_num_threads(1)
    for case in CASES:
        write_golden(Path(__file__).parent / "encoders" / f"{case}.safetensors", golden(case))


if __name__ == "__main__":
    main()
