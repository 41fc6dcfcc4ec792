"""The robot and the task of the hopper's examples: from rest on the ground to a jump.

A torso of 3 kg slides up and down; a leg with a foot is pushed out of it by a motor of at most 150 N. At the end of 0.5 s
the torso should be 0.45 m above where it stands and at rest: at the top of its flight.
"""

import numpy as np

import diffsim
from diffsim.planning import Transition

TEXT = """<mujoco model="hopper"><option timestep="0.005"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="torso" pos="0 0 0.53"><joint name="height" type="slide" axis="0 0 1"/>
    <geom name="torso" type="sphere" size="0.08" mass="3" contype="0" conaffinity="0"/>
    <body name="leg"><joint name="leg" type="slide" axis="0 0 -1" range="-0.2 0.2" damping="2"/>
      <geom name="shin" type="capsule" fromto="0 0 -0.1 0 0 -0.45" size="0.02" mass="0.3" contype="0" conaffinity="0"/>
      <geom name="foot" type="sphere" size="0.03" pos="0 0 -0.5" mass="0.1"/>
    </body></body></worldbody>
  <actuator><motor name="push" joint="leg" ctrlrange="-150 150"/></actuator></mujoco>"""

NODES, STEPS = 50, 2
GOAL = np.array([0.45, 0.0, 0.0, 0.0])  # height, leg [m], their speeds
WEIGHTS = np.array([2e3, 2e1, 1e2, 1e-2])  # of the end
EFFORT = 1e-5  # of u²


def transition(differences=None):
    """The step of 10 ms; with `differences` its derivatives are central differences."""
    model = diffsim.Model.from_string(TEXT, "mjcf")
    return Transition(model, STEPS, differences=differences)


def start():
    """The state at the beginning, at rest, and a first guess of the inputs: one that holds the torso, then a push."""
    guess = np.full((NODES, 1), 30.0)
    guess[10:20] = 90.0
    guess[20:] = 0.0
    return np.zeros(4), guess


def trajectory(step, inputs):
    """States along the inputs."""
    states = [start()[0]]
    for u in inputs:
        states.append(step.step(states[-1], u))
    return np.array(states)


def cost(states, inputs):
    """What all solvers minimize."""
    miss = states[-1] - GOAL
    return float(WEIGHTS @ miss**2 + EFFORT * np.sum(np.square(inputs)))


def report(rows):
    """Prints the table: solver, derivatives, iterations, seconds, cost, height and speed at the end. Returns 0 if the
    torso of the first row ends within 5 cm of its goal, else 1."""
    print(f"{'solver':18} {'derivatives':12} {'iterations':>10} {'time [s]':>9} {'cost':>9} {'height [m]':>10} {'speed [m/s]':>11}")
    for solver, name, iterations, seconds, states, inputs in rows:
        print(
            f"{solver:18} {name:12} {iterations:10d} {seconds:9.3f} {cost(states, inputs):9.4f} {states[-1][0]:10.4f} {states[-1][2]:11.4f}"
        )
    height = rows[0][4][-1][0]
    print(f"the torso ends {height:.3f} m above where it stood")
    return int(abs(height - GOAL[0]) > 0.05)
