//! Puts a robot on the floor z = 0 by moving its base.

use diffsim::error::{Error, Result};
use diffsim::model::Model;
use diffsim::model::spec::ShapeSpec;
use diffsim::spatial::Vec3;
use diffsim::step::Sim;
use nalgebra::{DMatrix, DVector};

/// A sphere fixed on a body that is to touch the floor: a foot, or the end of a capsule.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    body: usize,
    /// Body frame [m].
    center: Vec3,
    radius: f64,
}

impl Support {
    /// A spherical geom.
    pub fn center(model: &Model, geom: &str) -> Result<Support> {
        match find(model, geom)? {
            (body, pose, ShapeSpec::Sphere { radius }) => Ok(Support {
                body,
                center: pose.pos,
                radius: *radius,
            }),
            (_, _, other) => Err(Error::invalid(format!("{geom}: not a sphere: {other:?}"))),
        }
    }

    /// The end of a capsule on its negative z axis: the second point of MJCF's `fromto`.
    pub fn tip(model: &Model, geom: &str) -> Result<Support> {
        match find(model, geom)? {
            (
                body,
                pose,
                ShapeSpec::Capsule {
                    radius,
                    half_length,
                },
            ) => Ok(Support {
                body,
                center: pose.point(Vec3::new(0.0, 0.0, -*half_length)),
                radius: *radius,
            }),
            (_, _, other) => Err(Error::invalid(format!("{geom}: not a capsule: {other:?}"))),
        }
    }
}

fn find<'a>(
    model: &'a Model,
    geom: &str,
) -> Result<(usize, diffsim::spatial::Pose, &'a ShapeSpec)> {
    let id = model.geom_id(geom);
    let id = id.ok_or_else(|| Error::invalid(format!("no geom is called \"{geom}\"")))?;
    let g = &model.geoms()[id];
    Ok((g.body, g.placement, &g.shape))
}

/// Newton iterations after which a pose counts as impossible.
const ITERATIONS: usize = 50;
/// Distance from the floor, and of the balance, that counts as zero [m]: a few units of rounding.
const TOLERANCE: f64 = 5e-16;

/// Moves the base (the first six dofs, the least that does it) until all supports touch the floor
/// and, if `balanced`, the centre of mass is above their mean in x.
pub fn place(sim: &mut Sim, q: &mut [f64], supports: &[Support], balanced: bool) -> Result<()> {
    for _ in 0..ITERATIONS {
        let (r, j) = conditions(sim, q, supports, balanced)?;
        if r.amax() <= TOLERANCE {
            return Ok(());
        }
        let Ok(base) = j.svd(true, true).solve(&-r, 1e-9) else {
            break;
        };
        let mut step = vec![0.0; sim.model().nv()];
        step[..6].copy_from_slice(base.as_slice());
        let from = q.to_vec();
        sim.model().integrate(&from, &step, q);
    }
    let (r, _) = conditions(sim, q, supports, balanced)?;
    Err(Error::invalid(format!(
        "no such pose: off by {:e} m",
        r.amax()
    )))
}

/// Heights of the supports and the imbalance, with derivatives by the base's tangent.
fn conditions(
    sim: &mut Sim,
    q: &[f64],
    supports: &[Support],
    balanced: bool,
) -> Result<(DVector<f64>, DMatrix<f64>)> {
    let (nv, nbody) = (sim.model().nv(), sim.model().nbody());
    let mut placements = vec![0.0; 16 * nbody];
    sim.forward_kinematics(q, &mut placements)?;
    let rows = supports.len() + usize::from(balanced);
    let (mut r, mut j) = (DVector::zeros(rows), DMatrix::zeros(rows, 6));
    let mut point = DMatrix::zeros(6, nv);
    let share = 1.0 / supports.len() as f64;
    for (i, s) in supports.iter().enumerate() {
        let c = s.center.to_array();
        let pose = &placements[16 * s.body..];
        let world =
            |axis: usize| pose[12 + axis] + (0..3).map(|k| pose[4 * k + axis] * c[k]).sum::<f64>();
        sim.body_jacobian(q, s.body, c, point.as_mut_slice())?;
        r[i] = world(2) - s.radius;
        j.row_mut(i).copy_from(&point.row(2).columns(0, 6));
        if balanced {
            r[rows - 1] -= share * world(0);
            for k in 0..6 {
                j[(rows - 1, k)] -= share * point[(0, k)];
            }
        }
    }
    if balanced {
        let (mut com, mut by_q) = ([0.0; 3], DMatrix::zeros(3, nv));
        sim.center_of_mass(q, &mut com, Some(by_q.as_mut_slice()))?;
        r[rows - 1] += com[0];
        for k in 0..6 {
            j[(rows - 1, k)] += by_q[(0, k)];
        }
    }
    Ok((r, j))
}
