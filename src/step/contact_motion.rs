//! How a contact moves with the configuration, dof by dof.

use super::collision::ContactDerivatives;
use crate::collision::scene::SceneContact;
use crate::collision::{ContactDerivative, contact_frame, contact_frame_rotation};
use crate::dynamics::kinematics::Kinematics;
use crate::linalg::{F4, dispatch};
use crate::model::Model;
use crate::model::topology::WORLD;
use crate::spatial::{Mat3, Twist, Vec3};

impl ContactDerivatives<'_> {
    fn clear(&mut self) {
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

    /// Writes the column of a dof from (δpoint; 0) and (δnormal; δgap).
    #[inline(always)]
    fn put(&mut self, dof: usize, frame: &Mat3, [point, turn]: [F4; 2]) {
        let F4([x, y, z, gap]) = turn;
        for (out, F4([x, y, z, _])) in [(&mut self.point, point), (&mut self.normal, turn)] {
            if let Some(out) = out {
                out[3 * dof..3 * dof + 3].copy_from_slice(&[x, y, z]);
            }
        }
        if let Some(out) = &mut self.tangents {
            let [t1, t2, n] = frame.c;
            let phi = contact_frame_rotation(n, Vec3::new(x, y, z));
            out[6 * dof..6 * dof + 3].copy_from_slice(&phi.cross(t1).to_array());
            out[6 * dof + 3..6 * dof + 6].copy_from_slice(&phi.cross(t2).to_array());
        }
        if let Some(out) = &mut self.gap {
            out[dof] = gap;
        }
    }
}

/// The linear map from a twist about a tree's origin to (δpoint; 0) and (δnormal; δgap), by columns.
#[derive(Clone, Copy)]
struct Response([[F4; 2]; 6]);

impl Response {
    /// From maps of the linear velocity at `at` (about the origin) and the angular velocity.
    fn new(point: [Mat3; 2], normal: [Mat3; 2], gap: [Vec3; 2], at: Vec3) -> Response {
        // The velocity at the point is lin + ang × at.
        let shift = -Mat3::skew(at);
        let parts = [
            (point[0], normal[0], gap[0]),
            (
                point[1] + point[0].mul_mat(&shift),
                normal[1] + normal[0].mul_mat(&shift),
                gap[1] + at.cross(gap[0]),
            ),
        ];
        let mut columns = [[F4::ZERO; 2]; 6];
        for (k, column) in columns.iter_mut().enumerate() {
            let (p, n, g) = &parts[k / 3];
            let (p, n) = (p.c[k % 3], n.c[k % 3]);
            *column = [F4([p.x, p.y, p.z, 0.0]), F4([n.x, n.y, n.z, g[k % 3]])];
        }
        Response(columns)
    }

    #[inline(always)]
    fn times(&self, t: &Twist) -> [F4; 2] {
        let x = [t.lin.x, t.lin.y, t.lin.z, t.ang.x, t.ang.y, t.ang.z];
        let mut sum = [F4::ZERO; 2];
        for (column, x) in self.0.iter().zip(x) {
            for (s, c) in sum.iter_mut().zip(column) {
                *s += *c * F4::splat(x);
            }
        }
        sum
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
    out.clear();
    let t = model.topology();
    let last = |link: usize| match link {
        WORLD => WORLD,
        link => t.links[link].iv + t.links[link].kind.nv() - 1,
    };
    let from_origin = |link: usize| match link {
        WORLD => Vec3::ZERO,
        link => c.point.point - kin.origin[t.links[link].tree],
    };
    let n = c.point.normal;
    let frame = contact_frame(n);
    let [mut a, mut b] = c.link.map(last);
    let [at_a, at_b] = c.link.map(from_origin);
    let moved_a = Response::new(
        [Mat3::IDENTITY - d.point[0], -d.point[1]],
        [-d.normal[0], -Mat3::skew(n) - d.normal[1]],
        [-d.gap[0], -d.gap[1]],
        at_a,
    );
    let moved_b = Response::new(d.point, d.normal, d.gap, at_b);
    // Of two dofs on different branches the one of larger number is not above the other.
    while a != b {
        let (dof, response) = if b == WORLD || (a != WORLD && a > b) {
            let dof = a;
            a = t.dofs[a].parent;
            (dof, &moved_a)
        } else {
            let dof = b;
            b = t.dofs[b].parent;
            (dof, &moved_b)
        };
        out.put(dof, &frame, response.times(&kin.s[dof]));
    }
    // What moves both sides carries the contact along.
    if a != WORLD {
        let carried = Response::new(
            [Mat3::IDENTITY, Mat3::ZERO],
            [Mat3::ZERO, -Mat3::skew(n)],
            [Vec3::ZERO; 2],
            at_a,
        );
        while a != WORLD {
            out.put(a, &frame, carried.times(&kin.s[a]));
            a = t.dofs[a].parent;
        }
    }
}

dispatch! {
    /// Writes the derivatives of one contact by all dofs, from those by the motions of its two bodies.
    pub(super) fn write = write_kernel(
        model: &Model,
        kin: &Kinematics,
        c: &SceneContact,
        d: &ContactDerivative,
        out: &mut ContactDerivatives,
    )
}
