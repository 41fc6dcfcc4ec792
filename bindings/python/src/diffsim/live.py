"""A running simulation in a browser. The mouse pulls bodies; sliders set inputs and parameters.

Needs the package `websockets`. By default the server listens to this machine only.
It refuses clients without the token of its address, and pages of other origins.
"""

import asyncio
import hmac
import html
import http
import json
import logging
import math
import re
import reprlib
import secrets
import socket
import struct
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple
from urllib.parse import parse_qs, urlsplit

import numpy as np

from . import viewer
from ._checked import Check, Uncopied
from ._errors import ArgumentTypeError, DiffsimError, InvalidArgumentError, NoStepError
from ._handle import given
from ._names import flag, number, string
from ._native import Array, array, finite, index, numbers
from ._start import start
from .enums import ParamKind
from .model import Model
from .parameters import Param
from .recorder import Recorder
from .recording import Recording
from .sim import Sim

#: Frames sent per second.
RATE = 60.0
#: Largest share of a frame's period for the steps. If they need more, the simulation runs slower than real
#: time.
SHARE = 0.8
#: Largest number of frames on the way to a page. A page that draws slowly skips frames and stays up to date.
AHEAD = 3
#: Range of speeds, relative to real time.
SPEEDS = 0.01, 100.0
#: Largest message of a client [bytes].
MAX_MESSAGE = 1 << 16


#: Message of a page after it has shown a frame.
SEEN = '{"do":"seen"}'

#: u for (time, q, v).
Control = Callable[[float, Array, Array], Any]


def _control(_: Any, x: Any, name: str) -> Optional[Control]:
    if not (x is None or callable(x)):
        raise ArgumentTypeError(f"{name}: expected a function of time, q and v, or None, got {reprlib.repr(x)}")
    return x  # type: ignore[no-any-return]


def _host(_: Any, x: Any, name: str) -> str:
    return string(x, name).decode()


def _port(_: Any, x: Any, name: str) -> int:
    i = index(x, name)
    if not 0 <= i < 1 << 16:
        raise InvalidArgumentError(f"{name}: expected 0 to 65535, got {i}")
    return i


def _speed(_: Any, x: Any, name: str) -> float:
    value = number(x, name)
    if not math.isfinite(value):
        raise InvalidArgumentError(f"{name}: must be finite, got {value}")
    return min(max(value, SPEEDS[0]), SPEEDS[1])


def _vector(size: str) -> Check:
    """The check of one of the state's vectors; size: the model's attribute that is its length."""
    return lambda live, x, name: finite(array(x, (getattr(live.model, size),), name), name)


class Live(Uncopied):
    """A simulation that runs in real time. Its page is at `url`.

    control: function from (time, q, v) to u, instead of the sliders. options: those of the `Sim`, but derivatives.
    host, port: address of the server; port 0 is any free port. visuals, mesh_dirs: see `Recorder`.

        diffsim.Live(model).run()
    """

    _no_copies = "it owns a server's address. Make another one"
    _fixed = frozenset(("model", "sim", "time_step", "token", "parameters"))
    _settable = {
        "control": _control,
        "host": _host,
        "port": _port,
        "q": _vector("nq"),
        "v": _vector("nv"),
        "u": _vector("nu"),
        "time": lambda _, x, name: number(x, name),
        "paused": lambda _, x, name: flag(x, name),
        "speed": _speed,
        "message": lambda _, x, name: string(x, name).decode(),
    }

    def __init__(
        self,
        model: Model,
        control: Optional[Control] = None,
        host: str = "127.0.0.1",
        port: int = 0,
        visuals: Any = None,
        mesh_dirs: Any = (),
        **options: Any,
    ) -> None:
        if "derivatives" in options:
            raise ArgumentTypeError("derivatives: a live view takes none; expected other options of a Sim")
        self.model, self.control, self.host, self.port = given(model, Model, "model"), control, host, port
        self.token = secrets.token_urlsafe(18)
        self.sim = Sim(model, derivatives=0, **options)
        self.time_step = self.sim.time_step
        self._recorder_options = {"visuals": visuals, "mesh_dirs": mesh_dirs}
        # Number of frames on the way to each client; None for a client that does not report shown frames.
        self._clients: Dict[Any, Optional[int]] = {}
        self._drag: Optional[Tuple[int, Array, Array, float]] = None
        self._parameters()
        self._first_params = self.sim.params
        self._keyframe = -1
        self.reset()
        self._packed: Recording = self._first()
        #: The point from which pages count positions.
        self._origin = viewer.start(self._packed.frames[0].poses)
        self.paused, self.speed, self.message = False, 1.0, ""
        self._changed = self._was_reset = False

    def _parameters(self) -> None:
        """Sliders of parameters: gravity, and the friction of geoms fixed to the world."""
        m = self.model
        chosen = [("gravity z [m/s²]", Param(ParamKind.GRAVITY, 0, 2), -20.0, 5.0)]
        for i, geom in enumerate(m.geoms):
            if geom.body == 0 and len(chosen) < 4:
                chosen.append((f"friction of {geom.name or f'geom {i}'}", Param(ParamKind.GEOM_FRICTION, i, 0), 0.0, 2.0))
        self.sim.select_params([p for _, p, _, _ in chosen])
        self.parameters = [(name, low, high) for name, _, low, high in chosen]

    def reset(self) -> None:
        """Returns to the start: time 0 and the initial parameters and inputs."""
        m = self.model
        self.time = 0.0
        self.q, self.v, self.u = start(m, m.keyframe_names[self._keyframe] if self._keyframe >= 0 else None)
        self._drag = None
        self.sim.params = self._first_params
        self.sim.reset()

    @property
    def url(self) -> str:
        """Address of the page. Everyone with this address may watch and pull."""
        return f"http://{self._authority()}/?token={self.token}"

    def _authority(self) -> Any:
        """Host and port at which this machine is reached."""
        host = self.host
        if host in ("0.0.0.0", "::", ""):
            host = _own_address()
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    def _inputs(self) -> List[Any]:
        """Names and ranges of the sliders of u: the control range, else the range of the joint's effort."""
        m, out = self.model, []
        if self.control is not None:
            return []
        by_name = {j.name: j for j in m.joints}
        for a in m.actuators:
            low, high = a.control_range
            if not (np.isfinite(low) and np.isfinite(high)):
                joint = by_name.get(a.joint) if a.joint else None
                gear = abs(a.gain) * float(np.abs(a.gear).max())
                effort = joint.effort if joint is not None else np.inf
                most = effort / gear if np.isfinite(effort) and effort > 0 and gear > 0 else 20.0
                low, high = -most, most
            out.append([a.name, float(low), float(high)])
        return out

    # Page and frames

    def _first(self) -> Recording:
        recorder = Recorder(self.model, **self._recorder_options)
        recorder.state(self.time, self.q, self.v)
        recording = recorder.recording()
        # Every body is sent separately: it is unknown which bodies will move against their parents.
        recording.frames = recording.frames[:1]
        return recording

    def page(self, authority: Optional[str] = None) -> str:
        """The page of this simulation for clients that reach it at a host and port, by default those of `url`."""
        facts = {
            "token": self.token,
            "u": self._inputs(),
            "timeStep": self.time_step,
            "keyframes": list(self.model.keyframe_names),
            "parameters": [[n, low, high, value] for (n, low, high), value in zip(self.parameters, self.sim.params)],
        }
        at = self._authority() if authority is None else _host(self, authority, "authority")
        return viewer.live_page(self._packed, facts, html.escape(at))

    def _state(self, reset: bool = False) -> str:
        """State that pages show beside the frames."""
        params, u = self.sim.params.tolist(), self.u.tolist()
        return json.dumps({"state": {"paused": self.paused, "speed": self.speed, "u": u, "params": params, "reset": reset}})

    def frame(self) -> bytes:
        """Data of one frame: time, poses (7 numbers a body), then 14 numbers a contact."""
        poses = self._poses()
        try:
            contacts: Any = self.sim.contacts()
        except NoStepError:
            # No step yet: at the start, or after a change of a parameter.
            contacts = np.zeros(0)
        head = struct.pack("<dII", self.time, self.model.nbody, len(contacts))
        if not len(contacts):
            return head + poses
        n = contacts["normal"]
        t1, t2 = contacts["tangents"][:, :3], contacts["tangents"][:, 3:]
        i = contacts["impulse"]
        impulse = i[:, :1] * t1 + i[:, 1:2] * t2 + i[:, 2:] * n
        ids = np.stack([contacts[k] for k in ("geom_a", "geom_b", "body_a", "body_b", "mode")], axis=1)
        return head + poses + np.concatenate([ids, contacts["point"] - self._origin, n, impulse], axis=1).astype("<f4").tobytes()

    def _poses(self) -> bytes:
        placements = self.sim.forward_kinematics(self.q)
        out = np.empty((self.model.nbody, 7))
        out[:, :3] = placements[:3, 3].T - self._origin
        out[:, 3:] = viewer.quaternions(placements[:3, :3])
        return out.astype("<f4").tobytes()

    # Forces and messages

    def _pull(self) -> Any:
        """A damped spring from a point of a body to the point of the mouse. Its stiffness grows with the mass of the
        robot over its size. Both forces are those at the end of the step as far as the point's own inertia tells, so
        they do not throw a light part of a heavy robot."""
        assert self._drag is not None
        body, local, target, size = self._drag
        placement = self.sim.forward_kinematics(self.q)[:, :, body]
        arm = placement[:3, :3] @ local
        to_point, h, mass = self.sim.body_jacobian(self.q, body, local)[:3], self.time_step, self._mass()
        velocity = to_point @ self.v
        # A pull by a sixth of its size lifts a robot on the earth.
        stiffness = 60.0 * mass / size
        damping = 2.0 * np.sqrt(stiffness * mass)
        # The velocity of the point per impulse on it. The damper acts before the spring: at rest nothing
        # weakens this.
        yields = to_point @ self.sim.mass_matrix_inverse(self.q) @ to_point.T
        velocity = np.linalg.solve(np.eye(3) + h * damping * yields, velocity)
        away = target - placement[:3, 3] - arm - h * velocity
        force = np.linalg.solve(np.eye(3) + h * h * stiffness * yields, stiffness * away) - damping * velocity
        most = 30.0 * mass * 9.81
        strength = np.linalg.norm(force)
        force *= min(1.0, most / strength) if strength > 0 else 1.0
        return body, np.concatenate([force, np.cross(arm, force)])

    def _mass(self) -> Any:
        return self.sim.center_of_mass(self.q)[0]

    def advance(self, seconds: float) -> None:
        """Takes the steps of this simulated time, or as many as real time allows."""
        end, began = self.time + number(seconds, "seconds"), time.perf_counter()
        while self.time + 0.5 * self.time_step < end and time.perf_counter() - began < SHARE / RATE:
            u = self.u if self.control is None else self.control(self.time, self.q, self.v)
            try:
                if self._drag is not None:
                    self.sim.set_external_wrench(*self._pull())
                self.q, self.v = self.sim.step(self.q, self.v, numbers(u, "control"))
            except DiffsimError as error:
                self.message, self.paused, self._changed = str(error), True, True
                return
            self.time += self.time_step

    def hear(self, text: str) -> None:
        """Executes a message of a client. Ignores unknown messages."""
        try:
            said = json.loads(text) if isinstance(text, str) else None
            self._do(said)
            self._changed = self._changed or said["do"] not in ("drag", "release", "seen")
            self._was_reset = self._was_reset or said["do"] in ("reset", "keyframe")
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, DiffsimError) as error:
            self.message = f"not understood: {error}"

    def _do(self, said: Any) -> None:
        kind = said["do"]
        if kind == "drag":
            body = int(said["body"])
            if not 0 < body < self.model.nbody:
                raise ValueError("no such body")
            self._release()
            size = float(said.get("size", 1.0))
            if not 0.0 < size < np.inf:
                raise ValueError("no size")
            self._drag = body, _three(said["point"]), _three(said["target"]) + self._origin, size
        elif kind == "release":
            self._release()
        elif kind == "input":
            index, value = int(said["index"]), float(said["value"])
            if np.isfinite(value) and 0 <= index < self.model.nu:
                self.u[index] = value
        elif kind == "parameter":
            values = self.sim.params
            index, value = int(said["index"]), float(said["value"])
            if np.isfinite(value) and 0 <= index < len(values):
                values[index] = value
                self.sim.params = values
        elif kind == "seen":
            pass
        elif kind == "pause":
            self.paused = bool(said["on"])
        elif kind == "speed":
            self.speed = float(said["value"])
        elif kind == "step":
            self.paused = True
            self.advance(self.time_step)
        elif kind in ("reset", "keyframe"):
            if kind == "keyframe":
                index = int(said["index"])
                if not -1 <= index < len(self.model.keyframe_names):
                    raise ValueError("no such keyframe")
                self._keyframe = index
            self._release()
            self.reset()

    def _release(self) -> None:
        if self._drag is not None:
            self.sim.set_external_wrench(self._drag[0], np.zeros(6))
            self._drag = None

    # Server

    def _knows(self, path: Any) -> Any:
        given = parse_qs(urlsplit(path).query).get("token", [""])[0]
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _answer(self, connection: Any, request: Any) -> Any:
        """The page, a refusal, or None for a websocket that may connect.

        A page may connect to its own origin, by any name or tunnel. Other pages may not."""
        if not self._knows(request.path):
            return connection.respond(http.HTTPStatus.FORBIDDEN, "the address lacks its token\n")
        authority = request.headers.get("Host", "")
        if not re.fullmatch(r"[A-Za-z0-9.\-_\[\]:]{1,255}", authority):
            return connection.respond(http.HTTPStatus.BAD_REQUEST, "the header Host is missing or no host\n")
        path = urlsplit(request.path).path
        if path == "/live":
            origin = request.headers.get("Origin", "")
            if origin in (f"http://{authority}", f"https://{authority}"):
                return None
            return connection.respond(http.HTTPStatus.FORBIDDEN, "the page is of another origin\n")
        if path != "/":
            return connection.respond(http.HTTPStatus.NOT_FOUND, "not found\n")
        response = connection.respond(http.HTTPStatus.OK, self.page(authority))
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        return response

    async def _meet(self, connection: Any) -> None:
        self._clients[connection] = None
        try:
            await connection.send(self._state())
            await connection.send(self.frame())
            async for message in connection:
                if not isinstance(message, str):
                    continue
                if message == SEEN:
                    self._clients[connection] = max(0, (self._clients[connection] or 0) - 1)
                else:
                    self.hear(message)
        finally:
            self._clients.pop(connection, None)
            if not self._clients:
                self._release()

    def _ready(self) -> List[Any]:
        """Clients that can take a frame."""
        out = []
        for client, ahead in self._clients.items():
            if ahead is None:
                out.append(client)
            elif ahead < AHEAD:
                self._clients[client] = ahead + 1
                out.append(client)
        return out

    async def serve(self, ready: Optional[Callable[[Any], Any]] = None) -> None:
        """Serves until it is cancelled. Calls `ready` when it listens."""
        need_websockets()
        from websockets.asyncio.server import broadcast, serve

        if self.port == 0:
            with socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET) as probe:
                probe.bind((self.host, 0))
                self.port = probe.getsockname()[1]
        # Refused clients and clients of other protocols leave no tracebacks in the terminal.
        quiet = logging.getLogger("diffsim.live")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        async with serve(
            self._meet, self.host, self.port, process_request=self._answer, max_size=MAX_MESSAGE, logger=quiet
        ):
            if ready:
                ready(self)
            last = time.perf_counter()
            while True:
                await asyncio.sleep(max(0.001, 1.0 / RATE - (time.perf_counter() - last)))
                now = time.perf_counter()
                passed, last = min(now - last, 0.1), now
                if not self._clients:
                    continue
                if self._changed:
                    broadcast(list(self._clients), self._state(self._was_reset))
                    self._changed = self._was_reset = False
                if not self.paused:
                    self.advance(passed * self.speed)
                broadcast(self._ready(), self.frame())
                if self.message:
                    broadcast(list(self._clients), json.dumps({"message": self.message}))
                    self.message = ""

    def run(self, open_browser: bool = False) -> None:
        """Serves until interrupted, and prints the address."""

        def ready(live: Any) -> None:
            print(f"{live.url}\nEnd with Ctrl-C.", file=sys.stderr, flush=True)
            if open_browser:
                import webbrowser

                webbrowser.open(live.url)

        try:
            asyncio.run(self.serve(ready))
        except KeyboardInterrupt:
            pass


def _three(x: Any) -> Any:
    x = np.array(x, dtype=float)
    if x.shape != (3,) or not np.isfinite(x).all():
        raise ValueError("expected three numbers")
    return x


def need_websockets() -> None:
    """Raises ImportError with the name of the package if websockets is missing."""
    try:
        import websockets.asyncio.server  # noqa: F401
    except ImportError:
        raise ImportError('a live view needs websockets 13 or later: pip install "websockets>=13"') from None


def _own_address() -> str:
    """This machine's address in its network. Sends nothing to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
