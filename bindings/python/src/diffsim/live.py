"""A running simulation in a browser: bodies can be pulled with the mouse, inputs and parameters set by sliders.

Needs the package `websockets` (`pip install diffsim-core[live]`). The server listens to this machine only unless it is told
another address, and answers nobody without the token of its address, nor pages of other origins.
"""

import asyncio
import hmac
import html
import http
import json
import secrets
import struct
import sys
import time
from typing import Any, Callable, Optional, Set, Tuple
from urllib.parse import parse_qs, urlsplit

import numpy as np

from . import viewer
from ._errors import DiffsimError
from ._native import Array
from .enums import ParamKind
from .model import Model
from .parameters import Param
from .recorder import Recorder
from .recording import Recording
from .sim import Sim

#: Frames a second that are sent.
RATE = 60.0
#: Share of a second's work that a frame may take before the simulation falls behind real time.
SHARE = 0.8
#: Messages of a client are small.
MAX_MESSAGE = 1 << 16


#: u for (time, q, v).
Control = Callable[[float, Array, Array], Any]


class Live:
    """A simulation that runs in real time and is shown at `url`.

    control: gives u for (time, q, v), in place of the sliders. options: those of the `Sim`. host, port: 0 is any free
    port. visuals, mesh_dirs: as for a `Recorder`.

        diffsim.Live(model).run()
    """

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
        self.model, self.control, self.host, self.port = model, control, host, port
        self.token = secrets.token_urlsafe(18)
        self.sim = Sim(model, derivatives=0, **options)
        self.time_step = self.sim.time_step
        self._recorder_options = {"visuals": visuals, "mesh_dirs": mesh_dirs}
        self._clients: Set[Any] = set()
        self._drag: Optional[Tuple[int, Array, Array]] = None
        self._page: Optional[str] = None
        self._parameters()
        self.reset()
        self.paused, self.speed, self.message = False, 1.0, ""

    def _parameters(self) -> None:
        """Gravity, and the friction of what is fixed to the world."""
        m = self.model
        chosen = [("gravity z", Param(ParamKind.GRAVITY, 0, 2), -20.0, 5.0)]
        for i, geom in enumerate(m.geoms):
            if geom.body == 0 and len(chosen) < 4:
                chosen.append((f"friction of {geom.name or f'geom {i}'}", Param(ParamKind.GEOM_FRICTION, i, 0), 0.0, 2.0))
        self.sim.select_params([p for _, p, _, _ in chosen])
        self.parameters = [(name, low, high) for name, _, low, high in chosen]

    def reset(self) -> None:
        """Back to home, at time 0."""
        m = self.model
        self.time, self.q, self.v = 0.0, m.home(), np.zeros(m.nv)
        self.u = np.zeros(m.nu)
        self._drag = None
        self.sim.reset()

    @property
    def url(self) -> str:
        """Where it is shown; whoever has it may look and pull."""
        return f"http://{self._authority()}/?token={self.token}"

    def _authority(self) -> Any:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    # What is shown

    def _first(self) -> Recording:
        recorder = Recorder(self.model, **self._recorder_options)
        recorder.state(self.time, self.q, self.v)
        recording = recorder.recording()
        # Every body is sent by itself: which ones move against their parents is not known yet.
        recording.frames = recording.frames[:1]
        return recording

    def page(self) -> str:
        """The page of this simulation."""
        if self._page is None:
            self._page = viewer.live_page(
                self._first(),
                {
                    "token": self.token,
                    "u": self.model.actuator_names if self.control is None else [],
                    "parameters": [[n, low, high, value] for (n, low, high), value in zip(self.parameters, self.sim.params)],
                },
                html.escape(self._authority()),
            )
        return self._page

    def frame(self) -> bytes:
        """What is sent of a moment: time, poses (7 numbers a body), then 14 numbers a contact."""
        poses = self._poses()
        contacts: Any = self.sim.contacts() if self.time > 0 else np.zeros(0)
        head = struct.pack("<dII", self.time, self.model.nbody, len(contacts))
        if not len(contacts):
            return head + poses
        n = contacts["normal"]
        t1, t2 = contacts["tangents"][:, :3], contacts["tangents"][:, 3:]
        i = contacts["impulse"]
        impulse = i[:, :1] * t1 + i[:, 1:2] * t2 + i[:, 2:] * n
        ids = np.stack([contacts[k] for k in ("geom_a", "geom_b", "body_a", "body_b", "mode")], axis=1)
        return head + poses + np.concatenate([ids, contacts["point"], n, impulse], axis=1).astype("<f4").tobytes()

    def _poses(self) -> bytes:
        placements = self.sim.forward_kinematics(self.q)
        out = np.empty((self.model.nbody, 7))
        out[:, :3] = placements[:3, 3].T
        out[:, 3:] = _quaternions(placements[:3, :3])
        return out.astype("<f4").tobytes()

    # What happens

    def _pull(self) -> Any:
        """A damped spring from a point of a body to where the mouse holds it, as stiff as the robot is heavy."""
        assert self._drag is not None
        body, local, target = self._drag
        placement = self.sim.forward_kinematics(self.q)[:, :, body]
        arm = placement[:3, :3] @ local
        velocity = self.sim.body_jacobian(self.q, body, local)[:3] @ self.v
        mass = max(1e-3, self._mass())
        stiffness = 60.0 * mass
        force = stiffness * (target - placement[:3, 3] - arm) - 2.0 * np.sqrt(stiffness * mass) * velocity
        most = 30.0 * mass * 9.81
        size = np.linalg.norm(force)
        force *= min(1.0, most / size) if size > 0 else 1.0
        return body, np.concatenate([force, np.cross(arm, force)])

    def _mass(self) -> Any:
        return self.sim.center_of_mass(self.q)[0]

    def advance(self, seconds: float) -> None:
        """Takes the steps of so much simulated time, or as many as there is time for."""
        end, began = self.time + seconds, time.perf_counter()
        while self.time + 0.5 * self.time_step < end and time.perf_counter() - began < SHARE / RATE:
            if self._drag is not None:
                body, wrench = self._pull()
                self.sim.set_external_wrench(body, wrench)
            u = self.u if self.control is None else np.asarray(self.control(self.time, self.q, self.v), dtype=float)
            try:
                self.q, self.v = self.sim.step(self.q, self.v, u)
            except DiffsimError as error:
                self.message, self.paused = str(error), True
                return
            self.time += self.time_step

    def hear(self, text: str) -> None:
        """Does what a client asks; what is not understood is left."""
        try:
            said = json.loads(text)
            self._do(said)
        except (ValueError, TypeError, KeyError, IndexError, DiffsimError) as error:
            self.message = f"not understood: {error}"

    def _do(self, said: Any) -> None:
        kind = said["do"]
        if kind == "drag":
            body = int(said["body"])
            if not 0 < body < self.model.nbody:
                raise ValueError("no such body")
            self._release()
            self._drag = body, _three(said["point"]), _three(said["target"])
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
        elif kind == "pause":
            self.paused = bool(said["on"])
        elif kind == "reset":
            self._release()
            self.reset()

    def _release(self) -> None:
        if self._drag is not None:
            self.sim.set_external_wrench(self._drag[0], np.zeros(6))
            self._drag = None

    # Who is served

    def _knows(self, path: Any) -> Any:
        given = parse_qs(urlsplit(path).query).get("token", [""])[0]
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _answer(self, connection: Any, request: Any) -> Any:
        """The page, or a refusal; None for a websocket that may go on."""
        if not self._knows(request.path):
            return connection.respond(http.HTTPStatus.FORBIDDEN, "the address lacks its token\n")
        path = urlsplit(request.path).path
        if path == "/live":
            return None
        if path != "/":
            return connection.respond(http.HTTPStatus.NOT_FOUND, "not found\n")
        response = connection.respond(http.HTTPStatus.OK, self.page())
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        return response

    async def _meet(self, connection: Any) -> None:
        self._clients.add(connection)
        try:
            async for message in connection:
                if isinstance(message, str):
                    self.hear(message)
        finally:
            self._clients.discard(connection)
            if not self._clients:
                self._release()

    async def serve(self, ready: Optional[Callable[[Any], Any]] = None) -> None:
        """Serves until it is cancelled. ready: called once it listens."""
        try:
            from websockets.asyncio.server import broadcast, serve
        except ImportError:
            raise ImportError("diffsim.Live needs websockets 13 or later: pip install websockets") from None
        origins: Any = [f"http://{self._authority()}"]
        if self.port == 0:
            import socket

            with socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET) as probe:
                probe.bind((self.host, 0))
                self.port = probe.getsockname()[1]
            origins = [f"http://{self._authority()}"]
        async with serve(
            self._meet, self.host, self.port, process_request=self._answer, origins=origins, max_size=MAX_MESSAGE
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
                if not self.paused:
                    self.advance(passed * self.speed)
                broadcast(self._clients, self.frame())
                if self.message:
                    broadcast(self._clients, json.dumps({"message": self.message}))
                    self.message = ""

    def run(self, open_browser: bool = False) -> None:
        """Serves until interrupted, and says where."""

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


def _quaternions(r: Any) -> Any:
    """Quaternions (x y z w) of rotations 3×3×n."""
    xx, yy, zz = r[0, 0], r[1, 1], r[2, 2]
    q = np.stack(
        [1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz], axis=1
    )
    # The largest is far from zero; the others follow from products with it.
    most = np.argmax(q, axis=1)
    a, b, c = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    d, e, f = r[1, 0] + r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2]
    rows = np.stack(
        [
            np.stack([q[:, 0], d, e, a], 1),
            np.stack([d, q[:, 1], f, b], 1),
            np.stack([e, f, q[:, 2], c], 1),
            np.stack([a, b, c, q[:, 3]], 1),
        ]
    )
    out = rows[most, np.arange(len(most))]
    return out / np.linalg.norm(out, axis=1, keepdims=True)
