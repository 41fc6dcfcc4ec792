//! Compiler settings on angles, and the five ways to write an orientation.

use super::node::Node;
use crate::error::Result;
use crate::spatial::{Mat3, Pose, Quat, Vec3};

/// How angles are written in this file.
#[derive(Clone, Copy)]
pub(super) struct Angles {
    /// One unit of angle in the file [rad].
    pub unit: f64,
    /// Axis (0, 1, 2) of each of the three Euler rotations, and whether it is a fixed axis (upper case)
    /// or a rotated one.
    pub euler: [(usize, bool); 3],
}

impl Default for Angles {
    fn default() -> Self {
        Angles {
            unit: std::f64::consts::PI / 180.0,
            euler: [(0, false), (1, false), (2, false)],
        }
    }
}

impl Angles {
    /// Reads `compiler/eulerseq`: three letters of xyzXYZ.
    pub fn read_sequence(&mut self, node: Node<'_>) -> Result<()> {
        let Some(text) = node.text("eulerseq") else {
            return Ok(());
        };
        let letters: Option<Vec<(usize, bool)>> = text
            .chars()
            .map(|c| match c {
                'x' => Some((0, false)),
                'y' => Some((1, false)),
                'z' => Some((2, false)),
                'X' => Some((0, true)),
                'Y' => Some((1, true)),
                'Z' => Some((2, true)),
                _ => None,
            })
            .collect();
        match letters.as_deref() {
            Some(&[a, b, c]) => {
                self.euler = [a, b, c];
                Ok(())
            }
            _ => Err(node.error(format!(
                "eulerseq: expected three letters out of xyzXYZ, found {text:?}"
            ))),
        }
    }

    pub fn euler(&self, angles: [f64; 3]) -> Quat {
        let mut q = Quat::IDENTITY;
        for (angle, (axis, fixed)) in angles.into_iter().zip(self.euler) {
            let step = Quat::exp(Vec3::unit(axis) * (angle * self.unit));
            q = if fixed { step.mul(q) } else { q.mul(step) };
        }
        q.normalized()
    }

    /// The orientation of an element, if given.
    pub fn orientation(&self, node: Node<'_>) -> Result<Option<Quat>> {
        const FORMS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
        let given: Vec<&str> = FORMS.into_iter().filter(|n| node.has(n)).collect();
        let form = match given.as_slice() {
            [] => return Ok(None),
            [one] => *one,
            several => {
                return Err(node.error(format!(
                    "several orientations given: {}; expected one",
                    several.join(", ")
                )));
            }
        };
        let zero = |what: &str| node.error(format!("{form}: {what}"));
        let quat = match form {
            "quat" => match node.array::<4>(form)? {
                Some(q) if q.iter().any(|x| x.abs() > 1e-15) => {
                    Quat::new(q[1], q[2], q[3], q[0]).normalized()
                }
                _ => return Err(zero("a quaternion of length zero")),
            },
            "axisangle" => {
                let a = node.array::<4>(form)?.unwrap_or_default();
                let axis = Vec3::from_slice(&a)
                    .normalized()
                    .ok_or_else(|| zero("an axis of length zero"))?;
                Quat::exp(axis * (a[3] * self.unit)).normalized()
            }
            "xyaxes" => {
                let a = node.array::<6>(form)?.unwrap_or_default();
                let x = Vec3::from_slice(&a)
                    .normalized()
                    .ok_or_else(|| zero("an x axis of length zero"))?;
                let y = Vec3::from_slice(&a[3..]);
                let y = (y - x * x.dot(y))
                    .normalized()
                    .ok_or_else(|| zero("a y axis along the x axis or of length zero"))?;
                Quat::from_mat3(&Mat3::from_columns(x, y, x.cross(y)))
            }
            "zaxis" => Quat::of_z_to(node.vec3(form)?.unwrap_or_default())
                .ok_or_else(|| zero("a z axis of length zero"))?,
            _ => self.euler(node.array::<3>(form)?.unwrap_or_default()),
        };
        Ok(Some(quat))
    }

    /// Position and orientation of an element, by default the identity.
    pub fn pose(&self, node: Node<'_>) -> Result<Pose> {
        Ok(Pose::from_quat(
            self.orientation(node)?.unwrap_or_default(),
            node.vec3("pos")?.unwrap_or_default(),
        ))
    }
}
