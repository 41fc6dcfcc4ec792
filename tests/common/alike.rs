//! Whether two models do the same.

use super::{Rng, random_q};
use diffsim::model::Model;
use diffsim::model::topology::LinkKind;
use diffsim::spatial::{Twist, Vec3};
use diffsim::step::{Options, Sim};
use std::sync::Arc;

/// M, bias, and where both are `alike` a step and its contacts.
fn results(
    sim: &mut Sim,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    u: &[f64],
    alike: bool,
) -> Vec<Vec<f64>> {
    let nv = v.len();
    let (mut m, mut bias) = (vec![0.0; nv * nv], vec![0.0; nv]);
    sim.mass_matrix(q, &mut m).unwrap();
    sim.inverse_dynamics(q, v, a, &mut bias).unwrap();
    let mut all = vec![m, bias];
    if alike {
        let (mut q1, mut v1) = (q.to_vec(), v.to_vec());
        let outcome = sim.step(q, v, &u[..sim.model().nu()], &mut q1, &mut v1);
        let contacts = match outcome {
            Ok(()) => sim.contacts(),
            Err(_) => &[],
        };
        let numbers = |c: &diffsim::step::ContactReport| [c.point, c.normal, c.impulse].concat();
        let contacts = contacts.iter().flat_map(numbers).collect();
        all.extend([q1, v1, contacts]);
    }
    all
}

/// Largest difference of what two models make of random states, relative to the largest number of each.
pub fn apart(a: &Model, b: &Model, seed: u64) -> f64 {
    let [smooth, steps] = differences(a, b, seed);
    smooth.max(steps)
}

/// The same of M and bias, and of steps with their contacts.
pub fn differences(a: &Model, b: &Model, seed: u64) -> [f64; 2] {
    assert_eq!((a.nq(), a.nv()), (b.nq(), b.nv()));
    let options = Options {
        max_contacts: 400,
        derivatives: false,
        ..Options::default()
    };
    let mut sims = [a, b].map(|m| Sim::new(Arc::new(m.clone()), &options).unwrap());
    // Free joints below another body have their linear velocity in other axes then.
    let inner = |l: &&diffsim::model::topology::Link| {
        let body = a.joint(l.joint).body;
        l.kind == LinkKind::Free && a.bodies()[body].parent != 0
    };
    let inner: Vec<_> = a.topology().links.iter().filter(inner).copied().collect();
    let split = !inner.is_empty() && b.free_links().count() < a.free_links().count();
    let mut rng = Rng::new(seed);
    let nv = a.nv();
    let mut worst = [0.0_f64; 2];
    for _ in 0..4 {
        let q = random_q(&mut rng, a, 0.3);
        let v = rng.vector(nv, 1.0);
        let u = rng.vector(a.nu(), if a.nu() == b.nu() { 1.0 } else { 0.0 });
        let (mut turn, mut v2, mut a2) = (identity(nv), v.clone(), vec![0.0; nv]);
        for l in inner.iter().filter(|_| split) {
            let r = diffsim::joint::free_pose(&q[l.iq..]).rot;
            let t = Twist::from_slice(&v[l.iv..]);
            let put = |x: Vec3, to: &mut [f64]| to[l.iv..l.iv + 3].copy_from_slice(&x.to_array());
            put(r.mul_vec(t.lin), &mut v2);
            put(r.mul_vec(t.ang.cross(t.lin)), &mut a2);
            for (i, k) in (0..9).map(|n| (n / 3, n % 3)) {
                turn[l.iv + i + nv * (l.iv + k)] = r.at(i, k);
            }
        }
        let [one, two] = &mut sims;
        let x = results(one, &q, &v, &vec![0.0; nv], &u, !split);
        let mut y = results(two, &q, &v2, &a2, &u, !split);
        if split {
            y[0] = product(&transposed(&turn, nv), &product(&y[0], &turn, nv), nv);
            // Rotor inertia resists another change of velocity there.
            let rotors = a.params().armature.iter().zip(&a2);
            y[1].iter_mut()
                .zip(rotors)
                .for_each(|(y, (i, a))| *y -= i * a);
            y[1] = product(&transposed(&turn, nv), &y[1], nv);
        }
        for (k, (x, y)) in x.iter().zip(&y).enumerate() {
            let scale = x.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
            let off = |x: f64, y: f64| if x == y { 0.0 } else { (x - y).abs() / scale };
            let each = x.iter().zip(y).map(|(&x, &y)| off(x, y));
            let off = each.fold(0.0, |w, e| {
                if e.is_nan() {
                    f64::INFINITY
                } else {
                    f64::max(w, e)
                }
            });
            let off = if x.len() == y.len() {
                off
            } else {
                f64::INFINITY
            };
            let worst = &mut worst[usize::from(k >= 2)];
            *worst = worst.max(off);
        }
    }
    worst
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|k| f64::from(u8::from(k % n == k / n)))
        .collect()
}

fn transposed(a: &[f64], n: usize) -> Vec<f64> {
    (0..n * n).map(|k| a[k / n + n * (k % n)]).collect()
}

/// Of n×n with n×m, by columns.
fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let column = |c: &[f64]| -> Vec<f64> {
        (0..n)
            .map(|i| (0..n).map(|k| a[i + n * k] * c[k]).sum())
            .collect()
    };
    b.chunks(n.max(1)).flat_map(column).collect()
}
