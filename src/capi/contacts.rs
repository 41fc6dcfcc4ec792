//! Contacts and distances: of a step or of a configuration.

use super::args::{self, Out};
use super::dynamics::placed_within;
use super::report::{ds_contact, ds_gradient};
use super::sim::{any, ds_sim, get, look_any};
use super::status::ds_status;
use super::wall;
use crate::error::Result;
use crate::query::{ContactDerivatives, Distance};
use crate::step::Sim;
use std::ptr;

/// Distance between contacts in the array of ds_sim_contacts [bytes]. A newer library's contacts may
/// be longer than ds_contact in this header.
#[unsafe(no_mangle)]
pub extern "C" fn ds_contact_size() -> usize {
    size_of::<ds_contact>()
}

/// The contacts of the last step or ds_sim_collide, in the order of their geoms: an array of *count
/// contacts at *contacts, ds_contact_size() bytes apart; NULL if there are none. They belong to the
/// sim and live until the next call on it.
///
/// Errors: DS_ERR_NO_STEP before a step or ds_sim_collide.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_contacts(
    sim: *const ds_sim,
    contacts: *mut *const ds_contact,
    count: *mut usize,
) -> ds_status {
    wall::status(|| {
        let s = look_any(sim)?;
        s.sim.need_contacts()?;
        let contacts = args::place(contacts, "contacts")?;
        let count = args::place(count, "count")?;
        let mut list = s.contacts.borrow_mut();
        list.clear();
        list.extend(s.sim.contacts().iter().map(ds_contact::from));
        count.write(list.len());
        contacts.write(if list.is_empty() {
            ptr::null()
        } else {
            list.as_ptr()
        });
        Ok(())
    })
}

/// Torques of torsional and rolling friction of the contacts of the last step, in their order. Three
/// numbers each, as angular impulses on body B [N m s]: rolling about t1, rolling about t2, torsion
/// about the normal. They act in addition to the impulses at the contact points. Zero for contacts of
/// condim 1 and 3, and after ds_sim_collide.
///
/// Errors: DS_ERR_NO_STEP before a step or ds_sim_collide.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_contact_torques(sim: *mut ds_sim, torques: *mut f64) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        s.sim.need_contacts()?;
        let n = 3 * s.sim.contacts().len();
        let out = Out::new(torques, n, "torques")?;
        if let [Some(x)] = args::in_place([out], &[])? {
            for (x, c) in x.chunks_exact_mut(3).zip(s.sim.contacts()) {
                x.copy_from_slice(&c.torque);
            }
        }
        Ok(())
    })
}

/// Finds the contacts at q (nq numbers) without dynamics: all points whose gap is at most the pair's
/// margin. ds_sim_contacts then returns them, with zero impulse and velocity and DS_MODE_UNKNOWN. The
/// last step is forgotten; its warm start is kept. Does not allocate, except for the first geometry
/// query of a sim with DS_CONTACT_NONE.
///
/// Errors: those of ds_sim_step for q; DS_ERR_CAPACITY for more than options.max_contacts contacts;
/// DS_ERR_UNSUPPORTED with DS_CONTACT_NONE for geoms that a sim with contact refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_collide(sim: *mut ds_sim, q: *const f64) -> ds_status {
    wall::status(|| {
        let s = placed_within(sim, q)?;
        s.sim.collide(s.q)
    })
}

/// Derivatives of the contacts of ds_sim_contacts by q (tangent), world axes: for each contact a
/// matrix with nv columns, one contact after the other. dpoint: 3×nv [m]; dnormal: 3×nv; dtangents:
/// 6×nv, t1 above t2; dgap: 1×nv [m]; NULL for those not wanted. gradient, which may be NULL: a
/// ds_gradient. It is one-sided if the point, normal or gap of a contact has no derivative (edge on
/// edge, concentric spheres); then the undetermined part is left out.
///
/// q is the configuration at which the contacts were found: the start of the step, or with
/// DS_CONTACT_PENALTY and an implicit integrator the end of its last stage.
///
/// Errors: DS_ERR_NO_STEP before a step or ds_sim_collide.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_contact_derivatives(
    sim: *mut ds_sim,
    dpoint: *mut f64,
    dnormal: *mut f64,
    dtangents: *mut f64,
    dgap: *mut f64,
    gradient: *mut ds_gradient,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        s.sim.need_contacts()?;
        let entries = s.sim.model().free_nv() * s.sim.contacts().len();
        let gradient = args::optional_place(gradient, "gradient")?;
        let outs = [
            Out::optional(dpoint, 3 * entries, "dpoint")?,
            Out::optional(dnormal, 3 * entries, "dnormal")?,
            Out::optional(dtangents, 6 * entries, "dtangents")?,
            Out::optional(dgap, entries, "dgap")?,
        ];
        let [point, normal, tangents, gap] = args::in_place(outs, &[])?;
        let kind = s.sim.contact_derivatives(ContactDerivatives {
            point,
            normal,
            tangents,
            gap,
        })?;
        if let Some(gradient) = gradient {
            gradient.write(kind.into());
        }
        Ok(())
    })
}

/// Distance of two geoms, world axes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ds_distance {
    /// Signed distance [m]. If the geoms overlap, it is minus the shortest translation that separates
    /// them.
    pub distance: f64,
    /// The closest (or deepest) point on the surface of A [m].
    pub point_a: [f64; 3],
    /// The closest (or deepest) point on the surface of B [m]: point_b - point_a = distance * normal.
    pub point_b: [f64; 3],
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Exact, or one-sided if the distance has a kink or a part of its derivative is not determined;
    /// that part is left out.
    pub gradient: ds_gradient,
    /// Reserved; 0.
    pub reserved: i32,
}

impl From<Distance> for ds_distance {
    fn from(d: Distance) -> Self {
        ds_distance {
            distance: d.distance,
            point_a: d.point_a,
            point_b: d.point_b,
            normal: d.normal,
            gradient: d.gradient.into(),
            reserved: 0,
        }
    }
}

fn geoms(sim: &Sim, geom_a: i32, geom_b: i32) -> Result<[usize; 2]> {
    let ngeom = sim.model().ngeom();
    Ok([
        args::index(geom_a, ngeom, "geom_a", "geom")?,
        args::index(geom_b, ngeom, "geom_b", "geom")?,
    ])
}

/// Signed distance of two geoms (ids, see ds_model_geom_id) at q (nq numbers), whatever the filters
/// say. ddistance: its derivative by q (tangent), 1×nv; NULL if not wanted. Contacts and the last
/// step do not change. Allocates as ds_sim_collide does.
///
/// Errors: those of ds_sim_step for q; DS_ERR_INVALID_ARGUMENT for an id out of range or two equal ids;
/// DS_ERR_UNSUPPORTED if both geoms are planes or height fields, and for a height field if the other geom
/// is inside it or beyond its edge.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_distance(
    sim: *mut ds_sim,
    geom_a: i32,
    geom_b: i32,
    q: *const f64,
    out: *mut ds_distance,
    ddistance: *mut f64,
) -> ds_status {
    wall::status(|| {
        let s = get(sim)?;
        let (nq, nv) = (s.sim.model().free_nq(), s.sim.model().free_nv());
        let [a, b] = geoms(&s.sim, geom_a, geom_b)?;
        let q = args::array(q, nq, "q")?;
        let out = args::place(out, "out")?;
        let [gradient] = args::in_place([Out::optional(ddistance, nv, "ddistance")?], &[("q", q)])?;
        out.write(s.sim.distance(a, b, q, gradient)?.into());
        Ok(())
    })
}

/// Lets two geoms (ids) touch (enabled: 1) or not (0), whatever the filters of the model say, in all
/// following steps and queries of this sim. The last step is forgotten. May allocate; do not call it
/// in a control loop.
///
/// Errors: DS_ERR_INVALID_ARGUMENT for an id out of range, two equal ids, or if both geoms are planes
/// or height fields; DS_ERR_UNSUPPORTED if the pair has torsional or rolling friction (condim 4 or 6)
/// and no pair that could touch had it when the sim was made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_sim_set_pair_enabled(
    sim: *mut ds_sim,
    geom_a: i32,
    geom_b: i32,
    enabled: i32,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let [a, b] = geoms(&s.sim, geom_a, geom_b)?;
        let enabled = args::flag(enabled, "enabled")?;
        s.sim.set_pair_enabled(a, b, enabled)
    })
}
