//! Too large a model is refused; the process does not end. Alone in its file: it limits the memory of
//! the whole process.

use diffsim::error::{Result, Status};
use diffsim::model::builder::ModelBuilder;
use diffsim::model::spec::{JointKind, JointSpec};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

#[test]
#[cfg(target_os = "linux")]
fn a_chain_of_ten_thousand_links() -> Result<()> {
    let mut builder = ModelBuilder::new("chain");
    let rod = Inertia::from_com(
        1.0,
        Vec3::new(0.0, 0.0, -0.05),
        Sym3::new(1e-3, 0.0, 1e-3, 0.0, 0.0, 1e-5),
    );
    let below = Pose::translation(Vec3::new(0.0, 0.0, -0.1));
    let mut body = 0;
    for i in 0..10_000 {
        body = builder.add_body(body, format!("link{i}"), below, rod)?;
        let mut hinge = JointSpec::new(format!("joint{i}"), JointKind::Revolute);
        hinge.axis = Vec3::Y;
        builder.add_joint(body, hinge)?;
    }
    let model = Arc::new(builder.build()?);
    assert_eq!(model.nv(), 10_000);

    // 1 GB: enough to step, not for derivatives, whose Jacobians alone take 1.6.
    let limit = libc::rlimit {
        rlim_cur: 1 << 30,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: a plain system call on a local value.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    let refused = Sim::new(model.clone(), &Options::default()).err();
    assert_eq!(refused.map(|e| e.status), Some(Status::Capacity));
    let plain = Options {
        derivatives: false,
        contact: Contact::None,
        ..Options::default()
    };
    let refused = Rollout::new(model.clone(), &plain, 100_000).err();
    assert_eq!(refused.map(|e| e.status), Some(Status::Capacity));

    // With a law it once was refused, too.
    for contact in [Contact::Ncp, Contact::Convex] {
        Sim::new(model.clone(), &Options { contact, ..plain })?;
    }
    let mut sim = Sim::new(model.clone(), &plain)?;
    let (q, v, tau) = (vec![0.0; 10_000], vec![0.0; 10_000], vec![0.0; 10_000]);
    let mut a = vec![1.0; 10_000];
    sim.forward_dynamics(&q, &v, &tau, &mut a)?;
    // It hangs straight down.
    assert!(a.iter().all(|x| x.abs() < 1e-9));
    Ok(())
}
