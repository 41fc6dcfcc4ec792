"""Figures for a controller that calls the library a thousand times a second: jitter of steps, and batches on every core."""

import os
from concurrent.futures import ThreadPoolExecutor

from common import BUILD, compile_ours, run_json, say
from tables import microseconds, table

ROBOT = "go1"
STEPS, REPETITIONS = 100_000, 3
# Of p99.9 to the median; of one core's time to two cores'.
EVEN, FASTER = 5.0, 1.9
COUNT, BATCH_STEPS, THREADS, ROUNDS = 64, 40, 2, 300


def measure(prepared):
    """Nothing where the robot was not asked for."""
    robots = [p for p in prepared if p.name == ROBOT]
    if not robots:
        say(f"jitter and batch skipped: they run {ROBOT}")
        return {}
    p, results = robots[0], {}
    compile_ours("ours_jitter.c", "ours_batch.c")
    say(f"{STEPS} steps of {ROBOT}, {REPETITIONS} times")
    for row in run_json(BUILD / "ours_jitter", p.mjcf, p.run, STEPS, REPETITIONS):
        results |= {row["what"]: row} if "what" in row else row
    if len(os.sched_getaffinity(0)) < THREADS:
        say("batch skipped: it needs two cores")
        return results
    say(f"batch of {COUNT}")
    results |= run_json(BUILD / "ours_batch", p.mjcf, p.run, COUNT, BATCH_STEPS, THREADS, ROUNDS, pinned=False)[0]
    results["processes"] = THREADS * _share_of_a_batch(p, 1) / _share_of_a_batch(p, THREADS)
    return results


def _share_of_a_batch(p, processes):
    """The time of one core's share of the batch, in as many processes at once: the longest."""
    command = [BUILD / "ours_batch", p.mjcf, p.run, COUNT // THREADS, BATCH_STEPS, 1, ROUNDS]
    with ThreadPoolExecutor(processes) as pool:
        runs = [pool.submit(run_json, *command, pinned=False) for _ in range(processes)]
        return max(run.result()[0]["batch"]["one_us"] for run in runs)


def markdown(results, bounds):
    if not results:
        return []
    rows = []
    for what in ("first run", "least of the runs"):
        t = results[what]
        rows.append([what, t["median_us"], t["p99_us"], t["p999_us"], t["max_us"], t["p999_us"] / t["median_us"]])
    # The goal holds for the time of the steps themselves; the rest is the machine's.
    rows[0][-1] = f"{rows[0][-1]:.2f}"
    rows[1][-1] = bounds.at_most(rows[1][-1], EVEN)
    lines = [
        "### Jitter",
        "",
        f"{STEPS} steps of {ROBOT}, {REPETITIONS} times with the same bits. The least time of each step over the runs is what the",
        "step takes when nothing else runs on the core.",
        "",
        *table(["", "median", "p99", "p99.9", "worst", "p99.9 / median"], rows),
        "",
        f"The most iterations of a contact solve: {results['run']['most_iterations']}; unsolved steps: {results['run']['unsolved']}.",
    ]
    if "batch" in results:
        b = results["batch"]
        ratio = b["one_us"] / b["many_us"]
        text = bounds.holds(f"{ratio:.2f} times the throughput (≥ {FASTER})", ratio >= FASTER)
        same = bounds.holds("the same bits", b["same_bits"] == 1)
        lines += [
            "",
            "### Batch",
            "",
            f"{b['count']} simulations of {ROBOT}: {microseconds(b['one_us'])} µs a step on one core, {microseconds(b['many_us'])} µs on "
            f"{b['threads']}: {text}, {same}. What the machine gives: {b['threads']} processes that share nothing have "
            f"{results['processes']:.2f} times the throughput of one.",
        ]
    return lines
