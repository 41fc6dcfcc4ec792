//! The colours of COLLADA's materials: for drawing, never for collision. A colour that cannot be resolved is
//! left out.

use crate::load::soup::{Paint as Colour, UNPAINTED};
use crate::load::texture::Textures;
use crate::load::xml::Element;
use std::collections::HashMap;

/// The colours that an instance of a geometry binds to the symbols of its parts.
#[derive(Default)]
pub(super) struct Paint<'a>(HashMap<&'a str, Colour>);

impl<'a> Paint<'a> {
    /// Of an `<instance_geometry>`.
    pub(super) fn of<'d: 'a>(
        instance: Element<'a, 'd>,
        by_id: &HashMap<&'a str, Element<'a, 'd>>,
        textures: &mut Textures,
    ) -> Paint<'a> {
        let bound = ["bind_material", "technique_common"]
            .iter()
            .try_fold(instance, |e, tag| e.child(tag).ok()?);
        let materials = bound.into_iter().flat_map(|b| b.children());
        Paint(
            materials
                .filter_map(|m| Some((m.attribute("symbol")?, diffuse(m, by_id, textures)?)))
                .collect(),
        )
    }

    pub(super) fn get(&self, symbol: Option<&str>) -> Colour {
        let colour = symbol.and_then(|s| self.0.get(s));
        colour.copied().unwrap_or((UNPAINTED, 0))
    }
}

/// The diffuse colour of the material that an `<instance_material>` names, or its texture.
fn diffuse<'a, 'd: 'a>(
    instance: Element<'a, 'd>,
    by_id: &HashMap<&'a str, Element<'a, 'd>>,
    textures: &mut Textures,
) -> Option<Colour> {
    let target = |e: Element<'a, 'd>, attribute| {
        let id = e.attribute(attribute)?.strip_prefix('#')?;
        by_id.get(id).copied()
    };
    let material = target(instance, "target")?;
    let effect = target(material.child("instance_effect").ok()??, "url")?;
    let profile = effect.child("profile_COMMON").ok()??;
    let technique = profile.child("technique").ok()??;
    let shader = technique
        .children()
        .find(|c| matches!(c.tag(), "phong" | "lambert" | "blinn"))?;
    let diffuse = shader.child("diffuse").ok()??;
    if let Some(texture) = diffuse.child("texture").ok()? {
        // A sampler, whose surface names the image; some files name the image itself.
        let given = texture.attribute("texture")?;
        let parameter = |sid: &str, kind: &str, tag: &str| -> Option<String> {
            let named = |e: &Element| e.tag() == "newparam" && e.attribute("sid") == Some(sid);
            let found = profile.children().find(named)?.child(kind).ok()??;
            Some(found.child(tag).ok()??.node.text()?.trim().to_owned())
        };
        let surface = parameter(given, "sampler2D", "source");
        let image = surface.and_then(|s| parameter(&s, "surface", "init_from"));
        let image = by_id.get(image.as_deref().unwrap_or(given))?;
        let file = image.child("init_from").ok()??;
        // In COLLADA 1.5 the name is in a <ref>.
        let file = file.child("ref").ok()?.unwrap_or(file);
        let ([r, g, b], image) = textures.file(file.node.text()?.trim())?;
        return Some(([r, g, b, 1.0], image));
    }
    let text = diffuse.child("color").ok()??;
    let words = text.node.text()?.split_ascii_whitespace();
    let mut rgba = [1.0; 4];
    for (x, word) in rgba.iter_mut().zip(words) {
        *x = word.parse::<f32>().ok()?.clamp(0.0, 1.0);
    }
    Some((rgba, 0))
}

#[cfg(test)]
mod tests {
    use crate::load::parts::load_parts;
    use std::error::Error;

    /// Two triangles in a red and an unpainted part.
    const FILE: &str = r##"<COLLADA>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>
<diffuse><color>1 0.25 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles material="red"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
<triangles material="other"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 3 0 3 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="red" target="#m"/><instance_material symbol="other" target="#nothing"/>
</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"##;

    #[test]
    fn parts_have_the_colours_of_their_materials() -> Result<(), Box<dyn Error>> {
        let path = std::env::temp_dir().join(format!("diffsim_paint_{}.dae", std::process::id()));
        std::fs::write(&path, FILE)?;
        let parts = load_parts(&path);
        std::fs::remove_file(&path)?;
        let parts = parts?.pieces;
        assert_eq!(parts.len(), 2);
        let (red, other) = (&parts[0], &parts[1]);
        assert_eq!((red.0.vertices.len(), red.0.triangles.len()), (3, 1));
        assert_eq!(red.1, [1.0, 0.25, 0.0, 1.0]);
        assert_eq!((other.0.vertices.len(), other.0.triangles.len()), (4, 2));
        assert!(other.1.iter().all(|x| x.is_nan()));
        Ok(())
    }
}
