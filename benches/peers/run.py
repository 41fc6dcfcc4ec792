"""Runs the parts of the benchmark and writes the report.

Run through run.sh. Writes DIRECTORY/peers.md, peers.json, peers.svg and stages.svg (target/peers by default). A
time is the smallest over the rounds of a round's median: the machine may be slow for minutes, and
the smallest median is the time of an undisturbed call. The JSON file has every round.
"""

import argparse
import json
import pathlib

import common
from common import BUILD, say

import chart
import clutter
import collision
import gradients
import grips
import laws
import questions
import scenarios
import service
import stages
import steps
from environments import DRAKE, NIMBLE, interpreter
from tables import Bounds


def robots(prepared, options, bounds):
    common.compile_ours("ours_step.c", "ours_smooth.c")
    common.compile_mujoco("mujoco_step.c")
    common.compile_pinocchio("pinocchio")
    best = steps.measure(prepared, options.rounds, options.passes)
    (options.output / "peers.svg").write_text(chart.bars(*steps.bars(best)))
    return steps.markdown(prepared, best, bounds), _json(best)


def without_steps(prepared, options, bounds):
    common.compile_ours("ours_questions.c")
    common.compile_pinocchio("pinocchio_questions")
    best = questions.measure(options.rounds, options.passes)
    return questions.markdown(best, bounds), {name: b.json() for name, (_, b) in best.items()}


def rigid_laws(prepared, options, bounds):
    best = laws.measure(prepared, options.rounds)
    return laws.markdown(best, bounds), {name: _json(of) for name, of in best.items()}


def others(prepared, options, bounds):
    best = gradients.measure(prepared, min(options.rounds, 3), interpreter(NIMBLE), interpreter(DRAKE))
    return gradients.markdown(best, bounds), _json(best)


def piles(prepared, options, bounds):
    best = clutter.measure(interpreter(DRAKE), min(options.rounds, 2))
    return clutter.markdown(best, bounds), _json(best)


def held(prepared, options, bounds):
    best = grips.measure(interpreter(DRAKE), min(options.rounds, 2))
    return grips.markdown(best, bounds), _json(best)


def serving(prepared, options, bounds):
    results = service.measure(prepared)
    return service.markdown(results, bounds), results


def profile(prepared, options, bounds):
    results = stages.measure(prepared)
    if results:
        (options.output / "stages.svg").write_text(chart.stacked(*stages.bars(results)))
    return stages.markdown(results), results


def _json(best):
    return {name: b.json() for name, b in best.items()}


def detection(prepared, options, bounds):
    best = collision.measure(prepared, options.rounds)
    return collision.markdown(best, bounds), _json(best)


PARTS = {"robots": robots, "questions": without_steps, "laws": rigid_laws, "collision": detection, "others": others, "clutter": piles, "grips": held, "service": serving, "profile": profile}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often the engines take turns")
    parser.add_argument("--passes", type=int, default=200, help="over the random states, in a round")
    parser.add_argument("--parts", default=",".join(PARTS), help="of " + ", ".join(PARTS))
    parser.add_argument("--output", type=pathlib.Path, default=BUILD)
    parser.add_argument("robots", nargs="*", metavar="ROBOT")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if unknown := set(options.robots) - {s.name for s in scenarios.SCENARIOS}:
        parser.error(f"no such robot: {', '.join(sorted(unknown))}")

    options.output.mkdir(parents=True, exist_ok=True)
    chosen = [s for s in scenarios.SCENARIOS if not options.robots or s.name in options.robots]
    for scenario in chosen:
        if scenario.robot.missing:
            say(f"{scenario.name} skipped: {scenario.robot.missing}")
    prepared = [scenarios.prepare(s, BUILD) for s in chosen if not s.robot.missing]
    machine, bounds = common.machine(), Bounds()
    lines = ["; ".join(f"{name}: {value}" for name, value in machine.items()), "", "Times in microseconds, smallest medians."]
    results = {"machine": machine}
    for part in parts:
        section, results[part] = PARTS[part](prepared, options, bounds)
        lines += ["", *section]
    lines += ["", bounds.summary()]
    text = "\n".join(lines) + "\n"
    (options.output / "peers.md").write_text(text)
    (options.output / "peers.json").write_text(json.dumps(results, indent=1) + "\n")
    print(text)


if __name__ == "__main__":
    main()
