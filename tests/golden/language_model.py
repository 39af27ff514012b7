#!/usr/bin/python3
"""Writes what PyTorch computes for small language models: logits, every gradient, and the losses of
ten steps of Adam, to language_model/<case>.safetensors next to this file.

The blocks are those of transformer.py, in double precision and without padding. Some texts are the
middle of a longer one: the model reads the token before them instead of the start token.
"""
from pathlib import Path

import torch
from torch.nn import functional

from golden_file import write_golden
from transformer import SIZES, Heads, Transformer

START = 10  # the last id of the vocabulary
CASES = {
    "llama": dict(
        layers=2, norm="pre", rms=True, bias=False, activation="swish", gated=True, heads=4,
        kv_heads=2, positions="rotary", tied=False
    ),
    "gpt": dict(
        layers=2, norm="pre", rms=False, bias=True, activation="gelu", positions="learned",
        tied=True
    ),
    "post_norm": dict(
        layers=1, norm="post", rms=False, bias=True, activation="relu", positions="sinusoidal",
        tied=True
    ),
}
TEXTS = [[4, 9, 2, 0], [7], [3, 3, 5, 1, 8, 9, 0], [6, 2, 8]]
BEFORE = [START, 5, START, 2]


class LanguageModel(Transformer):
    def __init__(self, **changes):
        self.c = {**SIZES, **changes}
        self.weights = {}
        for name, shape in self.shapes().items():
            numbers = torch.randn(shape, dtype=torch.float32) / 2
            if "norm.weight" in name:
                numbers = 1 + numbers / 2
            self.weights[name] = numbers.double().requires_grad_()
        self.heads = Heads()

    def shapes(self):
        c, shapes = self.c, {}
        width, inner, keys = c["width"], c["ffn"], c["width"] // c["heads"] * c["kv_heads"]

        def linear(name, outputs, inputs):
            shapes[f"{name}.weight"] = (outputs, inputs)
            if c["bias"]:
                shapes[f"{name}.bias"] = (outputs,)

        def norm(name):
            shapes[f"{name}.weight"] = (width,)
            if not c["rms"]:
                shapes[f"{name}.bias"] = (width,)

        shapes["model.embed_tokens.weight"] = (START + 1, width)
        if c["positions"] == "learned":
            shapes["model.embed_positions.weight"] = (c["context_length"], width)
        for i in range(c["layers"]):
            layer = f"model.layers.{i}"
            for part, outputs in (
                ("q_proj", width), ("k_proj", keys), ("v_proj", keys), ("out_proj", width)
            ):
                linear(f"{layer}.self_attn.{part}", outputs, width)
            norm(f"{layer}.self_attn_layer_norm")
            linear(f"{layer}.fc1", inner, width)
            linear(f"{layer}.fc2", width, inner)
            if c["gated"]:
                linear(f"{layer}.fc3", inner, width)
            norm(f"{layer}.final_layer_norm")
        if c["norm"] == "pre":
            norm("model.norm")
        if not c["tied"]:
            shapes["lm_head.weight"] = (START + 1, width)
        return shapes

    def linear(self, name, x):
        y = x @ self.weights[f"{name}.weight"].T
        return y + self.weights[f"{name}.bias"] if self.c["bias"] else y

    def norm(self, name, x):
        if not self.c["rms"]:
            return super().norm(name, x)
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.weights[
            f"{name}.weight"
        ]

    def text(self, before, text):
        x = self.weights["model.embed_tokens.weight"][torch.tensor([before] + text[:-1])]
        if self.c["positions"] == "learned":
            x = x + self.weights["model.embed_positions.weight"][: len(x)]
        else:
            x = self.with_positions("", x)
        for i in range(self.c["layers"]):
            layer = f"model.layers.{i}"
            own = f"{layer}.self_attn"
            x = self.block(f"{own}_layer_norm", x, lambda y: self.attention(own, y, y, True))
            x = self.block(f"{layer}.final_layer_norm", x, lambda y: self.feed_forward(layer, y))
        if self.c["norm"] == "pre":
            x = self.norm("model.norm", x)
        table = "model.embed_tokens.weight" if self.c["tied"] else "lm_head.weight"
        return x @ self.weights[table].T

    def logits(self):
        return torch.cat([self.text(before, text) for before, text in zip(BEFORE, TEXTS)])


def record(case: dict) -> dict:
    model = LanguageModel(**case)
    arrays = {f"parameter.{name}": value.detach().clone() for name, value in model.weights.items()}
    arrays["target.ids"] = torch.tensor(sum(TEXTS, []))
    arrays["target.lengths"] = torch.tensor([len(text) for text in TEXTS])
    arrays["before"] = torch.tensor(BEFORE)
    targets = torch.tensor(sum(TEXTS, []))
    optimiser = torch.optim.Adam(model.weights.values(), lr=0.01, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for step in range(10):
        logits = model.logits()
        loss = functional.cross_entropy(logits, targets)
        optimiser.zero_grad()
        loss.backward()
        if step == 0:
            arrays["logits"] = logits
            arrays.update(
                {f"gradient.{name}": value.grad.clone() for name, value in model.weights.items()}
            )
        losses.append(loss.detach())
        optimiser.step()
    arrays["losses"] = torch.stack(losses)
    return arrays


def main():
    torch.manual_seed(1)
    for name, case in CASES.items():
        write_golden(Path(__file__).parent / "language_model" / f"{name}.safetensors", record(case))


if __name__ == "__main__":
    main()
