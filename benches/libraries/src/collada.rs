//! COLLADA files: how many a reader takes, whether it gives the same triangles, and how long it takes.

use crate::timing::compare;
use diffsim::load::mesh_file::{MeshFormat, parse_mesh};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

type Triangle = [[f64; 3]; 3];

pub fn report(directory: &Path) -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    find(directory, &mut files)?;
    files.sort();
    let [mut both, mut same, mut other] = [0; 3];
    let mut only: [Vec<&PathBuf>; 2] = [Vec::new(), Vec::new()];
    let (mut worst, mut taken) = (0.0f64, Vec::new());
    for file in &files {
        let bytes = fs::read(file)?;
        match (ours(&bytes), theirs(&bytes)) {
            (Some(a), Some(b)) => {
                both += 1;
                match difference(&a, &b) {
                    Some(d) if d < 1e-5 => (same, worst) = (same + 1, worst.max(d)),
                    d => {
                        other += 1;
                        println!(
                            "{}: {} and {} triangles, {d:?} apart",
                            file.display(),
                            a.len(),
                            b.len()
                        );
                    }
                }
                taken.push(bytes);
            }
            (Some(_), None) => only[0].push(file),
            (None, Some(_)) => only[1].push(file),
            (None, None) => println!("{}: taken by neither", file.display()),
        }
    }
    println!(
        "{} files: {both} taken by both, {same} of them alike to {worst:.0e} of their size, {other} not",
        files.len()
    );
    for (who, only) in ["load", "mesh-loader"].iter().zip(only) {
        println!("taken by {who} alone: {}", only.len());
        only.iter()
            .for_each(|file| println!("    {}", file.display()));
    }
    compare(
        &format!(
            "{} files, {} MB",
            taken.len(),
            taken.iter().map(Vec::len).sum::<usize>() >> 20
        ),
        &mut [
            (
                "load",
                Box::new(|| {
                    taken
                        .iter()
                        .for_each(|bytes| drop(parse_mesh(bytes, MeshFormat::Collada)))
                }),
            ),
            (
                "mesh-loader",
                Box::new(|| taken.iter().for_each(|bytes| drop(parse(bytes)))),
            ),
        ],
    );
    Ok(())
}

fn find(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("dae"))
        {
            files.push(path);
        }
    }
    Ok(())
}

fn ours(bytes: &[u8]) -> Option<Vec<Triangle>> {
    let mesh = parse_mesh(bytes, MeshFormat::Collada).ok()?;
    let corner = |i: u32| mesh.vertices[i as usize].to_array();
    Some(mesh.triangles.iter().map(|t| t.map(corner)).collect())
}

fn parse(bytes: &[u8]) -> Option<mesh_loader::Scene> {
    mesh_loader::Loader::default()
        .load_collada_from_slice(bytes, "mesh.dae")
        .ok()
}

fn theirs(bytes: &[u8]) -> Option<Vec<Triangle>> {
    let scene = parse(bytes)?;
    let faces = scene.meshes.iter().flat_map(|mesh| {
        let corner = |i: u32| mesh.vertices[i as usize].map(f64::from);
        mesh.faces.iter().map(move |t| t.map(corner))
    });
    let faces: Vec<Triangle> = faces.collect();
    (!faces.is_empty()).then_some(faces)
}

/// How far the corners of two meshes are apart along four directions, each mesh's sorted along it, relative
/// to the size of the mesh; `None` where they have different numbers of triangles.
fn difference(a: &[Triangle], b: &[Triangle]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let corners = a.iter().flatten().flatten();
    let size = corners.fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let directions = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.6, 0.64, 0.48],
    ];
    let sorted = |mesh: &[Triangle], d: [f64; 3]| {
        let along = |x: &[f64; 3]| x[0] * d[0] + x[1] * d[1] + x[2] * d[2];
        let mut heights: Vec<f64> = mesh.iter().flatten().map(along).collect();
        heights.sort_unstable_by(f64::total_cmp);
        heights
    };
    let worst = directions.map(|d| {
        let pairs = sorted(a, d).into_iter().zip(sorted(b, d));
        pairs.map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
    });
    Some(worst.into_iter().fold(0.0, f64::max))
}
