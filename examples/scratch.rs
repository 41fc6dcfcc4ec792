#[path = "contact_inverse_dynamics.rs"]
#[allow(dead_code)]
mod cid;
use cid::*;
use cid::common::gauss_newton::*;
use nalgebra::DVector;
fn main() {
    for task in Task::ALL {
        let mut h = Hold::new(task).unwrap();
        println!("{task:?} q {:?}", h.q);
        let x = DVector::zeros(h.unknowns());
        let (r, j) = h.linearize(&x).unwrap();
        println!("r {:.3?}", r.as_slice());
        println!("{:?}", h.sim.step_info());
        for c in h.sim.contacts() { println!("{} {} gap {:e} imp {:.4?} vel {:.3?} {:?}", h.sim.model().geoms()[c.geom[0]].name, h.sim.model().geoms()[c.geom[1]].name, c.gap, c.impulse, c.velocity, c.mode); }
        println!("modes {:?}", h.sim.constraint_modes());
        println!("sv {:.2e}", j.clone().svd(false,false).singular_values.transpose());
        for e in [1e-3, 1e-5] { let mut d = j.clone();
        for k in 0..x.len() { let mut a = x.clone(); a[k]+=e; let mut b = x.clone(); b[k]-=e;
            d.set_column(k, &((h.residual(&a).unwrap()-h.residual(&b).unwrap())/(2.0*e))); }
        println!("fd {e}: {:.2e}", (&d-&j).norm()/j.norm()); }
    }
}
