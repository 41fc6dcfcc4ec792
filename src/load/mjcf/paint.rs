//! Colours, for drawing only. An unreadable colour is left out.

use super::node::Node;
use crate::load::soup::{Rgba, UNPAINTED};
use std::collections::HashMap;

/// `rgba` and `material` of an element.
#[derive(Clone, Default)]
pub(super) struct Paint {
    rgba: Option<Rgba>,
    material: Option<String>,
}

impl Paint {
    pub fn read(&mut self, node: Node<'_>) {
        if let Ok(Some(rgba)) = node.array::<4>("rgba") {
            self.rgba = Some(rgba.map(|x| x.clamp(0.0, 1.0) as f32));
        }
        if let Some(name) = node.text("material") {
            self.material = Some(name.to_owned());
        }
    }

    /// The colour of an element. Its own colour takes precedence over that of its material.
    pub fn colour(&self, materials: &Materials) -> Rgba {
        let material = self.material.as_ref();
        let of_material = || material.and_then(|m| materials.0.get(m).copied());
        self.rgba.or_else(of_material).unwrap_or(UNPAINTED)
    }
}

/// Colours of materials by name.
#[derive(Default)]
pub(super) struct Materials(HashMap<String, Rgba>);

impl Materials {
    /// Reads a material that starts from `paint`. A material with a texture only has no colour.
    pub fn read(&mut self, node: Node<'_>, mut paint: Paint) {
        paint.read(node);
        if let Some(rgba) = paint.rgba {
            self.0.insert(node.name().to_owned(), rgba);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::load::mjcf::{MjcfOptions, read_str};

    #[test]
    fn geoms_have_their_own_colour_or_their_material_s() {
        let text = r#"<mujoco>
        <default><default class="red"><geom rgba="1 0 0 1"/><material rgba="0 0 1 1"/></default></default>
        <worldbody>
          <geom size="1" rgba="0.5 0.25 0 2"/>
          <geom size="1" material="steel"/>
          <geom size="1" material="steel" rgba="0 1 0 1"/>
          <geom size="1" class="red"/>
          <geom size="1" material="classy"/>
          <geom size="1"/>
          <geom size="1" material="wood"/>
          <geom size="1" rgba="not a colour"/>
        </worldbody>
        <asset><material name="steel" rgba="0.25 0.5 0.75 1"/><material name="classy" class="red"/>
          <material name="wood"/></asset></mujoco>"#;
        let spec = read_str(text, None, &MjcfOptions::default()).expect("a model");
        let found: Vec<_> = spec.geoms.iter().map(|g| g.rgba).collect();
        let want = [
            [0.5, 0.25, 0.0, 1.0],
            [0.25, 0.5, 0.75, 1.0],
            [0.0, 1.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, 1.0],
        ];
        assert_eq!(found[..5], want);
        assert!(found[5..].iter().flatten().all(|x| x.is_nan()));
    }
}
