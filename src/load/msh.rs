//! MSH, MuJoCo's own binary format (<https://mujoco.readthedocs.io/en/stable/XMLreference.html#asset-mesh>):
//! four counts, then vertices, normals, texture coordinates and faces.

use super::soup::{MAX_TRIANGLES, Soup, too_many};
use crate::error::{Error, Result};
use crate::spatial::Vec3;

/// Bytes of the counts.
const HEADER: usize = 16;

pub(super) fn read(bytes: &[u8], soup: &mut Soup) -> Result<()> {
    let (header, rest) = bytes.split_at_checked(HEADER).ok_or_else(|| {
        Error::parse(format!(
            "truncated MSH: its counts are {HEADER} bytes, the file has {}",
            bytes.len()
        ))
    })?;
    let mut counts = [0_u64; 4];
    for ((count, word), name) in counts.iter_mut().zip(words(header)).zip([
        "vertices",
        "normals",
        "texture coordinates",
        "faces",
    ]) {
        let found = i32::from_le_bytes(word);
        *count = u64::try_from(found)
            .map_err(|_| Error::parse(format!("the number of {name} is negative: {found}")))?;
    }
    let [vertices, normals, texture, faces] = counts;
    let beside = 4 * (3 * normals + 2 * texture);
    let wanted = 4 * (3 * vertices + 3 * faces) + beside;
    if wanted != rest.len() as u64 {
        return Err(Error::parse(format!(
            "an MSH of {vertices} vertices, {normals} normals, {texture} texture coordinates and {faces} faces has {} \
             bytes, the file has {}",
            wanted + HEADER as u64,
            bytes.len()
        )));
    }
    if faces > MAX_TRIANGLES as u64 {
        return Err(too_many(Some(faces as usize)));
    }
    // All of them lie within the file.
    let (points, rest) = rest.split_at(12 * vertices as usize);
    for point in points.chunks_exact(12) {
        let mut numbers = words(point).map(|word| f64::from(f32::from_le_bytes(word)));
        let [x, y, z] = [(); 3].map(|()| numbers.next().unwrap_or_default());
        soup.vertex(Vec3::new(x, y, z))?;
    }
    for face in rest[beside as usize..].chunks_exact(12) {
        let mut corners = words(face).map(u32::from_le_bytes);
        soup.triangle([(); 3].map(|()| corners.next().unwrap_or_default()))?;
    }
    Ok(())
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> + '_ {
    bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]])
}

#[cfg(test)]
mod tests {
    use crate::error::Status;
    use crate::load::mesh_file::{MeshFormat, parse_mesh};

    /// A tetrahedron with these numbers of normals and texture coordinates.
    fn tetrahedron(normals: i32, texture: i32, faces: &[[i32; 3]]) -> Vec<u8> {
        let counts = [4, normals, texture, faces.len() as i32];
        let mut bytes: Vec<u8> = counts.iter().flat_map(|n| n.to_le_bytes()).collect();
        let corners = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0_f32],
        ];
        let beside = vec![7.0; (3 * normals + 2 * texture) as usize];
        let numbers = corners.iter().flatten().chain(&beside);
        bytes.extend(numbers.flat_map(|x| x.to_le_bytes()));
        bytes.extend(faces.iter().flatten().flat_map(|i| i.to_le_bytes()));
        bytes
    }

    const FACES: [[i32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    #[test]
    fn a_tetrahedron_with_and_without_what_is_passed_over() {
        for (normals, texture) in [(0, 0), (4, 0), (4, 4), (0, 3)] {
            let mesh = parse_mesh(&tetrahedron(normals, texture, &FACES), MeshFormat::Msh).unwrap();
            assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
            assert!((mesh.solid().mass - 1.0 / 6.0).abs() < 1e-15);
        }
    }

    #[test]
    fn broken_files_are_refused_by_name_of_the_fault() {
        let whole = tetrahedron(4, 4, &FACES);
        let mut negative = whole.clone();
        negative[4..8].copy_from_slice(&(-1_i32).to_le_bytes());
        let mut huge = whole.clone();
        huge[..16].fill(0x7f);
        let mut nan = whole.clone();
        nan[20..24].copy_from_slice(&f32::NAN.to_le_bytes());
        for (bytes, message) in [
            (&whole[..15], "truncated MSH"),
            (
                &whole[..whole.len() - 1],
                "4 faces has 192 bytes, the file has 191",
            ),
            (&negative, "number of normals is negative: -1"),
            (&huge, "the file has 192"),
            (&nan, "not finite"),
            (&tetrahedron(0, 0, &[[0, 1, 4]]), "vertex 4"),
            (&tetrahedron(0, 0, &[[0, 1, -1]]), "vertex 4294967295"),
            (&tetrahedron(0, 0, &[]), "no triangles"),
        ] {
            let e = parse_mesh(bytes, MeshFormat::Msh).unwrap_err();
            assert_eq!(e.status, Status::Parse, "{}", e.message);
            assert!(e.message.contains(message), "{message}: {}", e.message);
        }
    }
}
