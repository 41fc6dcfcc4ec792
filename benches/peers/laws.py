"""The two rigid laws beside each other: steps and Jacobians of the six robots with exact cones and with friction pyramids."""

import scenarios
import steps
from common import Best, compile_ours, say
from tables import table

# Of the time with exact cones, at most.
STEP, JACOBIANS = 0.9, 1.0


def measure(prepared, rounds):
    """{robot: {law: Best}}. The laws take turns."""
    compile_ours("ours_step.c")
    best = {p.name: {"ncp": Best(), "lcp": Best()} for p in prepared}
    for round_ in range(rounds):
        say(f"laws, round {round_ + 1} of {rounds}")
        for p in prepared:
            for law, b in best[p.name].items():
                b.add(steps.ours(p, p.run, law))
    return best


def markdown(best, bounds):
    rows = []
    for name, laws in best.items():
        cones, pyramids = laws["ncp"], laws["lcp"]
        rows.append([
            name, cones["step"], pyramids["step"], bounds.at_most(pyramids["step"] / cones["step"], STEP),
            cones["Jacobians"], pyramids["Jacobians"], bounds.at_most(pyramids["Jacobians"] / cones["Jacobians"], JACOBIANS),
            pyramids.last["run"]["unsolved"],
        ])
    return [
        "### Friction pyramids beside exact cones",
        "",
        f"The same {scenarios.STEPS} steps with each of the two rigid laws; unsolved are the steps with pyramids that ended above the",
        "tolerance.",
        "",
        *table(["robot", "step, cones", "pyramids", "ratio", "Jacobians, cones", "pyramids", "ratio", "unsolved"], rows),
    ]
