#!/usr/bin/python3
"""Writes the seeds of marian_fuzz, marian_settings_fuzz and marian_shortlist_fuzz to corpora/:
small files as Marian writes them, made with numpy."""
import io
import struct
from pathlib import Path

import numpy

CORPORA = Path(__file__).parent / "corpora"
YAML = b"dim-emb: 4\ndim-vocabs:\n  - 3\n  - 3\ninput-types:\n  []\ntype: transformer\n"
ARRAYS = {
    "Wemb": numpy.arange(12, dtype=numpy.float32).reshape(3, 4),
    "layer_b": numpy.ones((1, 4), dtype=numpy.float32),
    "special:model.yml": numpy.frombuffer(YAML + bytes(8), dtype=numpy.int8),
}


def binary(arrays: list) -> bytes:
    """Entries of (name, type, shape, bytes), each padded to 256 bytes."""
    padded = [data + bytes(-len(data) % 256) for _, _, _, data in arrays]
    head = struct.pack("<QQ", 1, len(arrays))
    for (name, kind, shape, _), data in zip(arrays, padded):
        head += struct.pack("<QQQQ", len(name) + 1, kind, len(shape), len(data))
    head += b"".join(name.encode() + b"\0" for name, _, _, _ in arrays)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in arrays)
    offset = -(len(head) + 8) % 256
    return head + struct.pack("<Q", offset) + bytes(offset) + b"".join(padded)


def put(name: str, data: bytes) -> None:
    path = CORPORA / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def main():
    for name, save in (("stored", numpy.savez), ("packed", numpy.savez_compressed)):
        file = io.BytesIO()
        save(file, **ARRAYS)
        put(f"marian/{name}", file.getvalue())
    integers = numpy.arange(-4, 4, dtype=numpy.int8).tobytes()
    multiplier = struct.pack("<f", 31.75)
    put("marian/binary", binary([
        ("Wemb", 0x404, (3, 4), ARRAYS["Wemb"].tobytes()),
        ("a_W", 0x10001, (2, 4), integers + multiplier),
        ("b_W", 0x4102, (2, 2), integers + multiplier),
        ("special:model.yml", 0x101, (len(YAML),), YAML),
    ]))
    put("marian_settings/model.yml", YAML)
    put("marian_settings/words.yml", b'"</s>": 0\n<unk>: 1\n"\\u2581a": 2\n')
    put("marian_shortlist/three_words", struct.pack(
        "<QQQQQQ4Q3I", 0xF11A48D5013417F5, 0, 2, 50, 4, 3, 0, 1, 1, 3, 7, 5, 9))


if __name__ == "__main__":
    main()
