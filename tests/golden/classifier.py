#!/usr/bin/python3
"""Writes what PyTorch computes for small classifiers upon a BERT: what the encoder gives, logits,
every gradient, and the losses of ten steps of gradient descent, to classifier/<pooling>.safetensors
next to this file.

The equations are written out below, in double precision and without padding: texts are processed
one by one. Parameters are called "parameter.<name>" and their gradients "gradient.<name>".
"""
import math
from pathlib import Path

import torch
from torch.nn import functional

from golden_file import random_numbers, write_golden

VOCABULARY, LAYERS, WIDTH, FFN, HEADS, CONTEXT, TYPES, LABELS = 11, 2, 8, 12, 2, 7, 2, 3
EPSILON = 1e-12
LEARNING_RATE = 0.1
POOLINGS = ["mean", "max", "first", "attention"]
TEXTS = [[2, 5, 3], [2, 7, 8, 4, 1, 9, 3], [2, 3], [2, 6, 10, 3]]
TRUE = [2, 0, 1, 2]


def parameter_shapes(pooling: str) -> dict:
    """The names of Hugging Face's BertModel, and heed's for what follows it."""
    shapes = {
        "bert.embeddings.word_embeddings.weight": (VOCABULARY, WIDTH),
        "bert.embeddings.position_embeddings.weight": (CONTEXT, WIDTH),
        "bert.embeddings.token_type_embeddings.weight": (TYPES, WIDTH),
    }

    def pair(name, outputs, *inputs):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, *inputs), (outputs,)

    pair("bert.embeddings.LayerNorm", WIDTH)
    for i in range(LAYERS):
        layer = f"bert.encoder.layer.{i}"
        for role in ("query", "key", "value"):
            pair(f"{layer}.attention.self.{role}", WIDTH, WIDTH)
        pair(f"{layer}.attention.output.dense", WIDTH, WIDTH)
        pair(f"{layer}.attention.output.LayerNorm", WIDTH)
        pair(f"{layer}.intermediate.dense", FFN, WIDTH)
        pair(f"{layer}.output.dense", WIDTH, FFN)
        pair(f"{layer}.output.LayerNorm", WIDTH)
    if pooling == "attention":
        shapes["pooling.query"] = (WIDTH,)
    pair("classifier", LABELS, WIDTH)
    return shapes


def encode(p: dict, ids: list) -> torch.Tensor:
    def linear(x, name):
        return functional.linear(x, p[f"{name}.weight"], p[f"{name}.bias"])

    def norm(x, name):
        return functional.layer_norm(x, (WIDTH,), p[f"{name}.weight"], p[f"{name}.bias"], EPSILON)

    def heads(x):
        return x.view(len(ids), HEADS, WIDTH // HEADS).transpose(0, 1)

    words = p["bert.embeddings.word_embeddings.weight"][ids]
    positions = p["bert.embeddings.position_embeddings.weight"][: len(ids)]
    x = words + positions + p["bert.embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "bert.embeddings.LayerNorm")
    for i in range(LAYERS):
        layer = f"bert.encoder.layer.{i}"
        q, k, v = (
            heads(linear(x, f"{layer}.attention.self.{r}")) for r in ("query", "key", "value")
        )
        weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(WIDTH // HEADS), -1)
        found = (weights @ v).transpose(0, 1).reshape(len(ids), WIDTH)
        x = norm(x + linear(found, f"{layer}.attention.output.dense"),
                 f"{layer}.attention.output.LayerNorm")
        inner = functional.gelu(linear(x, f"{layer}.intermediate.dense"))
        x = norm(x + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return x


def pool(p: dict, pooling: str, x: torch.Tensor) -> torch.Tensor:
    if pooling == "mean":
        return x.mean(0)
    if pooling == "max":
        return x.max(0).values
    if pooling == "first":
        return x[0]
    return torch.softmax(x @ p["pooling.query"] / math.sqrt(WIDTH), 0) @ x


def logits(p: dict, pooling: str) -> torch.Tensor:
    vectors = torch.stack([pool(p, pooling, encode(p, ids)) for ids in TEXTS])
    return functional.linear(vectors, p["classifier.weight"], p["classifier.bias"])


def golden(pooling: str) -> dict:
    generator = torch.Generator().manual_seed(POOLINGS.index(pooling) + 1)
    p = {
        name: random_numbers(generator, *shape).requires_grad_()
        for name, shape in parameter_shapes(pooling).items()
    }
    arrays = {f"parameter.{name}": value.detach().clone() for name, value in p.items()}
    arrays["text.ids"] = torch.tensor([token for ids in TEXTS for token in ids])
    arrays["text.lengths"] = torch.tensor([len(ids) for ids in TEXTS])
    arrays["labels"] = torch.tensor(TRUE)
    arrays["encoded"] = torch.cat([encode(p, ids) for ids in TEXTS])
    arrays["logits"] = logits(p, pooling)
    losses = []
    for step in range(10):
        loss = functional.cross_entropy(logits(p, pooling), torch.tensor(TRUE))
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
    for pooling in POOLINGS:
        write_golden(Path(__file__).parent / "classifier" / f"{pooling}.safetensors",
                     golden(pooling))


if __name__ == "__main__":
    main()
