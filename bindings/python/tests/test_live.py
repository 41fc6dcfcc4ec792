"""The live server: what it sends, what it does when asked, and whom it answers."""

import asyncio
import http.client
import json
import struct
import threading

import numpy as np
import pytest

import diffsim

pytest.importorskip("websockets")
from websockets.exceptions import InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

SWING = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" pos="0 0 -5"/><body pos="0 0 1" name="arm">
  <joint name="swing" axis="0 1 0" damping="0.3"/><geom type="capsule" fromto="0 0 0 0 0 -0.6" size="0.06" mass="1"/>
  </body></worldbody><actuator><motor name="&lt;odd&gt;" joint="swing"/></actuator></mujoco>"""


def model():
    return diffsim.Model.from_string(SWING, diffsim.Format.MJCF)


@pytest.fixture
def live():
    made = diffsim.Live(model())
    listening, loop = threading.Event(), asyncio.new_event_loop()
    task = None

    def work():
        nonlocal task
        asyncio.set_event_loop(loop)
        task = loop.create_task(made.serve(lambda _: listening.set()))
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass

    thread = threading.Thread(target=work)
    thread.start()
    assert listening.wait(10)
    yield made
    loop.call_soon_threadsafe(task.cancel)
    thread.join(10)
    loop.close()


def get(live, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", live.port, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer


def socket(live, token=None, origin=True):
    own = f"http://127.0.0.1:{live.port}"
    token = live.token if token is None else token
    return connect(f"ws://127.0.0.1:{live.port}/live?token={token}", origin=own if origin is True else origin)


def frame(s):
    """The next frame; messages with the state of the simulation are none."""
    message = s.recv(5)
    while isinstance(message, str):
        message = s.recv(5)
    return poses(message)


def said(s, key):
    """The next text that has a key."""
    while True:
        message = s.recv(5)
        if isinstance(message, str) and key in json.loads(message):
            return json.loads(message)[key]


def poses(message):
    time, bodies, contacts = struct.unpack_from("<dII", message)
    assert len(message) == 16 + 28 * bodies + 56 * contacts
    return time, np.frombuffer(message, "<f4", 7 * bodies, 16).reshape(-1, 7)


def test_only_who_has_the_address_is_answered(live):
    assert live.host == "127.0.0.1" and live.url == f"http://127.0.0.1:{live.port}/?token={live.token}"
    for path in ("/", "/?token=", "/?token=wrong", "/live?token=wrong"):
        assert get(live, path)[0] == 403, path
    assert get(live, f"/other?token={live.token}")[0] == 404
    status, text, answer = get(live, f"/?token={live.token}")
    assert status == 200 and answer.getheader("Content-Type").startswith("text/html")
    assert f"connect-src ws://127.0.0.1:{live.port}" in text and "<odd>" not in text
    for token, origin in [("wrong", True), (None, "http://example.com"), (None, f"http://127.0.0.1:{live.port + 1}"), (None, None)]:
        with pytest.raises(InvalidStatus) as refused:
            socket(live, token, origin)
        assert refused.value.response.status_code == 403, (token, origin)


def test_it_runs_and_does_what_it_is_asked(live):
    with socket(live) as s:
        first, _ = frame(s)
        for _ in range(20):
            time, at = frame(s)
        assert time > first and abs(at[1, 4]) < 0.01
        s.send(json.dumps({"do": "drag", "body": 1, "point": [0, 0, -0.5], "target": [0.5, 0, 1.0]}))
        for _ in range(120):
            _, at = frame(s)
        assert abs(at[1, 4]) > 0.2
        # What makes no sense changes nothing, and is answered.
        for wrong in ("{", "[]", '{"do": "drag", "body": 99, "point": [0,0,0], "target": [0,0,0]}', '{"do": "input", "index": 0}',
                      '{"do": "drag", "body": 1, "point": [NaN,0,0], "target": [0,0,0]}',
                      '{"do": "drag", "body": 1, "point": [0,0,0], "target": [0,0,0], "size": 0}'):
            s.send(wrong)
            assert "not understood" in said(s, "message"), wrong
        s.send(json.dumps({"do": "reset"}))
        s.send(json.dumps({"do": "parameter", "index": 0, "value": 0.0}))
        s.send(json.dumps({"do": "input", "index": 0, "value": 2.0}))
        for _ in range(60):
            _, at = frame(s)
        assert live.sim.params[0] == 0.0 and live.u[0] == 2.0 and abs(at[1, 4]) > 0.02


def test_any_name_of_this_machine_and_any_tunnel_works(live):
    """The page allows itself the host by which it was asked for, and no other page may connect."""
    for authority in (f"localhost:{live.port}", "robot.local:9000", "[::1]:8765", "10.0.0.7"):
        status, text, _ = get(live, f"/?token={live.token}", Host=authority)
        assert status == 200 and f"connect-src ws://{authority} wss://{authority}" in text, authority
        path = f"/live?token={live.token}"
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "A" * 22 + "=="}
        assert get(live, path, Host=authority, Origin=f"http://{authority}", **upgrade)[0] == 101, authority
        for origin in ("http://evil.example", f"http://{authority}.evil.example", "null"):
            assert get(live, path, Host=authority, Origin=origin, **upgrade)[0] == 403, (authority, origin)
    for harmful in ("a'; script-src *", "<script>", "a b"):
        assert get(live, f"/?token={live.token}", Host=harmful)[0] == 400, harmful


def test_refused_visitors_leave_no_traces_in_the_terminal(live, capfd):
    with pytest.raises(InvalidStatus):
        socket(live, None, "http://example.com")
    import socket as plain

    with plain.create_connection(("127.0.0.1", live.port)) as s:
        s.sendall(b"\x16\x03\x01 no http\r\n\r\n")
        s.recv(99)
    assert capfd.readouterr().err == ""


def test_pages_learn_of_every_change(live):
    with socket(live) as s, socket(live) as other:
        assert said(s, "state") == {"paused": False, "speed": 1.0, "u": [0.0], "params": [-9.81, 1.0], "reset": False}
        said(other, "state")
        s.send(json.dumps({"do": "input", "index": 0, "value": 2.0}))
        assert said(other, "state")["u"] == [2.0]
        s.send(json.dumps({"do": "parameter", "index": 0, "value": 3.0}))
        assert said(other, "state")["params"] == [3.0, 1.0]
        s.send(json.dumps({"do": "speed", "value": 0.5}))
        assert said(other, "state")["speed"] == 0.5
        # Inputs and parameters of the start come back, too.
        s.send(json.dumps({"do": "reset"}))
        state = said(other, "state")
        assert state["reset"] and state["u"] == [0.0] and state["params"] == [-9.81, 1.0]
        s.send(json.dumps({"do": "step"}))
        assert said(other, "state")["paused"]
        before = live.time
        s.send(json.dumps({"do": "step"}))
        said(other, "state")
        assert live.time == pytest.approx(before + live.time_step)


def test_a_page_that_draws_slowly_skips_frames(live):
    """It says when it has shown a frame; no more than a few are ever under way."""
    with socket(live) as s:
        frame(s)
        s.send('{"do":"seen"}')
        counts = []
        for _ in range(5):
            count = 0
            while True:
                try:
                    message = s.recv(0.3)
                except TimeoutError:
                    break
                count += not isinstance(message, str)
            counts.append(count)
            s.send('{"do":"seen"}')
        assert max(counts[1:]) <= 2 and sum(counts[1:]) >= 3, counts


def test_ranges_of_inputs_are_those_of_the_file():
    text = SWING.replace("<motor ", '<motor ctrllimited="true" ctrlrange="-1 3" ')
    limited = diffsim.Live(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    assert [x[1:] for x in limited._inputs()] == [[-1.0, 3.0]] and [x[1:] for x in diffsim.Live(model())._inputs()] == [[-20.0, 20.0]]


def test_servos_hold_the_pose_at_the_start(models):
    """The inputs at the start are those of the keyframe at home, within the file's ranges."""
    model = diffsim.Model.load(models / "quadruped.xml")
    live = diffsim.Live(model)
    np.testing.assert_array_equal(live.u, model.keyframe("standing")[2])
    for _ in range(100):
        live.advance(0.01)
    assert abs(live.q[2] - model.home()[2]) < 0.05
    text = """<mujoco><worldbody><body><joint name="j" type="slide"/><geom size="0.1"/></body></worldbody>
      <actuator><position joint="j" ctrllimited="true" ctrlrange="0.2 0.5"/></actuator></mujoco>"""
    assert diffsim.Live(diffsim.Model.from_string(text, "mjcf")).u == 0.2
    for actuation in ("file", "full", "joints"):
        loaded = diffsim.Model.load(models / "arm7.urdf", actuation=actuation if actuation != "file" else "from_file")
        assert diffsim.Live(loaded).u.tolist() == [0.0] * loaded.nu


def test_every_interface_has_an_address_that_others_reach():
    live = diffsim.Live(model(), host="0.0.0.0", port=8123)
    assert "0.0.0.0" not in live.url and live.url.startswith("http://") and ":8123/" in live.url


def test_what_it_sends_is_where_the_bodies_are():
    live = diffsim.Live(model(), control=lambda t, q, v: [3.0 * np.cos(t)])
    live.advance(0.005)
    time, at = poses(live.frame())
    placements = live.sim.forward_kinematics(live.q)
    np.testing.assert_allclose(at[:, :3].T, placements[:3, 3], atol=1e-6)
    x, y, z, w = at[1, 3:]
    np.testing.assert_allclose([1 - 2 * (y * y + z * z), 2 * (x * z + w * y)], placements[0, [0, 2], 1], atol=1e-6)
    assert live.page().count("x-diffsim") >= 2
    live.reset()
    assert live.time == 0.0


@pytest.mark.parametrize(
    "size, mass, other", [(1.0, 10.0, 0.0), (1e-3, 1e-8, 0.0), (0.1, 1e-3, 1000.0), (400.0, 1e9, 0.0)], ids=["usual", "1 mm", "1 g beside 1 t", "400 m"]
)
def test_a_pull_brings_bodies_of_any_size_and_mass_to_the_mouse(size, mass, other):
    """A body with a light arm, pulled at the arm. Before, light bodies were thrown away."""
    beside = f'<body pos="0 0 {20 * size}"><freejoint/><geom type="sphere" size="{size}" mass="{other}"/></body>' if other else ""
    text = f"""<mujoco><option gravity="0 0 0"/><worldbody>{beside}<body><freejoint/><geom type="box"
      size="{size} {size} {size}" mass="{mass}"/><body pos="{size} 0 0"><joint axis="0 1 0"/><geom type="capsule"
      fromto="0 0 0 {size} 0 0" size="{0.1 * size}" mass="{1e-3 * mass}" contype="0" conaffinity="0"/></body></body></worldbody></mujoco>"""
    # A large robot is slower.
    live = diffsim.Live(diffsim.Model.from_string(text, diffsim.Format.MJCF), time_step=1e-3 * max(1.0, size**0.5))
    body = live.model.nbody - 1
    target = [1.5 * size, size, 0.5 * size]
    live.hear(json.dumps({"do": "drag", "body": body, "point": [size, 0, 0], "target": target, "size": size}))
    farthest = 0.0
    for _ in range(3000):
        live.advance(live.time_step)
        place = live.sim.forward_kinematics(live.q)[:, :, body]
        farthest = max(farthest, float(np.linalg.norm(place[:3, :3] @ [size, 0, 0] + place[:3, 3] - target)))
    at = place[:3, :3] @ [size, 0, 0] + place[:3, 3]
    assert not live.message and farthest < 2.0 * size
    assert np.linalg.norm(at - target) < 0.05 * size


@pytest.mark.parametrize("size", (1.0, 1e-3))
def test_a_pull_lifts_a_robot(size):
    """By a third of its size on the earth, also at a light arm."""
    text = f"""<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 {size}"><freejoint/><geom type="box"
      size="{size} {size} {size}" mass="10"/><body pos="{size} 0 0"><joint axis="1 0 0"/><geom type="sphere" size="{0.1 * size}" mass="0.05"/>
      </body></body></worldbody></mujoco>"""
    live = diffsim.Live(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    live.hear(json.dumps({"do": "drag", "body": 2, "point": [0, 0, 0], "target": [size, 0, 1.5 * size], "size": size}))
    for _ in range(2000):
        live.advance(live.time_step)
    assert live.sim.forward_kinematics(live.q)[2, 3, 2] > 1.1 * size


def test_frames_count_from_near_the_robot():
    """A page computes in single precision: far away, positions are sent from a point near the bodies."""
    text = SWING.replace('pos="0 0 1" name="arm"', 'pos="1e6 -3e5 1" name="arm"')
    live = diffsim.Live(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    live.page()
    poses = np.frombuffer(live.frame(), "<f4", 14, 16).reshape(2, 7)
    np.testing.assert_allclose(poses[1, :3] + live._origin, [1e6, -3e5, 1.0], atol=1e-4)
    assert np.abs(poses[1, :3]).max() < 300.0
    live.hear(json.dumps({"do": "drag", "body": 1, "point": [0, 0, 0], "target": [1.0, 2.0, 3.0]}))
    np.testing.assert_array_equal(live._drag[2], live._origin + [1.0, 2.0, 3.0])


def test_quaternions_of_any_rotation():
    from diffsim.viewer import quaternions

    rng = np.random.default_rng(0)
    q = rng.normal(size=(50, 4))
    q[:8] = np.vstack([np.eye(4), -np.eye(4)])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    x, y, z, w = q.T
    r = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
    found = quaternions(r)
    assert np.abs(np.abs(np.sum(found * q, axis=1)) - 1).max() < 1e-12


def test_whatever_is_said_the_simulation_goes_on():
    """Random messages, well-formed or not: each is done or answered, and the state stays finite."""
    live, rng = diffsim.Live(model()), np.random.default_rng(7)
    kinds = ["drag", "release", "input", "parameter", "pause", "speed", "step", "reset", "keyframe", "seen", "no", None, 3, []]
    values = [0, 1, -1, 1.5, 1e300, -1e300, float("inf"), float("nan"), None, "1", [], [0, 0, 0], [1, 2], {}, True, 2**70]
    for k in range(3000):
        said = {"do": kinds[rng.integers(len(kinds))]}
        for name in ("index", "value", "body", "point", "target", "on"):
            if rng.random() < 0.7:
                said[name] = values[rng.integers(len(values))]
        live.hear(json.dumps(said))
        if k % 20 == 0:
            live.advance(2 * live.time_step)
            assert np.isfinite(live.q).all() and np.isfinite(live.v).all(), said
        live.frame()
        json.loads(live._state())
    assert np.isfinite(live.u).all() and 0.01 <= live.speed <= 100
