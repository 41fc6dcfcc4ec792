//! Parameters of a simulation.

use super::args::{self, Out};
use super::sim::{any, ds_sim, look_any};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::model::params::{Param, ParamKind};

/// Kind of a parameter. It decides the meaning of a ds_param's index and component.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum ds_param_kind {
    /// index: body; component 0 to 9: m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the
    /// body's origin.
    DS_PARAM_BODY_INERTIA = 0,
    /// index: geom; component 0: sliding, 1: torsional [m], 2: rolling [m]. The last two apply to
    /// contacts of condim 4 and 6.
    DS_PARAM_GEOM_FRICTION = 1,
    /// index: geom; component 0: coefficient of restitution, in [0, 1]. The larger one of a pair
    /// counts. With DS_CONTACT_NCP and DS_CONTACT_LCP.
    DS_PARAM_GEOM_RESTITUTION = 2,
    /// index: geom; component 0 [N/m], greater than 0. As loaded it is ds_geom_desc.stiffness,
    /// infinite by default; infinite means as rigid as a step resolves. The stiffnesses of two geoms
    /// act in series. With DS_CONTACT_CONVEX and DS_CONTACT_PENALTY. With DS_CONTACT_PENALTY a moving
    /// geom has, instead of an infinite stiffness, 10⁴ N/m per kg of its tree, and ds_sim_get_params
    /// returns this value.
    DS_PARAM_CONTACT_STIFFNESS = 3,
    /// index: geom; component 0 [s], at least 0. As loaded it is ds_geom_desc.dissipation, 0.01 by
    /// default. The sum over the two geoms is the time in which a penetration is removed. With
    /// DS_CONTACT_CONVEX and DS_CONTACT_PENALTY.
    DS_PARAM_CONTACT_DISSIPATION = 4,
    /// index: joint; component: dof of the joint [N s/m or N m s/rad].
    DS_PARAM_JOINT_DAMPING = 5,
    /// index: joint; component: dof of the joint [N/m or N m/rad].
    DS_PARAM_JOINT_STIFFNESS = 6,
    /// index: joint; component: dof of the joint [kg or kg m²].
    DS_PARAM_JOINT_ARMATURE = 7,
    /// index: joint; component 0 to 2: displacement of the joint's placement along its own axes [m],
    /// 3 to 5: rotation vector [rad]. All are zero as loaded.
    DS_PARAM_JOINT_PLACEMENT = 8,
    /// index: geom; component: as in ds_model_geom_size [m], for a sphere, capsule, cylinder,
    /// ellipsoid or box. It changes collisions only; mass and inertia stay the same.
    /// The mesh of a hydroelastic geom is stretched; the number of its elements stays.
    DS_PARAM_GEOM_SIZE = 9,
    /// index: spring; component 0: stiffness [N/m], 1: damping [N s/m], 2 to 4: anchor1, 5 to 7:
    /// anchor2, each in its body's frame [m].
    DS_PARAM_SPRING = 10,
    /// component 0 to 2, world axes [m/s²].
    DS_PARAM_GRAVITY = 11,
    /// index: joint; component: dof of the joint [m or rad].
    DS_PARAM_JOINT_SPRING_REFERENCE = 12,
    /// index: joint; component: dof of the joint [N or N m]. DS_ERR_UNSUPPORTED if the dof has no dry
    /// friction as loaded, and with laws that do not solve for impulses.
    DS_PARAM_JOINT_FRICTION = 13,
    /// index: body that can move; component 0 to 5 of its external wrench, as in
    /// ds_sim_set_external_wrench [N, N m].
    DS_PARAM_EXTERNAL_WRENCH = 14,
    /// component 0: kp, 1: kd of ds_options, in [0, 1].
    DS_PARAM_STABILIZATION = 15,
    /// index: geom; component 0 [N s/m], greater than 0: friction force per slip velocity, below the
    /// friction bound. The values of two geoms act in series. As loaded it is
    /// ds_geom_desc.tangential; instead of an infinite value a moving geom has 200 N s/m per kg of
    /// its tree, and ds_sim_get_params returns this. With DS_CONTACT_PENALTY.
    DS_PARAM_CONTACT_TANGENTIAL = 16,
    /// index: tendon; component 0: stiffness [N/m], 1: damping [N s/m], 2 and 3: lower and upper end
    /// of the rest lengths [m], 4 + 3 i to 6 + 3 i: element i of a spatial path, which is a point, in
    /// its body's frame [m].
    DS_PARAM_TENDON = 17,
    /// index: dof with a prescribed velocity; component 0 [m/s or rad/s]. Selecting a dof without one
    /// is DS_ERR_UNSUPPORTED.
    DS_PARAM_PRESCRIBED = 18,
    /// index: actuator; component 0: its gain, the force per unit of u or of the activation, before
    /// the gear. The gain of an adhesion actuator must not be negative. Selecting the gain of a
    /// muscle is DS_ERR_UNSUPPORTED.
    DS_PARAM_ACTUATOR_GAIN = 19,
    /// index: compliant geom (DS_HYDROELASTIC_COMPLIANT) that may touch something; component 0: its
    /// modulus [Pa], greater than 0. With DS_CONTACT_CONVEX.
    DS_PARAM_HYDROELASTIC_MODULUS = 20,
    /// index: joint with ds_joint_desc.friction_coefficient; component 0: this coefficient, 1: the radius
    /// of the bearing or ball [m]. DS_ERR_UNSUPPORTED for other joints.
    DS_PARAM_JOINT_FRICTION_COEFFICIENT = 21,
    /// index: joint along a spline. Of a curve component 6 i + 0 to 2: displacement of control frame i along
    /// its own axes [m], 6 i + 3 to 5: rotation vector [rad], all zero as loaded. Of a surface 6 i + k:
    /// number k of control vector i. Of a joint that carries points of tendons or springs, selecting it is
    /// DS_ERR_UNSUPPORTED.
    DS_PARAM_SPLINE_FRAME = 22,
    /// index: reduction, in the order of ds_builder_add_reduction; component: entry of its matrix,
    /// column-major, then of its offset. The coordinates y stay.
    DS_PARAM_REDUCTION = 23,
    /// index: deformable body; component 0: density, 1: Young's modulus [Pa], 2: Poisson's ratio, 3:
    /// stiffness of edges [N/m], 4: damping [s], 5 + 3 i + k: place of node i in the shape without
    /// stress along axis k [m]. Density and places also change the masses of the nodes.
    DS_PARAM_DEFORMABLE = 24,
}

/// A parameter of a sim.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_param {
    /// A ds_param_kind.
    pub kind: i32,
    /// Id of the body, joint or geom, as the kind says.
    pub index: i32,
    /// Number of the component, as the kind says.
    pub component: i32,
}

fn param(p: &ds_param) -> Result<Param> {
    let kind = choice!(p.kind, "param.kind", ds_param_kind {
        DS_PARAM_BODY_INERTIA => ParamKind::BodyInertia,
        DS_PARAM_GEOM_FRICTION => ParamKind::GeomFriction,
        DS_PARAM_GEOM_RESTITUTION => ParamKind::GeomRestitution,
        DS_PARAM_CONTACT_STIFFNESS => ParamKind::ContactStiffness,
        DS_PARAM_CONTACT_DISSIPATION => ParamKind::ContactDissipation,
        DS_PARAM_JOINT_DAMPING => ParamKind::JointDamping,
        DS_PARAM_JOINT_STIFFNESS => ParamKind::JointStiffness,
        DS_PARAM_JOINT_ARMATURE => ParamKind::JointArmature,
        DS_PARAM_JOINT_PLACEMENT => ParamKind::JointPlacement,
        DS_PARAM_GEOM_SIZE => ParamKind::GeomSize,
        DS_PARAM_SPRING => ParamKind::Spring,
        DS_PARAM_GRAVITY => ParamKind::Gravity,
        DS_PARAM_JOINT_SPRING_REFERENCE => ParamKind::JointSpringReference,
        DS_PARAM_JOINT_FRICTION => ParamKind::JointFriction,
        DS_PARAM_EXTERNAL_WRENCH => ParamKind::ExternalWrench,
        DS_PARAM_STABILIZATION => ParamKind::Stabilization,
        DS_PARAM_CONTACT_TANGENTIAL => ParamKind::ContactTangential,
        DS_PARAM_TENDON => ParamKind::Tendon,
        DS_PARAM_PRESCRIBED => ParamKind::Prescribed,
        DS_PARAM_ACTUATOR_GAIN => ParamKind::ActuatorGain,
        DS_PARAM_HYDROELASTIC_MODULUS => ParamKind::HydroelasticModulus,
        DS_PARAM_JOINT_FRICTION_COEFFICIENT => ParamKind::JointFrictionCoefficient,
        DS_PARAM_SPLINE_FRAME => ParamKind::SplineFrame,
        DS_PARAM_REDUCTION => ParamKind::Reduction,
        DS_PARAM_DEFORMABLE => ParamKind::Deformable,
    })?;
    Ok(Param {
        kind,
        index: p.index,
        component: p.component,
    })
}

pub(super) unsafe fn params(list: *const ds_param, count: usize) -> Result<Vec<Param>> {
    args::array(list, count, "params")?
        .iter()
        .map(param)
        .collect()
}

/// Selects the parameters to which Jacobians, JVPs, VJPs, adjoints and ds_sim_set_params refer, in
/// this order; `count` of them, may be 0. Allocates. The values of the parameters do not change. The
/// derivatives of the last step are no longer available.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an index or component out of range; DS_ERR_UNSUPPORTED for a
/// kind on which no step depends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_select_params(
    sim: *mut ds_sim,
    params: *const ds_param,
    count: usize,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        s.sim.select_params(&self::params(params, count)?)?;
        s.fit_stage();
        Ok(())
    })
}

/// Number np of selected parameters. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_np(sim: *const ds_sim) -> usize {
    wall::value(0, || Ok(look_any(sim)?.sim.np()))
}

/// Values of the selected parameters. p: np numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_get_params(sim: *const ds_sim, p: *mut f64) -> ds_status {
    wall::status(|| {
        let s = look_any(sim)?;
        let np = s.sim.np();
        s.sim.get_params(args::matrix(Out::new(p, np, "p")?, &[])?)
    })
}

/// Sets the selected parameters of this sim; the model does not change. p: np numbers. Allocates if
/// it changes the size of a geom, the shape of a spline or a reduction.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an unphysical value, such as a negative mass, a size of 0 or a
/// stabilization gain outside [0, 1]. The same for an inertia that no body can have: a negative
/// principal moment about the centre of mass, one larger than the sum of the other two, or a first
/// moment without mass. Principal moments may be off by 1e-9 of the trace about the frame's origin.
/// An inertia of the file is allowed until you change it. After an error no parameter has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_set_params(sim: *mut ds_sim, p: *const f64) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let p = args::array(p, s.sim.np(), "p")?;
        s.sim.set_params(p)?;
        s.edge.map.clone_from(&s.sim.params().reduction);
        Ok(())
    })
}
