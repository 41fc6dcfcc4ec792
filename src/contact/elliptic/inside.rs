//! The interior point among the ways of the rigid laws: how far it goes, and what makes a solution of it.

use super::descent::Descent;
use super::faces::Faces;
use super::residual::{largest, residuals};
use super::rigid::{FOUND, Rigid};
use super::system::System;
use crate::contact::certificate::Certificate;
use crate::contact::digits::TOLD;

/// Steps of the interior point, and how many short ones in a row end it.
const INSIDE_STEPS: usize = 50;
const STALLED: usize = 3;
const SHORT: f64 = 0.1;

impl Rigid {
    /// To the end of the path, or to where it is lost. Whether the solution is on faces; none where there
    /// is no solution but impulses that may be nearer to it.
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
            stalled = if step < SHORT { stalled + 1 } else { 0 };
            let is_last = stalled == STALLED || k == INSIDE_STEPS;
            tried &= self.interior.update_stands(system, &mut self.guessed);
            let distance = self.interior.distance();
            // From here on modes are worth a polish.
            if distance < TOLD {
                self.interior.write(system, lambda);
                system.velocity(lambda, sigma);
                // Round-off is often within reach: the path is followed for as long as that pays.
                let residual = largest(&residuals(system, lambda, sigma));
                let is_ending = is_last || residual > 0.3 * before;
                let enough = if is_ending { FOUND } else { 0.1 * FOUND } * tolerance;
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

    /// Newton's method on the faces guessed; whether its impulses solve the problem.
    fn put_on_faces(
        &mut self,
        system: &System,
        faces: &mut Faces,
        [lambda, sigma]: [&mut [f64]; 2],
        tolerance: f64,
        count: &mut usize,
    ) -> bool {
        self.stands.clone_from(&self.guessed);
        self.newton(system, faces, [&mut *lambda, &mut *sigma], tolerance, count)
            && largest(&residuals(system, lambda, sigma)) <= FOUND * tolerance
            && !self.repair(system, [&*lambda, &*sigma], tolerance, false)
    }
}
