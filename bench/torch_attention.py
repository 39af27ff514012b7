#!/usr/bin/env python3
"""Attention in PyTorch, for attention_bench: softmax(Q Kᵀ / √width) V and its gradients.

One line per shape: batch, heads, tokens, width, then milliseconds and GFLOP/s of the forward and of
the backward pass, best of several. A forward pass counts 4·tokens²·width flop per head, a backward
pass 2.5 times that; causal ones half.
"""
import argparse
import time

import torch

SHAPES = [
    (64, 4, 16, 32), (64, 8, 32, 64), (16, 8, 128, 64),
    (4, 8, 512, 64), (1, 8, 2048, 64), (1, 8, 4096, 64),
]


def best_seconds(run, repeats):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def race(shape, causal, repeats):
    batch, heads, tokens, width = shape
    q, k, v, gradient = (torch.randn(shape) for _ in range(4))
    for x in (q, k, v):
        x.requires_grad_()
    hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1) if causal else None

    def forward():
        scores = q @ k.transpose(2, 3) * width**-0.5
        if hidden is not None:
            scores = scores.masked_fill(hidden, float("-inf"))
        return scores.softmax(dim=3) @ v

    with torch.no_grad():
        forward_seconds = best_seconds(forward, repeats)
    recorded_seconds = best_seconds(forward, repeats)
    both_seconds = best_seconds(lambda: forward().backward(gradient), repeats)
    backward_seconds = both_seconds - recorded_seconds
    flop = 4e-9 * batch * heads * tokens * tokens * width * (0.5 if causal else 1.0)
    print(batch, heads, tokens, width, f"{1e3 * forward_seconds:.3f} {flop / forward_seconds:.1f}",
          f"{1e3 * backward_seconds:.3f} {2.5 * flop / backward_seconds:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    for shape in SHAPES:
        race(shape, options.causal, options.repeat)


main()
