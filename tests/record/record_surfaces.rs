//! Surfaces of recordings: frames show them to the bit, whatever the ring has lost, and without an
//! allocation.

use diffsim::error::{Result, Status};
use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::model::Model;
use diffsim::record::{Recorder, RecorderOptions, Recording, read};
use std::path::Path;
use std::sync::Arc;

fn quadruped() -> Arc<Model> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models/quadruped.xml");
    Arc::new(load_file(&path, &LoadOptions::default()).expect("the quadruped"))
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// A sheet of 3×3 points that waves.
fn sheet(k: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let point = |i: usize| {
        let (x, y) = ((i % 3) as f64, (i / 3) as f64);
        [x, y, (0.1 * k as f64 + x).sin()]
    };
    let quad = |c: u32| [[c, c + 1, c + 4], [c, c + 4, c + 3]];
    let triangles = [0, 1, 3, 4].into_iter().flat_map(quad).collect();
    ((0..9).map(point).collect(), triangles)
}

const BLUE: [f32; 4] = [0.0, 0.25, 1.0, 0.5];

/// Frames of a state, each with the sheet of its number, and a patch in those from 3 on but the last two.
fn waving(recorder: &mut Recorder, frames: usize) {
    let (q, v) = (
        recorder.model().neutral().to_vec(),
        vec![0.0; recorder.model().nv()],
    );
    for k in 0..frames {
        let (points, triangles) = sheet(k);
        // A surface that is set twice before a frame counts once.
        recorder
            .set_surface("sheet", &points[..3], &[], BLUE)
            .expect("a surface");
        recorder
            .set_surface("sheet", &points, &triangles, BLUE)
            .expect("a surface");
        if k == 3 {
            recorder
                .set_surface("<patch>", &points[..3], &[[0, 1, 2]], [1.0; 4])
                .expect("a surface");
        }
        if k + 2 == frames {
            recorder
                .set_surface("<patch>", &[], &[], [0.0; 4])
                .expect("no surface");
        }
        recorder.state(k as f64, &q, &v).expect("a frame");
    }
}

fn is_waving(r: &Recording, frames: usize) {
    for f in &r.frames {
        let k = f.time as usize;
        let (points, triangles) = sheet(k);
        assert_eq!(f.surfaces.len(), 1 + usize::from(k >= 3 && k + 2 < frames));
        for s in &f.surfaces {
            if s.name == "sheet" {
                assert_eq!(bits(s.points.as_flattened()), bits(points.as_flattened()));
                assert_eq!((&s.triangles, s.rgba), (&triangles, BLUE));
            } else {
                assert_eq!((&s.name[..], s.points[1]), ("<patch>", sheet(3).0[1]));
                assert_eq!((&s.triangles[..], s.rgba), (&[[0, 1, 2]][..], [1.0; 4]));
            }
        }
    }
}

#[test]
fn surfaces_come_back_with_the_frames_that_show_them() -> Result<()> {
    let options = RecorderOptions {
        rate: 0.0,
        capacity: 12_000,
    };
    let mut whole = Recorder::new(quadruped(), &RecorderOptions::default())?;
    waving(&mut whole, 60);
    let bytes = whole.bytes().to_vec();
    let all = read(&bytes)?;
    assert_eq!((all.frames.len(), &all.damage), (60, &None));
    is_waving(&all, 60);
    // Cut anywhere, the whole frames show the same surfaces.
    for cut in (0..bytes.len()).step_by(131) {
        if let Ok(r) = read(&bytes[..cut]) {
            assert_eq!(r.frames[..], all.frames[..r.frames.len()], "cut at {cut}");
        }
    }
    // The ring has lost the frame before which the patch was set, and frames still show it.
    let mut ring = Recorder::new(quadruped(), &options)?;
    waving(&mut ring, 60);
    let held = read(ring.bytes())?;
    let n = held.frames.len();
    assert!(n > 4 && n < 40, "{n}");
    assert_eq!(ring.dropped() as usize, 60 - n);
    assert_eq!(held.frames, all.frames[60 - n..]);
    assert_eq!(held.frames[0].surfaces.len(), 2);

    // A file opened late has the remaining frames, and from then on all.
    let path = std::env::temp_dir().join(format!("diffsim_surfaces_{}", std::process::id()));
    ring.open(&path)?;
    waving(&mut ring, 60);
    drop(ring);
    let late = read(&std::fs::read(&path).expect("the file"))?;
    std::fs::remove_file(&path).expect("the file");
    assert_eq!((late.frames.len(), &late.damage), (n + 60, &None));
    assert_eq!(late.frames[..n], held.frames);
    assert_eq!(late.frames[n..], all.frames);
    Ok(())
}

#[test]
fn surfaces_of_the_same_sizes_allocate_nothing() -> Result<()> {
    let small = RecorderOptions {
        rate: 0.0,
        capacity: 30_000,
    };
    let model = quadruped();
    let mut recorder = Recorder::new(model.clone(), &small)?;
    let (q, v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    for k in 0..50 {
        let (points, triangles) = sheet(k);
        let info = allocation_counter::measure(|| {
            recorder
                .set_surface("sheet", &points, &triangles, BLUE)
                .expect("a surface");
            recorder.state(k as f64, &q, &v).expect("a frame");
        });
        assert!(
            k == 0 || info.count_total == 0,
            "{} allocations",
            info.count_total
        );
    }
    assert!(recorder.dropped() > 0);
    Ok(())
}

#[test]
fn a_surface_that_cannot_be_is_refused_whole() -> Result<()> {
    let small = RecorderOptions {
        rate: 0.0,
        capacity: 8_000,
    };
    let mut recorder = Recorder::new(quadruped(), &small)?;
    waving(&mut recorder, 1);
    let before = recorder.bytes().to_vec();
    let many = vec![[0.0; 3]; 400];
    let nan = [[0.0; 3], [0.0, f64::NAN, 0.0]];
    for (points, triangle, rgba, status, what) in [
        (&nan[..], [0, 0, 0], BLUE, Status::Numerical, "points[4]"),
        (
            &many[..2],
            [0, 1, 2],
            BLUE,
            Status::InvalidArgument,
            "triangles[2]",
        ),
        (
            &many[..0],
            [0, 0, 0],
            BLUE,
            Status::InvalidArgument,
            "triangles[0]",
        ),
        (
            &many[..2],
            [0, 1, 0],
            [0.0, 0.0, f32::NAN, 1.0],
            Status::InvalidArgument,
            "rgba[2]",
        ),
        (&many[..], [0, 1, 2], BLUE, Status::Capacity, "points"),
    ] {
        let e = recorder
            .set_surface("sheet", points, &[triangle], rgba)
            .expect_err(what);
        assert_eq!(e.status, status, "{e}");
        assert!(e.message.starts_with(what), "{e}");
    }
    for k in 0..300 {
        let set = recorder.set_surface(&format!("{k}"), &many[..1], &[], BLUE);
        // The sheet has a name, too.
        assert_eq!(set.is_ok(), k < 255, "{k}");
        recorder.set_surface(&format!("{k}"), &[], &[], BLUE)?;
    }
    assert_eq!(recorder.bytes(), before);
    Ok(())
}

/// A frame shows the surface of a deformable body where its nodes are, until the caller draws it.
#[test]
fn frames_show_deformable_bodies() -> Result<()> {
    let text = "<mujoco><worldbody><flexcomp name=\"soft\" count=\"3 3 3\" dim=\"3\" pos=\"0 0 1\">\
                <elasticity young=\"1e4\"/><pin id=\"0 1 2\"/></flexcomp></worldbody></mujoco>";
    let model = Arc::new(load_str(text, Format::Mjcf, None, &LoadOptions::default())?);
    let mut recorder = Recorder::new(model.clone(), &RecorderOptions::default())?;
    let (mut q, v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    recorder.state(0.0, &q, &v)?;
    q.iter_mut().for_each(|x| *x += 0.5);
    recorder.state(0.1, &q, &v)?;
    recorder.set_surface("soft", &sheet(0).0, &[[0, 1, 3]], BLUE)?;
    recorder.state(0.2, &q, &v)?;
    let frames = read(recorder.bytes())?.frames;
    let shown: Vec<_> = frames.iter().map(|f| &f.surfaces[0]).collect();
    // All nodes but the central one; two triangles for each of the 24 squares.
    assert_eq!((shown[0].points.len(), shown[0].triangles.len()), (26, 48));
    let moved = shown[1].points.iter().zip(&shown[0].points);
    let free = moved.filter(|(a, b)| (0..3).all(|k| (a[k] - b[k] - 0.5).abs() < 1e-15));
    assert_eq!(free.count(), 23);
    // The surface is closed, and its normals point outwards.
    let six: f64 = (shown[0].triangles.iter())
        .map(|t| {
            let [a, b, c] = t.map(|i| shown[0].points[i as usize]);
            let cross = [0, 1, 2].map(|k| {
                let (m, n) = ((k + 1) % 3, (k + 2) % 3);
                b[m] * c[n] - b[n] * c[m]
            });
            (0..3).map(|k| a[k] * cross[k]).sum::<f64>()
        })
        .sum();
    assert!((six / 6.0 - 0.04_f64.powi(3)).abs() < 1e-15, "{six}");
    assert_eq!((shown[2].points.len(), shown[2].rgba), (9, BLUE));
    Ok(())
}
