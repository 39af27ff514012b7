#!/usr/bin/python3
"""Writes small MarianMT folders as Hugging Face has them, with random weights, to marian_mt/<case>
next to this file, and in each what PyTorch computes for some sentences (expected.safetensors).
The weights are there in three forms: weights.safetensors, zip.bin and old.bin; a test gives one of
them the name that it has in such folders.

With a folder as argument, it computes that one's log-probabilities of the sentences of ids that
come in lines "source ids<TAB>target ids" on standard input, so that folders that heed has written
can be compared.

The equations are written out below, one sentence at a time. Nothing of Hugging Face's library is
used.
"""
import json
import math
import struct
import sys
from pathlib import Path

import numpy
import torch
from torch.nn import functional

from golden_file import write_golden

ACTIVATIONS = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "swish": functional.silu,
    "silu": functional.silu,
    "tanh": torch.tanh,
}
CASES = {
    "shared": dict(activation_function="swish", scale_embedding=True),
    "separate": dict(
        activation_function="relu", scale_embedding=True, share_encoder_decoder_embeddings=False
    ),
    "unscaled": dict(activation_function="gelu", scale_embedding=False),
}
PIECES = {
    "source": ["\u2581", "a", "b", "c", "\u2581a", "\u2581ab", "ca", "\u2581b", "x"],
    "target": ["\u2581", "a", "d", "e", "\u2581a", "\u2581de", "ed", "\u2581e"],
}


# ------------------------------------------------------------------------------- the equations


def positions(count: int, width: int) -> torch.Tensor:
    """Sines of all frequencies, then cosines."""
    angles = torch.arange(count, dtype=torch.float64)[:, None] / torch.pow(
        10000.0, torch.arange(0, width, 2, dtype=torch.float64) / width
    )
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)


class Marian:
    def __init__(self, config: dict, weights: dict):
        self.c = config
        self.w = {name: tensor.double() for name, tensor in weights.items()}
        self.scale = math.sqrt(config["d_model"]) if config["scale_embedding"] else 1.0
        if config.get("share_encoder_decoder_embeddings", True):
            self.source_table = self.target_table = self.w["model.shared.weight"]
        else:
            self.source_table = self.w["model.encoder.embed_tokens.weight"]
            self.target_table = self.w["model.decoder.embed_tokens.weight"]
        tied = config.get("tie_word_embeddings", True)
        self.output_table = self.target_table if tied else self.w["lm_head.weight"]

    def linear(self, x, name):
        return functional.linear(x, self.w[f"{name}.weight"], self.w[f"{name}.bias"])

    def norm(self, x, name):
        width = (self.c["d_model"],)
        return functional.layer_norm(
            x, width, self.w[f"{name}.weight"], self.w[f"{name}.bias"], eps=1e-5
        )

    def attend(self, x, memory, name, heads, causal=False):
        width = x.shape[1] // heads
        split = lambda y: y.reshape(len(y), heads, width).transpose(0, 1)
        q = split(self.linear(x, f"{name}.q_proj"))
        k = split(self.linear(memory, f"{name}.k_proj"))
        v = split(self.linear(memory, f"{name}.v_proj"))
        scores = q @ k.transpose(1, 2) / math.sqrt(width)
        if causal:
            later = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        mixed = (torch.softmax(scores, dim=-1) @ v).transpose(0, 1).reshape(len(x), -1)
        return self.linear(mixed, f"{name}.out_proj")

    def feed_forward(self, x, layer):
        inner = ACTIVATIONS[self.c["activation_function"]](self.linear(x, f"{layer}.fc1"))
        return self.linear(inner, f"{layer}.fc2")

    def embed(self, table, ids):
        return table[torch.tensor(ids)] * self.scale + positions(len(ids), self.c["d_model"])

    def encode(self, ids):
        x = self.embed(self.source_table, ids)
        for i in range(self.c["encoder_layers"]):
            layer = f"model.encoder.layers.{i}"
            heads = self.c["encoder_attention_heads"]
            attended = self.attend(x, x, f"{layer}.self_attn", heads)
            x = self.norm(x + attended, f"{layer}.self_attn_layer_norm")
            x = self.norm(x + self.feed_forward(x, layer), f"{layer}.final_layer_norm")
        return x

    def logits(self, source, target):
        """Of each token of the target, which begins after the start token."""
        memory = self.encode(source)
        x = self.embed(self.target_table, [self.c["decoder_start_token_id"]] + target[:-1])
        for i in range(self.c["decoder_layers"]):
            layer = f"model.decoder.layers.{i}"
            heads = self.c["decoder_attention_heads"]
            attended = self.attend(x, x, f"{layer}.self_attn", heads, causal=True)
            x = self.norm(x + attended, f"{layer}.self_attn_layer_norm")
            attended = self.attend(x, memory, f"{layer}.encoder_attn", heads)
            x = self.norm(x + attended, f"{layer}.encoder_attn_layer_norm")
            x = self.norm(x + self.feed_forward(x, layer), f"{layer}.final_layer_norm")
        return x @ self.output_table.T + self.w["final_logits_bias"]


# --------------------------------------------------------------------------------- the folders


def field(tag: int, value) -> bytes:
    """A field of a protocol buffer: a number, a float32 or bytes."""

    def varint(number):
        found = bytearray()
        while number >= 0x80:
            found.append(number & 0x7F | 0x80)
            number >>= 7
        return bytes(found + bytes([number]))

    if isinstance(value, int):
        return varint(tag << 3) + varint(value)
    if isinstance(value, float):
        return varint(tag << 3 | 5) + struct.pack("<f", value)
    return varint(tag << 3 | 2) + varint(len(value)) + value


def sentencepiece_model(pieces: list) -> bytes:
    """A unigram model with these pieces after <unk>, <s> and </s>."""
    normal, unknown, control = 1, 2, 3
    all_pieces = [("<unk>", unknown), ("<s>", control), ("</s>", control)]
    all_pieces += [(piece, normal) for piece in pieces]
    model = b""
    for i, (piece, kind) in enumerate(all_pieces):
        model += field(1, field(1, piece.encode()) + field(2, -float(i)) + field(3, kind))
    model += field(2, field(3, 1) + field(4, len(all_pieces)))
    return model + field(3, field(1, b"identity") + field(3, 1) + field(4, 1) + field(5, 1))


def vocabularies(shared: bool) -> list:
    """One list of tokens for both sides, in an order of its own, or one for each."""
    sides = [PIECES["source"], PIECES["target"]]
    if shared:
        sides = [list(dict.fromkeys(sides[1] + [">>xx<<"] + sides[0][:-1]))]
    return [{t: i for i, t in enumerate(["</s>", "<unk>"] + side + ["<pad>"])} for side in sides]


def config_of(case: dict, vocabulary: dict, target_vocabulary: dict) -> dict:
    start = target_vocabulary["<pad>"]
    return dict(
        architectures=["MarianMTModel"], model_type="marian", d_model=8, encoder_layers=2,
        decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=12,
        decoder_ffn_dim=12, vocab_size=len(vocabulary), decoder_vocab_size=len(target_vocabulary),
        bos_token_id=0, eos_token_id=0, pad_token_id=start, decoder_start_token_id=start,
        forced_eos_token_id=0, bad_words_ids=[[start]], max_length=512, num_beams=4,
        max_position_embeddings=16, dropout=0.1, attention_dropout=0.0, activation_dropout=0.0,
        add_bias_logits=False, add_final_layer_norm=False, normalize_before=False,
        normalize_embedding=False, static_position_embeddings=True, classif_dropout=0.0,
        init_std=0.02, is_encoder_decoder=True, use_cache=True, num_hidden_layers=2,
        transformers_version="4.22.0", **case,
    )


def make_weights(config: dict, generator: torch.Generator) -> dict:
    width, inner = config["d_model"], config["encoder_ffn_dim"]
    weights = {}

    def add(name, *shape, deviation=0.3, mean=0.0):
        weights[name] = torch.randn(*shape, generator=generator) * deviation + mean

    def linear(name, outputs, inputs):
        add(f"{name}.weight", outputs, inputs)
        add(f"{name}.bias", outputs)

    def norm(name):
        add(f"{name}.weight", width, deviation=0.1, mean=1.0)
        add(f"{name}.bias", width, deviation=0.1)

    for side in ("encoder", "decoder"):
        for i in range(config[f"{side}_layers"]):
            layer = f"model.{side}.layers.{i}"
            for part in ["self_attn"] + (["encoder_attn"] if side == "decoder" else []):
                for projection in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    linear(f"{layer}.{part}.{projection}", width, width)
                norm(f"{layer}.{part}_layer_norm")
            linear(f"{layer}.fc1", inner, width)
            linear(f"{layer}.fc2", width, inner)
            norm(f"{layer}.final_layer_norm")
        weights[f"model.{side}.embed_positions.weight"] = positions(
            config["max_position_embeddings"], width
        ).float()
    add("final_logits_bias", 1, config["decoder_vocab_size"])
    if config.get("share_encoder_decoder_embeddings", True):
        add("model.shared.weight", config["vocab_size"], width)
        for name in ("model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head"):
            weights[f"{name}.weight"] = weights["model.shared.weight"]
    else:
        add("model.encoder.embed_tokens.weight", config["vocab_size"], width)
        add("model.decoder.embed_tokens.weight", config["decoder_vocab_size"], width)
        weights["lm_head.weight"] = weights["model.decoder.embed_tokens.weight"]
    return weights


def write_case(name: str, case: dict, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shared = case.get("share_encoder_decoder_embeddings", True)
    sides = vocabularies(shared)
    if not shared:
        # Both tables need a row for the padding, which has one id. Here it is not the last one of
        # the larger list.
        pieces = [token for token in sides[0] if token != "<pad>"]
        pieces.insert(sides[1]["<pad>"], "<pad>")
        sides[0] = {token: i for i, token in enumerate(pieces)}
    config = config_of(case, sides[0], sides[-1])
    weights = make_weights(config, torch.Generator().manual_seed(11))
    dump = lambda file, value: (folder / file).write_text(json.dumps(value, indent=1) + "\n")
    dump("config.json", config)
    dump("vocab.json", sides[0])
    if not shared:
        dump("target_vocab.json", sides[1])
    dump("tokenizer_config.json",
         dict(source_lang="en", target_lang="de", separate_vocabs=not shared))
    dump("generation_config.json",
         dict(bad_words_ids=config["bad_words_ids"], num_beams=4, max_length=512,
              decoder_start_token_id=config["decoder_start_token_id"], eos_token_id=0,
              forced_eos_token_id=0, pad_token_id=config["pad_token_id"]))
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(sentencepiece_model(PIECES[side]))
    torch.save(weights, folder / "zip.bin")
    torch.save(weights, folder / "old.bin", _use_new_zipfile_serialization=False)
    tied = ("lm_head.weight",) + (
        ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight")
        if shared else ()
    )
    write_golden(folder / "weights.safetensors",
                 {n: w for n, w in weights.items() if n not in tied and "positions" not in n})
    source, target = [4, 3, 7, 2, 0], [5, 2, 6, 3, 0]
    logits = Marian(config, weights).logits(source, target)
    write_golden(folder / "expected.safetensors",
                 dict(source=torch.tensor(source), target=torch.tensor(target), logits=logits))


# --------------------------------------------------------------------------- folders of others

TYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def read_safetensors(path: Path) -> dict:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        numbers = numpy.frombuffer(data[begin:end], dtype=TYPES[entry["dtype"]])
        found[name] = torch.tensor(numbers.astype("f4").reshape(entry["shape"]))
    return found


def score_lines(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    model = Marian(config, read_safetensors(folder / "model.safetensors"))
    for line in sys.stdin:
        source, target = ([int(i) for i in side.split()] for side in line.split("\t"))
        chosen = torch.log_softmax(model.logits(source, target), dim=1)
        print(" ".join(f"{float(chosen[i, t]):.5f}" for i, t in enumerate(target)))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        score_lines(Path(sys.argv[1]))
    else:
        for case_name, settings in CASES.items():
            write_case(case_name, settings, Path(__file__).parent / "marian_mt" / case_name)
