#!/usr/bin/python3
"""Writes what PyTorch computes for small Transformers: logits, every gradient, and the losses of
ten steps of Adam, to transformer/<case>.safetensors next to this file. Also what every head does
with each sentence pair: see recorded_heads.py.

The equations are written out below, in double precision and without padding: sentences are
processed one by one. Parameters are called "parameter.<name>" and their gradients
"gradient.<name>".
"""
import math
from pathlib import Path

import torch
from torch.nn import functional

from golden_file import write_golden
from recorded_heads import Heads, record_heads

SIZES = dict(
    source_vocabulary=11, target_vocabulary=11, encoder_layers=1, decoder_layers=1, width=8, ffn=12,
    heads=2, kv_heads=2, activation="relu", gated=False, norm="post", positions="sinusoidal",
    placement="input", tied="all", context_length=7, max_distance=2, epsilon=1e-5,
    sinusoids="paper", decoder="self_attention", decoder_ffn=0,
)
CASES = {
    "post_norm_relu": dict(encoder_layers=2, decoder_layers=2),
    "pre_norm_gelu_learned": dict(
        source_vocabulary=9, encoder_layers=2, norm="pre", activation="gelu",
        positions="learned", tied="decoder"
    ),
    "gated_rotary_grouped": dict(
        norm="pre", activation="swish", gated=True, heads=4, kv_heads=2,
        positions="rotary", tied="none"
    ),
    "alibi_one_kv_head": dict(
        width=12, heads=3, kv_heads=1, activation="gelu", gated=True, positions="alibi"
    ),
    "relative": dict(decoder_layers=2, activation="swish", positions="relative", tied="decoder"),
    "sinusoids_everywhere": dict(
        encoder_layers=2, decoder_layers=2, norm="pre", placement="every_layer", tied="none"
    ),
    "without_positions": dict(activation="tanh", positions="none"),
    "ssru_decoder": dict(
        decoder_layers=2, decoder="ssru", sinusoids="tensor2tensor", epsilon=1e-2, decoder_ffn=10
    ),
    "pre_norm_ssru_decoder": dict(norm="pre", decoder="ssru", tied="none"),
}
SOURCE = [[5, 3, 0], [2, 2, 7, 8, 4, 1, 0], [8, 0], [3, 6, 1, 0]]
TARGET = [[4, 9, 2, 0], [7, 0], [3, 3, 5, 1, 8, 9, 0], [6, 2, 0]]
ACTIVATIONS = {
    "relu": torch.relu, "gelu": functional.gelu,
    "swish": lambda x: x * torch.sigmoid(x), "tanh": torch.tanh,
}


def parameter_shapes(c: dict) -> dict:
    """The names of a MarianMT folder, plus gates and relative positions, which it does not have."""
    width, keys = c["width"], c["width"] // c["heads"] * c["kv_heads"]
    shapes = {}

    def linear(name, outputs, inputs):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)

    def norm(name):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (width,), (width,)

    def attention(name, relative):
        for part, outputs in (
            ("q_proj", width), ("k_proj", keys), ("v_proj", keys), ("out_proj", width)
        ):
            linear(f"{name}.{part}", outputs, width)
        if relative:
            shapes[f"{name}.relative_bias"] = (c["heads"], 2 * c["max_distance"] + 1)
        norm(f"{name}_layer_norm")

    for side in ("encoder", "decoder"):
        for i in range(c[f"{side}_layers"]):
            layer = f"model.{side}.layers.{i}"
            inner = c["decoder_ffn"] if side == "decoder" and c["decoder_ffn"] else c["ffn"]
            if side == "decoder" and c["decoder"] == "ssru":
                shapes[f"{layer}.ssru.candidates.weight"] = (width, width)
                linear(f"{layer}.ssru.gates", width, width)
                norm(f"{layer}.ssru_layer_norm")
            else:
                attention(f"{layer}.self_attn", c["positions"] == "relative")
            if side == "decoder":
                attention(f"{layer}.encoder_attn", False)
            linear(f"{layer}.fc1", inner, width)
            linear(f"{layer}.fc2", width, inner)
            if c["gated"]:
                linear(f"{layer}.fc3", inner, width)
            norm(f"{layer}.final_layer_norm")
        if c["norm"] == "pre":
            norm(f"model.{side}.layer_norm")
        if c["positions"] == "learned":
            shapes[f"model.{side}.embed_positions.weight"] = (c["context_length"], width)
    if c["tied"] == "all":
        shapes["model.shared.weight"] = (c["target_vocabulary"], width)
    else:
        shapes["model.encoder.embed_tokens.weight"] = (c["source_vocabulary"], width)
        shapes["model.decoder.embed_tokens.weight"] = (c["target_vocabulary"], width)
    if c["tied"] == "none":
        shapes["lm_head.weight"] = (c["target_vocabulary"], width)
    shapes["final_logits_bias"] = (c["target_vocabulary"],)
    return shapes


def sinusoids(length: int, width: int, spacing: str):
    """(length, width): all sines, then all cosines."""
    pairs = torch.arange(width // 2, dtype=torch.float64)
    exponents = 2 * pairs / width if spacing == "paper" else pairs / (width // 2 - 1)
    angles = torch.arange(length)[:, None] * 10000.0 ** -exponents
    return torch.cat([torch.sin(angles), torch.cos(angles)], 1)


def rotated(x):
    """x (heads, length, head width): elements 2i and 2i + 1 are a point in the plane, rotated by
    its position."""
    length, width = x.shape[1:]
    angles = torch.arange(length)[:, None] * 10000.0 ** (
        -torch.arange(0, width, 2, dtype=torch.float64) / width
    )
    turned = torch.view_as_complex(x.reshape(*x.shape[:2], -1, 2)) * torch.polar(
        torch.ones_like(angles), angles
    )
    return torch.view_as_real(turned).reshape(x.shape)


def alibi_slopes(heads: int) -> list:
    if heads & (heads - 1) == 0:
        return [2.0 ** (-8.0 * (i + 1) / heads) for i in range(heads)]
    lower = 1 << (heads.bit_length() - 1)
    return alibi_slopes(lower) + alibi_slopes(2 * lower)[0::2][: heads - lower]


class Transformer:
    def __init__(self, **changes):
        self.c = {**SIZES, **changes}
        self.weights = {}
        for name, shape in parameter_shapes(self.c).items():
            # Numbers that float32 holds exactly; gains around 1.
            numbers = torch.randn(shape, dtype=torch.float32) / 2
            if "layer_norm.weight" in name:
                numbers = 1 + numbers / 2
            self.weights[name] = numbers.double().requires_grad_()
        self.heads = Heads()

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        return functional.layer_norm(
            x, x.shape[-1:], self.weights[f"{name}.weight"], self.weights[f"{name}.bias"],
            eps=self.c["epsilon"]
        )

    def score_bias(self, name, queries, keys):
        """(heads, queries, keys): what the distance of a key adds to its score."""
        distances = torch.arange(keys)[None, :] - torch.arange(queries)[:, None]
        if self.c["positions"] == "alibi":
            return (
                -torch.tensor(alibi_slopes(self.c["heads"]), dtype=torch.float64)[:, None, None]
                * distances.abs()
            )
        if self.c["positions"] == "relative":
            max_distance = self.c["max_distance"]
            return self.weights[f"{name}.relative_bias"][
                :, distances.clamp(-max_distance, max_distance) + max_distance
            ]
        return 0

    def attention(self, name, x, memory, causal):
        """x (queries, width), memory (keys, width): multi-head attention; positions affect
        self-attention only."""
        heads, knows_positions = self.c["heads"], name.endswith("self_attn")

        def by_head(part, tokens, count):
            projected = self.linear(f"{name}.{part}", tokens)
            return projected.reshape(len(tokens), count, -1).transpose(0, 1)

        queries = by_head("q_proj", x, heads)
        keys, values = (by_head(part, memory, self.c["kv_heads"]) for part in ("k_proj", "v_proj"))
        if knows_positions and self.c["positions"] == "rotary":
            queries, keys = rotated(queries), rotated(keys)
        group = heads // self.c["kv_heads"]
        keys, values = keys.repeat_interleave(group, 0), values.repeat_interleave(group, 0)
        scores = queries @ keys.transpose(1, 2) / math.sqrt(queries.shape[-1])
        if knows_positions:
            scores = scores + self.score_bias(name, len(x), len(memory))
        if causal:
            scores = scores.masked_fill(
                torch.ones(len(x), len(x), dtype=torch.bool).triu(1), -math.inf
            )
        attended = self.heads.attend(
            name, torch.softmax(scores, -1), values, self.weights[f"{name}.out_proj.weight"], causal
        )
        return self.linear(f"{name}.out_proj", attended.transpose(0, 1).reshape(x.shape))

    def ssru(self, name, x):
        """The simpler simple recurrent unit: x (tokens, width)."""
        candidates = x @ self.weights[f"{name}.candidates.weight"].T
        forget = torch.sigmoid(self.linear(f"{name}.gates", x))
        cell, outputs = torch.zeros_like(x[0]), []
        for candidate, f in zip(candidates, forget):
            cell = f * cell + (1 - f) * candidate
            outputs.append(torch.relu(cell))
        return torch.stack(outputs)

    def feed_forward(self, layer, x):
        inner = ACTIVATIONS[self.c["activation"]](self.linear(f"{layer}.fc1", x))
        if self.c["gated"]:
            inner = inner * self.linear(f"{layer}.fc3", x)
        return self.linear(f"{layer}.fc2", inner)

    def block(self, norm, x, function):
        if self.c["norm"] == "pre":
            return x + function(self.norm(norm, x))
        return self.norm(norm, x + function(x))

    def with_positions(self, side, x):
        if self.c["positions"] == "sinusoidal":
            return x + sinusoids(*x.shape, self.c["sinusoids"])
        if self.c["positions"] == "learned":
            return x + self.weights[f"model.{side}.embed_positions.weight"][: len(x)]
        return x

    def table(self, side):
        return self.weights[
            "model.shared.weight"
            if self.c["tied"] == "all"
            else f"model.{side}.embed_tokens.weight"
        ]

    def stack(self, side, ids, memory=None):
        """The layers of one side, from ids to the output of the last one: (tokens, width)."""
        x = self.table(side)[torch.tensor(ids)] * math.sqrt(self.c["width"])
        for i in range(self.c[f"{side}_layers"]):
            if i == 0 or self.c["placement"] == "every_layer":
                x = self.with_positions(side, x)
            layer = f"model.{side}.layers.{i}"
            if side == "decoder" and self.c["decoder"] == "ssru":
                own = f"{layer}.ssru"
                x = self.block(f"{own}_layer_norm", x, lambda y: self.ssru(own, y))
            else:
                own = f"{layer}.self_attn"
                x = self.block(
                    f"{own}_layer_norm", x, lambda y: self.attention(own, y, y, side == "decoder")
                )
            if memory is not None:
                other = f"{layer}.encoder_attn"
                x = self.block(
                    f"{other}_layer_norm", x, lambda y: self.attention(other, y, memory, False)
                )
            x = self.block(f"{layer}.final_layer_norm", x, lambda y: self.feed_forward(layer, y))
        return self.norm(f"model.{side}.layer_norm", x) if self.c["norm"] == "pre" else x

    def sentence(self, source, target):
        """The logits of one pair: (target tokens, vocabulary)."""
        output = (
            self.weights["lm_head.weight"] if self.c["tied"] == "none" else self.table("decoder")
        )
        memory = self.stack("encoder", source)
        features = self.stack("decoder", [self.c["target_vocabulary"] - 1] + target[:-1], memory)
        return features @ output.T + self.weights["final_logits_bias"]

    def logits(self):
        return torch.cat([self.sentence(s, t) for s, t in zip(SOURCE, TARGET)])


def record(case: dict) -> dict:
    model = Transformer(**case)
    arrays = {f"parameter.{name}": value.detach().clone() for name, value in model.weights.items()}
    for name, sentences in (("source", SOURCE), ("target", TARGET)):
        arrays[f"{name}.ids"] = torch.tensor(sum(sentences, []))
        arrays[f"{name}.lengths"] = torch.tensor([len(sentence) for sentence in sentences])
    arrays.update(record_heads(model, SOURCE, TARGET))
    targets = torch.tensor(sum(TARGET, []))
    optimiser = torch.optim.Adam(model.weights.values(), lr=0.01, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for step in range(10):
        logits = model.logits()
        loss = functional.cross_entropy(logits, targets, label_smoothing=0.1)
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
        write_golden(Path(__file__).parent / "transformer" / f"{name}.safetensors", record(case))


if __name__ == "__main__":
    main()
