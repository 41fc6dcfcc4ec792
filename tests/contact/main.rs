//! Rigid and compliant contact through the step: laws, shapes, derivatives, labels.

mod adhesion;
mod adhesion_gradients;
mod aware;
mod cancelling;
mod clutter;
mod column_labels;
#[path = "../common/mod.rs"]
mod common;
mod contact;
mod deep;
mod distance_smoothing;
mod friction_alone;
mod gentle;
mod gradients_in_contact;
mod hard_problems;
mod impact_gradients;
mod impulses;
mod jammed;
mod labels;
mod limits_alone;
mod parallel_faces;
mod physics;
mod residuals;
mod restitution;
mod sizes;
mod smoothing;
mod solvers_agree;
mod stabilization;
mod swept;
mod switches;
mod torsion;
mod torsion_gradients;
mod torsion_reach;
mod torsion_scenes;
mod zero_normal;
