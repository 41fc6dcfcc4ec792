"""Models: robots and scenes, constant once made."""

import os
from dataclasses import dataclass
from typing import Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._native import Handle, InvalidArgumentError, array, check, fail, ffi, lib, pointer, result, struct, text
from .enums import Format, GeomKind, JointKind, Status

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Body:
    """A body. `placement`: 4×4, in the parent's frame while every joint is at its reference.
    `inertia`: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about its origin, its own axes.
    `gravity_compensation`: share of its own weight that a force at its centre of mass carries."""

    name: str
    parent: int
    placement: Array
    inertia: Array
    gravity_compensation: float


@dataclass(frozen=True)
class Joint:
    """A joint; its coordinates are q[q_index : q_index + nq], its dofs v[v_index : v_index + nv].
    `limits`: bounds of a one-dof joint [rad or m]. `effort`, `velocity`: what the file says, inf for
    nothing; no step enforces them."""

    name: str
    kind: JointKind
    body: int
    q_index: int
    v_index: int
    nq: int
    nv: int
    limits: Tuple[float, float]
    effort: float
    velocity: float


@dataclass(frozen=True)
class Geom:
    """A geom. `placement`: 4×4, in the body's frame. `size` [m]: as its kind says, unused ones zero.
    `friction`: sliding, torsional [m], rolling [m]. `restitution`: 0 to 1, of a pair the larger."""

    name: str
    kind: GeomKind
    body: int
    placement: Array
    size: Array
    friction: Array
    restitution: float


@dataclass(frozen=True)
class Site:
    """A named frame. `placement`: 4×4, in the body's frame."""

    name: str
    body: int
    placement: Array


class Model(Handle):
    """A robot or scene. Any number of threads may use it at once.

    Made by `Model.load`, `Model.from_string` or `Builder.build`. Sizes: `nq` coordinates, `nv` dofs,
    `nu` inputs, `nbody` bodies (body 0 is the world), `njoint` joints, `ngeom` geoms, `nsite` sites, `ntendon` tendons.
    `warnings`: what the loader read but does not use.
    """

    _kind = "ds_model"
    _free = lib.ds_model_free

    def __init__(self, create, *arguments):
        self._own(create, *arguments)
        m = self._handle
        self.nq: int = lib.ds_model_nq(m)
        self.nv: int = lib.ds_model_nv(m)
        self.nu: int = lib.ds_model_nu(m)
        self.nbody: int = lib.ds_model_nbody(m)
        self.njoint: int = lib.ds_model_njoint(m)
        self.ngeom: int = lib.ds_model_ngeom(m)
        self.nsite: int = lib.ds_model_nsite(m)
        self.ntendon: int = lib.ds_model_ntendon(m)
        self.nkeyframe: int = lib.ds_model_nkeyframe(m)
        self.warnings: Tuple[str, ...] = tuple(
            text(lib.ds_model_warning(m, i)) for i in range(lib.ds_model_warning_count(m))
        )

    def __repr__(self):
        return f"<diffsim.Model nq={self.nq} nv={self.nv} nu={self.nu} nbody={self.nbody} ngeom={self.ngeom}>"

    def _repr_html_(self) -> str:
        from .recorder import picture

        return picture(self)

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"], mesh_dirs: Sequence[str] = (), **options) -> "Model":
        """Loads a .urdf, or an .xml or .mjcf (MJCF).

        Options are the fields of `ds_load_options`: base, actuation, ground_plane, ground_friction,
        mimic, missing_mesh, mesh_mode, open_mesh, self_collision, exclude_overlapping,
        keep_inseparable. Raises
        `FileError`, `ParseError`, `UnsupportedError` or `InvalidArgumentError`; the message has the file, line and element.
        """
        load, _keep = _load_options(mesh_dirs, options)
        return cls(lib.ds_model_load, os.fsencode(path), load)

    @classmethod
    def from_string(cls, text: str, format: Format, mesh_dirs: Sequence[str] = (), **options) -> "Model":
        """Loads from a text, as `load`; meshes are looked for in `mesh_dirs`."""
        load, _keep = _load_options(mesh_dirs, options)
        data = text.encode()
        return cls(lib.ds_model_load_string, data, len(data), int(format), load)

    def save(self, path: Union[str, "os.PathLike[str]"], strict: bool = False) -> Tuple[str, ...]:
        """Saves to a .urdf, or an .xml or .mjcf (MJCF), and gives what the format could not say, one line each.

        Numbers are read back to the same bits where the format has the same numbers. Meshes of a URDF go to a folder
        beside it. `strict`: what cannot be said raises `UnsupportedError`, and nothing is written. Raises `FileError`
        where a file cannot be written.
        """
        options, _keep = struct("ds_save_options", lib.ds_save_options_init, {"strict": int(strict)})
        out = ffi.new("ds_saved **")
        check(lib.ds_model_save(self._handle, os.fsencode(path), options, out))
        saved = ffi.gc(out[0], lib.ds_saved_free)
        return tuple(text(lib.ds_saved_warning(saved, i)) for i in range(lib.ds_saved_warning_count(saved)))

    def _id(self, function, kind, name):
        i = function(self._open(), name.encode())
        if i < 0:
            raise KeyError(f"no {kind} named {name!r}")
        return i

    def body_id(self, name: str) -> int:
        """Id of the body of this name; KeyError if there is none."""
        return self._id(lib.ds_model_body_id, "body", name)

    def joint_id(self, name: str) -> int:
        """Id of the joint of this name; KeyError if there is none."""
        return self._id(lib.ds_model_joint_id, "joint", name)

    def geom_id(self, name: str) -> int:
        """Id of the geom of this name; KeyError if there is none."""
        return self._id(lib.ds_model_geom_id, "geom", name)

    def site_id(self, name: str) -> int:
        """Id of the site of this name; KeyError if there is none."""
        return self._id(lib.ds_model_site_id, "site", name)

    def tendon_id(self, name: str) -> int:
        """Id of the tendon of this name; KeyError if there is none."""
        return self._id(lib.ds_model_tendon_id, "tendon", name)

    def actuator_id(self, name: str) -> int:
        """Index in u of the actuator of this name; KeyError if there is none."""
        return self._id(lib.ds_model_actuator_id, "actuator", name)

    def _read(self, function, index, shape):
        x = result(None, shape, "out")
        check(function(self._handle, index, pointer(x)))
        return x

    def body(self, body: int) -> Body:
        """What a body is."""
        placement = self._read(lib.ds_model_body_placement, body, (4, 4))
        m = self._handle
        return Body(
            text(lib.ds_model_body_name(m, body)),
            lib.ds_model_body_parent(m, body),
            placement,
            self._read(lib.ds_model_body_inertia, body, (10,)),
            float(self._read(lib.ds_model_body_gravity_compensation, body, (1,))[0]),
        )

    def joint(self, joint: int) -> Joint:
        """What a joint is."""
        limits = self._read(lib.ds_model_joint_limits, joint, (2,))
        effort, velocity = self._read(lib.ds_model_joint_effort_velocity, joint, (2,))
        m = self._handle
        return Joint(
            text(lib.ds_model_joint_name(m, joint)),
            JointKind(lib.ds_model_joint_type(m, joint)),
            lib.ds_model_joint_body(m, joint),
            lib.ds_model_joint_q_index(m, joint),
            lib.ds_model_joint_v_index(m, joint),
            lib.ds_model_joint_nq(m, joint),
            lib.ds_model_joint_nv(m, joint),
            (float(limits[0]), float(limits[1])),
            float(effort),
            float(velocity),
        )

    def geom(self, geom: int) -> Geom:
        """What a geom is."""
        placement = self._read(lib.ds_model_geom_placement, geom, (4, 4))
        m = self._handle
        return Geom(
            text(lib.ds_model_geom_name(m, geom)),
            GeomKind(lib.ds_model_geom_type(m, geom)),
            lib.ds_model_geom_body(m, geom),
            placement,
            self._read(lib.ds_model_geom_size, geom, (3,)),
            self._read(lib.ds_model_geom_friction, geom, (3,)),
            float(self._read(lib.ds_model_geom_restitution, geom, (1,))[0]),
        )

    def site(self, site: int) -> Site:
        """What a site is."""
        placement = self._read(lib.ds_model_site_placement, site, (4, 4))
        m = self._handle
        return Site(text(lib.ds_model_site_name(m, site)), lib.ds_model_site_body(m, site), placement)

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
    def tendon_names(self) -> Tuple[str, ...]:
        """Names of the tendons, in the order of their ids."""
        return tuple(text(lib.ds_model_tendon_name(self._handle, i)) for i in range(self.ntendon))

    @property
    def actuator_names(self) -> Tuple[str, ...]:
        """Names of the inputs, in the order of u."""
        return tuple(text(lib.ds_model_actuator_name(self._open(), i)) for i in range(self.nu))

    @property
    def keyframe_names(self) -> Tuple[str, ...]:
        return tuple(text(lib.ds_model_keyframe_name(self._open(), i)) for i in range(self.nkeyframe))

    @property
    def gravity(self) -> Array:
        """World axes [m/s²], as loaded."""
        out = np.zeros(3)
        check(lib.ds_model_gravity(self._handle, pointer(out)))
        return out

    @property
    def time_step(self) -> float:
        """The time step that the file asks for [s]; 0 where it asks for none."""
        return lib.ds_model_time_step(self._open())

    def pair_enabled(self, geom_a: int, geom_b: int) -> bool:
        """Whether two geoms may touch. Not for the loop."""
        enabled = lib.ds_model_pair_enabled(self._open(), geom_a, geom_b)
        if enabled < 0:
            fail(Status.INVALID_ARGUMENT)
        return enabled == 1

    def with_pairs(self, pairs: Sequence[Tuple[int, int]], enabled: bool) -> "Model":
        """A copy in which these pairs of geoms may touch, or never do, whatever the filters say."""
        ids = [int(geom) for pair in pairs for geom in pair]
        if len(ids) != 2 * len(pairs):
            raise InvalidArgumentError("pairs: expected two geom ids each")
        geoms = ffi.new("int32_t[]", ids)
        return Model(lib.ds_model_with_pairs, self._handle, geoms, len(pairs), int(enabled))

    def exclude_overlapping(self, q=None) -> "Model":
        """A copy in which geoms of one robot that overlap at q (None: neutral) never touch, with a warning
        that counts the pairs."""
        q = None if q is None else array(q, (self.nq,), "q")
        return Model(lib.ds_model_exclude_overlapping, self._handle, pointer(q))

    def neutral(self) -> Array:
        """The configuration in which every body is placed as the description says."""
        q = np.zeros(self.nq)
        check(lib.ds_model_neutral(self._handle, pointer(q)))
        return q

    def home(self) -> Array:
        """A configuration to start from: within all limits, without overlap where one is found, on the ground."""
        q = np.zeros(self.nq)
        check(lib.ds_model_home(self._handle, pointer(q)))
        return q

    def keyframe(self, name: str) -> Tuple[Array, Array, Array]:
        """A stored state and input: q, v, u."""
        q, v, u = np.zeros(self.nq), np.zeros(self.nv), np.zeros(self.nu)
        check(lib.ds_model_keyframe(self._handle, name.encode(), pointer(q), pointer(v), pointer(u)))
        return q, v, u

    def _map(self, function, n_out, out, *given):
        """function(model, vectors..., result), each vector as (numbers, length, name)."""
        vectors = [array(x, (n,), name) for x, n, name in given]
        out = result(out, (n_out,), "out")
        check(function(self._handle, *map(pointer, vectors), pointer(out)))
        return out

    def integrate(self, q, dv, out: Optional[Array] = None) -> Array:
        """q ⊕ dv: each joint moved by the tangent vector, in body axes for spherical and free joints."""
        return self._map(lib.ds_model_integrate, self.nq, out, (q, self.nq, "q"), (dv, self.nv, "dv"))

    def difference(self, q0, q1, out: Optional[Array] = None) -> Array:
        """The tangent vector dv with q0 ⊕ dv = q1, rotations of at most pi."""
        return self._map(lib.ds_model_difference, self.nv, out, (q0, self.nq, "q0"), (q1, self.nq, "q1"))

    def q_from_mujoco(self, qpos, out: Optional[Array] = None) -> Array:
        """Configuration from MuJoCo's qpos (quaternions w x y z)."""
        return self._map(lib.ds_model_q_from_mujoco, self.nq, out, (qpos, self.nq, "qpos"))

    def q_to_mujoco(self, q, out: Optional[Array] = None) -> Array:
        """MuJoCo's qpos from a configuration."""
        return self._map(lib.ds_model_q_to_mujoco, self.nq, out, (q, self.nq, "q"))

    def v_from_mujoco(self, q, qvel, out: Optional[Array] = None) -> Array:
        """Velocity from MuJoCo's qvel (free joints: linear velocity in world axes) at q."""
        return self._map(lib.ds_model_v_from_mujoco, self.nv, out, (q, self.nq, "q"), (qvel, self.nv, "qvel"))

    def v_to_mujoco(self, q, v, out: Optional[Array] = None) -> Array:
        """MuJoCo's qvel from a velocity at q."""
        return self._map(lib.ds_model_v_to_mujoco, self.nv, out, (q, self.nq, "q"), (v, self.nv, "v"))


def _load_options(mesh_dirs, options):
    strings = [ffi.new("char[]", os.fsencode(d)) for d in mesh_dirs]
    if strings:
        options = {**options, "mesh_dirs": ffi.new("const char *[]", strings), "mesh_dir_count": len(strings)}
    load, keep = struct("ds_load_options", lib.ds_load_options_init, options)
    return load, (strings, options, keep)
