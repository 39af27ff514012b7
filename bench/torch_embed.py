#!/usr/bin/env python3
"""Sentence vectors in PyTorch, for bench/embed: a BERT from a folder of Hugging Face's, the mean
over the tokens of each text, divided by its length.

Reads lines of token ids from standard input, as `heed embed --json` gives them, so that only the
model is compared. Texts go through the model in batches of similar lengths, padded to the longest.
Prints seconds, the best of several rounds, and how far the vectors are from those that follow the
ids of each line.
"""
import argparse
import json
import sys
import time

import numpy
import torch
from torch.nn import functional


def read_arrays(path):
    """The arrays of a safetensors file, as float32."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    types = {"F32": numpy.float32, "F16": numpy.float16}
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in types:
            continue
        begin, end = entry["data_offsets"]
        array = numpy.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
        arrays[name] = torch.from_numpy(array.astype(numpy.float32))
    return arrays


class Bert:
    def __init__(self, folder):
        with open(f"{folder}/config.json", encoding="utf-8") as file:
            config = json.load(file)
        self.arrays = read_arrays(f"{folder}/model.safetensors")
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.epsilon = config["layer_norm_eps"]

    def linear(self, x, name):
        return functional.linear(x, self.arrays[f"{name}.weight"], self.arrays[f"{name}.bias"])

    def norm(self, x, name):
        gain, bias = self.arrays[f"{name}.weight"], self.arrays[f"{name}.bias"]
        return functional.layer_norm(x, gain.shape, gain, bias, self.epsilon)

    def attention(self, x, hidden, layer):
        batch, tokens, width = x.shape

        def split(name):
            parts = self.linear(x, f"{layer}.attention.self.{name}")
            return parts.view(batch, tokens, self.heads, -1).transpose(1, 2)

        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=3)
        return (weights @ value).transpose(1, 2).reshape(batch, tokens, width)

    def encode(self, ids, lengths):
        """ids (texts, tokens), padded -> (texts, width), of length 1."""
        tokens = ids.shape[1]
        present = torch.arange(tokens)[None, :] < lengths[:, None]
        words, positions, types = (self.arrays[f"embeddings.{name}_embeddings.weight"]
                                   for name in ("word", "position", "token_type"))
        x = self.norm(words[ids] + positions[:tokens] + types[0], "embeddings.LayerNorm")
        hidden = ~present[:, None, None, :]
        for i in range(self.layers):
            layer = f"encoder.layer.{i}"
            output = f"{layer}.attention.output"
            attended = self.linear(self.attention(x, hidden, layer), f"{output}.dense")
            x = self.norm(x + attended, f"{output}.LayerNorm")
            inner = functional.gelu(self.linear(x, f"{layer}.intermediate.dense"))
            outer = self.linear(inner, f"{layer}.output.dense")
            x = self.norm(x + outer, f"{layer}.output.LayerNorm")
        mean = (x * present[:, :, None]).sum(1) / lengths[:, None]
        return functional.normalize(mean, dim=1)


def encode_all(bert, texts, batch):
    """As sentence-transformers does: sorted by length, so that there is little padding."""
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    vectors = [None] * len(texts)
    for begin in range(0, len(order), batch):
        chosen = order[begin:begin + batch]
        lengths = torch.tensor([len(texts[i]) for i in chosen])
        ids = torch.zeros(len(chosen), int(lengths.max()), dtype=torch.long)
        for row, i in enumerate(chosen):
            ids[row, :len(texts[i])] = torch.tensor(texts[i])
        for row, i in enumerate(bert.encode(ids, lengths)):
            vectors[chosen[row]] = i
    return vectors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    lines = [json.loads(line) for line in sys.stdin]
    texts = [line["ids"] for line in lines]
    bert = Bert(options.model)
    best = float("inf")
    with torch.inference_mode():
        for _ in range(options.repeat):
            start = time.perf_counter()
            vectors = encode_all(bert, texts, options.batch)
            best = min(best, time.perf_counter() - start)
    furthest = max(float((vector - torch.tensor(line["embedding"])).abs().max())
                   for vector, line in zip(vectors, lines))
    print(f"{best:.4f} {furthest:.2e}")


main()
