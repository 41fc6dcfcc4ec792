//! The transformations of nodes.

use crate::error::Result;
use crate::load::affine::Affine;
use crate::load::xml::Element;
use crate::spatial::{Mat3, Vec3, so3_exp};

/// The transformation of a child of a <node>; `None` for other elements.
pub(super) fn transform(element: Element) -> Result<Option<Affine>> {
    Ok(Some(match element.tag() {
        "translate" => Affine {
            linear: Mat3::IDENTITY,
            offset: Vec3::from_slice(&values::<3>(element)?),
        },
        "scale" => Affine::linear(Mat3::diagonal(Vec3::from_slice(&values::<3>(element)?))),
        "rotate" => {
            let [x, y, z, degrees] = values::<4>(element)?;
            let axis = Vec3::new(x, y, z).normalized();
            let axis = axis.ok_or_else(|| element.error("the axis is zero"))?;
            Affine::linear(so3_exp(axis * degrees.to_radians()))
        }
        "matrix" => {
            let m = values::<16>(element)?;
            let column = |k: usize| Vec3::new(m[k], m[4 + k], m[8 + k]);
            Affine {
                linear: Mat3::from_columns(column(0), column(1), column(2)),
                offset: column(3),
            }
        }
        "skew" | "lookat" => {
            return Err(element.unsupported("this transformation is not read"));
        }
        _ => return Ok(None),
    }))
}

fn values<const N: usize>(element: Element) -> Result<[f64; N]> {
    let text = element.node.text().unwrap_or_default();
    let parsed: Vec<f64> = text
        .split_ascii_whitespace()
        .map_while(|word| word.parse().ok())
        .filter(|x: &f64| x.is_finite())
        .collect();
    <[f64; N]>::try_from(parsed).map_err(|_| {
        element.error(format!(
            "expected {N} finite numbers, got \"{}\"",
            text.trim()
        ))
    })
}
