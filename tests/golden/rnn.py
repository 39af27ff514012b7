#!/usr/bin/python3
"""Writes what PyTorch computes for small recurrent encoder–decoders: logits, every gradient, and
the losses of ten steps of Adam, to rnn.safetensors next to this file. Also what attention does with
each sentence pair: see recorded_heads.py.

Array names are "<case>.<array>", parameters "<case>.parameter.<name>" with the gradients
"<case>.gradient.<name>". Sentences are processed one by one and step by step, without padding or
masks.
"""
import math
from pathlib import Path

import torch
from torch import nn

from golden_file import write_golden
from recorded_heads import Heads, record_heads

CASES = {
    "gru_additive": dict(cell="gru", score="additive", layers=1, bidirectional=True, tied="none"),
    "lstm_scaled_dot": dict(
        cell="lstm", score="scaled_dot", layers=2, bidirectional=True, tied="decoder"
    ),
    "gru_bilinear": dict(cell="gru", score="bilinear", layers=2, bidirectional=True, tied="all"),
    "gru_dot": dict(cell="gru", score="dot", layers=1, bidirectional=False, tied="none"),
    "gru_none": dict(cell="gru", score="none", layers=1, bidirectional=True, tied="decoder"),
}
VOCABULARY, EMBEDDING, HIDDEN = 11, 4, 6
SOURCE = [[5, 3, 0], [2, 2, 7, 9, 4, 0], [8, 0], [3, 6, 1, 0]]
TARGET = [[4, 9, 2, 0], [7, 0], [3, 3, 5, 1, 8, 0], [6, 2, 0]]


class Score(nn.Module):
    def __init__(self, kind, key_width):
        super().__init__()
        self.kind = kind
        if kind == "additive":
            self.query = nn.Linear(HIDDEN, HIDDEN, bias=False)
            self.key = nn.Linear(key_width, HIDDEN, bias=False)
            self.value = nn.Linear(HIDDEN, 1, bias=False)
            self.value.weight = nn.Parameter(self.value.weight.detach().reshape(-1))
        if kind == "bilinear":
            self.weight = nn.Parameter(torch.randn(HIDDEN, key_width))

    def forward(self, query, keys):
        """query (hidden), keys (tokens, key width) -> (tokens)."""
        if self.kind == "additive":
            return torch.tanh(self.query(query) + self.key(keys)) @ self.value.weight
        if self.kind == "bilinear":
            return keys @ (query @ self.weight)
        return keys @ query / (math.sqrt(HIDDEN) if self.kind == "scaled_dot" else 1.0)


class Rnn(nn.Module):
    def __init__(self, cell, score, layers, bidirectional, tied):
        super().__init__()
        self.attends = score != "none"
        self.lstm = cell == "lstm"
        self.directions = 2 if bidirectional else 1
        encoder_hidden = HIDDEN // self.directions if score in ("dot", "scaled_dot") else HIDDEN
        context = encoder_hidden * self.directions
        network = nn.LSTM if self.lstm else nn.GRU
        source = nn.Embedding(VOCABULARY, EMBEDDING)
        if tied == "all":
            self.embedding = target = source
        else:
            self.source_embedding = source
            self.target_embedding = target = nn.Embedding(VOCABULARY, EMBEDDING)
        self.tables = [source, target]  # a plain list, so that they are not registered twice
        self.encoder = network(EMBEDDING, encoder_hidden, layers, bidirectional=bidirectional)
        if bidirectional:
            names = ["hidden", "cells"] if self.lstm else ["hidden"]
            self.bridge = nn.ModuleDict(
                {
                    name: nn.ModuleList(nn.Linear(context, HIDDEN) for _ in range(layers))
                    for name in names
                }
            )
        if self.attends:
            self.score = Score(score, context)
        self.decoder = network(context + EMBEDDING, HIDDEN, layers)
        self.readout = nn.Linear(HIDDEN + context + EMBEDDING, EMBEDDING)
        self.output = nn.Linear(EMBEDDING, VOCABULARY)
        if tied != "none":
            del self.output.weight
        self.tied = tied
        self.heads = Heads()

    def embed(self, table, ids):
        return table(torch.tensor(ids)) * math.sqrt(EMBEDDING)

    def start(self, states, name):
        """(layers × directions, width) -> (layers, hidden)."""
        joined = states.reshape(-1, states.shape[-1] * self.directions)
        if self.directions == 1:
            return joined
        return torch.stack(
            [torch.tanh(linear(row)) for linear, row in zip(self.bridge[name], joined)]
        )

    def sentence(self, source, target):
        outputs, last = self.encoder(self.embed(self.tables[0], source))
        if self.lstm:
            state = (self.start(last[0], "hidden"), self.start(last[1], "cells"))
            top = last[0]
        else:
            state = self.start(last, "hidden")
            top = last
        context = top[-self.directions:].reshape(-1)
        rows = []
        for x in self.embed(self.tables[1], [VOCABULARY - 1] + target[:-1]):
            if self.attends:
                query = (state[0] if self.lstm else state)[-1]
                weights = torch.softmax(self.score(query, outputs), 0)
                context = self.heads.attend(
                    "encoder_attn", weights[None, None], outputs[None], None, False
                )[0, 0]
            hidden, state = self.decoder(torch.cat([context, x])[None], state)
            features = torch.tanh(self.readout(torch.cat([hidden[0], context, x])))
            weight = self.output.weight if self.tied == "none" else self.tables[1].weight
            rows.append(weight @ features + self.output.bias)
        return torch.stack(rows)

    def forward(self):
        return torch.cat([self.sentence(s, t) for s, t in zip(SOURCE, TARGET)])


def record(case):
    model = Rnn(**case).double()
    for name, parameter in model.named_parameters():
        # Numbers that float32 holds exactly, in the range where gates have slopes.
        deviation = 1.0 if "bias" in name else 0.5
        parameter.data = (torch.randn(parameter.shape, dtype=torch.float32) * deviation).double()
    arrays = {
        f"parameter.{name}": value.detach().clone() for name, value in model.named_parameters()
    }
    arrays.update(record_heads(model, SOURCE, TARGET))
    targets = torch.tensor(sum(TARGET, []))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for step in range(10):
        logits = model()
        loss = nn.functional.cross_entropy(logits, targets)
        optimiser.zero_grad()
        loss.backward()
        if step == 0:
            arrays["logits"] = logits
            for name, value in model.named_parameters():
                arrays[f"gradient.{name}"] = value.grad.clone()
        losses.append(loss.detach())
        optimiser.step()
    arrays["losses"] = torch.stack(losses)
    return arrays


def main():
    torch.manual_seed(1)
    arrays = {}
    for name, sentences in (("source", SOURCE), ("target", TARGET)):
        arrays[f"{name}.ids"] = torch.tensor(sum(sentences, []))
        arrays[f"{name}.lengths"] = torch.tensor([len(sentence) for sentence in sentences])
    for name, case in CASES.items():
        arrays.update({f"{name}.{array}": value for array, value in record(case).items()})
    write_golden(Path(__file__).parent / "rnn.safetensors", arrays)


if __name__ == "__main__":
    main()
