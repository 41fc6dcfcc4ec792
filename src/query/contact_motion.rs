//! The motion of a contact with the configuration, dof by dof.

use crate::collision::scene::SceneContact;
use crate::collision::{ContactDerivative, contact_frame, contact_frame_rotation};
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::linalg::{F4, dispatch, within};
use crate::model::Model;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Mat3, Twist, Vec3};
use crate::step::info::REACH;

/// Receives the derivatives of contacts by δq: one matrix for each contact, column-major with nv columns, one
/// contact after the other, world axes.
#[derive(Default)]
pub struct ContactDerivatives<'a> {
    /// 3×nv [m].
    pub point: Option<&'a mut [f64]>,
    /// 3×nv.
    pub normal: Option<&'a mut [f64]>,
    /// 6×nv: t₁ above t₂.
    pub tangents: Option<&'a mut [f64]>,
    /// 1×nv [m].
    pub gap: Option<&'a mut [f64]>,
}

impl ContactDerivatives<'_> {
    /// The parts of one contact.
    pub(super) fn contact(&mut self, index: usize, nv: usize) -> ContactDerivatives<'_> {
        fn part<'a>(
            out: &'a mut Option<&mut [f64]>,
            index: usize,
            size: usize,
        ) -> Option<&'a mut [f64]> {
            let out = out.as_deref_mut()?;
            Some(&mut out[index * size..(index + 1) * size])
        }
        ContactDerivatives {
            point: part(&mut self.point, index, 3 * nv),
            normal: part(&mut self.normal, index, 3 * nv),
            tangents: part(&mut self.tangents, index, 6 * nv),
            gap: part(&mut self.gap, index, nv),
        }
    }

    pub(super) fn clear(&mut self) {
        let all = [
            &mut self.point,
            &mut self.normal,
            &mut self.tangents,
            &mut self.gap,
        ];
        for out in all.into_iter().flatten() {
            out.fill(0.0);
        }
    }

    /// Writes point and gap of these columns.
    #[inline(always)]
    fn put_shift(&mut self, dofs: &[usize], shifts: &[F4]) {
        if let Some(out) = &mut self.point {
            for (k, s) in dofs.iter().zip(shifts) {
                out[3 * k..3 * k + 3].copy_from_slice(&s.0[..3]);
            }
        }
        if let Some(out) = &mut self.gap {
            for (k, s) in dofs.iter().zip(shifts) {
                out[*k] = s.0[3];
            }
        }
    }

    /// Writes the frame of these columns.
    #[inline(always)]
    fn put_turn(&mut self, n: Vec3, dofs: &[usize], turns: &[F4]) {
        if let Some(out) = &mut self.normal {
            for (k, t) in dofs.iter().zip(turns) {
                out[3 * k..3 * k + 3].copy_from_slice(&t.0[..3]);
            }
        }
        if let Some(out) = &mut self.tangents {
            let [t1, t2, _] = contact_frame(n).c;
            for (k, t) in dofs.iter().zip(turns) {
                let F4([x, y, z, _]) = *t;
                let phi = contact_frame_rotation(n, Vec3::new(x, y, z));
                let out = &mut out[6 * k..6 * k + 6];
                out[..3].copy_from_slice(&phi.cross(t1).to_array());
                out[3..].copy_from_slice(&phi.cross(t2).to_array());
            }
        }
    }
}

/// Refuses a contact, or its motion, with numbers whose products with those of bodies within [`REACH`] may
/// not be finite. So everything that [`write`] writes is finite.
pub(super) fn check(model: &Model, c: &SceneContact, d: &ContactDerivative) -> Result<()> {
    let p = &c.point;
    let matrices = d.point.iter().chain(&d.normal).flat_map(|m| &m.c);
    let factors = matrices.chain(&d.gap).chain([&p.normal]);
    let lengths = [p.point.x, p.point.y, p.point.z, p.gap];
    if within(2.0 * REACH, &lengths) && factors.into_iter().all(|x| within(1e100, &x.to_array())) {
        return Ok(());
    }
    let [a, b] = c.geom.map(|g| &model.geoms()[g].name);
    Err(Error::numerical(format!(
        "the distance of geoms \"{a}\" and \"{b}\", or its derivative, is not finite: they are too far apart, too \
         large or too small"
    )))
}

/// Columns computed before they are written: stores of whole lanes are faster.
const AT_ONCE: usize = 8;

/// A linear map from twists, by its columns.
#[derive(Clone, Copy)]
struct Map([F4; 6]);

impl Map {
    /// The map of a velocity and an angular velocity, with a row below.
    #[inline(always)]
    fn new([lin, ang]: [Mat3; 2], [last_lin, last_ang]: [Vec3; 2]) -> Map {
        let columns =
            |m: Mat3, last: Vec3| [0, 1, 2].map(|k| F4([m.c[k].x, m.c[k].y, m.c[k].z, last[k]]));
        let ([x, y, z], [u, v, w]) = (columns(lin, last_lin), columns(ang, last_ang));
        Map([x, y, z, u, v, w])
    }

    /// Converts a map of twists with the linear part at `at` to twists with the linear part at the origin.
    #[inline(always)]
    fn about_origin(self, at: Vec3) -> Map {
        let [x, y, z, u, v, w] = self.0;
        Map([
            x,
            y,
            z,
            u + z * at.y - y * at.z,
            v + x * at.z - z * at.x,
            w + y * at.x - x * at.y,
        ])
    }

    #[inline(always)]
    fn of(&self, t: &Twist) -> F4 {
        let [x, y, z, u, v, w] = self.0;
        let lin = x * t.lin.x + y * t.lin.y + z * t.lin.z;
        let ang = u * t.ang.x + v * t.ang.y + w * t.ang.z;
        lin + ang
    }

    /// True if the map is zero.
    #[inline(always)]
    fn is_zero(&self) -> bool {
        let all = |bits: u64, x: &f64| bits | x.to_bits() << 1;
        self.0.iter().flat_map(|c| &c.0).fold(0, all) == 0
    }
}

/// Motion of a contact by a twist about a tree's origin.
struct Response {
    /// (δpoint; δgap)
    shift: Map,
    /// (δnormal; 0), or `None` if the normal is constant.
    turn: Option<Map>,
}

impl Response {
    /// From the blocks of a map of the twist about the contact point, which is at `at` from the origin.
    #[inline(always)]
    fn new(point: [Mat3; 2], gap: [Vec3; 2], normal: [Mat3; 2], at: Vec3) -> Response {
        let turn = Map::new(normal, [Vec3::ZERO; 2]);
        Response {
            shift: Map::new(point, gap).about_origin(at),
            turn: (!turn.is_zero()).then(|| turn.about_origin(at)),
        }
    }

    /// Writes the columns of the dofs from `dof` to below `end`.
    #[inline(always)]
    fn write(
        &self,
        t: &Topology,
        kin: &Kinematics,
        n: Vec3,
        mut dof: usize,
        end: usize,
        out: &mut ContactDerivatives,
    ) {
        let mut dofs = [0; AT_ONCE];
        let mut columns = [F4::ZERO; AT_ONCE];
        while dof != end {
            let mut count = 0;
            while dof != end && count < AT_ONCE {
                dofs[count] = dof;
                columns[count] = self.shift.of(&kin.s[dof]);
                dof = t.dofs[dof].parent;
                count += 1;
            }
            let dofs = &dofs[..count];
            out.put_shift(dofs, &columns[..count]);
            if let Some(turn) = &self.turn {
                for (column, k) in columns.iter_mut().zip(dofs) {
                    *column = turn.of(&kin.s[*k]);
                }
                out.put_turn(n, dofs, &columns[..count]);
            }
        }
    }
}

#[inline(always)]
fn write_kernel(
    model: &Model,
    kin: &Kinematics,
    c: &SceneContact,
    d: &ContactDerivative,
    out: &mut ContactDerivatives,
) {
    let t = model.topology();
    let n = c.point.normal;
    let [a, b] = c.link.map(|link| t.path(link).next().unwrap_or(WORLD));
    let from_origin = |dof: usize| {
        let tree = t.links[t.dofs[dof].link].tree;
        c.point.point - kin.origin[tree]
    };
    let both = t.join(a, b);
    if a != both {
        let carried = -Mat3::skew(n);
        let response = Response::new(
            [Mat3::IDENTITY - d.point[0], -d.point[1]],
            d.gap.map(|g| -g),
            [-d.normal[0], carried - d.normal[1]],
            from_origin(a),
        );
        response.write(t, kin, n, a, both, out);
    }
    if b != both {
        let response = Response::new(d.point, d.gap, d.normal, from_origin(b));
        response.write(t, kin, n, b, both, out);
    }
    if both != WORLD {
        // A dof that moves both bodies moves the contact along rigidly.
        let response = Response::new(
            [Mat3::IDENTITY, Mat3::ZERO],
            [Vec3::ZERO; 2],
            [Mat3::ZERO, -Mat3::skew(n)],
            from_origin(both),
        );
        response.write(t, kin, n, both, WORLD, out);
    }
}

dispatch! {
    /// Writes the derivatives of one contact by the dofs that move it, from those by the motions of its two
    /// bodies. Other columns do not change.
    pub(super) fn write = write_kernel(
        model: &Model,
        kin: &Kinematics,
        c: &SceneContact,
        d: &ContactDerivative,
        out: &mut ContactDerivatives,
    )
}
