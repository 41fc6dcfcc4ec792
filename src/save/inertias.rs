//! Inertias that readers of MJCF accept: principal moments of some body, and mass for every moving body.

use super::aim;
use super::losses::Losses;
use super::xml_text::Xml;
use crate::linalg::sort_few;
use crate::model::topology::WORLD;
use crate::model::{Joint, Model};
use crate::spatial::{Inertia, Mat3, Quat, Sym3, Vec3};
use nalgebra::{Matrix3, SymmetricEigen};

/// Mass or moments below which MuJoCo refuses a moving body [kg, kg m²]; this number is written instead.
const LEAST: f64 = 1e-15;
const TOKEN: f64 = 1e-14;
/// Smallest moment of an inertia matrix that MuJoCo accepts.
const THIN: f64 = 1e-13;

#[derive(Clone, Copy)]
pub(super) struct Written {
    mass: f64,
    com: Vec3,
    /// About the centre of mass, along the body's axes.
    about: Sym3,
    /// Its principal axes, which matter in a fluid if moments are equal.
    axes: Option<Mat3>,
}

/// Principal moments in increasing order, and their axes as columns of a rotation.
fn principal(about: &Sym3) -> ([f64; 3], Mat3) {
    let m = about.to_mat3();
    let eigen = SymmetricEigen::new(Matrix3::from_fn(|r, c| m.at(r, c)));
    let mut order = [0, 1, 2];
    let moment = |k: usize| eigen.eigenvalues[k];
    sort_few(&mut order, |&i: &usize, &j: &usize| {
        moment(i).total_cmp(&moment(j)).is_lt()
    });
    let [x, y, _] = order.map(|k| {
        let e = eigen.eigenvectors.column(k);
        Vec3::new(e[0], e[1], e[2])
    });
    let axes = Mat3::from_columns(x, y, x.cross(y));
    (order.map(|k| eigen.eigenvalues[k]), axes)
}

/// The addition that makes the nearest physical inertia: no moment negative, none larger than the sum of the
/// others, with a margin for the rounding of readers. `None` if nothing is missing.
fn lacking(about: &Sym3) -> Option<Sym3> {
    let (old, axes) = principal(about);
    let [a, b, c] = old.map(|x| x.max(0.0));
    let margin = if is_diagonal(about) { 0.0 } else { 1e-14 * c };
    let off = c + margin - (a + b);
    if old[0] >= 0.0 && off <= 0.0 {
        return None;
    }
    let share = match off > 0.0 {
        true => (off + margin) / 3.0 + c * f64::EPSILON,
        false => 0.0,
    };
    let [a, b, c] = [a + share - old[0], b + share - old[1], c - share - old[2]];
    Some(Sym3::diagonal(Vec3::new(a, b, c)).rotated(&axes))
}

fn is_diagonal(i: &Sym3) -> bool {
    [i.xy, i.xz, i.yz] == [0.0; 3]
}

/// Up to rounding.
fn is_diagonal_along(i: &Sym3, axes: &Mat3) -> bool {
    let along = i.rotated(&axes.transpose());
    let off = [along.xy, along.xz, along.yz].map(f64::abs);
    let size = [along.xx, along.yy, along.zz].map(f64::abs);
    off.into_iter().fold(0.0, f64::max) <= 1e-12 * size.into_iter().fold(0.0, f64::max)
}

/// The inertias of all bodies; `None` for a body without inertia.
pub(super) fn inertias(model: &Model, losses: &mut Losses) -> Vec<Option<Written>> {
    let given = &model.params().body_inertia;
    let mut list: Vec<Option<Written>> = (given.iter().enumerate())
        .map(|(b, i)| (b > 0 && *i != Inertia::ZERO).then(|| Written::of(i)))
        .collect();
    for b in 1..list.len() {
        let Some((own, more)) = list[b].and_then(|own| Some((own, lacking(&own.about)?))) else {
            continue;
        };
        let size = |i: &Sym3| {
            i.to_mat3()
                .c
                .iter()
                .map(|c| c.max_abs())
                .fold(0.0, f64::max)
        };
        let carried = carry(model, &mut list, b, &more);
        list[b] = Some(Written {
            about: own.about + more,
            ..own
        });
        // A remainder of round-off is not a loss.
        if size(&more) > 1e-12 * size(&given[b].i) {
            let what = "bodies with principal moments of inertia that are not physical (one negative, or larger than the sum of the others), which readers of MJCF refuse, get the nearest physical ones";
            let rest = "; a body welded to them carries the difference";
            losses.note(
                format!("{what}{}", if carried { rest } else { "" }),
                &model.bodies()[b].name,
            );
        }
    }
    give_tokens(model, &mut list, losses);
    if model.fluid().acts() {
        for (written, body) in list.iter_mut().zip(model.bodies()) {
            if let Some(w) = written {
                w.axes = body
                    .inertia_axes
                    .filter(|axes| is_diagonal_along(&w.about, axes));
            }
        }
    }
    list
}

/// Subtracts an inertia from another body of the same link, so that the sum over the link stays the same.
fn carry(model: &Model, list: &mut [Option<Written>], body: usize, more: &Sym3) -> bool {
    let own = &model.bodies()[body];
    let mut others: Vec<usize> = (1..list.len())
        .filter(|&b| b != body && own.link != WORLD && model.bodies()[b].link == own.link)
        .collect();
    let mass = |b: &usize| list[*b].map_or(0.0, |w| w.mass);
    sort_few(&mut others, |a, b| mass(b).total_cmp(&mass(a)).is_lt());
    for b in others {
        let Some(other) = list[b] else { continue };
        let turn = model.bodies()[b]
            .in_link
            .rot
            .transpose()
            .mul_mat(&own.in_link.rot);
        let about = other.about - more.rotated(&turn);
        if lacking(&about).is_none() {
            list[b] = Some(Written { about, ..other });
            return true;
        }
    }
    false
}

/// MuJoCo requires mass and inertia of one of the bodies welded together below each joint of the file.
fn give_tokens(model: &Model, list: &mut [Option<Written>], losses: &mut Losses) {
    let links = model.topology().links.len();
    let mut heavy = vec![false; links];
    for (b, w) in model.bodies().iter().zip(list.iter()) {
        if let (Some(w), true) = (w, b.link != WORLD) {
            heavy[b.link] |= w.mass >= LEAST && principal(&w.about).0[0] >= LEAST;
        }
    }
    let of_file = |j: &&Joint| j.nv > 0 && !model.bodies()[j.body].mocap;
    for j in model.joints().iter().filter(of_file) {
        let link = model.bodies()[j.body].link;
        if std::mem::replace(&mut heavy[link], true) {
            continue;
        }
        let what = "bodies that move without mass or inertia, which MuJoCo refuses, get 1e-14 kg and kg m² more";
        losses.note(what, &model.bodies()[j.body].name);
        let own = list[j.body].unwrap_or(Written {
            mass: 0.0,
            com: Vec3::ZERO,
            about: Sym3::ZERO,
            axes: None,
        });
        list[j.body] = Some(Written {
            mass: own.mass + TOKEN,
            about: own.about + Sym3::diagonal(Vec3::new(TOKEN, TOKEN, TOKEN)),
            ..own
        });
    }
}

impl Written {
    fn of(inertia: &Inertia) -> Written {
        let (com, about) = aim::inertial(inertia);
        Written {
            mass: inertia.mass,
            com,
            about,
            axes: None,
        }
    }

    pub fn write(&self, xml: &mut Xml) {
        let i = &self.about;
        xml.start("inertial")
            .numbers("pos", &self.com.to_array())
            .numbers("mass", &[self.mass]);
        if let Some(axes) = &self.axes {
            let moments = i.rotated(&axes.transpose());
            let [x, y, z, w] = Quat::from_mat3(axes).to_array();
            xml.numbers("quat", &[w, x, y, z])
                .numbers("diaginertia", &[moments.xx, moments.yy, moments.zz]);
        } else if is_diagonal(i) {
            xml.numbers("diaginertia", &[i.xx, i.yy, i.zz]);
        } else {
            let (moments, axes) = principal(i);
            if moments[0] < THIN {
                let [x, y, z, w] = Quat::from_mat3(&axes).to_array();
                xml.numbers("quat", &[w, x, y, z])
                    .numbers("diaginertia", &moments);
            } else {
                xml.numbers("fullinertia", &[i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]);
            }
        }
        xml.end();
    }
}
