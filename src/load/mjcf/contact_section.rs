//! `<contact>` and `<equality>`.

use super::Loader;
use super::defaults::MAIN;
use super::geom::LEAST_FRICTION;
use super::names::{NameMap, Names};
use super::node::Node;
use crate::error::Result;
use crate::model::spec::{EqualityKind, EqualitySpec, PairSpec, SiteSpec};
use crate::spatial::{Pose, Quat, Vec3};

impl Loader {
    pub(super) fn read_contacts(&mut self, section: Node<'_>) -> Result<()> {
        for node in section.children() {
            Names::insert(&mut self.names.contacts, node, node.name(), 0)?;
            if node.tag() == "exclude" {
                let body = |attribute| Names::find(&self.names.bodies, node, attribute);
                self.spec.excludes.push((body("body1")?, body("body2")?));
            } else {
                let mut settings = self.classes.of(node, MAIN)?.pair.clone();
                settings.read(node)?;
                if settings.condim > 3 {
                    settings.friction = settings.friction.map(|f| f.max(LEAST_FRICTION));
                }
                let geom = |attribute| Names::find(&self.names.geoms, node, attribute);
                self.spec.pairs.push(PairSpec {
                    geom1: geom("geom1")?,
                    geom2: geom("geom2")?,
                    friction: Some(settings.friction),
                    condim: Some(settings.condim),
                    margin: Some(settings.margin),
                    gap: Some(settings.gap),
                });
            }
        }
        Ok(())
    }

    pub(super) fn read_equalities(&mut self, section: Node<'_>) -> Result<()> {
        for node in section.children() {
            let mut settings = self.classes.of(node, MAIN)?.equality.clone();
            settings.read(node)?;
            let active = settings.active && self.options.equality;
            Names::insert(&mut self.names.equalities, node, node.name(), 0)?;
            let Some(kind) = self.equality_kind(node, active)? else {
                self.warnings.add(
                    node,
                    "an inactive equality of an unsupported kind is left out",
                );
                continue;
            };
            self.spec.equalities.push(EqualitySpec {
                name: node.name().to_string(),
                active,
                kind,
                origin: node.origin(),
            });
        }
        Ok(())
    }

    /// The kind of an equality; `None` for an inactive one of an unsupported kind.
    fn equality_kind(&self, node: Node<'_>, active: bool) -> Result<Option<EqualityKind>> {
        let refuse = |what: &str| {
            if active {
                Err(node.unsupported(format!("{what} is not supported")))
            } else {
                Ok(None)
            }
        };
        let body = |attribute: &str| match node.text(attribute) {
            None if attribute == "body2" => Ok(0),
            _ => Names::find(&self.names.bodies, node, attribute),
        };
        match node.tag() {
            "connect" | "weld" if node.has("site1") || node.has("site2") => {
                self.sites_equality(node).map(Some)
            }
            "connect" => Ok(Some(EqualityKind::Connect {
                body1: body("body1")?,
                body2: body("body2")?,
                anchor: node
                    .vec3("anchor")?
                    .ok_or_else(|| node.error("attribute anchor is missing"))?,
            })),
            "weld" => {
                let relative = match node.array::<7>("relpose")? {
                    Some([x, y, z, qw, qx, qy, qz]) if [qw, qx, qy, qz] != [0.0; 4] => Some(
                        Pose::from_quat(Quat::new(qx, qy, qz, qw).normalized(), Vec3::new(x, y, z)),
                    ),
                    _ => None,
                };
                Ok(Some(EqualityKind::Weld {
                    body1: body("body1")?,
                    body2: body("body2")?,
                    anchor: node.vec3("anchor")?.unwrap_or_default(),
                    relative,
                    torque_scale: node.magnitude("torquescale")?.unwrap_or(1.0),
                }))
            }
            "joint" => {
                let of = (&self.names.joints, ["joint1", "joint2"]);
                let (joint1, joint2, coefficients) = polynomial(node, of)?;
                Ok(Some(EqualityKind::Joint {
                    joint1,
                    joint2,
                    coefficients,
                    dofs: [0; 2],
                }))
            }
            "tendon" => {
                let of = (&self.names.tendons, ["tendon1", "tendon2"]);
                let (tendon1, tendon2, coefficients) = polynomial(node, of)?;
                Ok(Some(EqualityKind::Tendon {
                    tendon1,
                    tendon2,
                    coefficients,
                }))
            }
            _ => refuse("this kind of equality"),
        }
    }

    /// Two sites that coincide: either only their points, or also their axes.
    fn sites_equality(&self, node: Node<'_>) -> Result<EqualityKind> {
        for other in ["body1", "body2", "anchor", "relpose"] {
            if node.has(other) {
                return Err(node.error(format!(
                    "expected site1 and site2, or bodies with their points, found {other} beside sites"
                )));
            }
        }
        let site = |attribute| -> Result<&SiteSpec> {
            let id = Names::find(&self.names.sites, node, attribute)?;
            Ok(&self.spec.sites[id])
        };
        let (first, second) = (site("site1")?, site("site2")?);
        let turn = first
            .placement
            .rot
            .mul_mat(&second.placement.rot.transpose());
        Ok(EqualityKind::Weld {
            body1: first.body,
            body2: second.body,
            anchor: second.placement.pos,
            relative: Some(Pose::new(turn, first.placement.pos)),
            torque_scale: match node.tag() {
                "connect" => 0.0,
                _ => node.magnitude("torquescale")?.unwrap_or(1.0),
            },
        })
    }
}

/// The follower, the leader if there is one, and the coefficients of the polynomial between them.
fn polynomial(
    node: Node<'_>,
    (names, [first, second]): (&NameMap, [&str; 2]),
) -> Result<(String, Option<String>, [f64; 5])> {
    let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
    node.numbers("polycoef", 1, &mut coefficients)?;
    let name = |attribute| {
        let found = Names::find(names, node, attribute);
        found.map(|_| node.text(attribute).unwrap_or_default().to_string())
    };
    let leader = node.has(second).then(|| name(second)).transpose()?;
    Ok((name(first)?, leader, coefficients))
}
