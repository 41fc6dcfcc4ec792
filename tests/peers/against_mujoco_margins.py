"""At which distance a contact appears, against MuJoCo's: the margins of two geoms add up, a
`contact/pair` has its own."""

import pathlib
import tempfile

import mujoco

import diffsim_c as ds

ALLOWED = 1e-9
# Half of the span in which a contact may appear [m].
SPAN = 0.1
MARGINS = [(0.0, 0.0), (0.01, 0.0), (0.0, 0.02), (0.01, 0.02), (0.02, 0.02)]
# What touches a sphere of radius 0.1, and its height where they touch.
BELOW = {
    "plane": ('type="plane" size="1 1 1"', 0.1),
    "sphere": ('type="sphere" size="0.1"', 0.2),
    "box": ('type="box" size="0.3 0.3 0.1"', 0.2),
}
PAIRS = {"": "", "pair": "<pair geom1='a' geom2='b'/>", "pair, 5 mm": "<pair geom1='a' geom2='b' margin='0.005'/>"}


def scene(below, margins, pair):
    return f"""<mujoco>
  <worldbody>
    <geom name="a" {below} margin="{margins[0]}"/>
    <body name="b"><freejoint/><geom name="b" size="0.1" margin="{margins[1]}"/></body>
  </worldbody>
  <contact>{pair}</contact>
</mujoco>"""


def appears(count, height):
    """The largest distance at which `count(height)` is not zero, by bisection."""
    near, far = -SPAN, SPAN
    for _ in range(40):
        middle = 0.5 * (near + far)
        near, far = (middle, far) if count(height + middle) else (near, middle)
    return 0.5 * (near + far)


def ours(path):
    model = ds.Model(path)
    sim = ds.Sim(model)

    def count(height):
        q = model.neutral()
        q[2] = height
        return sim.contact_count(q)

    return count


def theirs(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)

    def count(height):
        data.qpos[2] = height
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        return data.ncon

    return count


def compare(report):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "scene.xml"
        for name, (below, height) in BELOW.items():
            for kind, pair in PAIRS.items():
                worst = 0.0
                for margins in MARGINS:
                    path.write_text(scene(below, margins, pair))
                    worst = max(worst, abs(appears(ours(path), height) - appears(theirs(path), height)))
                what = "contact appears" + (f" ({kind})" if kind else "")
                report.row(f"sphere on {name}", what, worst, ALLOWED)
