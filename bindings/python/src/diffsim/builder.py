"""Models made in code."""

from typing import Optional

import numpy as np

from ._native import NULL, Handle, InvalidArgumentError, array, check, ffi, lib, pointer, struct
from .enums import Actuation, EqualityKind, JointKind, TendonKind
from .model import Array, Model


class Builder(Handle):
    """Collects the description of a model. Body 0, the world, is there from the start.

    The ids it gives are its own: the built model numbers bodies depth first, so look them up by name.
    """

    _kind = "ds_builder"
    _free = lib.ds_builder_free

    def __init__(self):
        self._own(lib.ds_builder_create)

    def set_gravity(self, gravity) -> None:
        """World axes [m/s²]; (0, 0, -9.81) from the start."""
        gravity = array(gravity, (3,), "gravity")
        check(lib.ds_builder_set_gravity(self._handle, pointer(gravity)))

    def set_actuation(self, actuation: Actuation) -> None:
        """How inputs act: FROM_FILE stands for the actuators that are added."""
        check(lib.ds_builder_set_actuation(self._handle, int(actuation)))

    def add_body(self, parent: int = 0, name: Optional[str] = None, placement=None, inertia=None) -> int:
        """Adds a body, welded to its parent until it gets joints, and returns its id.

        placement: 4×4, in the parent's frame while every joint is at its reference; None for the
        identity. inertia: 10 numbers about the body's origin, see `inertia_from_com`; None for none.
        """
        placement = None if placement is None else array(placement, (4, 4), "placement")
        inertia = None if inertia is None else array(inertia, (10,), "inertia")
        out = ffi.new("int32_t *")
        given = (NULL if name is None else name.encode(), pointer(placement), pointer(inertia))
        check(lib.ds_builder_add_body(self._handle, parent, *given, out))
        return out[0]

    def add_joint(self, body: int, kind: JointKind = JointKind.REVOLUTE, **fields) -> None:
        """Adds a joint between a body and its parent; fields are those of `ds_joint_desc`: name, axis,
        axis2, anchor, reference, damping, stiffness, spring_reference, armature, friction_loss, lower,
        upper, limit_margin."""
        joint, _keep = struct("ds_joint_desc", lib.ds_joint_desc_init, {"kind": int(kind), **fields})
        check(lib.ds_builder_add_joint(self._handle, body, joint))

    def add_geom(self, body: int, vertices=None, triangles=None, **fields) -> int:
        """Adds a geom to a body and returns its id; fields are those of `ds_geom_desc`: name, kind,
        condim, size, placement, friction, restitution, stiffness, dissipation, tangential, contype, conaffinity,
        priority, mesh_mode, open_mesh, margin. Of a mesh, vertices: 3×n [m], triangles: 3×m indices, counter-clockwise
        from outside."""
        keep = []
        if vertices is not None:
            count = np.shape(vertices)[-1] if np.ndim(vertices) == 2 else 0
            vertices = array(vertices, (3, count), "vertices")
            fields.update(vertices=pointer(vertices), vertex_count=vertices.shape[1])
        if triangles is not None:
            triangles = np.asarray(triangles, dtype=np.uint32, order="F")
            if triangles.ndim != 2 or triangles.shape[0] != 3:
                raise InvalidArgumentError(f"triangles: expected shape (3, m), got {triangles.shape}")
            keep.append(ffi.from_buffer("uint32_t[]", triangles.T))
            fields.update(triangles=keep[0], triangle_count=triangles.shape[-1])
        if "placement" in fields:
            fields["placement"] = array(fields["placement"], (4, 4), "placement").ravel(order="F")
        geom, _keep = struct("ds_geom_desc", lib.ds_geom_desc_init, fields)
        out = ffi.new("int32_t *")
        check(lib.ds_builder_add_geom(self._handle, body, geom, out))
        return out[0]

    def add_site(self, body: int, name: Optional[str] = None, placement=None) -> int:
        """Adds a named frame to a body and returns its id. placement: 4×4, in the body's frame; None for the identity."""
        placement = None if placement is None else array(placement, (4, 4), "placement")
        out = ffi.new("int32_t *")
        given = NULL if name is None else name.encode()
        check(lib.ds_builder_add_site(self._handle, body, given, pointer(placement), out))
        return out[0]

    def set_gravity_compensation(self, body: int, share: float) -> None:
        """Lets a force at its centre of mass carry a share of a body's own weight: 1 and it floats."""
        check(lib.ds_builder_set_gravity_compensation(self._handle, body, share))

    def add_actuator(self, joint: str, **fields) -> None:
        """Adds an actuator on a joint, which takes the next entry of u; fields are those of
        `ds_actuator_desc`: name, gear (6), gain, bias (3), control_lower, control_upper, force_lower,
        force_upper."""
        fields["joint"] = joint
        actuator, _keep = struct("ds_actuator_desc", lib.ds_actuator_desc_init, fields)
        check(lib.ds_builder_add_actuator(self._handle, actuator))

    def add_spring(self, **fields) -> None:
        """Adds a spring and damper without rest length between two points; fields are those of `ds_spring_desc`: name,
        body1, body2, anchor1, anchor2, stiffness, damping."""
        spring, _keep = struct("ds_spring_desc", lib.ds_spring_desc_init, fields)
        check(lib.ds_builder_add_spring(self._handle, spring))

    def add_tendon(self, joints=None, bodies=None, anchors=None, **fields) -> None:
        """Adds a tendon. joints: what each coordinate counts by the joint's name, of a fixed one; bodies: the ids along
        the path of a spatial one, anchors: its points, 3×count, each in the frame of its body. Other fields are those of
        `ds_tendon_desc`: name, pull_only, stiffness, damping, rest_lower, rest_upper, lower, upper, friction_loss."""
        if (joints is None) == (bodies is None):
            raise InvalidArgumentError("add_tendon: expected either joints or bodies")
        if joints is not None:
            names = [ffi.new("char[]", name.encode()) for name in joints]
            coefficients = array(list(joints.values()), (len(names),), "joints")
            keep = [ffi.new("char *[]", names), coefficients]
            fields.update(kind=int(TendonKind.FIXED), count=len(names), joints=keep[0], coefficients=pointer(coefficients))
        else:
            ids = ffi.new("int32_t[]", [int(body) for body in bodies])
            points = array(anchors, (3, len(ids)), "anchors")
            fields.update(kind=int(TendonKind.SPATIAL), count=len(ids), bodies=ids, anchors=pointer(points))
        tendon, _keep = struct("ds_tendon_desc", lib.ds_tendon_desc_init, fields)
        check(lib.ds_builder_add_tendon(self._handle, tendon))

    def add_equality(self, kind: EqualityKind, relative=None, **fields) -> None:
        """Adds an equality, which may close a loop; fields are those of `ds_equality_desc`: name, active,
        body1, body2, anchor1, anchor2, torque_scale, length, joint1, joint2, coefficients. Of a weld,
        relative: 4×4, the pose of body2 in body1; None for that at the reference."""
        if relative is not None:
            relative = array(relative, (4, 4), "relative")
            fields["relative"] = pointer(relative)
        equality, _keep = struct("ds_equality_desc", lib.ds_equality_desc_init, {"kind": int(kind), **fields})
        check(lib.ds_builder_add_equality(self._handle, equality))

    def build(self) -> Model:
        """Makes a model of what has been collected. The builder can be added to and built again."""
        return Model(lib.ds_builder_build, self._handle)


def inertia_from_com(mass: float, com, inertia) -> Array:
    """The 10 numbers of an inertia about the body's origin, from the mass [kg], the centre of mass (3)
    [m] and Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the centre of mass [kg m²]."""
    com, inertia, out = array(com, (3,), "com"), array(inertia, (6,), "inertia"), np.zeros(10)
    check(lib.ds_inertia_from_com(mass, pointer(com), pointer(inertia), pointer(out)))
    return out
