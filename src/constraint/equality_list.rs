//! The equalities of a model, checked and ready for steps.

use super::equality::{Coordinate, Coupling, Equality, Length, LengthCoupling, Mark};
use crate::dynamics::kinematics::{Kinematics, positions};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::params::Params;
use crate::model::spec::{EqualityKind, EqualitySpec};
use crate::spatial::Pose;
use crate::tendon::Paths;

/// The active equalities of a model as groups of rows.
///
/// # Errors
/// `InvalidArgument` naming an equality with numbers that are not finite, with a joint that does not
/// have exactly one dof, or between parts that cannot move relative to each other; `Unsupported` naming
/// an equality of tendons on more than two trees.
pub fn equalities(model: &Model) -> Result<Vec<Equality>> {
    let mut reference = Kinematics::new(model);
    positions(&mut reference, model, model.params(), model.neutral());
    let mut paths = Paths::new(model, false);
    paths.update(&reference, model.neutral());
    let mut list = Vec::new();
    for spec in model.equalities().iter().filter(|e| e.active) {
        let reader = Reader {
            model,
            reference: &reference,
            paths: &paths,
            spec,
        };
        reader.read(&mut list)?;
    }
    Ok(list)
}

/// The springs of a model as equalities of two points.
pub fn springs<'a>(model: &'a Model, params: &'a Params) -> impl Iterator<Item = Equality> + 'a {
    let springs = model.springs().iter().zip(&params.spring_anchors);
    springs.map(|(s, [a, b])| {
        let marks = [(s.body1, *a), (s.body2, *b)];
        Equality::Point(marks.map(|(body, at)| Mark::of(model, body, Pose::translation(at))))
    })
}

/// Reads one equality of a model.
struct Reader<'a> {
    model: &'a Model,
    /// At the reference configuration.
    reference: &'a Kinematics,
    paths: &'a Paths,
    spec: &'a EqualitySpec,
}

impl Reader<'_> {
    fn error(&self, what: impl std::fmt::Display) -> Error {
        let origin = match self.spec.origin.as_str() {
            "" => String::new(),
            o => format!(" ({o})"),
        };
        Error::invalid(format!("equality \"{}\"{origin}: {what}", self.spec.name))
    }

    fn finite(&self, name: &str, x: &[f64]) -> Result<()> {
        match x.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(self.error(format!("{name} must be finite, got {x:?}"))),
        }
    }

    /// Refuses two bodies on the same link, or both on the world.
    fn bodies(&self, pair: [usize; 2]) -> Result<()> {
        let [a, b] = pair.map(|i| &self.model.bodies()[i]);
        if a.link == b.link {
            return Err(self.error(format!(
                "bodies \"{}\" and \"{}\" cannot move against each other",
                a.name, b.name
            )));
        }
        Ok(())
    }

    /// Pose of body `b` in body `a` at the reference configuration.
    fn relative(&self, a: usize, b: usize) -> Pose {
        let pose = |i| self.reference.body_pose(self.model, i);
        pose(a).inverse().compose(&pose(b))
    }

    /// The coordinate that belongs to a dof of a joint.
    fn coordinate(&self, name: &str, dof: usize) -> Result<Coordinate> {
        let joint = self
            .model
            .joint_id(name)
            .map(|id| self.model.joint(id))
            .ok_or_else(|| self.error(format!("no joint is called \"{name}\"")))?;
        if dof >= joint.nv {
            return Err(self.error(format!(
                "joint \"{name}\" must have a dof {dof}, it has {}",
                joint.nv
            )));
        }
        let (t, dof) = (self.model.topology(), joint.iv + dof);
        let link = &t.links[t.dofs[dof].link];
        if link.kind.nq() != link.kind.nv() {
            return Err(self.error(format!(
                "joint \"{name}\" is {:?}; expected a joint whose coordinates are numbers of their own, not a \
                 spherical or free one",
                joint.kind
            )));
        }
        Ok(Coordinate {
            dof,
            iq: link.iq + dof - link.iv,
            reference: link.reference,
        })
    }

    fn read(&self, out: &mut Vec<Equality>) -> Result<()> {
        let mark = |body, at| Mark::of(self.model, body, at);
        match &self.spec.kind {
            EqualityKind::Connect {
                body1,
                body2,
                anchor,
            } => {
                self.bodies([*body1, *body2])?;
                self.finite("anchor", &anchor.to_array())?;
                let other = self.relative(*body2, *body1).point(*anchor);
                out.push(Equality::Point([
                    mark(*body1, Pose::translation(*anchor)),
                    mark(*body2, Pose::translation(other)),
                ]));
            }
            EqualityKind::Weld {
                body1,
                body2,
                anchor,
                relative,
                torque_scale,
            } => {
                self.bodies([*body1, *body2])?;
                self.finite("anchor", &anchor.to_array())?;
                let here = Pose::translation(*anchor);
                let there =
                    relative.unwrap_or_else(|| self.relative(*body1, *body2).compose(&here));
                if !there.is_finite() {
                    return Err(self.error("the relative pose must be finite"));
                }
                if !(*torque_scale >= 0.0 && torque_scale.is_finite()) {
                    return Err(self.error(format!(
                        "the torque scale must be finite and not negative, got {torque_scale}"
                    )));
                }
                let marks = [mark(*body1, there), mark(*body2, here)];
                out.push(Equality::Point(marks));
                if *torque_scale > 0.0 {
                    let scale = *torque_scale;
                    out.push(Equality::Orientation { marks, scale });
                }
            }
            EqualityKind::Distance {
                body1,
                body2,
                anchor1,
                anchor2,
                length,
            } => {
                self.bodies([*body1, *body2])?;
                self.finite("anchor1", &anchor1.to_array())?;
                self.finite("anchor2", &anchor2.to_array())?;
                let apart = self.relative(*body1, *body2).point(*anchor2) - *anchor1;
                let length = length.unwrap_or_else(|| apart.norm());
                if !(length > 0.0 && length.is_finite()) {
                    return Err(self.error(format!(
                        "the length must be positive and finite, got {length}; a length of 0 is a \
                         connection of points"
                    )));
                }
                let marks = [
                    mark(*body1, Pose::translation(*anchor1)),
                    mark(*body2, Pose::translation(*anchor2)),
                ];
                out.push(Equality::Distance { marks, length });
            }
            EqualityKind::Joint {
                joint1,
                joint2,
                coefficients,
                dofs: [dof1, dof2],
            } => {
                self.finite("coefficients", coefficients)?;
                if joint2.as_ref() == Some(joint1) && dof1 == dof2 {
                    return Err(self.error(format!("joint \"{joint1}\" cannot follow itself")));
                }
                let leader = joint2.as_ref().map(|j| self.coordinate(j, *dof2));
                let leader = leader.transpose()?;
                out.push(Equality::Coupling(Coupling {
                    follower: self.coordinate(joint1, *dof1)?,
                    leader,
                    coefficients: *coefficients,
                }));
            }
            EqualityKind::Tendon {
                tendon1,
                tendon2,
                coefficients,
            } => {
                self.finite("coefficients", coefficients)?;
                if tendon2.as_ref() == Some(tendon1) {
                    return Err(self.error(format!("tendon \"{tendon1}\" cannot follow itself")));
                }
                let mut coupling = LengthCoupling {
                    follower: self.length(tendon1)?,
                    leader: tendon2.as_ref().map(|t| self.length(t)).transpose()?,
                    coefficients: *coefficients,
                    trees: [None; 2],
                };
                coupling.trees = self.trees(&coupling)?;
                out.push(Equality::Tendons(coupling));
            }
        }
        Ok(())
    }

    fn length(&self, name: &str) -> Result<Length> {
        let tendon = (self.model.tendon_id(name))
            .ok_or_else(|| self.error(format!("no tendon is called \"{name}\"")))?;
        if self.paths.support(tendon).is_empty() {
            return Err(self.error(format!("tendon \"{name}\" has a constant length")));
        }
        Ok(Length {
            tendon,
            reference: self.paths.length(tendon),
        })
    }

    /// The trees on which tendons act.
    fn trees(&self, coupling: &LengthCoupling) -> Result<[Option<usize>; 2]> {
        let t = self.model.topology();
        let mut trees: Vec<usize> = (coupling.dofs(self.paths))
            .map(|k| t.links[t.dofs[k].link].tree)
            .collect();
        trees.sort_unstable();
        trees.dedup();
        match trees.len() {
            0..=2 => Ok([0, 1].map(|k| trees.get(k).copied())),
            count => Err(Error::unsupported(format!(
                "equality \"{}\": its tendons join {count} kinematic trees, and constraints act between two at most",
                self.spec.name
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::rows::Rows;
    use crate::load::mjcf::{MjcfOptions, read_str};
    use crate::model::Actuation;

    const ROBOT: &str = r#"<mujoco><worldbody>
        <site name="s0" pos="0 0.3 1"/>
        <body name="a" pos="0.1 0.2 0.5" euler="10 20 30">
          <joint name="ja" axis="1 2 3" ref="0.3"/><geom size=".1" mass="1"/>
          <body name="b" pos="0.3 0 .1" euler="40 -10 5">
            <joint name="jb" type="ball"/><site name="sb" pos=".1 .2 .3"/><geom size=".1" mass="1"/></body></body>
        <body name="c" pos="-0.2 0.1 0.4" euler="-20 35 60">
          <freejoint/><geom size=".1" mass="1"/></body>
        <body name="d" pos="3 0.1 0.4">
          <site name="sd" pos=".1 0 .2"/>
          <joint name="jd" axis="0 1 0" ref="0.1" type="slide"/><geom size=".1" mass="1"/></body>
      </worldbody><tendon>
        <spatial name="path"><site site="s0"/><site site="sb"/><site site="sd"/></spatial>
        <fixed name="sum"><joint joint="ja" coef="0.8"/><joint joint="jd" coef="-1.1"/></fixed>
      </tendon><equality>
        <weld body1="b" body2="c" anchor="0.1 0.2 0.3" torquescale="0.7"
              relpose="0.4 -0.2 0.1 0.9 0.1 0.2 -0.3"/>
        <weld body1="b" body2="c" anchor="0.1 0.2 0.3" torquescale="1.3"/>
        <weld body1="b" body2="c" relpose="0.4 -0.2 0.1 0.9 0.1 0.2 -0.3"/>
        <connect body1="c" body2="b" anchor="0.3 -0.1 0.2"/>
        <connect body1="c" anchor="0.3 -0.1 0.2"/>
        <joint joint1="jd" joint2="ja" polycoef="0.1 0.5 -0.2 0.3 0.05"/>
        <joint joint1="jd" polycoef="0.1 0.5 -0.2 0.3 0.05"/>
        <tendon tendon1="path" tendon2="sum" polycoef="0.1 0.5 -0.2 0.3 0.05"/>
        <tendon tendon1="path" polycoef="0.1 0.5 -0.2 0.3 0.05"/>
      </equality></mujoco>"#;

    const QPOS: [f64; 13] = [
        0.043, 0.995, -0.02, 0.096, 0.016, -0.361, 0.208, 0.791, 0.926, 0.103, 0.301, 0.204, -0.087,
    ];
    const QVEL: [f64; 11] = [0.3, -0.2, 0.5, 0.1, -0.4, 0.2, 0.6, -0.1, 0.3, -0.5, 0.7];

    /// `efc_pos` of MuJoCo 4.0 at QPOS, by groups of rows.
    const POS: [[f64; 3]; 12] = [
        [0.960998508318603, 0.044048968393102, -0.677689846195078],
        [0.242170540333091, 0.135963845345908, -0.0318868479570276],
        [0.0485692208341131, -0.120033991429411, -0.377005571842923],
        [-0.249113855204994, 0.227396292130046, 0.331929456410623],
        [1.15121026436828, 0.246755151125917, -0.427230884801419],
        [0.345957914761559, 0.194234064779868, -0.0455526399386109],
        [-0.0977610881641585, -0.0120420897243167, 0.391416011585289],
        [-0.0974053231776361, -0.0700118278322373, 0.409933128418763],
        [-0.305613040499832, 0.0, 0.0],
        [-0.287, 0.0, 0.0],
        [-0.180088274718847, 0.0, 0.0],
        [-0.0691697929254239, 0.0, 0.0],
    ];

    /// `efc_J` of MuJoCo times QVEL.
    const SPEED: [[f64; 3]; 12] = [
        [0.141882700401919, 0.0880837037950738, -0.575894794211819],
        [-0.1722548906423, 0.164937672964635, 0.279527305977014],
        [0.32233924064092, -0.553559193775905, -0.378441279964799],
        [-0.280335326533031, 0.0217531429978688, 0.586302379627624],
        [0.258004791530398, 0.157107878494315, -0.719947990146647],
        [-0.246078415203285, 0.235625247092336, 0.399324722824306],
        [-0.414557982753322, 0.248382530303051, 0.450008057748229],
        [-0.399545277326248, 0.0934054115657071, 0.490284973937871],
        [0.55414339753948, 0.0, 0.0],
        [0.7, 0.0, 0.0],
        [0.197432660687322, 0.0, 0.0],
        [-0.0454928871498929, 0.0, 0.0],
    ];

    #[test]
    fn violations_and_rows_are_those_of_mujoco() -> Result<()> {
        let spec = read_str(ROBOT, None, &MjcfOptions::default())?;
        let model = Model::compile(spec, Actuation::FromFile)?;
        let (mut q, mut v) = (vec![0.0; model.nq()], vec![0.0; model.nv()]);
        model.q_from_mujoco(&QPOS, &mut q);
        model.v_from_mujoco(&q, &QVEL, &mut v);
        let mut kin = Kinematics::new(&model);
        positions(&mut kin, &model, model.params(), &q);
        let mut paths = Paths::new(&model, false);
        paths.update(&kin, &q);
        let list = equalities(&model)?;
        assert_eq!(list.len(), POS.len());
        let mut rows = Rows::new(model.topology(), list.len());
        for (i, e) in list.iter().enumerate() {
            let at = (&kin, &paths);
            let error = e.fill(model.topology(), at, &q, &mut rows).to_array();
            let speed = rows.times(i, &v).0;
            for k in 0..e.rows() {
                assert!((error[k] - POS[i][k]).abs() < 1e-13, "{i}: {error:?}");
                assert!((speed[k] - SPEED[i][k]).abs() < 1e-13, "{i}: {speed:?}");
            }
        }
        Ok(())
    }
}
