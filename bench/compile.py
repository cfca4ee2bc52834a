#!/usr/bin/env python3
"""Measures what a small kernel costs its user, from #include to a result, for each compiler here.

Compiles, links and runs bench/compile/small_kernel.cpp and, taking turns, highway_only.cpp, which is
nothing but `#include <hwy/highway.h>`. Prints medians and writes build/bench/compile.json.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPILERS = ["g++", "clang++-14", "clang++-19"]
FLAGS = ["-std=c++20", "-O2", "-march=native", "-I", str(ROOT / "include")]
PROGRAMS = ["small_kernel", "highway_only"]
TARGET = 2.0  # a small kernel costs at most this many times Highway's header


def compile_and_run(compiler, program, folder):
    """Seconds to compile, link and run; the compiler's peak memory in MB."""
    executable = os.path.join(folder, program)
    source = ROOT / "bench" / "compile" / f"{program}.cpp"
    start = time.perf_counter()
    process = subprocess.Popen([compiler, *FLAGS, str(source), "-o", executable])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{compiler} can't compile {source.name}")
    subprocess.run([executable], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def measure(compiler, repeats):
    """The measurements of each program, after one round that only warms the file cache."""
    results = {program: [] for program in PROGRAMS}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repeats + 1):
            for program in PROGRAMS:
                result = compile_and_run(compiler, program, folder)
                if turn > 0:
                    results[program].append(result)
    return results


def rows_of(compiler, results):
    seconds = {p: statistics.median(r[0] for r in results[p]) for p in PROGRAMS}
    memory = {p: statistics.median(r[1] for r in results[p]) for p in PROGRAMS}
    time_ratio = seconds["small_kernel"] / seconds["highway_only"]
    memory_ratio = memory["small_kernel"] / memory["highway_only"]
    return [
        {"name": f"{compiler} small kernel, include to run", "value": round(seconds["small_kernel"], 3),
         "unit": "s", "baseline": round(seconds["highway_only"], 3), "ratio": round(time_ratio, 3),
         "target": TARGET, "met": time_ratio <= TARGET},
        {"name": f"{compiler} small kernel, peak memory", "value": round(memory["small_kernel"], 1),
         "unit": "MB", "baseline": round(memory["highway_only"], 1), "ratio": round(memory_ratio, 3),
         "target": None, "met": None},
    ]


def spread(measurements):
    seconds = [result[0] for result in measurements]
    return f"{min(seconds):.2f}-{max(seconds):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    os.environ["CCACHE_DISABLE"] = "1"

    rows, failures = [], 0
    line = "{:<12} {:>14} {:>13} {:>14} {:>13} {:>7} {:>7} {:>11} {:>11}"
    print(f"flags: {' '.join(FLAGS[:3])}; medians of {repeats}; baseline: #include <hwy/highway.h>")
    print(line.format("compiler", "small kernel s", "min-max", "hwy header s", "min-max", "ratio",
                      "target", "kernel MB", "header MB"))
    for compiler in COMPILERS:
        if shutil.which(compiler) is None:
            continue
        try:
            results = measure(compiler, repeats)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            print(f"{compiler:<12} failed: {error}")
            failures += 1
            continue
        seconds, memory = rows_of(compiler, results)
        rows += [seconds, memory]
        print(line.format(compiler, f"{seconds['value']:.2f}", spread(results["small_kernel"]),
                          f"{seconds['baseline']:.2f}", spread(results["highway_only"]),
                          f"{seconds['ratio']:.2f}", f"{TARGET:.1f}", f"{memory['value']:.0f}",
                          f"{memory['baseline']:.0f}"), flush=True)

    output = ROOT / "build" / "bench" / "compile.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(rows, indent=2) + "\n")
    print(f"wrote {output.relative_to(ROOT)}")
    targets = [row["met"] for row in rows if row["target"] is not None] + [False] * failures
    print(f"compile: {sum(targets)} of {len(targets)} targets met")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
