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

    /// Writes these columns.
    #[inline(always)]
    fn put(&mut self, n: Vec3, columns: &[Column]) {
        if let Some(out) = &mut self.point {
            for c in columns {
                out[3 * c.dof..3 * c.dof + 3].copy_from_slice(&c.point.0[..3]);
            }
        }
        if let Some(out) = &mut self.normal {
            for c in columns {
                out[3 * c.dof..3 * c.dof + 3].copy_from_slice(&c.turn.0[..3]);
            }
        }
        if let Some(out) = &mut self.gap {
            for c in columns {
                out[c.dof] = c.turn.0[3];
            }
        }
        if let Some(out) = &mut self.tangents {
            let [t1, t2, _] = contact_frame(n).c;
            for c in columns {
                let F4([x, y, z, _]) = c.turn;
                let phi = contact_frame_rotation(n, Vec3::new(x, y, z));
                let out = &mut out[6 * c.dof..6 * c.dof + 6];
                out[..3].copy_from_slice(&phi.cross(t1).to_array());
                out[3..].copy_from_slice(&phi.cross(t2).to_array());
            }
        }
    }
}

/// How a dof moves a contact: (δpoint; 0) and (δnormal; δgap).
#[derive(Clone, Copy)]
struct Column {
    point: F4,
    turn: F4,
    dof: usize,
}

impl Column {
    const NONE: Column = Column {
        point: F4::ZERO,
        turn: F4::ZERO,
        dof: 0,
    };
}

/// Columns computed before they are written: lanes are faster to and from memory.
const AT_ONCE: usize = 16;

/// The linear map from the velocity at the contact point and the angular velocity to a column.
struct Response([[F4; 2]; 6]);

impl Response {
    #[inline(always)]
    fn new(point: [Mat3; 2], normal: [Mat3; 2], gap: [Vec3; 2]) -> Response {
        let mut columns = [[F4::ZERO; 2]; 6];
        for (k, column) in columns.iter_mut().enumerate() {
            let (half, k) = (k / 3, k % 3);
            *column = [
                lanes(point[half].c[k], 0.0),
                lanes(normal[half].c[k], gap[half][k]),
            ];
        }
        Response(columns)
    }

    /// Of a twist about the origin from which the contact point is at `at`.
    #[inline(always)]
    fn column(&self, dof: usize, t: &Twist, at: Vec3) -> Column {
        let v = t.at(at);
        let x = [v.x, v.y, v.z, t.ang.x, t.ang.y, t.ang.z];
        let mut sum = [F4::ZERO; 2];
        for (column, x) in self.0.iter().zip(x) {
            for (s, c) in sum.iter_mut().zip(column) {
                *s += *c * F4::splat(x);
            }
        }
        let [point, turn] = sum;
        Column { dof, point, turn }
    }
}

#[inline(always)]
fn lanes(v: Vec3, last: f64) -> F4 {
    F4([v.x, v.y, v.z, last])
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
    let [at_a, at_b] = c.link.map(from_origin);
    let [mut a, mut b] = c.link.map(last);
    // The world does not move, and what moves both sides needs neither.
    let moved_a = (a != WORLD && a != b).then(|| {
        Response::new(
            [Mat3::IDENTITY - d.point[0], -d.point[1]],
            [-d.normal[0], -Mat3::skew(n) - d.normal[1]],
            d.gap.map(|g| -g),
        )
    });
    let moved_b = (b != WORLD && a != b).then(|| Response::new(d.point, d.normal, d.gap));
    let mut columns = [const { Column::NONE }; AT_ONCE];
    let mut count = 0;
    while a != WORLD || b != WORLD {
        // Of two dofs on different branches the one of larger number is not above the other.
        let of_a = b == WORLD || a != WORLD && a >= b;
        let (dof, response, at) = if of_a {
            (a, &moved_a, at_a)
        } else {
            (b, &moved_b, at_b)
        };
        let parent = t.dofs[dof].parent;
        let s = &kin.s[dof];
        columns[count] = match response {
            Some(response) if a != b => response.column(dof, s, at),
            // Both sides move: the contact is carried along.
            _ => Column {
                dof,
                point: lanes(s.at(at), 0.0),
                turn: lanes(s.ang.cross(n), 0.0),
            },
        };
        if a == b {
            (a, b) = (parent, parent);
        } else if of_a {
            a = parent;
        } else {
            b = parent;
        }
        count += 1;
        if count == AT_ONCE {
            out.put(n, &columns);
            count = 0;
        }
    }
    out.put(n, &columns[..count]);
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
