//! Which geoms may touch: MuJoCo's rules. The margins of two geoms add up, as in MuJoCo 4.0.

use crate::model::Model;
use crate::model::spec::GeomSpec;
use crate::model::topology::WORLD;

/// Two geoms that may touch, a before b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenePair {
    pub a: usize,
    pub b: usize,
    /// 1: frictionless, 3: sliding friction, 4: with torsion, 6: with rolling.
    pub condim: i32,
    /// Source of the coefficients: one of the geoms, both of them, or fixed numbers.
    pub friction: PairFriction,
    /// Distance at which a contact enters the step [m].
    pub margin: f64,
}

/// How the sliding coefficients of two geoms of equal priority combine. The torsional and rolling
/// coefficients are lengths; of these the larger one counts with every rule.
#[repr(i32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionRule {
    /// The larger one, as in MuJoCo.
    #[default]
    Larger = 0,
    /// 2 μ₁ μ₂/(μ₁ + μ₂), as in Drake.
    Harmonic = 1,
    /// μ₁ μ₂.
    Product = 2,
}

impl FrictionRule {
    /// The coefficient of a pair.
    pub fn combine(self, [a, b]: [f64; 2]) -> f64 {
        match self {
            FrictionRule::Larger => a.max(b),
            FrictionRule::Harmonic if a + b > 0.0 => 2.0 * a * (b / (a + b)),
            FrictionRule::Harmonic => 0.0,
            FrictionRule::Product => a * b,
        }
    }

    /// Slopes of the coefficient of a pair by both coefficients; of two equal ones, the first one counts
    /// as the larger.
    fn slopes(self, [a, b]: [f64; 2]) -> [f64; 2] {
        match self {
            FrictionRule::Larger if a >= b => [1.0, 0.0],
            FrictionRule::Larger => [0.0, 1.0],
            FrictionRule::Harmonic if a + b > 0.0 => {
                [b, a].map(|other| 2.0 * (other / (a + b)).powi(2))
            }
            FrictionRule::Harmonic => [0.0; 2],
            FrictionRule::Product => [b, a],
        }
    }
}

/// The friction of a pair: sliding, torsional [m] and rolling [m] coefficients. They are components 0
/// to 2 of a geom's friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairFriction {
    OfGeom(usize),
    Both([usize; 2], FrictionRule),
    /// Sliding, torsional, rolling about the first and about the second tangent.
    Fixed([f64; 4]),
}

impl PairFriction {
    pub const NONE: PairFriction = PairFriction::Fixed([0.0; 4]);

    /// Slope of a coefficient by that of a geom; of two equal ones of which the larger counts, the first
    /// one is the larger.
    pub fn by_geom(self, friction: &[[f64; 3]], component: usize, geom: usize) -> f64 {
        match self {
            PairFriction::OfGeom(g) => f64::from(u8::from(g == geom)),
            PairFriction::Both(geoms, rule) => {
                let own = geoms.map(|g| friction[g][component]);
                let slopes = of_component(rule, component).slopes(own);
                let both = geoms.into_iter().zip(slopes);
                both.filter(|(g, _)| *g == geom).map(|(_, by)| by).sum()
            }
            PairFriction::Fixed(_) => 0.0,
        }
    }

    /// Both geoms, if the larger coefficient counts and the coefficients are equal.
    pub fn tied(self, friction: &[[f64; 3]], component: usize) -> Option<[usize; 2]> {
        match self {
            PairFriction::Both([a, b], rule)
                if of_component(rule, component) == FrictionRule::Larger
                    && friction[a][component] == friction[b][component] =>
            {
                Some([a, b])
            }
            _ => None,
        }
    }

    /// The sliding coefficient.
    pub fn sliding(self, friction: &[[f64; 3]]) -> f64 {
        self.of(friction, 0, 0)
    }

    /// The torsional coefficient, and the rolling coefficients about the two tangents [m].
    pub fn torsion(self, friction: &[[f64; 3]]) -> [f64; 3] {
        [(1, 1), (2, 2), (2, 3)].map(|(component, own)| self.of(friction, component, own))
    }

    fn of(self, friction: &[[f64; 3]], component: usize, own: usize) -> f64 {
        match self {
            PairFriction::OfGeom(g) => friction[g][component],
            PairFriction::Both(geoms, rule) => {
                of_component(rule, component).combine(geoms.map(|g| friction[g][component]))
            }
            PairFriction::Fixed(all) => all[own],
        }
    }
}

/// The rule for a component of friction: torsional and rolling coefficients are lengths.
fn of_component(rule: FrictionRule, component: usize) -> FrictionRule {
    match component {
        0 => rule,
        _ => FrictionRule::Larger,
    }
}

#[derive(Clone, Copy, Debug)]
struct Filter {
    body: u32,
    link: u32,
    /// The nearest ancestor link that carries a body.
    above: u32,
    contype: u32,
    conaffinity: u32,
    condim: i32,
    priority: i32,
    margin: f64,
    gap: f64,
    /// A plane or a height field: two of these never touch.
    ground: bool,
}

#[derive(Clone, Copy, Debug)]
struct Explicit {
    condim: Option<i32>,
    friction: Option<[f64; 4]>,
    margin: Option<f64>,
    gap: Option<f64>,
}

const NO_LINK: u32 = u32::MAX;

/// Decides on any pair, without a list of all pairs.
#[derive(Clone, Debug)]
pub struct Rules {
    geoms: Vec<Filter>,
    /// Sorted, smaller index first.
    excludes: Vec<(u32, u32)>,
    explicit: Vec<((u32, u32), Explicit)>,
    /// The user's choices on pairs, sorted.
    chosen: Vec<((u32, u32), bool)>,
    /// Marked geoms: every pair must include one. Empty for all pairs.
    about: Vec<bool>,
    friction: FrictionRule,
}

fn ordered(a: usize, b: usize) -> (u32, u32) {
    (a.min(b) as u32, a.max(b) as u32)
}

impl Rules {
    pub fn new(model: &Model) -> Rules {
        let links = &model.topology().links;
        let mut carries = vec![false; links.len()];
        for b in model.bodies() {
            if b.link != WORLD {
                carries[b.link] = true;
            }
        }
        let above = |link: usize| {
            if link == WORLD || model.parents_touch() {
                return NO_LINK;
            }
            let mut up = links[link].parent;
            while up != WORLD && !carries[up] {
                up = links[up].parent;
            }
            if up == WORLD { NO_LINK } else { up as u32 }
        };
        let mut excludes: Vec<_> = model
            .excludes()
            .iter()
            .map(|&(a, b)| ordered(a, b))
            .collect();
        excludes.sort_unstable();
        let mut explicit: Vec<_> = model
            .pairs()
            .iter()
            .map(|p| {
                let e = Explicit {
                    condim: p.condim,
                    friction: p.friction.map(|[s, _, t, r1, r2]| [s, t, r1, r2]),
                    margin: p.margin,
                    gap: p.gap,
                };
                (ordered(p.geom1, p.geom2), e)
            })
            .collect();
        // The first of two entries on one pair counts.
        explicit.sort_by_key(|e| e.0);
        explicit.dedup_by_key(|e| e.0);
        let filter = |g: &GeomSpec| {
            let link = model.bodies()[g.body].link;
            Filter {
                body: g.body as u32,
                link: if link == WORLD { NO_LINK } else { link as u32 },
                above: above(link),
                contype: g.contype,
                conaffinity: g.conaffinity,
                condim: g.condim,
                priority: g.priority,
                margin: g.margin,
                gap: g.gap,
                ground: g.shape.is_ground(),
            }
        };
        let chosen = model.chosen_pairs().iter();
        Rules {
            geoms: model.geoms().iter().map(filter).collect(),
            excludes,
            explicit,
            chosen: chosen.map(|&([a, b], on)| (ordered(a, b), on)).collect(),
            about: Vec::new(),
            friction: FrictionRule::default(),
        }
    }

    /// Combines the friction of geoms by this rule.
    pub fn with_friction(mut self, rule: FrictionRule) -> Rules {
        self.friction = rule;
        self
    }

    /// Leaves out the pairs without a marked geom.
    pub fn about(mut self, marked: Vec<bool>) -> Rules {
        self.about = marked;
        self
    }

    /// Takes over the user's choices from other rules.
    pub fn choose_as(&mut self, other: &Rules) {
        self.chosen.clone_from(&other.chosen);
    }

    /// Bound on the sliding coefficient of pairs of geoms with these coefficients.
    pub fn most_friction(&self, friction: &[[f64; 3]]) -> f64 {
        let geoms = friction.iter().fold(0.0f64, |most, mu| most.max(mu[0]));
        let own = self.explicit.iter().filter_map(|(_, e)| e.friction);
        // One of the geoms alone may count.
        let pairs = geoms.max(self.friction.combine([geoms; 2]));
        own.fold(pairs, |most, [sliding, ..]| most.max(sliding))
    }

    /// Distance beyond the margin up to which adhesion acts in full on a pair [m].
    pub fn gap(&self, [a, b]: [usize; 2]) -> f64 {
        let own = lookup(&self.explicit, ordered(a, b)).and_then(|e| e.gap);
        own.unwrap_or(self.geoms[a].gap + self.geoms[b].gap)
    }

    /// Sets the user's choice on a pair, which overrides all other rules. The caller checks it with
    /// [`Model::check_pair`].
    pub fn choose(&mut self, a: usize, b: usize, enabled: bool) {
        let key = ordered(a, b);
        match self.chosen.binary_search_by_key(&key, |c| c.0) {
            Ok(i) => self.chosen[i].1 = enabled,
            Err(i) => self.chosen.insert(i, (key, enabled)),
        }
    }

    /// Explicit and enabled pairs that may touch, smaller index first. Some appear twice.
    pub fn wanted(&self) -> impl Iterator<Item = (usize, usize)> {
        let chosen = self.chosen.iter().filter(|c| c.1).map(|c| c.0);
        let all = self.explicit.iter().map(|e| e.0).chain(chosen);
        all.map(|(a, b)| (a as usize, b as usize))
            .filter(|&(a, b)| self.pair(a, b).is_some())
    }

    /// `contype` and `conaffinity` of a geom.
    pub fn masks(&self, geom: usize) -> (u32, u32) {
        (self.geoms[geom].contype, self.geoms[geom].conaffinity)
    }

    /// The margin of a geom [m].
    pub fn margin(&self, geom: usize) -> f64 {
        self.geoms[geom].margin
    }

    pub fn condim(&self, geom: usize) -> i32 {
        self.geoms[geom].condim
    }

    /// The pair (a, b) with a < b, if it may touch.
    #[inline]
    pub fn pair(&self, a: usize, b: usize) -> Option<ScenePair> {
        let (fa, fb) = (&self.geoms[a], &self.geoms[b]);
        if fa.ground && fb.ground {
            return None;
        }
        if !self.about.is_empty() && !self.about[a] && !self.about[b] {
            return None;
        }
        let key = (a as u32, b as u32);
        let explicit = lookup(&self.explicit, key);
        match lookup(&self.chosen, key) {
            Some(false) => return None,
            Some(true) => {}
            None => {
                if explicit.is_none() && self.is_filtered(fa, fb) {
                    return None;
                }
            }
        }
        let (mut condim, mut friction) = match fa.priority.cmp(&fb.priority) {
            std::cmp::Ordering::Greater => (fa.condim, PairFriction::OfGeom(a)),
            std::cmp::Ordering::Less => (fb.condim, PairFriction::OfGeom(b)),
            std::cmp::Ordering::Equal => (
                fa.condim.max(fb.condim),
                PairFriction::Both([a, b], self.friction),
            ),
        };
        let mut margin = fa.margin + fb.margin;
        if let Some(e) = explicit {
            condim = e.condim.unwrap_or(condim);
            margin = e.margin.unwrap_or(margin);
            if let Some(all) = e.friction {
                friction = PairFriction::Fixed(all);
            }
        }
        Some(ScenePair {
            a,
            b,
            condim,
            friction,
            margin,
        })
    }

    #[inline]
    fn is_filtered(&self, a: &Filter, b: &Filter) -> bool {
        let masks = a.contype & b.conaffinity | b.contype & a.conaffinity;
        let parent = |child: &Filter, parent: &Filter| {
            parent.link != NO_LINK && child.link != NO_LINK && child.above == parent.link
        };
        let key = (a.body.min(b.body), a.body.max(b.body));
        masks == 0
            || a.link == b.link
            || parent(a, b)
            || parent(b, a)
            || self.excludes.binary_search(&key).is_ok()
    }
}

#[inline]
fn lookup<T: Copy>(list: &[((u32, u32), T)], key: (u32, u32)) -> Option<T> {
    if list.is_empty() {
        return None;
    }
    list.binary_search_by_key(&key, |e| e.0)
        .ok()
        .map(|i| list[i].1)
}
