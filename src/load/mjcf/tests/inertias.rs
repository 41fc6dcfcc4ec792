//! Inertias that are given, from geoms and from meshes, and their changes by the compiler.

use super::*;
use crate::spatial::{Inertia, Sym3};
use std::f64::consts::PI;

/// The inertia of the only body of a file with this compiler element and these contents.
fn inertia(compiler: &str, inside: &str) -> Inertia {
    let m = model(&format!(
        "<compiler {compiler}/><asset>{TETRAHEDRON}{STEP}</asset>\
         <worldbody><body>{inside}</body></worldbody>"
    ));
    m.bodies[1].inertia
}

const TETRAHEDRON: &str = "<mesh name=\"t\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\"/>\
     <mesh name=\"scaled\" vertex=\"1 1 1 2 1 1 1 2 1 1 1 2\" refpos=\"1 1 1\" scale=\"-1 2 3\"/>";

/// An L of three unit cubes in the xy plane, not convex.
const STEP: &str = "<mesh name=\"L\" inertia=\"exact\" vertex=\"0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0 \
     0 0 1 2 0 1 2 1 1 1 1 1 1 2 1 0 2 1\" face=\"0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 \
     11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11\"/>";

#[track_caller]
fn assert_inertia(a: Inertia, mass: f64, com: [f64; 3], about_com: [f64; 6]) {
    let [xx, xy, yy, xz, yz, zz] = about_com;
    let com = Vec3::from_slice(&com);
    let b = Inertia::from_com(mass, com, Sym3::new(xx, xy, yy, xz, yz, zz));
    for (x, y) in a.to_params().iter().zip(b.to_params()) {
        assert!(
            (x - y).abs() <= 1e-13 * y.abs().max(1.0),
            "{a:?} is not {b:?}"
        );
    }
}

fn diagonal(x: f64, y: f64, z: f64) -> [f64; 6] {
    [x, 0.0, y, 0.0, 0.0, z]
}

#[test]
fn primitives_at_unit_density() {
    let of = |geom: &str| inertia("", &format!("<geom density=\"1\" {geom}/>"));
    let m = 4.0 / 3.0 * PI * 8.0;
    assert_inertia(
        of("size=\"2\""),
        m,
        [0.0; 3],
        diagonal(1.6 * m, 1.6 * m, 1.6 * m),
    );
    assert_inertia(
        of("type=\"box\" size=\"1 2 3\" pos=\"1 2 3\""),
        48.0,
        [1.0, 2.0, 3.0],
        diagonal(16.0 * 13.0, 16.0 * 10.0, 16.0 * 5.0),
    );
    let m = 8.0 * PI;
    assert_inertia(
        of("type=\"ellipsoid\" size=\"1 2 3\""),
        m,
        [0.0; 3],
        diagonal(2.6 * m, 2.0 * m, m),
    );
    // Radius 1, half length 2: transverse m(r²/4 + h²/3) = 19m/12.
    let m = 4.0 * PI;
    let across = 19.0 / 12.0 * m;
    assert_inertia(
        of("type=\"cylinder\" size=\"1 2\""),
        m,
        [0.0; 3],
        diagonal(across, across, m / 2.0),
    );
    // The capsule adds a ball of 4π/3 in two halves at distance 2: 2/5 + 4 + 3/2 = 5.9 across.
    let ball = 4.0 / 3.0 * PI;
    let across = across + 5.9 * ball;
    assert_inertia(
        of("type=\"capsule\" size=\"1 2\""),
        m + ball,
        [0.0; 3],
        diagonal(across, across, m / 2.0 + 0.4 * ball),
    );
}

/// A shell is the derivative of the filled solid as it grows by equal thickness everywhere.
#[test]
fn shells_are_derivatives_of_solids() {
    let e = 1e-5;
    for (shape, sizes) in [
        ("sphere", vec![0.7]),
        ("capsule", vec![0.3, 0.8]),
        ("cylinder", vec![0.3, 0.8]),
        ("box", vec![0.3, 0.5, 0.8]),
    ] {
        let solid = |grow: f64| {
            let size: Vec<String> = sizes
                .iter()
                .enumerate()
                // The segment of a capsule does not grow.
                .map(|(k, s)| {
                    if shape == "capsule" && k == 1 {
                        *s
                    } else {
                        s + grow
                    }
                })
                .map(|s| s.to_string())
                .collect();
            inertia(
                "",
                &format!(
                    "<geom type=\"{shape}\" density=\"1\" size=\"{}\"/>",
                    size.join(" ")
                ),
            )
        };
        let text: Vec<String> = sizes.iter().map(|s| s.to_string()).collect();
        let shell = inertia(
            "",
            &format!(
                "<geom type=\"{shape}\" density=\"1\" shellinertia=\"true\" size=\"{}\"/>",
                text.join(" ")
            ),
        );
        let (up, down) = (solid(e).to_params(), solid(-e).to_params());
        for (k, s) in shell.to_params().iter().enumerate() {
            let difference = (up[k] - down[k]) / (2.0 * e);
            assert!(
                (s - difference).abs() < 1e-7,
                "{shape} {k}: {s} {difference}"
            );
        }
    }
}

#[test]
fn mass_wins_over_density_and_groups_count() {
    let boxes = "<geom type=\"box\" size=\"1 1 1\" mass=\"6\" density=\"7\"/>\
         <geom type=\"box\" size=\"1 1 1\" mass=\"1\" pos=\"7 0 0\" group=\"3\"/>";
    assert_inertia(
        inertia("inertiagrouprange=\"0 2\"", boxes),
        6.0,
        [0.0; 3],
        diagonal(4.0, 4.0, 4.0),
    );
    let both = inertia("", boxes);
    assert_near(both.mass, 7.0);
    assert_vec(both.com(), [1.0, 0.0, 0.0]);
}

#[test]
fn given_inertias_and_who_wins() {
    let inside = "<inertial mass=\"2\" pos=\"0 1 0\" diaginertia=\"1 2 3\" \
         euler=\"90 0 0\"/><geom type=\"box\" size=\"1 1 1\" mass=\"3\"/>";
    // The quarter turn about x exchanges the second and third moment.
    let given = diagonal(1.0, 3.0, 2.0);
    assert_inertia(inertia("", inside), 2.0, [0.0, 1.0, 0.0], given);
    assert_inertia(
        inertia("inertiafromgeom=\"false\"", inside),
        2.0,
        [0.0, 1.0, 0.0],
        given,
    );
    assert_inertia(
        inertia("inertiafromgeom=\"true\"", inside),
        3.0,
        [0.0; 3],
        diagonal(2.0, 2.0, 2.0),
    );
    assert_inertia(
        inertia(
            "inertiafromgeom=\"true\"",
            "<inertial mass=\"2\" pos=\"0 0 1\" fullinertia=\"2 3 4 .1 .2 .3\"/>",
        ),
        2.0,
        [0.0, 0.0, 1.0],
        [2.0, 0.1, 3.0, 0.2, 0.3, 4.0],
    );
    assert_eq!(
        inertia("inertiafromgeom=\"false\"", "<geom size=\"1\"/>"),
        Inertia::ZERO
    );
}

#[test]
fn bounds_balance_and_total() {
    assert_inertia(
        inertia(
            "boundmass=\"2\" boundinertia=\"3\"",
            "<inertial mass=\"1\" pos=\"1 0 0\" diaginertia=\"2 4 5\"/>",
        ),
        2.0,
        [1.0, 0.0, 0.0],
        diagonal(3.0, 4.0, 5.0),
    );
    assert_inertia(
        inertia(
            "balanceinertia=\"true\"",
            "<inertial mass=\"1\" pos=\"0 0 0\" diaginertia=\"1 2 6\"/>",
        ),
        1.0,
        [0.0; 3],
        diagonal(3.0, 3.0, 3.0),
    );
    assert_inertia(
        inertia(
            "settotalmass=\"10\"",
            "<inertial mass=\"2\" pos=\"0 0 1\" diaginertia=\"1 1 1\"/>",
        ),
        10.0,
        [0.0, 0.0, 1.0],
        diagonal(5.0, 5.0, 5.0),
    );
}

#[test]
fn meshes_weigh_what_they_enclose() {
    // Moments of the corner tetrahedron: ∫x² = 1/60, ∫xy = 1/120, volume 1/6, centre 1/4.
    let (m, c) = (1.0 / 6.0, 0.25);
    let (square, product) = (1.0 / 60.0 - m * c * c, 1.0 / 120.0 - m * c * c);
    assert_inertia(
        inertia("", "<geom type=\"mesh\" mesh=\"t\" density=\"1\"/>"),
        m,
        [c; 3],
        [
            2.0 * square,
            -product,
            2.0 * square,
            -product,
            -product,
            2.0 * square,
        ],
    );
    // Scaled by (−1, 2, 3) after its reference point is moved to the origin: 6 times the volume.
    let scaled = inertia(
        "",
        "<geom type=\"mesh\" mesh=\"scaled\" mass=\"1\" pos=\"1 0 0\"/>",
    );
    assert_near(scaled.mass, 1.0);
    assert_vec(scaled.com(), [0.75, 0.5, 0.75]);
    // Three cubes: the exact centre of the L is 5/6 in x and y.
    let step = inertia("", "<geom type=\"mesh\" mesh=\"L\" density=\"2\"/>");
    assert_near(step.mass, 6.0);
    assert_vec(step.com(), [5.0 / 6.0, 5.0 / 6.0, 0.5]);
}

#[test]
fn mesh_inertia_modes() {
    let mass = |asset: &str| {
        let m = model(&format!(
            "<asset>{asset}</asset><worldbody><body><geom type=\"mesh\" mesh=\"L\" density=\"1\"/>\
             </body></worldbody>"
        ));
        (m.bodies[1].inertia.mass, m.warnings.len())
    };
    let mode = |mode: &str| mass(&STEP.replace("exact", mode)).0;
    assert_near(mode("exact"), 3.0);
    assert_near(mode("convex"), 3.5);
    // Two faces of area 3 and a perimeter of 8.
    assert_near(mode("shell"), 14.0);
    // The whole surface of the L is visible from its centre of mass: there is no overestimate.
    assert_near(mode("legacy"), 3.0);
    // With arms of a quarter it is not: the exact value is 0.9375, and this is MuJoCo 4.0's.
    let thin = STEP
        .replace("inertia=\"exact\"", "")
        .replace("2 1 0 1 1 0 1 2 0", "2 .25 0 .25 .25 0 .25 2 0")
        .replace("2 1 1 1 1 1 1 2 1", "2 .25 1 .25 .25 1 .25 2 1");
    let (legacy, warnings) = mass(&thin);
    assert_near(legacy, 1.819966832453692);
    assert_eq!(warnings, 1);
}

#[test]
fn massless_visuals_may_be_flat() {
    let flat = "<asset><mesh name=\"f\" inertia=\"exact\" vertex=\"0 0 0 1 0 0 0 1 0\" \
         face=\"0 1 2\"/></asset><worldbody><body name=\"b\">";
    let m = model(&format!(
        "{flat}<geom type=\"mesh\" mesh=\"f\" mass=\"0\"/><geom size=\"1\" mass=\"2\"/></body>\
         </worldbody>"
    ));
    assert_near(m.bodies[1].inertia.mass, 2.0);
    let e = failure(&format!(
        "{flat}<geom type=\"mesh\" mesh=\"f\"/></body></worldbody>"
    ));
    assert!(e.message.contains("bounds no volume"), "{e}");
}
