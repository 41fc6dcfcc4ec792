"""Models: robots and scenes. A model is constant."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Final, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _folders
from ._errors import ArgumentTypeError, InvalidArgumentError, UnknownNameError
from ._handle import Handle
from ._help import says
from ._late import late
from ._names import choice, flag, listed, near, string
from ._native import NULL, Array, array, check, fail, ffi, file_name, index, lib, numbers, pointer, result, struct, text
from ._origin import Changed, File, Origin, Text, digest, mark, restore
from .actuators import descs
from .enums import Format, FormatName, SensorKind, Status
from . import parts
from .parts import Actuator, Body, Geom, Joint, Sensor, Site
from .visuals import Visuals, read

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import LoadOptions

Path = Union[str, "os.PathLike[str]"]
#: An id or a name.
Id = Union[int, str]


class Model(
    Handle,
    kind="ds_model",
    free=lib.ds_model_free,
    fixed=(
        "nq",
        "nv",
        "nu",
        "na",
        "nbody",
        "njoint",
        "ngeom",
        "nsite",
        "ntendon",
        "nsensor",
        "nsensordata",
        "nkeyframe",
        "warnings",
    ),
    shared=True,
):
    """A robot or scene. Several threads may use it at the same time.

    Made by `Model.load`, `Model.from_string` or `Builder.build`. Sizes: `nq` coordinates, `nv` dofs, `nu` inputs,
    `na` activations (states of actuators), `nbody` bodies (body 0 is the world), `njoint` joints, `ngeom` geoms,
    `nsite` sites, `ntendon` tendons, `nsensor` sensors with `nsensordata` values.
    `warnings`: parts of the file that the loader ignored.

    A body, joint, geom or site is given by its id or its name. A copy is a separate model. A pickle stores the origin
    of the model: its file (the path), its text or the calls of a `Builder`. It also stores a check of the model;
    unpickling fails if the origin gives another model.
    """

    _origin: Origin
    _mark: Optional[str]
    _warned_of_settings: bool

    def __init__(self, create: Any = None, *arguments: Any, origin: Optional[Origin] = None) -> None:
        """For the package alone: see `load`, `from_string` and `Builder`."""
        if not callable(create):
            raise ArgumentTypeError(
                "model: make one by Model.load(path), Model.from_string(text, format) or a Builder, not by Model(...)"
            )
        self._own(create, *arguments)
        self._origin, self._mark = origin or Origin(), None
        self._warned_of_settings = False
        m = self._handle
        self.nq: Final[int] = lib.ds_model_nq(m)
        self.nv: Final[int] = lib.ds_model_nv(m)
        self.nu: Final[int] = lib.ds_model_nu(m)
        self.na: Final[int] = lib.ds_model_na(m)
        self.nbody: Final[int] = lib.ds_model_nbody(m)
        self.njoint: Final[int] = lib.ds_model_njoint(m)
        self.ngeom: Final[int] = lib.ds_model_ngeom(m)
        self.nsite: Final[int] = lib.ds_model_nsite(m)
        self.ntendon: Final[int] = lib.ds_model_ntendon(m)
        self.nsensor: Final[int] = lib.ds_model_nsensor(m)
        self.nsensordata: Final[int] = lib.ds_model_nsensordata(m)
        self.nkeyframe: Final[int] = lib.ds_model_nkeyframe(m)
        self.warnings: Final[Tuple[str, ...]] = tuple(
            text(lib.ds_model_warning(m, i)) or "" for i in range(lib.ds_model_warning_count(m))
        )

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Model: {self._gone}>"
        return f"<diffsim.Model nq={self.nq} nv={self.nv} nu={self.nu} nbody={self.nbody} ngeom={self.ngeom}>"

    def _repr_html_(self) -> str:
        html: str = late("picture")(self)
        return html

    @classmethod
    @says("ds_load_options", ("mesh_dirs", "mesh_dir_count"))
    def load(cls, path: Path, mesh_dirs: Union[Path, Iterable[Path]] = (), **options: Unpack[LoadOptions]) -> Model:
        """Loads a .urdf, or an .xml or .mjcf (MJCF).

        mesh_dirs: folders with meshes. The loader also searches the file's folder, the folders above it, and the
        packages of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. Raises `FileError`, `ParseError`, `UnsupportedError` or
        `InvalidArgumentError`; the message has the file, line and element.
        """
        load, dirs, _keep = _load_options(mesh_dirs, options)
        model = cls(lib.ds_model_load, file_name(path, "path"), load)
        at = os.path.abspath(os.fsdecode(path))
        model._origin = File(at, dirs, dict(options), digest(at))
        return model

    @classmethod
    @says("ds_load_options", ("mesh_dirs", "mesh_dir_count"))
    def from_string(
        cls,
        text: str,
        format: Union[Format, FormatName],
        mesh_dirs: Union[Path, Iterable[Path]] = (),
        **options: Unpack[LoadOptions],
    ) -> Model:
        """Loads from a text, as `load`. The loader searches meshes in `mesh_dirs`."""
        load, dirs, _keep = _load_options(mesh_dirs, options)
        form = choice(Format, format, "format")
        data = string(text, "text")
        model = cls(lib.ds_model_load_string, data, len(data), int(form), load)
        model._origin = Text(text, form, dirs, dict(options))
        return model

    def save(self, path: Path, strict: bool = False) -> Tuple[str, ...]:
        """Saves to a .urdf, or an .xml or .mjcf (MJCF), and returns everything that the format cannot express, one
        line each.

        Numbers are read back to the same bits if the format has the same numbers. Meshes of a URDF go to a folder
        beside it. `strict`: raises `UnsupportedError` if the format cannot express something, and writes nothing.
        Raises `FileError` if a file cannot be written.
        """
        options, _keep = struct("ds_save_options", lib.ds_save_options_init, {"strict": int(flag(strict, "strict"))})
        out = ffi.new("ds_saved **")
        check(lib.ds_model_save(self._handle, file_name(path, "path"), options, out))
        saved = ffi.gc(out[0], lib.ds_saved_free)
        return tuple(text(lib.ds_saved_warning(saved, i)) or "" for i in range(lib.ds_saved_warning_count(saved)))

    def _names(self, part: str) -> List[str]:
        """Names of all bodies, joints, ..., in the order of their ids."""
        _, name, count = _PARTS[part]
        return [text(name(self._open(), i)) or "" for i in range(getattr(self, count))]

    def _id(self, part: str, of: Id, argument: str) -> int:
        """Id of a part given by its id or name."""
        if not isinstance(of, str):
            return index(of, argument, "an id or a name")
        i: int = _PARTS[part][0](self._open(), string(of, argument))
        if i < 0:
            raise UnknownNameError(f"{argument}: no {part} named {of!r}{near(of, self._names(part))}")
        return i

    def _id_of(self, part: str, name: str) -> int:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"name: expected a str, got {type(name).__name__}")
        return self._id(part, name, "name")

    def body_id(self, name: str) -> int:
        """Id of the body with this name. Raises KeyError if there is none."""
        return self._id_of("body", name)

    def joint_id(self, name: str) -> int:
        """Id of the joint with this name. Raises KeyError if there is none."""
        return self._id_of("joint", name)

    def geom_id(self, name: str) -> int:
        """Id of the geom with this name. Raises KeyError if there is none."""
        return self._id_of("geom", name)

    def site_id(self, name: str) -> int:
        """Id of the site with this name. Raises KeyError if there is none."""
        return self._id_of("site", name)

    def tendon_id(self, name: str) -> int:
        """Id of the tendon with this name. Raises KeyError if there is none."""
        return self._id_of("tendon", name)

    def actuator_id(self, name: str) -> int:
        """Index in u of the actuator with this name. Raises KeyError if there is none."""
        return self._id_of("actuator", name)

    def _read(self, function: Callable[..., int], of: int, shape: Tuple[int, ...]) -> Array:
        x = result(None, shape, "out")
        check(function(self._handle, of, pointer(x)))
        return x

    def body(self, body: Id) -> Body:
        """Properties of a body."""
        body = self._id("body", body, "body")
        return parts.body(self._handle, body)

    def joint(self, joint: Id) -> Joint:
        """Properties of a joint."""
        joint = self._id("joint", joint, "joint")
        return parts.joint(self._handle, joint)

    def geom(self, geom: Id) -> Geom:
        """Properties of a geom."""
        geom = self._id("geom", geom, "geom")
        return parts.geom(self._handle, geom)

    def actuator(self, actuator: Id) -> Actuator:
        """Properties of the actuator of an entry of u."""
        actuator = self._id("actuator", actuator, "actuator")
        return parts.actuator(self._handle, actuator)

    def site(self, site: Id) -> Site:
        """Properties of a site."""
        site = self._id("site", site, "site")
        placement = self._read(lib.ds_model_site_placement, site, (4, 4))
        m = self._handle
        return Site(text(lib.ds_model_site_name(m, site)) or "", lib.ds_model_site_body(m, site), placement)

    def sensor_id(self, name: str) -> int:
        """Id of the sensor with this name. Raises KeyError if there is none."""
        return self._id_of("sensor", name)

    def sensor(self, sensor: Id) -> Sensor:
        """Properties of a sensor."""
        sensor = self._id("sensor", sensor, "sensor")
        if not 0 <= sensor < self.nsensor:
            known = f"expected 0 to {self.nsensor - 1}" if self.nsensor else "the model has none"
            raise InvalidArgumentError(f"sensor: {known}, got {sensor}")
        m = self._handle
        return Sensor(
            text(lib.ds_model_sensor_name(m, sensor)) or "",
            SensorKind(lib.ds_model_sensor_kind(m, sensor)),
            lib.ds_model_sensor_adr(m, sensor),
            lib.ds_model_sensor_dim(m, sensor),
        )

    @property
    def sensors(self) -> Tuple[Sensor, ...]:
        return tuple(map(self.sensor, range(self.nsensor)))

    @property
    def bodies(self) -> Tuple[Body, ...]:
        return tuple(map(self.body, range(self.nbody)))

    @property
    def joints(self) -> Tuple[Joint, ...]:
        return tuple(map(self.joint, range(self.njoint)))

    @property
    def geoms(self) -> Tuple[Geom, ...]:
        return tuple(map(self.geom, range(self.ngeom)))

    @property
    def sites(self) -> Tuple[Site, ...]:
        return tuple(map(self.site, range(self.nsite)))

    @property
    def actuators(self) -> Tuple[Actuator, ...]:
        return tuple(map(self.actuator, range(self.nu)))

    @property
    def body_names(self) -> Tuple[str, ...]:
        """Names of the bodies, in the order of their ids. The world is the first."""
        return tuple(self._names("body"))

    @property
    def joint_names(self) -> Tuple[str, ...]:
        """Names of the joints, in the order of their ids."""
        return tuple(self._names("joint"))

    @property
    def geom_names(self) -> Tuple[str, ...]:
        """Names of the geoms, in the order of their ids; "" for a geom without a name."""
        return tuple(self._names("geom"))

    @property
    def site_names(self) -> Tuple[str, ...]:
        """Names of the sites, in the order of their ids."""
        return tuple(self._names("site"))

    @property
    def sensor_names(self) -> Tuple[str, ...]:
        """Names of the sensors, in the order of their ids."""
        return tuple(self._names("sensor"))

    @property
    def tendon_names(self) -> Tuple[str, ...]:
        """Names of the tendons, in the order of their ids."""
        return tuple(self._names("tendon"))

    @property
    def actuator_names(self) -> Tuple[str, ...]:
        """Names of the inputs, in the order of u."""
        return tuple(self._names("actuator"))

    @property
    def keyframe_names(self) -> Tuple[str, ...]:
        return tuple(text(lib.ds_model_keyframe_name(self._open(), i)) or "" for i in range(self.nkeyframe))

    @property
    def gravity(self) -> Array:
        """Gravity of the file, world axes [m/s²]."""
        out = np.zeros(3)
        check(lib.ds_model_gravity(self._handle, pointer(out)))
        return out

    @property
    def time_step(self) -> float:
        """Time step of the file [s], the default of sims. A file without one: 0.002 for MJCF, else 0.001."""
        return float(lib.ds_model_time_step(self._open()))

    def visuals(self, path: Path, mesh_dirs: Union[Path, Iterable[Path]] = ()) -> Visuals:
        """Visual shapes of the bodies in the model's file: each <visual> of a URDF with its meshes and colours, the
        geoms of an MJCF that touch nothing."""
        load, _dirs, _keep = _load_options(mesh_dirs, {})
        return read(self._handle, file_name(path, "path"), load)

    def pair_enabled(self, geom_a: Id, geom_b: Id) -> bool:
        """True if two geoms may touch. Slow: do not call it in a loop."""
        a, b = self._id("geom", geom_a, "geom_a"), self._id("geom", geom_b, "geom_b")
        enabled = lib.ds_model_pair_enabled(self._open(), a, b)
        if enabled < 0:
            fail(Status.INVALID_ARGUMENT)
        return bool(enabled == 1)

    def with_pairs(self, pairs: Sequence[Tuple[Id, Id]], enabled: bool) -> Model:
        """A copy in which these pairs of geoms are enabled or disabled. Overrides the filters."""
        may = flag(enabled, "enabled")
        given = [tuple(listed(pair, "pairs", "two geoms")) for pair in listed(pairs, "pairs", "pairs of geoms")]
        if any(len(pair) != 2 for pair in given):
            raise InvalidArgumentError("pairs: expected two geom ids or names each")
        ids = [self._id("geom", geom, "pairs") for pair in given for geom in pair]
        origin = Changed(self._origin, "with_pairs", (tuple(zip(ids[::2], ids[1::2])), may))
        geoms = ffi.new("int32_t[]", ids)
        return Model(lib.ds_model_with_pairs, self._handle, geoms, len(given), int(may), origin=origin)

    @says("ds_actuator_desc")
    def with_actuators(self, actuators: Sequence[Mapping[str, Any]]) -> Model:
        """A copy with more actuators. Their inputs come after the existing ones; keyframes have 0 there.

        Each actuator is a mapping with `joint`, `tendon`, `body` or `site` (a name) and fields of `ds_actuator_desc`: name,
        gear (6), gain, bias (3), control_lower, control_upper, force_lower, force_upper, gain_slopes (2), activation
        and its fields, muscle_... For a servo give `kp` and `kd` instead of gain and bias; u is its target: force =
        kp (u - q) - kd v with a gear of 1.
        """
        given = tuple(listed(actuators, "actuators", "mappings"))
        if not all(isinstance(fields, Mapping) for fields in given):
            raise ArgumentTypeError("actuators: expected a mapping of fields each")
        given = tuple({name: copy.deepcopy(value) for name, value in fields.items()} for fields in given)
        made, _keep = descs(given)
        origin = Changed(self._origin, "with_actuators", (given,))
        return Model(lib.ds_model_with_actuators, self._handle, made, len(given), origin=origin)

    def exclude_overlapping(self, q: Optional[ArrayLike] = None) -> Model:
        """A copy in which geoms of one robot that overlap at q (None: neutral) never touch. Warns with the number of
        pairs."""
        at = None if q is None else array(q, (self.nq,), "q").copy()
        origin = Changed(self._origin, "exclude_overlapping", (at,))
        return Model(lib.ds_model_exclude_overlapping, self._handle, pointer(at), origin=origin)

    def neutral(self) -> Array:
        """The configuration in which every body has the placement of the description."""
        q = np.zeros(self.nq)
        check(lib.ds_model_neutral(self._handle, pointer(q)))
        return q

    def home(self) -> Array:
        """A configuration to start from: within all limits, without overlap if one is found, on the ground."""
        q = np.zeros(self.nq)
        check(lib.ds_model_home(self._handle, pointer(q)))
        return q

    def place_on_ground(self, q: ArrayLike, out: Optional[Array] = None) -> Array:
        """Returns q after moving every robot with a free joint along the normal of the ground until its lowest point
        touches the ground, a plane of the world. The orientation and all other coordinates stay. Raises
        `InvalidArgumentError` without a plane (load with ground_plane=True) or without a robot on a free joint."""
        return self._map(lib.ds_model_place_on_ground, self.nq, out, (q, self.nq, "q"))

    def keyframe(self, name: Id) -> Tuple[Array, Array, Array]:
        """A stored state and input, by its name or number: q, v, u."""
        if not isinstance(name, str):
            number = index(name, "name", "an id or a name")
            state = np.zeros(self.nq), np.zeros(self.nv), np.zeros(self.nu)
            check(lib.ds_model_keyframe_at(self._handle, number, *map(pointer, state)))
            return state
        self._known_keyframe(name)
        q, v, u = np.zeros(self.nq), np.zeros(self.nv), np.zeros(self.nu)
        check(lib.ds_model_keyframe(self._handle, string(name, "name"), pointer(q), pointer(v), pointer(u)))
        return q, v, u

    def _known_keyframe(self, name: str) -> None:
        names = self.keyframe_names
        if isinstance(name, str) and name not in names:
            raise UnknownNameError(f"name: no keyframe is called {name!r}{near(name, names)}")

    def keyframe_act(self, name: str) -> Array:
        """Activations of a stored state: na numbers."""
        self._known_keyframe(name)
        act = np.zeros(self.na)
        check(lib.ds_model_keyframe_act(self._handle, string(name, "name"), pointer(act)))
        return act

    @property
    def act_actuators(self) -> Tuple[int, ...]:
        """Indices in u of the actuators that the activations drive."""
        m = self._open()
        return tuple(lib.ds_model_act_actuator(m, i) for i in range(self.na))

    def _map(
        self, function: Callable[..., int], n_out: int, out: Optional[Array], *given: Tuple[ArrayLike, int, str]
    ) -> Array:
        """Calls function(model, vectors..., result). Each vector is (numbers, length, name)."""
        vectors = [array(x, (n,), name) for x, n, name in given]
        out = result(out, (n_out,), "out")
        check(function(self._handle, *map(pointer, vectors), pointer(out)))
        return out

    def integrate(self, q: ArrayLike, dv: ArrayLike, out: Optional[Array] = None) -> Array:
        """q ⊕ dv: moves each joint by the tangent vector, in body axes for spherical and free joints."""
        return self._map(lib.ds_model_integrate, self.nq, out, (q, self.nq, "q"), (dv, self.nv, "dv"))

    def difference(self, q0: ArrayLike, q1: ArrayLike, out: Optional[Array] = None) -> Array:
        """Tangent vector dv with q0 ⊕ dv = q1, with rotations of at most pi."""
        return self._map(lib.ds_model_difference, self.nv, out, (q0, self.nq, "q0"), (q1, self.nq, "q1"))

    def _mocap_count(self) -> int:
        m = self._open()
        return sum(lib.ds_model_body_mocap(m, body) >= 0 for body in range(self.nbody))

    def q_from_mujoco(self, qpos: ArrayLike, out: Optional[Array] = None) -> Array:
        """Configuration from MuJoCo's qpos (quaternions w x y z, which are normalized; zeros are the identity).

        After qpos, 7 numbers of each mocap body may follow: mocap_pos and mocap_quat. Without them, or if they are
        zeros, the body is at its placement in the file.
        """
        given = numbers(qpos, "qpos")
        missing = self.nq - given.size
        if given.ndim == 1 and missing > 0 and missing == 7 * self._mocap_count():
            qpos = np.concatenate([given, np.zeros(missing)])
        return self._map(lib.ds_model_q_from_mujoco, self.nq, out, (qpos, self.nq, "qpos"))

    def q_to_mujoco(self, q: ArrayLike, out: Optional[Array] = None) -> Array:
        """MuJoCo's qpos from a configuration."""
        return self._map(lib.ds_model_q_to_mujoco, self.nq, out, (q, self.nq, "q"))

    def v_from_mujoco(self, q: ArrayLike, qvel: ArrayLike, out: Optional[Array] = None) -> Array:
        """Velocity from MuJoCo's qvel (free joints: linear velocity in world axes) at q."""
        return self._map(lib.ds_model_v_from_mujoco, self.nv, out, (q, self.nq, "q"), (qvel, self.nv, "qvel"))

    def v_to_mujoco(self, q: ArrayLike, v: ArrayLike, out: Optional[Array] = None) -> Array:
        """MuJoCo's qvel from a velocity at q."""
        return self._map(lib.ds_model_v_to_mujoco, self.nv, out, (q, self.nq, "q"), (v, self.nv, "v"))

    # Copies

    def _again(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        self._origin.check()
        return restore, (self._origin, self._fingerprint(), text(lib.ds_version_string()))

    def _fingerprint(self) -> str:
        if self._mark is None:
            self._mark = mark(self)
        return self._mark

    def _take(self, made: Model, origin: Origin) -> None:
        """Becomes a separate copy of another model."""
        Model.__init__(self, lib.ds_model_with_pairs, made._open(), NULL, 0, 1, origin=origin)

    def _copied(self) -> Model:
        made = type(self).__new__(type(self))
        self._open()
        made._take(self, self._origin)
        return made

    def __copy__(self) -> Model:
        made = self._copied()
        vars(made).update(self._extra())
        return made

    def __deepcopy__(self, memo: Dict[int, Any]) -> Model:
        made = memo[id(self)] = self._copied()
        vars(made).update(copy.deepcopy(self._extra(), memo))
        return made


#: For each kind of part: the functions for the id of a name and the name of an id, and the attribute with the
#: count.
_PARTS = {
    "body": (lib.ds_model_body_id, lib.ds_model_body_name, "nbody"),
    "joint": (lib.ds_model_joint_id, lib.ds_model_joint_name, "njoint"),
    "geom": (lib.ds_model_geom_id, lib.ds_model_geom_name, "ngeom"),
    "site": (lib.ds_model_site_id, lib.ds_model_site_name, "nsite"),
    "tendon": (lib.ds_model_tendon_id, lib.ds_model_tendon_name, "ntendon"),
    "sensor": (lib.ds_model_sensor_id, lib.ds_model_sensor_name, "nsensor"),
    "actuator": (lib.ds_model_actuator_id, lib.ds_model_actuator_name, "nu"),
}


def mesh_folders(dirs: Union[Path, Iterable[Path]]) -> List[Path]:
    """The given folders, then those of ROS's environment variables."""
    given: List[Path] = [dirs] if isinstance(dirs, (str, bytes, os.PathLike)) else list(listed(dirs, "mesh_dirs", "paths"))
    return [*given, *_folders.of_environment()]


def _load_options(mesh_dirs: Union[Path, Iterable[Path]], options: Any) -> Tuple[Any, Tuple[str, ...], Any]:
    """The struct, the folders as absolute paths, and the objects that must live as long as the struct."""
    dirs = mesh_folders(mesh_dirs)
    strings = [ffi.new("char[]", file_name(d, "mesh_dirs")) for d in dirs]
    if strings:
        options = {**options, "mesh_dirs": ffi.new("const char *[]", strings), "mesh_dir_count": len(strings)}
    load, keep = struct("ds_load_options", lib.ds_load_options_init, options)
    return load, tuple(os.path.abspath(os.fsdecode(d)) for d in dirs), (strings, options, keep)
