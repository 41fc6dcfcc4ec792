//! Assembles the system's matrix from a dense G.

use super::face::Face;
use super::wide_face::WideFace;
use crate::linalg::{add_scaled, dispatch};

dispatch! {
    /// Lᵀ G R + Q of a dense G with n rows. `line` is scratch of n numbers.
    pub(super) fn assemble = assemble_kernel(
        values: &[f64], n: usize, faces: (&[Face], &[WideFace]), a: &mut [f64], line: &mut [f64],
    )
}

#[inline(always)]
fn assemble_kernel(
    values: &[f64],
    n: usize,
    (faces, wides): (&[Face], &[WideFace]),
    a: &mut [f64],
    line: &mut [f64],
) {
    let m = faces.last().map_or(0, |f| f.start + f.size);
    // By symmetry a column of G is also a row of G.
    let row = |r: usize| &values[r * n..(r + 1) * n];
    for face in faces {
        let out = &mut a[face.start * m..(face.start + face.size) * m];
        if let Some(wide) = face.wide.map(|k| &wides[k]) {
            for (k, out) in out.chunks_exact_mut(m).enumerate() {
                line.fill(0.0);
                for (r, left) in wide.left.iter().enumerate().take(wide.rows) {
                    add_scaled(left[k], row(face.row + r), &mut line[..n]);
                }
                times_right(&line[..n], (faces, wides), out);
                out[face.start + k] += wide.turn[k];
            }
            continue;
        }
        let Some(slide) = &face.slide else {
            for (k, out) in out.chunks_exact_mut(m).enumerate() {
                times_right(row(face.row + k), (faces, wides), out);
            }
            continue;
        };
        let (normal, across) = out.split_at_mut(m);
        times_right(row(face.row + 2), (faces, wides), normal);
        let [x, y] = slide.u.map(|u| slide.across * u);
        let tangents = row(face.row).iter().zip(row(face.row + 1));
        for (l, (g0, g1)) in line.iter_mut().zip(tangents) {
            *l = x * g1 - y * g0;
        }
        times_right(&line[..n], (faces, wides), across);
        across[face.start + 1] += slide.turn;
    }
}

/// One row of G times R.
#[inline(always)]
fn times_right(g: &[f64], (faces, wides): (&[Face], &[WideFace]), out: &mut [f64]) {
    for face in faces {
        match (&face.slide, face.wide, face.size) {
            (_, Some(wide), size) => {
                let (wide, g) = (&wides[wide], &g[face.row..face.row + face.rows]);
                let x = WideFace::restrict(&wide.right, g.iter().copied());
                out[face.start..face.start + size].copy_from_slice(&x[..size]);
            }
            (Some(slide), ..) => {
                let g = &g[face.row..face.row + 3];
                let [n, e] = slide.right([g[0], g[1], g[2]]);
                let out = &mut out[face.start..face.start + 2];
                (out[0], out[1]) = (n, e);
            }
            (None, _, 3) => {
                let (g, out) = (
                    &g[face.row..face.row + 3],
                    &mut out[face.start..face.start + 3],
                );
                (out[0], out[1], out[2]) = (g[0], g[1], g[2]);
            }
            (None, _, 1) => out[face.start] = g[face.row],
            (None, _, size) => {
                out[face.start..face.start + size].copy_from_slice(&g[face.row..face.row + size]);
            }
        }
    }
}
