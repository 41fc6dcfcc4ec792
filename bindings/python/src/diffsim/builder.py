"""Builds models in code."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from ._errors import ArgumentTypeError, InvalidArgumentError, UnknownNameError
from ._handle import Handle, given
from ._help import says
from ._names import choice, flag, listed, near, number, string
from ._native import NULL, Array, array, check, ffi, fill, index, indices, integers, lib, numbers, optional_string, pointer, shape_of, struct
from ._origin import Built
from .enums import (
    Actuation,
    ActuationName,
    GeomKind,
    EqualityKind,
    EqualityKindName,
    SensorKind,
    SensorKindName,
    JointKind,
    JointKindName,
    PathKind,
    PathKindName,
    TendonKind,
)
from .model import Id, Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import ActuatorFields, DeformableFields, EqualityFields, GeomFields, JointFields, SensorFields, SpringFields, TendonFields


#: Number of dofs of each kind of joint that can be reduced.
DOFS = {
    JointKind.FIXED: 0,
    JointKind.REVOLUTE: 1,
    JointKind.CONTINUOUS: 1,
    JointKind.PRISMATIC: 1,
    JointKind.SPHERICAL: 3,
    JointKind.FREE: 6,
    JointKind.PLANAR_TRANSLATION: 2,
    JointKind.TRANSLATION: 3,
    JointKind.PLANAR: 3,
    JointKind.UNIVERSAL: 2,
    JointKind.SPLINE_CURVE: 1,
    JointKind.SPLINE_SURFACE: 2,
    JointKind.EULER: 3,
}


class Builder(Handle, kind="ds_builder", free=lib.ds_builder_free):
    """Collects the description of a model. Body 0, the world, exists from the start.

    The builder has its own ids. The built model numbers bodies depth first: look them up by name. Give a body by its
    id or by the name from `add_body`.

    A copy or pickle repeats the same calls.
    """

    def __init__(self, model: Optional[Model] = None) -> None:
        """Begins with an empty world, or with a model, as `from_model`."""
        if model is None:
            self._own(lib.ds_builder_create)
        else:
            self._own(lib.ds_builder_from_model, given(model, Model, "model")._handle)
        self._of = model
        #: Names, for messages.
        self._bodies: List[str] = ["world"] if model is None else list(model.body_names)
        self._joints: List[str] = [] if model is None else list(model.joint_names)
        self._geoms: List[str] = [] if model is None else list(model.geom_names)
        #: Successful calls with their arguments.
        self._calls: List[Tuple[str, Tuple[Any, ...], Dict[str, Any]]] = []

    @classmethod
    def from_model(cls, model: Model) -> Builder:
        """A builder with all parts of a model. `build` gives the same model again. Before it you can add parts,
        change them (`set_joint`, `set_body`, `set_geom`), remove them, and attach other models. Ids of bodies, joints
        and geoms are the model's. New actuators take the next entries of u. Keyframes stay, with new parts at
        neutral."""
        return cls(model)

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Builder: {self._gone}>"
        counts: Dict[str, int] = {}
        for method, _, _ in self._calls:
            counts[method] = counts.get(method, 0) + 1
        return f"<diffsim.Builder: {', '.join(f'{n} {method}' for method, n in counts.items()) or 'nothing added'}>"

    @classmethod
    def _guarded(cls, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a method to remember its successful calls."""

        @functools.wraps(method)
        def remembered(self: Builder, *arguments: Any, **named: Any) -> Any:
            call = (name, *copy.deepcopy((arguments, named)))
            outcome = method(self, *arguments, **named)
            self._calls.append(call)
            return outcome

        return super()._guarded(name, method if name == "build" else remembered)

    def _again(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        with self._lock:
            self._open()
            return _builder_again, (self._of, tuple(self._calls))

    def _replay(self, calls: Iterable[Any]) -> None:
        for name, arguments, named in calls:
            getattr(self, name)(*arguments, **named)

    def _body(self, of: Id, argument: str) -> int:
        """Id of a body given by its id or name."""
        if not isinstance(of, str):
            return index(of, argument, "an id or a name")
        found: int = lib.ds_builder_body_id(self._handle, string(of, argument))
        if found < 0:
            raise UnknownNameError(f"{argument}: no body named {of!r}{near(of, self._bodies)}")
        return found

    def _ends(self, fields: Any) -> Dict[str, Any]:
        """Fields with ids of bodies instead of names."""
        ends = {name: self._body(fields[name], name) for name in ("body1", "body2") if name in fields}
        return {**fields, **ends}

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Sets gravity, world axes [m/s²]; at first (0, 0, -9.81)."""
        g = array(gravity, (3,), "gravity")
        check(lib.ds_builder_set_gravity(self._handle, pointer(g)))

    def set_actuation(self, actuation: Union[Actuation, ActuationName]) -> None:
        """Sets how inputs act. FROM_FILE: by the added actuators."""
        check(lib.ds_builder_set_actuation(self._handle, int(choice(Actuation, actuation, "actuation"))))

    def add_body(
        self,
        parent: Id = 0,
        name: Optional[str] = None,
        placement: Optional[ArrayLike] = None,
        inertia: Optional[ArrayLike] = None,
    ) -> int:
        """Adds a body and returns its id. Without joints it is welded to its parent.

        placement: 4×4, in the parent's frame while every joint is at its reference; None for the identity. inertia:
        10 numbers about the body's origin, see `inertia_from_com`; None for none.
        """
        place = None if placement is None else array(placement, (4, 4), "placement")
        numbers = None if inertia is None else array(inertia, (10,), "inertia")
        out = ffi.new("int32_t *")
        given = (optional_string(name, "name"), pointer(place), pointer(numbers))
        check(lib.ds_builder_add_body(self._handle, self._body(parent, "parent"), *given, out))
        self._bodies.append(name or "")
        return int(out[0])

    @says("ds_joint_desc", ("kind", "control", "control_count"))
    def add_joint(
        self,
        body: Id,
        kind: Union[JointKind, JointKindName] = JointKind.REVOLUTE,
        control: Optional[ArrayLike] = None,
        **fields: Unpack[JointFields],
    ) -> None:
        """Adds a joint between a body and its parent. fields are those of `ds_joint_desc`: name, axis, axis2, axis3,
        anchor, reference, damping, stiffness, spring_reference, armature, friction_loss, lower, upper, limit_margin,
        cyclic, friction_coefficient, friction_radius, friction_height, actuator_lower, actuator_upper. control: for a spline curve its frames, n×4×4; for a surface its vectors, 16×6."""
        values: Dict[str, Any] = {"kind": kind, **fields}
        if control is not None:
            control = numbers(control, "control")
            count = len(control) if control.ndim else 0
            frames = control.ndim == 3
            given = array(control, (count, 4, 4) if frames else (count, 6), "control")
            # Each frame in column-major order, one after the other.
            flat = np.ascontiguousarray(given.transpose(0, 2, 1) if frames else given)
            values.update(control=ffi.from_buffer("double[]", flat), control_count=count)
        joint, _keep = struct("ds_joint_desc", lib.ds_joint_desc_init, values)
        check(lib.ds_builder_add_joint(self._handle, self._body(body, "body"), joint))
        self._joints.append(fields.get("name") or "")

    @says("ds_geom_desc", ("vertices", "vertex_count", "triangles", "triangle_count", "heights", "columns", "rows", "reserved2"))
    def add_geom(
        self,
        body: Id,
        vertices: Optional[ArrayLike] = None,
        triangles: Optional[ArrayLike] = None,
        heights: Optional[ArrayLike] = None,
        **fields: Unpack[GeomFields],
    ) -> int:
        """Adds a geom to a body and returns its id. fields are those of `ds_geom_desc`: name, kind, condim, size,
        placement, friction, restitution, stiffness, dissipation, tangential, contype, conaffinity, priority,
        mesh_mode, open_mesh, margin, gap, hydroelastic, modulus, resolution, hydroelastic_margin, slab_thickness. For
        a mesh, vertices: 3×n [m], triangles: 3×m indices, counter-clockwise from outside. For a height field,
        heights: rows along y, columns along x [m]; `size` has the half extents of the grid and the thickness."""
        geom, _keep = self._geom_desc(vertices, triangles, heights, fields)
        out = ffi.new("int32_t *")
        check(lib.ds_builder_add_geom(self._handle, self._body(body, "body"), geom, out))
        self._geoms.append(fields.get("name") or "")
        return int(out[0])

    def _geom_desc(self, vertices: Any, triangles: Any, heights: Any, fields: Any) -> Tuple[Any, Any]:
        """The struct of a geom, and the objects that must live as long as the struct."""
        values: Dict[str, Any] = dict(fields)
        points = corners = grid = None
        if heights is not None:
            values.setdefault("kind", GeomKind.HEIGHT_FIELD)
            shape = shape_of(heights, "heights")
            if len(shape) != 2:
                raise InvalidArgumentError(f"heights: expected shape (rows, columns), got {shape}")
            rows, columns = shape
            grid = np.ascontiguousarray(array(heights, (rows, columns), "heights"))
            values.update(heights=ffi.from_buffer("double[]", grid), rows=rows, columns=columns)
        if vertices is not None:
            shape = shape_of(vertices, "vertices")
            if len(shape) != 2:
                raise InvalidArgumentError(f"vertices: expected shape (3, n), got {shape}")
            count = shape[1]
            points = array(vertices, (3, count), "vertices")
            values.update(vertices=pointer(points), vertex_count=count)
        if triangles is not None:
            corners = self._triangles(triangles)
            values.update(triangles=ffi.from_buffer("uint32_t[]", corners.T), triangle_count=corners.shape[-1])
        if "placement" in fields:
            values["placement"] = array(fields["placement"], (4, 4), "placement").ravel(order="F")
        geom, keep = struct("ds_geom_desc", lib.ds_geom_desc_init, values)
        return geom, (keep, points, corners, grid)

    @staticmethod
    def _triangles(triangles: ArrayLike) -> Any:
        corners = integers(triangles, "triangles")
        if corners.ndim != 2 or corners.shape[0] != 3:
            raise InvalidArgumentError(f"triangles: expected shape (3, m), got {corners.shape}")
        return np.asarray(corners, dtype=np.uint32, order="F")

    def add_site(self, body: Id, name: Optional[str] = None, placement: Optional[ArrayLike] = None) -> int:
        """Adds a named frame to a body and returns its id. placement: 4×4, in the body's frame; None for the
        identity."""
        place = None if placement is None else array(placement, (4, 4), "placement")
        out, at = ffi.new("int32_t *"), self._body(body, "body")
        check(lib.ds_builder_add_site(self._handle, at, optional_string(name, "name"), pointer(place), out))
        return int(out[0])

    def set_gravity_compensation(self, body: Id, share: float) -> None:
        """Compensates a share of a body's weight by a force at its centre of mass. With 1 the body floats."""
        check(lib.ds_builder_set_gravity_compensation(self._handle, self._body(body, "body"), number(share, "share")))

    @says("ds_actuator_desc", ("joint", "tendon", "body", "site"))
    def add_actuator(
        self,
        joint: Optional[str] = None,
        tendon: Optional[str] = None,
        body: Optional[str] = None,
        site: Optional[str] = None,
        **fields: Unpack[ActuatorFields],
    ) -> None:
        """Adds an actuator on a joint, along a tendon, at the contacts of a body or at a site. It takes the next entry of u.
        fields are those of `ds_actuator_desc`: name, gear (6), gain, bias (3), control_lower, control_upper,
        force_lower, force_upper, gain_slopes (2), activation and its fields, muscle_..., and reference_site beside site."""
        given = {"joint": joint, "tendon": tendon, "body": body, "site": site}
        at = {what: name for what, name in given.items() if name is not None}
        if len(at) != 1:
            raise InvalidArgumentError("add_actuator: expected either joint or tendon or body or site")
        actuator, _keep = struct("ds_actuator_desc", lib.ds_actuator_desc_init, {**fields, **at})
        check(lib.ds_builder_add_actuator(self._handle, actuator))

    @says("ds_spring_desc")
    def add_spring(self, **fields: Unpack[SpringFields]) -> None:
        """Adds a spring and damper between two points, with rest length 0. fields are those of `ds_spring_desc`:
        name, body1, body2, anchor1, anchor2, stiffness, damping."""
        spring, _keep = struct("ds_spring_desc", lib.ds_spring_desc_init, self._ends(fields))
        check(lib.ds_builder_add_spring(self._handle, spring))

    @says("ds_deformable_desc", ("nodes", "node_count", "edges", "edge_count", "tets", "tet_count", "triangles", "triangle_count", "attach_count", "attach_nodes", "attach_bodies"))
    def add_deformable(
        self,
        nodes: ArrayLike,
        edges: Optional[ArrayLike] = None,
        tets: Optional[ArrayLike] = None,
        attach: Optional[Mapping[int, Id]] = None,
        triangles: Optional[ArrayLike] = None,
        **fields: Unpack[DeformableFields],
    ) -> None:
        """Adds a deformable body. nodes: positions in the world while every joint is at its reference, n×3; edges:
        pairs of nodes, m×2; triangles: three nodes each, m×3; tets: four nodes each, m×4; attach: the bodies that
        carry nodes. Other fields are those of `ds_deformable_desc`: name, material, condim, density, mass, young,
        poisson, stiffness, damping, radius, friction, thickness. Body and joint of node i have the name NAME_i."""
        places = numbers(nodes, "nodes", 3)
        points = array(places.T, (3, len(places)), "nodes")
        values: Dict[str, Any] = dict(node_count=len(places), nodes=pointer(points))
        elements = (
            ("edges", "edge_count", 2, edges),
            ("triangles", "triangle_count", 3, triangles),
            ("tets", "tet_count", 4, tets),
        )
        for name, count, width, given in elements:
            if given is None:
                continue
            corners = indices(given, name, width)
            values[name] = ffi.new("int32_t[]", corners.ravel().tolist())
            values[count] = len(corners)
        if attach is not None and not isinstance(attach, Mapping):
            raise ArgumentTypeError(f"attach: expected bodies by numbers of nodes, got {type(attach).__name__}")
        if attach:
            values["attach_nodes"] = ffi.new("int32_t[]", [index(node, "attach") for node in attach])
            values["attach_bodies"] = ffi.new("int32_t[]", [self._body(body, "attach") for body in attach.values()])
            values["attach_count"] = len(attach)
        body, _keep = struct("ds_deformable_desc", lib.ds_deformable_desc_init, {**fields, **values})
        check(lib.ds_builder_add_deformable(self._handle, body))
        title = fields.get("name")
        free = (i for i in range(len(places)) if i not in (attach or {}))
        made = ["" if title is None else f"{title}_{i}" for i in free]
        self._bodies += made
        self._joints += made
        if body.radius > 0:
            self._geoms += made

    @says("ds_tendon_desc", ("kind", "count", "joints", "coefficients", "bodies", "anchors", "stations", "side_bodies", "sizes", "axes", "sides"))
    def add_tendon(
        self,
        joints: Optional[Mapping[str, float]] = None,
        bodies: Optional[Sequence[Id]] = None,
        anchors: Optional[ArrayLike] = None,
        stations: Optional[Sequence[Union[PathKind, PathKindName]]] = None,
        sizes: Optional[ArrayLike] = None,
        axes: Optional[ArrayLike] = None,
        side_bodies: Optional[Sequence[Optional[Id]]] = None,
        sides: Optional[ArrayLike] = None,
        **fields: Unpack[TendonFields],
    ) -> None:
        """Adds a tendon. For a fixed one, joints: the coefficient of each coordinate, by the joint's name. For a
        spatial one, bodies: the ids along the path; anchors: its points and centres of solids, 3×count, each in the
        frame of its body; stations: a `PathKind` of each, None if all are points; sizes: radii of solids and divisors
        of pulleys; axes: directions of cylinders, 3×count, None for z; side_bodies: the bodies of solids' side
        points, each None for none; sides: these points, 3×count. Other fields are those of `ds_tendon_desc`: name,
        pull_only, stiffness, damping, rest_lower, rest_upper, lower, upper, friction_loss."""
        if (joints is None) == (bodies is None):
            raise InvalidArgumentError("add_tendon: expected either joints or bodies")
        if joints is not None:
            path = ("anchors", "stations", "sizes", "axes", "side_bodies", "sides")
            for what, x in zip(path, (anchors, stations, sizes, axes, side_bodies, sides)):
                if x is not None:
                    raise InvalidArgumentError(f"{what}: spatial tendons have it; give bodies, not joints")
            if not isinstance(joints, Mapping):
                raise ArgumentTypeError(f"joints: expected numbers by names of joints, got {type(joints).__name__}")
            names = [ffi.new("char[]", string(name, "joints")) for name in joints]
            coefficients = array(list(joints.values()), (len(names),), "joints")
            texts = ffi.new("char *[]", names)
            values = dict(kind=TendonKind.FIXED, count=len(names), joints=texts, coefficients=pointer(coefficients))
        else:
            ids = [self._body(body, "bodies") for body in listed(bodies, "bodies", "bodies")]
            lists: Dict[str, Optional[List[int]]] = {"bodies": ids, "stations": None, "side_bodies": None}
            if stations is not None:
                lists["stations"] = [int(choice(PathKind, kind, "stations")) for kind in listed(stations, "stations", "kinds")]
            if side_bodies is not None:
                lists["side_bodies"] = [-1 if b is None else self._body(b, "side_bodies") for b in listed(side_bodies, "side_bodies", "bodies")]
            values = dict(kind=TendonKind.SPATIAL, count=len(ids))
            for name, numbers in lists.items():
                if numbers is not None and len(numbers) != len(ids):
                    raise InvalidArgumentError(f"{name}: expected {len(ids)} entries, got {len(numbers)}")
                values[name] = NULL if numbers is None else ffi.new("int32_t[]", numbers)
            points = array(anchors, (3, len(ids)), "anchors")
            known = None if sizes is None else array(sizes, (len(ids),), "sizes")
            along = None if axes is None else array(axes, (3, len(ids)), "axes")
            beside = None if sides is None else array(sides, (3, len(ids)), "sides")
            given = dict(anchors=points, sizes=known, axes=along, sides=beside)
            values.update((name, pointer(x)) for name, x in given.items())
        tendon, _keep = struct("ds_tendon_desc", lib.ds_tendon_desc_init, {**fields, **values})
        check(lib.ds_builder_add_tendon(self._handle, tendon))

    @says("ds_sensor_desc", ("kind", "placement", "reference_placement"))
    def add_sensor(
        self,
        kind: Union[SensorKind, SensorKindName],
        placement: Optional[ArrayLike] = None,
        reference_placement: Optional[ArrayLike] = None,
        **fields: Unpack[SensorFields],
    ) -> None:
        """Adds a sensor. placement, reference_placement: 4×4, in the frames of their bodies; None for these frames.
        Other fields are those of `ds_sensor_desc`: name, body, of, reference_body, zone, cutoff, field, zone_size."""
        values: Dict[str, Any] = {**fields, "kind": kind}
        for name in ("body", "reference_body"):
            if values.get(name) is not None:
                values[name] = self._body(values[name], name)
        places = [
            (name, None if x is None else array(x, (4, 4), name))
            for name, x in (("placement", placement), ("reference_placement", reference_placement))
        ]
        values.update((name, pointer(x)) for name, x in places if x is not None)
        sensor, _keep = struct("ds_sensor_desc", lib.ds_sensor_desc_init, values)
        check(lib.ds_builder_add_sensor(self._handle, sensor))

    @says("ds_equality_desc", ("kind", "relative"))
    def add_equality(
        self,
        kind: Union[EqualityKind, EqualityKindName],
        relative: Optional[ArrayLike] = None,
        **fields: Unpack[EqualityFields],
    ) -> None:
        """Adds an equality. It may close a loop. fields are those of `ds_equality_desc`: name, active, body1, body2,
        anchor1, anchor2, torque_scale, length, joint1, joint2, coefficients, tendon1, tendon2. For a weld, relative:
        4×4, the pose of body2 in body1; None for the pose at the reference."""
        values = {"kind": kind, **self._ends(fields)}
        if relative is not None:
            pose = array(relative, (4, 4), "relative")
            values["relative"] = pointer(pose)
        equality, _keep = struct("ds_equality_desc", lib.ds_equality_desc_init, values)
        check(lib.ds_builder_add_equality(self._handle, equality))

    def add_reduction(
        self,
        joints: Sequence[str],
        matrix: ArrayLike,
        offset: Optional[ArrayLike] = None,
        name: Optional[str] = None,
    ) -> None:
        """Gives joints reduced coordinates y: their dofs are offset + matrix @ y. joints: their names; matrix: dofs ×
        columns, or one number per dof for a single column; offset: one number per dof, None for zeros. nq and nv of
        the model then count the columns instead of the dofs of these joints."""
        names = [string(joint, "joints") for joint in listed(joints, "joints", "names")]
        texts = [ffi.new("char[]", joint) for joint in names]
        table = numbers(matrix, "matrix")
        table = table.reshape(-1, 1) if table.ndim == 1 else table
        rows = 0
        for joint in names:
            at = lib.ds_builder_joint_id(self._handle, joint)
            if at >= 0:
                made = ffi.new("ds_joint_desc *")
                lib.ds_joint_desc_init(made)
                check(lib.ds_builder_joint(self._handle, at, made))
                rows += DOFS[made.kind]
        if table.ndim != 2 or table.shape[0] != rows:
            raise InvalidArgumentError(f"matrix: expected {rows} rows, one for each dof of the joints, got shape {table.shape}")
        values: Dict[str, Any] = dict(
            name=name, joint_count=len(texts), joints=ffi.new("char *[]", texts), columns=table.shape[1]
        )
        tables: Dict[str, Array] = {"matrix": np.asfortranarray(table)}
        if offset is not None:
            tables["offset"] = array(offset, (table.shape[0],), "offset")
        values.update((field, pointer(x)) for field, x in tables.items())
        reduction, _keep = struct("ds_reduction_desc", lib.ds_reduction_desc_init, values)
        check(lib.ds_builder_add_reduction(self._handle, reduction))

    def attach(
        self, body: Id, model: Model, prefix: str = "", placement: Optional[ArrayLike] = None
    ) -> None:
        """Adds all parts of another model. The children of its world become children of `body`. The frame of its
        world is at `placement` in `body` (4×4, None for the identity). prefix: goes before all its names. Its inputs
        come after the existing ones. If the builder has inputs on all dofs, the new dofs have inputs, too. A robot on
        a free joint can be attached only to body 0, the world."""
        place = None if placement is None else array(placement, (4, 4), "placement")
        other, at = given(model, Model, "model"), self._body(body, "body")
        check(lib.ds_builder_attach(self._handle, at, pointer(place), other._handle, string(prefix, "prefix")))
        self._bodies += [name and prefix + name for name in other.body_names[1:]]
        self._joints += [name and prefix + name for name in other.joint_names]
        self._geoms += [name and prefix + name for name in other.geom_names]

    def _part(self, find: Callable[..., int], names: List[str], what: str, of: Id) -> int:
        """Id of a joint or geom given by its id or name."""
        if not isinstance(of, str):
            return index(of, what, "an id or a name")
        found: int = find(self._handle, string(of, what))
        if found < 0:
            raise UnknownNameError(f"{what}: no {what} named {of!r}{near(of, names)}")
        return found

    def set_joint(self, joint: Id, **fields: Unpack[JointFields]) -> None:
        """Changes a joint of the builder's model. fields: see `add_joint`; a field that is not given stays. joint: id
        or name."""
        at = self._part(lib.ds_builder_joint_id, self._joints, "joint", joint)
        made = ffi.new("ds_joint_desc *")
        lib.ds_joint_desc_init(made)
        check(lib.ds_builder_joint(self._handle, at, made))
        keep = fill(made, fields)
        check(lib.ds_builder_set_joint(self._handle, at, made))
        if fields.get("name") is not None and at < len(self._joints):
            self._joints[at] = str(fields["name"])
        del keep

    def set_body(
        self,
        body: Id,
        *,
        placement: Optional[ArrayLike] = None,
        inertia: Optional[ArrayLike] = None,
        gravity_compensation: Optional[float] = None,
    ) -> None:
        """Changes a body. Arguments: see `add_body`; None keeps the value."""
        at, made = self._body(body, "body"), ffi.new("ds_body_desc *")
        lib.ds_body_desc_init(made)
        check(lib.ds_builder_body(self._handle, at, made))
        fields: Dict[str, Any] = {}
        if placement is not None:
            fields["placement"] = array(placement, (4, 4), "placement").ravel(order="F")
        if inertia is not None:
            fields["inertia"] = inertia
        if gravity_compensation is not None:
            fields["gravity_compensation"] = gravity_compensation
        keep = fill(made, fields)
        check(lib.ds_builder_set_body(self._handle, at, made))
        del keep

    def set_geom(
        self,
        geom: Id,
        vertices: Optional[ArrayLike] = None,
        triangles: Optional[ArrayLike] = None,
        heights: Optional[ArrayLike] = None,
        **fields: Unpack[GeomFields],
    ) -> None:
        """Changes a geom. It stays on its body. fields: see `add_geom`; a field that is not given stays. geom: id or
        name."""
        at = self._part(lib.ds_builder_geom_id, self._geoms, "geom", geom)
        given_, kept = self._geom_desc(vertices, triangles, heights, fields)
        made = ffi.new("ds_geom_desc *")
        lib.ds_geom_desc_init(made)
        check(lib.ds_builder_geom(self._handle, at, made))
        shapes = {"vertices": "vertex_count", "triangles": "triangle_count", "heights": "rows"}
        for name in (*fields, *(n for n, x in zip(shapes, (vertices, triangles, heights)) if x is not None)):
            setattr(made, name, getattr(given_, name))
            if name in shapes:
                setattr(made, shapes[name], getattr(given_, shapes[name]))
            if name == "heights":
                made.columns = given_.columns
        check(lib.ds_builder_set_geom(self._handle, at, made))
        del kept

    def remove_geom(self, geom: Id) -> None:
        """Removes a geom and all settings of its pairs. The ids of later geoms decrease by one."""
        at = self._part(lib.ds_builder_geom_id, self._geoms, "geom", geom)
        check(lib.ds_builder_remove_geom(self._handle, at))
        del self._geoms[at]

    def build(self) -> Model:
        """Builds a model from the collected description. You can add to the builder and build again."""
        return Model(lib.ds_builder_build, self._handle, origin=Built(tuple(self._calls), self._of))


def _builder_again(builder: Builder, model: Optional[Model], calls: Iterable[Any]) -> None:
    Builder.__init__(builder, model)
    builder._replay(calls)


def inertia_to_log_cholesky(p: ArrayLike) -> Array:
    """Log-Cholesky coordinates of an inertia p (10 numbers, see `inertia_from_com`): alpha, d1, d2, d3, s12, s23,
    s13, t1, t2, t3 (Rucker & Wensing 2022). Every value of them is the inertia of a body. The mass is exp(2 alpha),
    the centre of mass is t. Raises `InvalidArgumentError` if no body with an extent has this inertia."""
    given, out = array(p, (10,), "p"), np.zeros(10)
    check(lib.ds_inertia_to_log_cholesky(pointer(given), pointer(out)))
    return out


@overload
def inertia_from_log_cholesky(theta: ArrayLike) -> Array: ...


@overload
def inertia_from_log_cholesky(theta: ArrayLike, jacobian: Literal[False]) -> Array: ...


@overload
def inertia_from_log_cholesky(theta: ArrayLike, jacobian: Literal[True]) -> Tuple[Array, Array]: ...


def inertia_from_log_cholesky(theta: ArrayLike, jacobian: bool = False) -> Union[Array, Tuple[Array, Array]]:
    """Inertia of the coordinates theta (see `inertia_to_log_cholesky`). With jacobian also the 10×10 matrix of its
    derivatives."""
    given, out, sloped = array(theta, (10,), "theta"), np.zeros(10), flag(jacobian, "jacobian")
    slopes = np.zeros((10, 10), order="F")
    check(lib.ds_inertia_from_log_cholesky(pointer(given), pointer(out), pointer(slopes) if sloped else NULL))
    return (out, slopes) if sloped else out


def inertia_from_com(mass: float, com: ArrayLike, inertia: ArrayLike) -> Array:
    """The 10 numbers of an inertia about the body's origin. mass [kg], com: the centre of mass (3) [m], inertia: Ixx,
    Ixy, Iyy, Ixz, Iyz, Izz about the centre of mass [kg m²]."""
    center, about, out = array(com, (3,), "com"), array(inertia, (6,), "inertia"), np.zeros(10)
    check(lib.ds_inertia_from_com(mass, pointer(center), pointer(about), pointer(out)))
    return out
