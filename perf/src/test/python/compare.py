#!/usr/bin/env python3
"""Compares this checkout with another commit: are exchange, training, broadcast and links as fast as they were?

Both are built, the other commit in a work tree of its own, and take turns in each round, in changing order. The report
gives the ratio of the speeds (above 1: this checkout is faster): its median over all rounds, and the two rounds between
which the true median lies with the stated confidence (a sign test).

    python3 perf/src/test/python/compare.py [--base COMMIT] [--rounds N] [--only NAME,...] [--json FILE]

Needs Linux, git, a JDK 25 and Maven; `exchange` also root, for its network lab. Exit code 1 if a median is below 0.97.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HOME = pathlib.Path(__file__).resolve().parents[4]
LEAST = 0.97

# The last commit before the control plane was redesigned.
BASE = "a9a95e9"

# Name: command of `sluice`, and how to read its speed (larger is better) from what --json writes.
CONTESTS = {
    "exchange": (
        "perf exchange --params 6100000 --kept 0.2 --protocol update --rounds 1 --warmup 2 --clocks 4",
        lambda report: 1 / report["rows"][0]["seconds"],
    ),
    "lr": ("train lr --clocks 100", lambda report: 1 / report["seconds"]),
    "one-host": (
        "perf one-host --workers 3 --bytes 4mib --rounds 1 --warmup 30 --broadcasts 30",
        lambda report: 1 / next(row["seconds"] for row in report["rows"] if row["shape"] == "sluice ipc"),
    ),
    "link": (
        "perf link --mode throughput --channel ipc --size 65472 --rounds 3",
        lambda report: report["rows"][0]["ours"],
    ),
}


def run(checkout, command, result):
    """Runs a command of a checkout's launcher, and returns what it reports."""
    words = [str(checkout / "sluice"), *command.split(), "--json", str(result)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=checkout)
    if done.returncode != 0:
        sys.exit(f"'{' '.join(words)}' ended with exit code {done.returncode}:\n{done.stdout[-2000:]}")
    return json.loads(result.read_text())


def outside(n, cut):
    """Probability that a median of n lies outside the values that are left when `cut` are taken off at each end."""
    return 2 * sum(math.comb(n, i) for i in range(cut + 1)) / 2**n


def interval(ratios):
    """Ratios between which the median lies, and the confidence: at least 95 % where there are enough rounds."""
    ordered = sorted(ratios)
    n = len(ordered)
    cut = 0
    while 2 * (cut + 1) < n and outside(n, cut + 1) <= 0.05:
        cut += 1
    return ordered[cut], ordered[n - 1 - cut], max(0.0, 1 - outside(n, cut))


def compare(names, rounds, base, folder):
    """Builds both checkouts, and returns the ratios of their speeds by name, one a round."""
    for checkout in (base, HOME):
        for program in ("--version", "perf --version"):
            print(f"building {checkout}", file=sys.stderr)
            subprocess.run([str(checkout / "sluice"), *program.split()], check=True, stdout=subprocess.DEVNULL)
    ratios = {name: [] for name in names}
    for turn in range(rounds):
        for name in names:
            command, speed = CONTESTS[name]
            order = (base, HOME) if turn % 2 == 0 else (HOME, base)
            speeds = {checkout: speed(run(checkout, command, folder / "result.json")) for checkout in order}
            ratios[name].append(speeds[HOME] / speeds[base])
            print(f"round {turn + 1} of {rounds}: {name} {ratios[name][-1]:.3f}", file=sys.stderr, flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default=BASE, help=f"commit to compare with ({BASE})")
    parser.add_argument("--rounds", type=int, default=11, help="turns of each build (11)")
    parser.add_argument("--only", default=",".join(CONTESTS), help="what to compare (all)")
    parser.add_argument("--json", type=pathlib.Path, help="write all ratios to this file")
    options = parser.parse_args()
    names = options.only.split(",")
    unknown = [name for name in names if name not in CONTESTS]
    if unknown:
        parser.error(f"--only is {unknown[0]}, expected one or more of {', '.join(CONTESTS)}")
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}, expected 1 or more")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-compare-"))
    base = folder / "base"
    git = ["git", "-C", str(HOME), "worktree"]
    subprocess.run([*git, "add", "--detach", "--quiet", str(base), options.base], check=True)
    try:
        ratios = compare(names, options.rounds, base, folder)
    finally:
        subprocess.run([*git, "remove", "--force", str(base)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"speed of this checkout over that of {options.base}, {options.rounds} rounds, {os.cpu_count()} processors")
    for name in names:
        low, high, confidence = interval(ratios[name])
        median = statistics.median(ratios[name])
        print(f"  {name:<10} median {median:.3f}, between {low:.3f} and {high:.3f} ({confidence:.1%})")
    if options.json:
        options.json.write_text(json.dumps({"base": options.base, "ratios": ratios}, indent=2) + "\n")
    sys.exit(1 if any(statistics.median(ratios[name]) < LEAST for name in names) else 0)


if __name__ == "__main__":
    main()
