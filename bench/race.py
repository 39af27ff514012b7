#!/usr/bin/env python3
"""Times whole commands beside each other, e.g. heed and another engine on the same text.

  bench/race.py [--rounds N] NAME=COMMAND...

Every round runs each command of the shell once, in an order that moves on by one, so that none
always has the same neighbours. Prints the best and the median time of each and how many times as
long as the first one's its best is. What the commands print is thrown away; one that fails ends
the race.
"""

import argparse
import statistics
import subprocess
import sys
import time


def seconds(name, command):
    begin = time.monotonic()
    run = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    taken = time.monotonic() - begin
    if run.returncode != 0:
        sys.exit(f"race: {name} failed with {run.returncode}: {run.stderr.decode()[-500:]}")
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("runner", nargs="+", metavar="NAME=COMMAND")
    given = parser.parse_args()
    runners = [runner.partition("=")[::2] for runner in given.runner]
    if wrong := [name for name, command in runners if not command]:
        parser.error(f"'{wrong[0]}' is not of the form NAME=COMMAND")

    times = {name: [] for name, _ in runners}
    for turn in range(given.rounds):
        first = turn % len(runners)
        for name, command in runners[first:] + runners[:first]:
            times[name].append(seconds(name, command))
    of_first = min(times[runners[0][0]])
    for name, taken in times.items():
        best = min(taken)
        print(f"{name:24} best {best:7.2f} s, median {statistics.median(taken):7.2f} s, "
              f"{best / of_first:.2f} times")


main()
