//! Joints in the form of the formats: primitive joints, of which some of our joints need several.

use super::losses::Losses;
use super::names::Names;
use crate::model::spec::JointKind;
use crate::model::topology::LinkKind;
use crate::model::{Joint, Model};
use crate::spatial::{Pose, Vec3};

/// One primitive joint.
pub(super) struct Piece {
    pub name: String,
    pub kind: LinkKind,
    /// Unit axis in the body's frame.
    pub axis: Vec3,
    pub anchor: Vec3,
    /// First dof in v, and number of dofs.
    pub iv: usize,
    pub nv: usize,
    /// Coordinate at which the body has its placement.
    pub reference: f64,
    pub spring_reference: f64,
    pub limits: Option<(f64, f64)>,
}

/// The pieces of all joints, by joint. Planar joints are one piece if the format has them.
pub(super) fn pieces(
    model: &Model,
    planar: bool,
    names: &mut Names,
    losses: &mut Losses,
) -> Vec<Vec<Piece>> {
    (model.joints().iter().enumerate())
        .map(|(id, j)| of_joint(model, id, j, planar, names, losses))
        .collect()
}

fn of_joint(
    model: &Model,
    id: usize,
    j: &Joint,
    planar: bool,
    names: &mut Names,
    losses: &mut Losses,
) -> Vec<Piece> {
    let mut primitives = j.primitives();
    let whole = planar && j.kind == JointKind::Planar;
    if whole {
        primitives = vec![(LinkKind::Revolute, j.axis)];
    }
    let several = primitives.len() > 1;
    if several {
        let what = format!(
            "{:?} joints become {} of one degree of freedom each",
            j.kind,
            primitives.len()
        );
        losses.note(what, &j.name);
    }
    let one_dof = j.nv == 1 && !several;
    let enforced = one_dof && j.kind != JointKind::Continuous;
    if j.limits.is_some() && !enforced && j.kind != JointKind::Spherical {
        losses.note(
            "limits of joints that have none in the file are left out",
            &j.name,
        );
    }
    let links = &model.topology().links[j.first_link..j.first_link + j.link_count];
    (primitives.into_iter().zip(links).enumerate())
        .map(|(k, ((kind, axis), link))| {
            let name = names.of(id).to_owned();
            Piece {
                name: match several {
                    true => names.fresh(&format!("{name}_{}", k + 1)),
                    false => name,
                },
                kind,
                axis,
                anchor: j.anchor,
                iv: link.iv,
                nv: if whole { j.nv } else { kind.nv() },
                reference: link.reference,
                spring_reference: model.params().spring_reference[link.iv],
                limits: j.limits.filter(|_| enforced || kind == LinkKind::Spherical),
            }
        })
        .collect()
}

/// The joints of each body, from the parent outwards.
pub(super) fn joints_of_bodies(model: &Model) -> Vec<Vec<usize>> {
    let mut list = vec![Vec::new(); model.nbody()];
    for (id, j) in model.joints().iter().enumerate() {
        list[j.body].push(id);
    }
    list
}

/// The children of each body, in the order of their ids.
pub(super) fn children(model: &Model) -> Vec<Vec<usize>> {
    let mut list = vec![Vec::new(); model.nbody()];
    for (id, b) in model.bodies().iter().enumerate().skip(1) {
        list[b.parent].push(id);
    }
    list
}

/// A free joint below another body, which readers of MJCF do not support: three slides along the parent's
/// axes and a ball joint, about a frame that the parent does not rotate. Its q are the same numbers.
pub(super) fn below(piece: Piece, placement: &Pose, names: &mut Names) -> Vec<Piece> {
    let slide = |k: usize, names: &mut Names| Piece {
        name: names.fresh(&format!("{}_{}", piece.name, k + 1)),
        kind: LinkKind::Prismatic,
        axis: Vec3::unit(k),
        anchor: Vec3::ZERO,
        iv: piece.iv + k,
        nv: 1,
        reference: placement.pos[k],
        spring_reference: placement.pos[k],
        limits: None,
    };
    let mut list: Vec<Piece> = (0..3).map(|k| slide(k, names)).collect();
    list.push(Piece {
        name: names.fresh(&format!("{}_4", piece.name)),
        kind: LinkKind::Spherical,
        axis: Vec3::Z,
        anchor: Vec3::ZERO,
        iv: piece.iv + 3,
        nv: 3,
        reference: 0.0,
        spring_reference: 0.0,
        limits: None,
    });
    list
}
