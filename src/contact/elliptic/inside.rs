//! The interior point as one of the methods of the rigid laws: how long it runs, and how its end becomes
//! a solution.

use super::descent::Descent;
use super::faces::Faces;
use super::residual::{largest, residuals};
use super::rigid::Rigid;
use super::system::System;
use crate::contact::certificate::Certificate;
use crate::contact::digits::READABLE;
use crate::contact::tuning::{INSIDE_STALLED, INSIDE_STALLED_STEP, INSIDE_STEPS, SEQUENCE_FOUND};

impl Rigid {
    /// Follows the path to its end, or until it is lost. Returns true if the solution is on faces, false
    /// if the end of the path is the solution. Returns `None` if there is no solution; the impulses may
    /// still be closer to one.
    pub fn go_inside(
        &mut self,
        system: &mut System,
        (descent, faces): (&mut Descent, &mut Faces),
        [lambda, sigma]: [&mut [f64]; 2],
        [tolerance, part]: [f64; 2],
        certificate: &mut Certificate,
    ) -> Option<bool> {
        let weight = system.weight();
        if !self.interior.start(system, part) {
            return None;
        }
        self.guessed.clear();
        let (mut stalled, mut tried, mut before) = (0, false, f64::INFINITY);
        for k in 1..=INSIDE_STEPS {
            if self.grant(1, weight) == 0 {
                break;
            }
            self.spent.spend(1, weight);
            certificate.interior += 1;
            let step = self.interior.advance(system, &mut descent.newton)?;
            stalled = if step < INSIDE_STALLED_STEP {
                stalled + 1
            } else {
                0
            };
            let is_last = stalled == INSIDE_STALLED || k == INSIDE_STEPS;
            tried &= self.interior.update_active_faces(system, &mut self.guessed);
            let distance = self.interior.distance();
            // The modes are now reliable enough for a polish.
            if distance < READABLE {
                self.interior.write(system, lambda);
                system.velocity(lambda, sigma);
                // Round-off is often within reach: follow the path while the residual still falls.
                let residual = largest(&residuals(system, lambda, sigma));
                let is_ending = is_last || residual > 0.3 * before;
                let enough = if is_ending {
                    SEQUENCE_FOUND
                } else {
                    0.1 * SEQUENCE_FOUND
                } * tolerance;
                let is_end = residual <= enough;
                before = residual;
                if is_end || !tried {
                    tried = true;
                    let state = [&mut *lambda, &mut *sigma];
                    if self.put_on_faces(system, faces, state, tolerance, &mut certificate.newton) {
                        return Some(true);
                    }
                }
                if is_end {
                    self.interior.write(system, lambda);
                    system.velocity(lambda, sigma);
                    return Some(false);
                }
            }
            if is_last {
                break;
            }
        }
        self.interior.write(system, lambda);
        None
    }

    /// Newton's method on the guessed faces. Returns whether its impulses solve the problem.
    fn put_on_faces(
        &mut self,
        system: &System,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        count: &mut usize,
    ) -> bool {
        self.active_faces.clone_from(&self.guessed);
        self.newton(system, faces, [&mut *lambda, &mut *sigma], tolerance, count)
            && largest(&residuals(system, lambda, sigma)) <= SEQUENCE_FOUND * tolerance
            && !self.repair(system, [&*lambda, &*sigma], tolerance, false)
    }
}
