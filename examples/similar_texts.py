#!/usr/bin/env python3
"""An encoder inside of a Python program, through ctypes: which of some texts is most like another.

similar_texts.py FOLDER TEXT OTHER...

HEED_LIBRARY names the library where it is not among those of the system.
"""

import ctypes as c
import os
import sys

heed = c.CDLL(os.environ.get("HEED_LIBRARY", "libheed.so.0"))
heed.heed_last_error.restype = c.c_char_p


def call(function, *arguments):
    """Calls a function of the library; its sentence, if it fails, becomes an exception."""
    if getattr(heed, function)(*arguments) != 0:
        raise RuntimeError(heed.heed_last_error().decode())


class Encoder:
    def __init__(self, folder):
        self.handle = c.c_void_p()
        call("heed_encoder_load", os.fsencode(folder), None, c.byref(self.handle))
        width = c.c_size_t()
        call("heed_encoder_width", self.handle, c.byref(width))
        self.width = width.value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        call("heed_encoder_free", self.handle)

    def embed(self, texts):
        """A list of numbers for each text, of length 1."""
        lines = (c.c_char_p * len(texts))(*(text.encode() for text in texts))
        numbers = (c.c_float * (len(texts) * self.width))()
        call("heed_embed", self.handle, lines, c.c_size_t(len(texts)), numbers, None)
        return [numbers[i * self.width:(i + 1) * self.width] for i in range(len(texts))]


def main(folder, text, *others):
    with Encoder(folder) as encoder:
        first, *vectors = encoder.embed([text, *others])
    likeness = [sum(a * b for a, b in zip(first, vector)) for vector in vectors]
    for value, other in sorted(zip(likeness, others), key=lambda pair: -pair[0]):
        print(f"{value:.3f} {other}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except RuntimeError as error:
        sys.exit(str(error))
