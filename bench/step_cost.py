#!/usr/bin/env python3
"""The time of a training step on many ranks, as docs/cluster.md explains it.

Without arguments, prints the tables of that page. `step_cost.py check WIDTH SECONDS [MBIT]` prints
what the model expects of bench/cluster_run, where a step without transfer takes that many seconds,
with a link of 1 Gbit/s or of MBIT Mbit/s.
"""
import math
import sys

# Weights, the share of them that is word vectors, and operations per target token.
MODELS = {
    128: (2.62e6, 0.49, 0),
    256: (13.1e6, 0.156, 0),
    512: (60.55e6, 0.271, 361e6),
    1024: (209e6, 0.157, 1254e6),
}
SPEED = 133e9  # operations per second of a core
TRANSPORT = 4e-9  # seconds of a core to send a byte and receive one through TCP, beside its work
# Bytes per second, and seconds for a message.
LINKS = {1: (117.5e6, 50e-6), 10: (1175e6, 50e-6), 100: (11750e6, 10e-6)}
BATCH, CORES = 32768, 8


def step(width, ranks, compute, link, cores, turns=1):
    """`compute`: seconds of a rank; `turns`: shards that a core has, one after the other."""
    weights, words, _ = MODELS[width]
    bandwidth, latency = link
    sent = 4 * weights * (ranks - 1) / ranks
    transfer = sent / bandwidth  # of gradients; that of weights takes as long
    waiting = 0.0
    # What a rank computes meanwhile: its last backward pass; its first forward pass without the
    # output layer, whose share of it is about that of the table of words in the weights.
    for share in (2 / 3, (1 - words) / 3):
        waiting += max(0.0, transfer - compute * share / turns)
    transport = (2 * sent - waiting * bandwidth) * TRANSPORT / cores
    messages = 2 * (ranks - 1) + 8 * math.log2(ranks)
    return compute + waiting + transport + messages * latency


def figure(seconds):
    return f"{seconds:.1f}" if seconds >= 10 else f"{seconds:.2f}"


def print_tables():
    for width in (512, 1024):
        print(f"| ranks, width {width} | 1 Gbit/s | 10 Gbit/s | 100 Gbit/s |")
        print("| --- | --- | --- | --- |")
        alone = BATCH * MODELS[width][2] / (CORES * SPEED)
        print(f"| 1 |{f' {figure(alone)} |' * 3}")
        for ranks in (2, 4, 8, 16, 32, 64, 128, 256):
            cells = []
            for link in LINKS.values():
                seconds = step(width, ranks, alone / ranks, link, CORES)
                times = alone / seconds
                cells.append(f"{figure(seconds)}, {times:.{0 if times >= 9.95 else 1}f}×")
            print(f"| {ranks} | {' | '.join(cells)} |")
        print()


def main():
    if len(sys.argv) in (4, 5) and sys.argv[1] == "check":
        bandwidth = 120.5e3 * float(sys.argv[4] if len(sys.argv) == 5 else 1000)
        seconds = step(int(sys.argv[2]), 2, float(sys.argv[3]), (bandwidth, 250e-6), 1, turns=2)
        print(f"{seconds:.2f} s")
    elif len(sys.argv) == 1:
        print_tables()
    else:
        sys.exit(__doc__)


main()
