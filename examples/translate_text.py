#!/usr/bin/env python3
"""A translator inside of a Python program, through ctypes and nothing else.

translate_text.py FOLDER LINE...

HEED_LIBRARY names the library where it is not among those of the system.
"""

import ctypes as c
import os
import sys

heed = c.CDLL(os.environ.get("HEED_LIBRARY", "libheed.so.0"))
heed.heed_last_error.restype = c.c_char_p


class Link(c.Structure):
    _fields_ = [("source", c.c_int64), ("target", c.c_int64)]


class TranslateOptions(c.Structure):
    _fields_ = [("size", c.c_size_t)]
    _fields_ += [(name, c.c_int64) for name in ("min_length", "max_length")]
    _fields_ += [(name, c.c_double) for name in (
        "length_penalty", "repetition_penalty", "temperature", "top_p", "timeout")]
    _fields_ += [("seed", c.c_uint64)]
    _fields_ += [(name, c.c_int32) for name in (
        "beam", "n_best", "no_repeat_ngram", "sampling", "top_k", "attention")]


def call(function, *arguments):
    """Calls a function of the library; its sentence, if it fails, becomes an exception."""
    if getattr(heed, function)(*arguments) != 0:
        raise RuntimeError(heed.heed_last_error().decode())


class Translator:
    def __init__(self, folder):
        self.handle = c.c_void_p()
        call("heed_translator_load", os.fsencode(folder), None, c.byref(self.handle))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        call("heed_translator_free", self.handle)

    def translate(self, lines, **changes):
        """For each line its best translation, its score and its links; None without a word."""
        options = TranslateOptions()
        call("heed_translate_options_init", c.byref(options), c.c_size_t(c.sizeof(options)))
        for name, value in changes.items():
            setattr(options, name, value)
        texts = (c.c_char_p * len(lines))(*(line.encode() for line in lines))
        result = c.c_void_p()
        call("heed_translate", self.handle, texts, None, c.c_size_t(len(lines)), c.byref(options),
             c.byref(result))
        try:
            return [best_of(result, c.c_size_t(line)) for line in range(len(lines))]
        finally:
            call("heed_result_free", result)


def best_of(result, line):
    count, text, score, links = c.c_size_t(), c.c_char_p(), c.c_double(), c.POINTER(Link)()
    call("heed_result_count", result, line, c.byref(count))
    if count.value == 0:
        return None
    first = c.c_size_t(0)
    call("heed_result_text", result, line, first, c.byref(text))
    call("heed_result_score", result, line, first, c.byref(score))
    call("heed_result_links", result, line, first, c.byref(links), c.byref(count))
    return text.value.decode(), score.value, [(links[i].source, links[i].target)
                                              for i in range(count.value)]


def main(folder, *lines):
    with Translator(folder) as translator:
        for line, best in zip(lines, translator.translate(lines, beam=4, attention=1)):
            if best:
                text, score, links = best
                looked_at = "".join(f" {source}-{target}" for source, target in links)
                print(f"{line} -> {text} (score {score:.2f}; looked at{looked_at})")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except RuntimeError as error:
        sys.exit(str(error))
