"""The C library for numpy, with its declarations read from the headers of include/.

Arrays are float64; matrices are column-major (`order="F"`), as the library wants them. A status
other than DS_OK raises `DiffsimError` with the library's message.
"""

import os
import pathlib
import re
import subprocess

import cffi
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = pathlib.Path(os.environ.get("DIFFSIM_HEADER", ROOT / "include" / "diffsim.h"))
LIBRARY = pathlib.Path(os.environ.get("DIFFSIM_LIBRARY", ROOT / "target" / "release" / "libdiffsim.so"))


def _declarations(header):
    """The header and those beside it as cffi understands them: preprocessed, without includes and C++."""
    texts = [path.read_text() for path in (header, *sorted(header.parent.glob(f"{header.stem}_*.h")))]
    text = re.sub(r"^\s*#\s*include\b.*$", "", "".join(texts), flags=re.M)
    run = subprocess.run(["cc", "-std=c11", "-E", "-P", "-xc", "-"], input=text, capture_output=True, text=True, check=True)
    return run.stdout


ffi = cffi.FFI()
ffi.cdef(_declarations(HEADER))
lib = ffi.dlopen(str(LIBRARY))


class DiffsimError(Exception):
    def __init__(self, status):
        self.status = status
        name = ffi.string(lib.ds_status_name(status)).decode()
        super().__init__(f"{name}: {ffi.string(lib.ds_last_error()).decode()}")


def _check(status):
    if status != lib.DS_OK:
        raise DiffsimError(status)


def _in(x, n):
    """`x` as a contiguous vector of `n` doubles, and its pointer."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    if x.shape != (n,):
        raise ValueError(f"expected {n} numbers, got shape {x.shape}")
    return ffi.cast("const double *", ffi.from_buffer("double[]", x)) if n else ffi.NULL, x


def _out(*shape):
    """A column-major array to be written, and its pointer."""
    x = np.full(shape, np.nan, order="F")
    return x, ffi.cast("double *", x.ctypes.data)


def _options(kind, init, values):
    options = ffi.new(kind + " *")
    init(options)
    for name, value in values.items():
        setattr(options, name, value)
    return options


class Sensor:
    """Its name, what it tells (ds_sensor_kind), and where its numbers are."""

    def __init__(self, model, i):
        self.name = ffi.string(lib.ds_model_sensor_name(model, i)).decode()
        self.kind, self.adr, self.dim = (f(model, i) for f in (lib.ds_model_sensor_kind, lib.ds_model_sensor_adr, lib.ds_model_sensor_dim))


class Model:
    """A robot or scene read from a .urdf or .xml (MJCF) file."""

    def __init__(self, path, mesh_dirs=(), **options):
        names = [ffi.new("char[]", str(d).encode()) for d in mesh_dirs]
        if names:
            options["mesh_dirs"] = ffi.new("const char *[]", names)
            options["mesh_dir_count"] = len(names)
        load = _options("ds_load_options", lib.ds_load_options_init, options)
        handle = ffi.new("ds_model **")
        _check(lib.ds_model_load(str(path).encode(), load, handle))
        self.handle = ffi.gc(handle[0], lib.ds_model_free)
        for size in ("nq", "nv", "nu", "na", "nbody", "njoint", "ngeom"):
            setattr(self, size, getattr(lib, "ds_model_" + size)(self.handle))
        ints = lambda f, n: [int(f(self.handle, i)) for i in range(n)]
        text = lambda f, n: [ffi.string(f(self.handle, i)).decode() for i in range(n)]
        self.body_names = text(lib.ds_model_body_name, self.nbody)
        self.body_parent = ints(lib.ds_model_body_parent, self.nbody)
        self.joint_names = text(lib.ds_model_joint_name, self.njoint)
        self.joint_iq = ints(lib.ds_model_joint_q_index, self.njoint)
        self.joint_iv = ints(lib.ds_model_joint_v_index, self.njoint)
        self.joint_nq = ints(lib.ds_model_joint_nq, self.njoint)
        self.joint_nv = ints(lib.ds_model_joint_nv, self.njoint)
        self.geom_names = text(lib.ds_model_geom_name, self.ngeom)
        self.geom_body = ints(lib.ds_model_geom_body, self.ngeom)
        self.geom_type = ints(lib.ds_model_geom_type, self.ngeom)
        self.sensors = [Sensor(self.handle, i) for i in range(lib.ds_model_nsensor(self.handle))]
        self.warnings = text(lib.ds_model_warning, lib.ds_model_warning_count(self.handle))

    def save(self, path):
        """Saves the model and gives what the format could not say."""
        out = ffi.new("ds_saved **")
        _check(lib.ds_model_save(self.handle, str(path).encode(), ffi.NULL, out))
        saved = ffi.gc(out[0], lib.ds_saved_free)
        return [ffi.string(lib.ds_saved_warning(saved, i)).decode() for i in range(lib.ds_saved_warning_count(saved))]

    def _read(self, function, index, *shape):
        x, p = _out(*shape)
        _check(function(self.handle, index, p))
        return x

    def body_inertia(self, body):
        """m, m·c, inertia about the body's origin (xx xy yy xz yz zz)."""
        return self._read(lib.ds_model_body_inertia, body, 10)

    def body_placement(self, body):
        """4×4, in the parent's frame while every joint is at its reference."""
        return self._read(lib.ds_model_body_placement, body, 4, 4)

    def geom_placement(self, geom):
        """4×4, in the body's frame."""
        return self._read(lib.ds_model_geom_placement, geom, 4, 4)

    def geom_size(self, geom):
        return self._read(lib.ds_model_geom_size, geom, 3)

    def geom_friction(self, geom):
        return self._read(lib.ds_model_geom_friction, geom, 3)

    def neutral(self):
        q, p = _out(self.nq)
        _check(lib.ds_model_neutral(self.handle, p))
        return q

    def keyframe(self, name):
        (q, pq), (v, pv), (u, pu) = _out(self.nq), _out(self.nv), _out(self.nu)
        _check(lib.ds_model_keyframe(self.handle, name.encode(), pq, pv, pu))
        return q, v, u

    def integrate(self, q, dv):
        (pq, q), (pv, dv), (out, po) = _in(q, self.nq), _in(dv, self.nv), _out(self.nq)
        _check(lib.ds_model_integrate(self.handle, pq, pv, po))
        return out

    def place_on_ground(self, q):
        p, _q = _in(q, self.nq)
        out, pointer = _out(self.nq)
        _check(lib.ds_model_place_on_ground(self.handle, p, pointer))
        return out

    def difference(self, q0, q1):
        (p0, q0), (p1, q1), (out, po) = _in(q0, self.nq), _in(q1, self.nq), _out(self.nv)
        _check(lib.ds_model_difference(self.handle, p0, p1, po))
        return out

    def q_from_mujoco(self, qpos):
        (p, qpos), (q, pq) = _in(qpos, self.nq), _out(self.nq)
        _check(lib.ds_model_q_from_mujoco(self.handle, p, pq))
        return q

    def q_to_mujoco(self, q):
        (p, q), (qpos, pq) = _in(q, self.nq), _out(self.nq)
        _check(lib.ds_model_q_to_mujoco(self.handle, p, pq))
        return qpos

    def v_from_mujoco(self, q, qvel):
        (pq, q), (p, qvel), (v, pv) = _in(q, self.nq), _in(qvel, self.nv), _out(self.nv)
        _check(lib.ds_model_v_from_mujoco(self.handle, pq, p, pv))
        return v

    def v_to_mujoco(self, q, v):
        (pq, q), (p, v), (qvel, pv) = _in(q, self.nq), _in(v, self.nv), _out(self.nv)
        _check(lib.ds_model_v_to_mujoco(self.handle, pq, p, pv))
        return qvel


class Sim:
    """A simulation of `model`; keyword arguments are the fields of ds_options."""

    def __init__(self, model, **options):
        self.model = model
        handle = ffi.new("ds_sim **")
        _check(lib.ds_sim_create(model.handle, _options("ds_options", lib.ds_options_init, options), handle))
        self.handle = ffi.gc(handle[0], lib.ds_sim_free)

    def _call(self, function, inputs, *shapes):
        """Calls function(sim, inputs..., outputs...) and returns the outputs of these shapes."""
        # The arrays must outlive the call, the pointers do not hold them.
        given = [_in(x, n) for x, n in zip(inputs, (self.model.nq, self.model.nv, self.model.nv))]
        made = [_out(*shape) for shape in shapes]
        _check(function(self.handle, *(p for p, _ in given), *(p for _, p in made)))
        return made[0][0] if len(made) == 1 else tuple(x for x, _ in made)

    def step(self, q, v, u):
        m = self.model
        (pq, q), (pv, v), (pu, u) = _in(q, m.nq), _in(v, m.nv), _in(u, m.nu)
        (qn, pqn), (vn, pvn) = _out(m.nq), _out(m.nv)
        _check(lib.ds_sim_step(self.handle, pq, pv, pu, pqn, pvn))
        return qn, vn

    def set_params(self, params, values):
        """Selects parameters, each as (kind, index, component), and gives them these values."""
        _check(lib.ds_sim_select_params(self.handle, ffi.new("ds_param[]", params), len(params)))
        p, values = _in(values, len(params))
        _check(lib.ds_sim_set_params(self.handle, p))

    def contact_count(self, q):
        """Of contacts at q, without dynamics."""
        p, q = _in(q, self.model.nq)
        contacts, count = ffi.new("const ds_contact **"), ffi.new("size_t *")
        _check(lib.ds_sim_collide(self.handle, p))
        _check(lib.ds_sim_contacts(self.handle, contacts, count))
        return count[0]

    def distance(self, geom_a, geom_b, q):
        """Signed distance of two geoms, and the unit normal from the first to the second."""
        p, q = _in(q, self.model.nq)
        d = ffi.new("ds_distance *")
        _check(lib.ds_sim_distance(self.handle, geom_a, geom_b, p, d, ffi.NULL))
        return d.distance, np.array(list(d.normal))

    def sensors(self, q, v, u):
        """What all sensors tell."""
        m = self.model
        (pq, q), (pv, v), (pu, u) = _in(q, m.nq), _in(v, m.nv), _in(u, m.nu)
        data, p = _out(lib.ds_model_nsensordata(m.handle))
        _check(lib.ds_sim_sensors(self.handle, pq, pv, pu, p))
        return data

    def ray_casts(self, q, origins, directions):
        """Distances, normals and geoms that rays meet first; one a row."""
        n = len(origins)
        (p, q), (po, origins), (pd, directions) = _in(q, self.model.nq), _in(origins.ravel(), 3 * n), _in(directions.ravel(), 3 * n)
        (distances, px), (normals, pn), geoms = _out(n), _out(3, n), np.zeros(n, dtype=np.int32)
        pg = ffi.cast("int32_t *", geoms.ctypes.data)
        _check(lib.ds_sim_ray_casts(self.handle, p, n, po, pd, np.inf, -1, px, pn, pg, ffi.NULL, ffi.NULL))
        return distances, normals.T, geoms

    def set_external_wrench(self, body, wrench):
        """Force and torque on a body in world axes, at its origin, for the steps to come."""
        p, wrench = _in(wrench, 6)
        _check(lib.ds_sim_set_external_wrench(self.handle, body, p))

    def step_jacobians(self):
        """Of the last step, by name: dq_dq, dq_dv, dq_du, dv_dq, dv_dv, dv_du."""
        columns = {"q": self.model.nv, "v": self.model.nv, "u": self.model.nu}
        made, struct = {}, ffi.new("ds_step_jacobians *")
        for row in "qv":
            for column, n in columns.items():
                name = f"d{row}_d{column}"
                made[name], pointer = _out(self.model.nv, n)
                if n:
                    setattr(struct, name, pointer)
        _check(lib.ds_sim_step_jacobians(self.handle, struct))
        return made

    def forward_kinematics(self, q):
        """4×4×nbody."""
        return self._call(lib.ds_forward_kinematics, (q,), (4, 4, self.model.nbody))

    def inverse_dynamics(self, q, v, a):
        return self._call(lib.ds_inverse_dynamics, (q, v, a), (self.model.nv,))

    def forward_dynamics(self, q, v, tau):
        return self._call(lib.ds_forward_dynamics, (q, v, tau), (self.model.nv,))

    def mass_matrix(self, q):
        return self._call(lib.ds_mass_matrix, (q,), (self.model.nv,) * 2)

    def inverse_dynamics_derivatives(self, q, v, a):
        square = (self.model.nv,) * 2
        return self._call(lib.ds_inverse_dynamics_derivatives, (q, v, a), square, square)

    def forward_dynamics_derivatives(self, q, v, tau):
        square = (self.model.nv,) * 2
        return self._call(lib.ds_forward_dynamics_derivatives, (q, v, tau), square, square, square)

    def body_jacobian(self, q, body, point):
        """6×nv, world axes, of the point given in the body's axes."""
        (pq, q), (pp, point) = _in(q, self.model.nq), _in(point, 3)
        J, pJ = _out(6, self.model.nv)
        _check(lib.ds_body_jacobian(self.handle, pq, body, pp, pJ))
        return J

    @property
    def act(self):
        act, p = _out(self.model.na)
        _check(lib.ds_sim_get_act(self.handle, p))
        return act

    @act.setter
    def act(self, act):
        p, _keep = _in(act, self.model.na)
        _check(lib.ds_sim_set_act(self.handle, p))

    def actuator_states(self, q, v, u):
        """Lengths, rates and forces of the actuators."""
        m, (lengths, pl), (rates, pr), (forces, pf) = self.model, *(_out(self.model.nu) for _ in range(3))
        (pq, q), (pv, v), (pu, u) = _in(q, m.nq), _in(v, m.nv), _in(u, m.nu)
        _check(lib.ds_actuator_states(self.handle, pq, pv, pu, pl, pr, pf, *[ffi.NULL] * 4))
        return lengths, rates, forces

    def actuator_forces(self, q, v, u):
        """The generalized force of all actuators."""
        m, (force, pf) = self.model, _out(self.model.nv)
        (pq, q), (pv, v), (pu, u) = _in(q, m.nq), _in(v, m.nv), _in(u, m.nu)
        _check(lib.ds_generalized_forces(self.handle, pq, pv, pu, lib.DS_FORCE_ACTUATOR, pf, *[ffi.NULL] * 4))
        return force

    def tendon_lengths(self, q):
        """Lengths and their moments, nv×ntendon."""
        count = lib.ds_model_ntendon(self.model.handle)
        return self._call(lib.ds_sim_tendon_lengths, (q,), (count,), (self.model.nv, count))

    def energy(self, q, v):
        """Kinetic and potential, in joules."""
        kinetic, potential = self._call(lib.ds_energy, (q, v), (1,), (1,))
        return kinetic[0], potential[0]

    def _moving(self, function, state, frame, *shapes):
        """Calls function(sim, q, v[, a], frame, outputs...)."""
        return self._call(lambda sim, *p: function(sim, *p[: len(state)], frame, *p[len(state) :]), state, *shapes)

    def _of_frame(self, function, state, body, frame, *shapes):
        """Calls function(sim, q, v[, a], body, NULL, frame, outputs...)."""
        n = len(state)
        return self._call(lambda sim, *p: function(sim, *p[:n], body, ffi.NULL, frame, *p[n:]), state, *shapes)

    def body_velocities(self, q, v, frame):
        return self._moving(lib.ds_body_velocities, (q, v), frame, (6, self.model.nbody))

    def body_accelerations(self, q, v, a, frame):
        return self._moving(lib.ds_body_accelerations, (q, v, a), frame, (6, self.model.nbody))

    def body_jacobians(self, q, frame):
        return self._moving(lib.ds_body_jacobians, (q,), frame, (6, self.model.nv, self.model.nbody))

    def frame_jacobian_rate(self, q, v, body, frame):
        return self._of_frame(lib.ds_frame_jacobian_rate, (q, v), body, frame, (6, self.model.nv))

    def frame_velocity(self, q, v, body, frame):
        columns = (6, self.model.nv)
        return self._of_frame(lib.ds_frame_velocity, (q, v), body, frame, (6,), columns, columns)

    def frame_acceleration(self, q, v, a, body, frame):
        columns = (6, self.model.nv)
        return self._of_frame(lib.ds_frame_acceleration, (q, v, a), body, frame, (6,), *[columns] * 3)

    def gravity_forces(self, q):
        return self._call(lib.ds_gravity_forces, (q,), (self.model.nv,), (self.model.nv,) * 2)

    def bias_forces(self, q, v):
        return self._call(lib.ds_bias_forces, (q, v), (self.model.nv,))

    def coriolis_matrix(self, q, v):
        return self._call(lib.ds_coriolis_matrix, (q, v), (self.model.nv,) * 2)

    def mass_matrix_inverse(self, q):
        return self._call(lib.ds_mass_matrix_inverse, (q,), (self.model.nv,) * 2)

    def inverse_dynamics_regressor(self, q, v, a):
        return self._call(lib.ds_inverse_dynamics_regressor, (q, v, a), (self.model.nv, 10 * self.model.nbody))

    def inverse_dynamics_with_wrenches(self, q, v, a, bodies, wrenches):
        (p, wrenches), ids = _in(wrenches, 6 * len(bodies)), ffi.new("int32_t[]", bodies)
        call = lambda sim, *x: lib.ds_inverse_dynamics_with_wrenches(sim, *x[:3], ids, p, len(bodies), x[3])
        return self._call(call, (q, v, a), (self.model.nv,))

    def center_of_mass_motion(self, q, v, a):
        return self._call(lib.ds_center_of_mass_motion, (q, v, a), (3,), (3,), (3,))

    def centroidal_momentum(self, q, v, a):
        return self._call(lib.ds_centroidal_momentum, (q, v, a), (6,), (6,))

    def centroidal_map(self, q):
        return self._call(lib.ds_centroidal_map, (q,), (6, self.model.nv))

    def centroidal_derivatives(self, q, v, a):
        return self._call(lib.ds_centroidal_derivatives, (q, v, a), *[(6, self.model.nv)] * 4)
