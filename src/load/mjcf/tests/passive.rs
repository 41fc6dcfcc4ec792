//! Springs and dampers given by time constants, gravity compensation.

use super::*;
use crate::model::spec::JointSpec;

fn joint(m: &ModelSpec, body: usize) -> &JointSpec {
    &m.bodies[body].joints[0]
}

/// As MuJoCo 4.0 compiles them: k = I/(T ζ)², d = 2 I/T.
#[test]
fn springs_and_dampers_by_time_constant_and_ratio() {
    let inertial = "<inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"3 4 6\"/>";
    let m = model(&format!(
        "<default><joint springdamper=\".1 .5\" stiffness=\"7\" damping=\"8\"/></default>\
         <worldbody><body><joint type=\"slide\"/>{inertial}</body>\
         <body><joint type=\"ball\" springdamper=\".2 2\"/>{inertial}</body>\
         <body><joint springdamper=\"0 1\"/>{inertial}</body>\
         <body><joint type=\"slide\" axis=\"1 0 0\"/>{inertial}<body pos=\"0 0 1\">\
         <joint type=\"slide\" axis=\"1 0 0\"/>{inertial}</body></body></worldbody>"
    ));
    assert_near(joint(&m, 1).stiffness, 2.0 / (0.1_f64 * 0.5).powi(2));
    assert_near(joint(&m, 1).damping, 2.0 * 2.0 / 0.1);
    // The mean over the axes is that of the inverses.
    let felt = 3.0 / (1.0 / 3.0 + 1.0 / 4.0 + 1.0 / 6.0);
    assert_near(joint(&m, 2).stiffness, felt / 0.16);
    assert_near(joint(&m, 2).damping, 10.0 * felt);
    // Both must be positive.
    assert_eq!((joint(&m, 3).stiffness, joint(&m, 3).damping), (7.0, 8.0));
    // Two equal masses on one line: the inverse is M⁻¹ = (1 −1; −1 2)/2, so that the joints have
    // different inertias.
    assert_near(joint(&m, 4).damping, 20.0 * 2.0);
    assert_near(joint(&m, 5).damping, 20.0 * 1.0);
}

#[test]
fn what_the_file_switches_off_stays_off() {
    let with = |flags: &str| {
        model(&format!(
            "<option><flag {flags}/></option><worldbody><body gravcomp=\"1.5\">\
             <joint type=\"slide\" springdamper=\".1 1\"/><geom size=\"1\"/></body></worldbody>"
        ))
    };
    let m = with("spring=\"disable\"");
    assert_eq!(joint(&m, 1).stiffness, 0.0);
    assert!(joint(&m, 1).damping > 0.0);
    assert_eq!(m.bodies[1].gravity_compensation, 1.5);
    let m = with("spring=\"disable\" damper=\"disable\"");
    assert_eq!(joint(&m, 1).damping, 0.0);
    assert_eq!(m.bodies[1].gravity_compensation, 0.0);
}

#[test]
fn a_mass_matrix_that_cannot_be_inverted() {
    let e =
        failure("<worldbody><body>\n<joint name=\"j\" springdamper=\"1 1\"/></body></worldbody>");
    assert!(
        e.message
            .contains("line 3: <joint name=\"j\">: springdamper: the mass matrix is singular"),
        "{e}"
    );
}
