"""The six robots: our step and its derivatives beside MuJoCo's, our smooth dynamics beside Pinocchio's."""

import math

import scenarios
import smooth
from common import BUILD, Best, ds, run_json, say
from tables import Bounds, table

# Of mjd_transitionFD's time to that of our Jacobians, at least.
DIFFERENCES = {"half_cheetah": 25, "humanoid": 80, "ur5": 10, "go1": 50, "h1": 80, "atlas": 150}
MAX_CONTACTS = 128
STRIDE = 5
# Finite differences of a step take a hundred steps and more.
STRIDE_OF_DIFFERENCES = 40


def ours(p, run, law="ncp"):
    rows = run_json(BUILD / "ours_step", p.mjcf, run, STRIDE, "now", MAX_CONTACTS, math.inf, law)
    for row in rows:
        if failure := row.get("run", {}).get("failure"):
            raise SystemExit(f"{p.name}: our step fails: {failure}")
    return rows


def measure(prepared, rounds, passes):
    """{robot: Best}. The engines take turns, robot by robot, round by round."""
    for p in prepared:
        smooth.prepare(p.folder, ds.Model(p.mjcf), p.model)
    best = {p.name: Best() for p in prepared}
    for round_ in range(rounds):
        say(f"robots, round {round_ + 1} of {rounds}")
        for p in prepared:
            b = best[p.name]
            theirs = run_json(BUILD / "mujoco_step", p.mjcf, p.run, STRIDE_OF_DIFFERENCES, "now")
            b.add({"mujoco_run": row["run"]} if "run" in row else row for row in theirs)
            b.add(ours(p, p.run))
            b.add(smooth.pinocchio_times(p.folder, passes))
            b.add(smooth.our_times(p.folder, p.mjcf, passes))
    for name, b in best.items():
        if not b.last["mujoco_run"]["finite"]:
            raise SystemExit(f"{name}: MuJoCo's run does not stay finite")
    return best


def markdown(prepared, best, bounds: Bounds):
    nv = {p.name: p.model.nv for p in prepared}
    step, derivative, functions = [], [], []
    for name, b in best.items():
        run, theirs = b.last["run"], b.last["mujoco_run"]
        smooth_us = b["computeABADerivatives"]
        step.append([
            name, nv[name], f"{run['contacts']:.1f} / {theirs['contacts']:.1f}", f"{run['residual']:.0e}", run["unsolved"],
            b["step"], b["mj_step"], bounds.at_most(b["step"] / b["mj_step"], 1.0),
        ])
        derivative.append([
            name, b["Jacobians"], smooth_us, bounds.at_most(b["Jacobians"] / smooth_us, 1.5),
            b["mjd_transitionFD, centred"],
            bounds.at_least(b["mjd_transitionFD, centred"] / b["Jacobians"], DIFFERENCES[name]),
            b["VJP"], bounds.at_most(b["VJP"] / b["Jacobians"], 0.5),
        ])
        for ours, peer, allowed in smooth.pairs(name, b):
            ratio = b[ours] / b[peer]
            functions.append([name, ours, b[ours], f"{b[peer]:.2f} {peer}", bounds.at_most(ratio, allowed)])
    return [
        "### A step of six robots",
        "",
        f"{scenarios.STEPS} steps of 1 ms from the same state with the same controls; ours with exact cones, MuJoCo with",
        "Euler, Newton and pyramids. Contacts are the mean over the run, ours and MuJoCo's; the residual is the largest",
        "of the run; unsolved are the steps that ended above the tolerance.",
        "",
        *table(["robot", "nv", "contacts", "residual", "unsolved", "step", "mj_step", "ratio"], step),
        "",
        "### Its derivatives",
        "",
        "Jacobians: of the whole contact step by q, v and u. Pinocchio's derivatives are of the smooth forward dynamics",
        "only. mjd_transitionFD differentiates the same step by centred differences. VJP: one, without Jacobians before.",
        "",
        *table(["robot", "Jacobians", "computeABADerivatives", "ratio", "mjd_transitionFD", "ratio", "VJP", "VJP / Jacobians"],
               derivative),
        "",
        "### Smooth dynamics",
        "",
        f"{smooth.STATES} random states, the same for both; the outputs are compared before they are timed.",
        "",
        *table(["robot", "function", "ours", "Pinocchio", "ratio"], functions),
    ]


def bars(best):
    """For the chart: series and groups."""
    series = ["step", "mj_step", "Jacobians", "computeABADerivatives", "mjd_transitionFD, centred"]
    return series, {name: [b[what] for what in series] for name, b in best.items()}
