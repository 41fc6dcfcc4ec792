//! The search for contacts: the broad phase finds the pairs that are near enough, the narrow phase
//! their contacts.
//!
//! A step calls [`Scene::place`], [`Scene::speculate`] and [`Scene::collide`]. After its solution it
//! calls [`Scene::misses`].

use super::Scene;
use super::broad::{Broad, List, Sweep};
use super::face::Face;
use super::found::{Found, SceneContact, pair_key};
use super::narrow;
use super::pairs::ScenePair;
use super::statics::{Statics, cube};
use crate::collision::ContactPoint;
use crate::collision::approach::{Approach, Ball, stretch};
use crate::collision::patch::{self, Press};
use crate::dynamics::kinematics::Kinematics;
use crate::error::{Error, Result};
use crate::linalg::dispatch;
use crate::model::Model;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::{Pose, Twist, Vec3};

impl Scene {
    /// Places the geoms. No motion is predicted.
    pub fn place(&mut self, model: &Model, kin: &Kinematics) {
        place(self, model, kin);
        self.meetings.clear();
    }

    #[inline(always)]
    fn place_kernel(&mut self, model: &Model, kin: &Kinematics) {
        let links = &model.topology().links[..];
        let (centers, arms) = (&mut self.centers[..], &mut self.arms[..]);
        let places = centers.iter_mut().zip(arms).zip(&self.bounds);
        let places = places.zip(&mut self.frames);
        for (i, (l, (((center, arm), (c, _)), frame))) in links.iter().zip(places).enumerate() {
            *frame = kin.link_pose(model, i);
            *center = frame.point(*c);
            *arm = *center - kin.origin[l.tree];
        }
        self.placed.fill(false);
        self.motions.clear();
    }

    /// Places the geoms of two links as well. They are needed only where the links come near something.
    fn place_geoms(&mut self, link: [usize; 2]) {
        for link in link {
            if self.placed.get(link) != Some(&false) {
                continue;
            }
            self.placed[link] = true;
            let frame = self.frames[link];
            let own = self.of_link[link] as usize..self.of_link[link + 1] as usize;
            for &i in &self.moving[own] {
                let (i, g) = (i as usize, &self.geoms[i as usize]);
                self.poses[i] = frame.compose(&g.in_link);
                self.middles[i] = frame.point(g.centre);
            }
        }
    }

    /// Places the geoms of all links.
    pub(super) fn place_all(&mut self) {
        for link in 0..self.placed.len() {
            self.place_geoms([link; 2]);
        }
    }

    /// Takes which dofs are prescribed. Bodies that only prescribed dofs move against each other do not
    /// collide.
    pub fn drive(&mut self, t: &Topology, prescribed: &[bool]) {
        self.carriers.take(t, |k| !prescribed[k]);
    }

    /// Predicts the links' motion for a step. Velocities are spatial, about the origins of the links'
    /// trees. `start`: at the start of the step. `free`: after the step's forces without contacts.
    /// Contacts are searched along `start`, and farther by the path of `free − start` within `horizon`
    /// [s], because contacts may take back any part of that change.
    pub fn speculate(&mut self, start: &[Twist], free: &[Twist], horizon: f64) {
        self.offer(start);
        self.motions.measure_offer();
        self.motions.accept();
        self.offer(free);
        self.motions.allow_change(self.reach(horizon));
    }

    /// Takes the friction coefficients of the geoms, for compliant contacts. These act on a sliding
    /// body up to μ ‖w_T‖ h above the surface.
    pub fn glide(&mut self, friction: &[[f64; 3]]) {
        self.friction.clear();
        self.friction.extend_from_slice(friction);
        self.stretch = stretch(self.rules.most_friction(friction));
    }

    /// Search distance within a time per unit of speed.
    fn reach(&self, time: f64) -> f64 {
        time * self.stretch
    }

    fn gliding(&self, approach: &Approach, pair: &ScenePair) -> Approach {
        let approach = approach.sinking(self.sinking([pair.a, pair.b]));
        match !self.sinks() || pair.condim == 1 {
            true => approach,
            false => approach.gliding(pair.friction.sliding(&self.friction)),
        }
    }

    fn offer(&mut self, twists: &[Twist]) {
        let about_centre = |(v, arm): (&Twist, &Vec3)| Twist::new(v.at(*arm), v.ang);
        self.motions
            .offer(twists.iter().zip(&self.arms).map(about_centre));
    }

    /// Finds the contacts of the geoms as placed: all points with a gap of at most the pair's margin,
    /// and points whose gap a predicted motion could close within `horizon` [s]. Returns whether the
    /// contacts differ from those of the last search.
    ///
    /// # Errors
    /// `Capacity` if there are more contacts than the scene has capacity for, `Numerical` if one is not
    /// finite. There are no contacts then.
    pub fn collide(&mut self, horizon: f64) -> Result<bool> {
        self.found.begin();
        let done = self.with_broad(|scene, broad| match broad {
            Broad::List(list) => {
                scene.collide_list(list, horizon);
                Ok(())
            }
            Broad::Sweep(sweep) => scene.collide_sweep(sweep, horizon),
        });
        self.with_statics(|scene, statics| scene.look_up(statics, horizon));
        let changed = self.found.end();
        match done {
            Ok(()) if self.meetings.on => {
                let changed = changed?;
                self.sort_out()?;
                Ok(changed)
            }
            Ok(()) => changed,
            Err(e) => {
                self.found.clear();
                Err(e)
            }
        }
    }

    /// Takes the broad phase out of the scene while it hands pairs to the scene.
    fn with_broad<T>(
        &mut self,
        run: impl FnOnce(&mut Scene, &mut Broad) -> Result<T>,
    ) -> Result<T> {
        let Some(mut broad) = self.broad.take() else {
            return Err(Error::internal("the broad phase of the scene is missing"));
        };
        let done = run(self, &mut broad);
        self.broad = Some(broad);
        done
    }

    fn collide_list(&mut self, list: &mut List, horizon: f64) {
        let reach = self.reach(horizon);
        (list.watch).advance(&self.frames, &self.centers, &self.bounds);
        let most = self.farthest(|link| {
            let (slack, motions) = (self.motions.slack(link), &self.motions);
            [motions.speed(link), motions.absolute(link)].map(|speed| slack + reach * speed)
        });
        let far = most.map(|most| most + self.wider);
        let mut next = 0;
        while let Some(index) = Scene::next_awake(list, next, far) {
            next = index + 1;
            let group = list.groups[index];
            let link = group.link.map(|l| self.slot(l));
            let margin = self.slack(link);
            let work_budget = margin + reach * self.motions.fastest(link);
            if self.keeps_apart(list, index, work_budget)
                || !group.unbounded && !self.is_near(link, work_budget + group.margin)
            {
                continue;
            }
            self.place_geoms(link);
            let before = self.found.count;
            let mut approach = None;
            for (balls, i) in list.balls[group.first..group.end].iter().zip(group.first..) {
                let apart = self.middles[balls.a as usize] - self.middles[balls.b as usize];
                let far = balls.reach + work_budget;
                let pair = &list.pairs[i];
                // Balls do not bound the distance to a plane. This test is cheaper than the links'
                // motions.
                let is_near = apart.norm_squared() <= far * far
                    && (!group.unbounded || self.is_pair_near(pair, pair.margin + work_budget));
                if is_near {
                    let approach = approach
                        .get_or_insert_with(|| self.motions.approach(link, &self.centers, horizon));
                    self.collide_pair(pair, approach, margin);
                }
            }
            if self.found.count == before {
                self.measure(list, index, work_budget);
            }
        }
    }

    fn collide_sweep(&mut self, sweep: &mut Sweep, horizon: f64) -> Result<()> {
        self.place_all();
        let moves = |scene: &Scene, g: usize| {
            let link = scene.slot(scene.geoms[g].link);
            let motions = &scene.motions;
            0.5 * scene.wider + motions.slack(link) + scene.reach(horizon) * motions.speed(link)
        };
        for &(a, b) in self.sweep(sweep, moves)? {
            if let Some(pair) = self.rules.pair(a as usize, b as usize) {
                let link = self.slots(&pair);
                let approach = self.motions.approach(link, &self.centers, horizon);
                self.collide_pair(&pair, &approach, self.slack(link));
            }
        }
        Ok(())
    }

    /// Pairs that are near each other if each geom may move by `moves`.
    fn sweep<'a>(
        &self,
        sweep: &'a mut Sweep,
        moves: impl Fn(&Scene, usize) -> f64,
    ) -> Result<&'a [(u32, u32)]> {
        sweep.find(
            &self.rules,
            |g| (self.middles[g], self.geoms[g].radius + moves(self, g)),
            |p, g| {
                let plane = &self.poses[p];
                let height = plane.rot.c[2].dot(self.middles[g] - plane.pos);
                height - self.geoms[g].radius - moves(self, g) - moves(self, p)
            },
        )
    }

    /// Adds the contacts of a pair whose links move by `approach`. `margin` is added to the pair's own
    /// margin.
    pub(super) fn collide_pair(&mut self, pair: &ScenePair, approach: &Approach, margin: f64) {
        let approach = self.gliding(approach, pair);
        let approach = approach.within(pair.margin + margin, self.balls(pair));
        if self.is_pair_near(pair, approach.farthest) {
            self.touch(pair, &approach);
        }
    }

    /// Adds the contacts of a pair.
    pub(super) fn touch(&mut self, pair: &ScenePair, approach: &Approach) {
        let link = [pair.a, pair.b].map(|g| self.geoms[g].link);
        if self.carriers.are_bound(self.slots(pair)) {
            return;
        }
        let from = self.found.count;
        let mut missed = 0;
        self.narrow(pair, approach, |found, face, point, part, press| {
            let has_place = found.push(SceneContact {
                geom: [pair.a, pair.b],
                link,
                part,
                point: face.place(point),
                face,
                condim: pair.condim,
                friction: pair.friction,
                press,
            });
            missed += usize::from(!has_place);
        });
        if missed > 0 {
            self.found.leave_out([pair.a, pair.b], from, missed);
        }
    }

    /// Passes the points of a pair that count as contacts to `sink`. They lie midway between the surfaces.
    pub(super) fn narrow(
        &mut self,
        pair: &ScenePair,
        approach: &Approach,
        mut sink: impl FnMut(&mut Found, Face, ContactPoint, [u32; 2], Option<Press>),
    ) {
        let found = &mut self.found;
        if let Some([a, b]) = self.patches.sides([pair.a, pair.b], &self.poses) {
            patch::collide(a, b, approach.farthest, |face| {
                if approach.holds(&face.point) {
                    sink(found, Face::None, face.point, face.part, Some(face.press));
                }
            });
            return;
        }
        let Ok([sa, sb]) = self.solids.get_disjoint_mut([pair.a, pair.b]) else {
            return;
        };
        let face = Face::teller(sa, sb);
        narrow::collide(
            sa,
            &self.poses[pair.a],
            sb,
            &self.poses[pair.b],
            approach,
            pair_key([pair.a, pair.b]),
            &mut self.buffers,
            &mut |point, part| sink(found, face(point.feature), point, part, None),
        );
    }

    /// Whether a motion of the links (spatial velocities about their trees' origins) that lasts for `h`
    /// [s] would close a gap that was not predicted to close. If so, the motion is predicted from now
    /// on; the contacts stay. False once [`MOTIONS`] motions are predicted.
    ///
    /// [`MOTIONS`]: crate::collision::MOTIONS
    pub fn misses(&mut self, twists: &[Twist], [horizon, h]: [f64; 2]) -> Result<bool> {
        if self.motions.is_full() {
            return Ok(false);
        }
        self.offer(twists);
        if !self.motions.surprises(self.reach(h)) {
            return Ok(false);
        }
        self.motions.measure_offer();
        let misses = self.with_broad(|scene, broad| match broad {
            Broad::List(list) => Ok(scene.misses_listed(list, horizon, h)),
            Broad::Sweep(sweep) => scene.misses_swept(sweep, horizon, h),
        })?;
        let misses = misses
            || self.with_statics(|scene, statics| scene.misses_static(statics, horizon, h))
                == Some(true);
        if misses {
            self.motions.accept();
        }
        Ok(misses)
    }

    fn misses_listed(&mut self, list: &mut List, horizon: f64, h: f64) -> bool {
        let reach = self.reach(h);
        let far = self.farthest(|link| {
            let motions = &self.motions;
            [motions.offered_speed(link), motions.offered_absolute(link)].map(|speed| reach * speed)
        });
        let mut next = 0;
        while let Some(index) = Scene::next_awake(list, next, far) {
            next = index + 1;
            let group = list.groups[index];
            let link = group.link.map(|l| self.slot(l));
            if !self.motions.is_new_between(link) {
                continue;
            }
            let distance = reach * self.motions.fastest_offered(link);
            if self.keeps_apart(list, index, distance)
                || !group.unbounded && !self.is_near(link, distance)
            {
                continue;
            }
            self.place_geoms(link);
            let mut pairs = list.pairs[group.first..group.end].iter();
            if pairs.any(|pair| self.misses_on(pair, horizon, h)) {
                return true;
            }
        }
        false
    }

    fn misses_swept(&mut self, sweep: &mut Sweep, horizon: f64, h: f64) -> Result<bool> {
        self.place_all();
        let moves = |scene: &Scene, g: usize| {
            scene.reach(h) * scene.motions.offered_speed(scene.slot(scene.geoms[g].link))
        };
        let near = self.sweep(sweep, moves)?;
        Ok(near.iter().any(|&(a, b)| {
            let pair = self.rules.pair(a as usize, b as usize);
            pair.is_some_and(|pair| {
                self.motions.is_new_between(self.slots(&pair)) && self.misses_on(&pair, horizon, h)
            })
        }))
    }

    pub(super) fn misses_on(&mut self, pair: &ScenePair, horizon: f64, h: f64) -> bool {
        let (link, balls) = (self.slots(pair), self.balls(pair));
        if self.carriers.are_bound(link) {
            return false;
        }
        let margin = pair.margin + self.slack(link);
        let end = self.motions.offered(link, &self.centers, h);
        let end = self.gliding(&end, pair).within(0.0, balls);
        if end.farthest <= margin || !self.is_pair_near(pair, end.farthest) {
            return false;
        }
        let predicted = self.motions.approach(link, &self.centers, horizon);
        let predicted = self.gliding(&predicted, pair);
        if predicted.surprise(&end, balls) <= margin {
            return false;
        }
        let predicted = predicted.within(margin, balls);
        let mut misses = false;
        self.narrow(pair, &end, |_, _, point, _, _| {
            misses |= end.closes(&point) && !predicted.holds(&point);
        });
        misses
    }

    /// Whether the balls around two links' bounded geoms are within this distance.
    pub(super) fn is_near(&self, [a, b]: [usize; 2], distance: f64) -> bool {
        let r = self.bounds[a].1 + self.bounds[b].1 + distance;
        (self.centers[a] - self.centers[b]).norm_squared() <= r * r
    }

    /// Whether two geoms may be within this distance, by their balls and boxes.
    fn is_pair_near(&self, pair: &ScenePair, distance: f64) -> bool {
        let (ga, gb) = (&self.geoms[pair.a], &self.geoms[pair.b]);
        let (pa, pb) = (&self.poses[pair.a], &self.poses[pair.b]);
        let [(ca, ra), (cb, rb)] = self.balls(pair);
        let above = |plane: &Pose, ball: Vec3| plane.rot.c[2].dot(ball - plane.pos);
        let r = ra + rb + distance;
        match (ga.plane, gb.plane) {
            (true, _) => above(pa, cb) <= rb + distance,
            (_, true) => above(pb, ca) <= ra + distance,
            _ => {
                (ca - cb).norm_squared() <= r * r
                    && !ga.is_beyond(pa, cb, rb + distance)
                    && !gb.is_beyond(pb, ca, ra + distance)
            }
        }
    }

    pub(super) fn balls(&self, pair: &ScenePair) -> [Ball; 2] {
        [pair.a, pair.b].map(|g| (self.middles[g], self.geoms[g].radius))
    }

    /// Distance by which the search for points of two links is wider than the predicted motions [m].
    pub(super) fn slack(&self, [a, b]: [usize; 2]) -> f64 {
        self.wider + self.motions.slack(a) + self.motions.slack(b)
    }

    pub(super) fn slots(&self, pair: &ScenePair) -> [usize; 2] {
        [pair.a, pair.b].map(|g| self.slot(self.geoms[g].link))
    }

    pub(super) fn slot(&self, link: usize) -> usize {
        if link == WORLD {
            self.bounds.len() - 1
        } else {
            link
        }
    }
}

dispatch! {
    fn place = Scene::place_kernel(scene: &mut Scene, model: &Model, kin: &Kinematics)
}

impl Scene {
    /// Takes the hierarchy of static geoms, if there is one, out of the scene while it hands pairs to
    /// the scene.
    fn with_statics<T>(&mut self, run: impl FnOnce(&mut Scene, &mut Statics) -> T) -> Option<T> {
        if self.statics.geoms.is_empty() {
            return None;
        }
        let mut statics = std::mem::take(&mut self.statics);
        let done = run(self, &mut statics);
        self.statics = statics;
        Some(done)
    }

    /// Finds contacts of moving geoms with the geoms in the hierarchy.
    fn look_up(&mut self, statics: &mut Statics, horizon: f64) {
        self.place_all();
        for pair in &statics.pairs {
            self.touch(pair, &Approach::still(pair.margin + self.wider));
        }
        for k in 0..statics.seekers.len() {
            let (id, margin) = statics.seekers[k];
            let link = self.with_world(id);
            let slack = self.slack(link);
            let work_budget = margin + slack + self.reach(horizon) * self.motions.fastest(link);
            if self.seek(statics, id, work_budget) {
                let approach = self.motions.approach(link, &self.centers, horizon);
                for &other in &statics.found {
                    if let Some(pair) = self.pair(id, other) {
                        let turned = pair.b == id as usize;
                        let approach = if turned { approach.swapped() } else { approach };
                        self.collide_pair(&pair, &approach, slack);
                    }
                }
            }
        }
    }

    /// [`Scene::misses`] for moving geoms and the geoms in the hierarchy.
    fn misses_static(&mut self, statics: &mut Statics, horizon: f64, h: f64) -> bool {
        self.place_all();
        for k in 0..statics.seekers.len() {
            let (id, _) = statics.seekers[k];
            let link = self.with_world(id);
            let travel = self.reach(h) * self.motions.fastest_offered(link);
            if self.motions.is_new_between(link) && self.seek(statics, id, travel) {
                for &other in &statics.found {
                    if let Some(pair) = self.pair(id, other)
                        && self.misses_on(&pair, horizon, h)
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Finds the static geoms within a distance of a moving one, and some slightly farther ones.
    /// Returns whether there are any.
    fn seek(&self, statics: &mut Statics, id: u32, distance: f64) -> bool {
        let (g, found) = (id as usize, &mut statics.found);
        found.clear();
        if self.geoms[g].plane {
            found.extend_from_slice(&statics.geoms);
        } else {
            let (at, half) = (self.middles[g], cube(self.geoms[g].radius + distance));
            statics.tree.find(&[at - half, at + half], found);
            found.sort_unstable();
        }
        !found.is_empty()
    }

    fn with_world(&self, id: u32) -> [usize; 2] {
        [self.geoms[id as usize].link, WORLD].map(|l| self.slot(l))
    }

    fn pair(&self, a: u32, b: u32) -> Option<ScenePair> {
        self.rules.pair(a.min(b) as usize, a.max(b) as usize)
    }
}
