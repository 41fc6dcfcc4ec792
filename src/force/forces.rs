//! The forces of a simulation: their sum, and the derivatives of the sum.

mod ahead;
mod kinds;
mod touching;

use super::actuators::Actuators;
use super::adhesion::Adhesion;
use super::apart::{Apart, ForceKinds};
use super::coriolis::Coriolis;
use super::deformable::Deformables;
use super::elastic::Elastic;
use super::face::{Force, Input, State};
use super::feedback::Feedback;
use super::fluid::FluidForces;
use super::gravity_compensation::GravityCompensation;
use super::gyroscopic::Gyroscopic;
use super::joint_damper::JointDamper;
use super::joint_spring::JointSpring;
use super::penalty::PenaltyContacts;
use super::slopes::{Entry, Slopes};
use super::wrenches::ExternalWrenches;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::external::External;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::system::System;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::params::{Param, ParamKind, Params};
use crate::model::topology::Topology;
use crate::spatial::Vec3;
use crate::tendon::Paths;

/// All forces of a simulation, and their derivatives at the last state.
#[derive(Debug)]
pub struct Forces {
    damper: JointDamper,
    spring: JointSpring,
    actuators: Actuators,
    pub wrenches: ExternalWrenches,
    /// All lengths of the model. Those along which a force pulls are kept at the last state (`pulled`).
    paths: Paths,
    pulled: Vec<usize>,
    /// Forces of tendons and springs.
    elastic: Elastic,
    /// Elastic forces of deformable bodies.
    deformables: Deformables,
    lift: GravityCompensation,
    fluid: FluidForces,
    /// Present with penalty contact.
    pub penalty: Option<Box<PenaltyContacts>>,
    /// Present if there are contacts and adhesion actuators.
    pub adhesion: Option<Box<Adhesion>>,
    /// Present if the time-stepping scheme turns bodies by the discrete Euler equations.
    pub gyroscopic: Option<Box<Gyroscopic>>,
    /// Present with explicit time stepping if there are limbs.
    pub coriolis: Option<Box<Coriolis>>,
    others: Vec<Box<dyn Force>>,
    feedback: Option<Feedback>,
    /// Distance of the last [`Forces::apply`] to the nearest jump of its derivatives. Jumps of single
    /// actuators do not count.
    margin_without_actuators: f64,
    implicit: Slopes,
    slopes: Slopes,
    /// Entries between dofs of different branches.
    cross: Vec<Entry>,
    /// Largest number of dofs with entries by other dofs.
    rows: usize,
    /// The forces at the state of the last query.
    apart: Apart,
    /// True if a query has used the contacts of these forces since the last [`Forces::apply`].
    pub contacts_moved: bool,
    /// Armature + h D̃ + h² K̃ of every dof, without servos.
    constant: Vec<f64>,
}

impl Forces {
    /// The forces of every model, and `others`. `free`: there are no constraints, whose rows would
    /// replace some forces. Memory for derivatives is only allocated with `derivatives`.
    pub fn new(model: &Model, others: Vec<Box<dyn Force>>, free: bool, derivatives: bool) -> Self {
        let paths = Paths::new(model, derivatives).with_actuators(model, derivatives);
        let elastic = Elastic::new(model, &paths, free);
        let actuators = Actuators::new(model, &paths);
        let pulls = |i: usize| (0..model.nu()).any(|j| paths.of_actuator(j) == Some(i));
        let pulled = (0..paths.len()).filter(|i| elastic.pulls(*i) || pulls(*i));
        let pulled = pulled.collect();
        let apart = Apart::new(model, &others, derivatives);
        let mut forces = Forces {
            damper: JointDamper::new(model),
            spring: JointSpring::new(model),
            pulled,
            actuators,
            wrenches: ExternalWrenches::new(model),
            elastic,
            paths,
            deformables: Deformables::new(model),
            lift: GravityCompensation::new(model),
            fluid: FluidForces::new(model),
            penalty: None,
            adhesion: None,
            gyroscopic: None,
            coriolis: None,
            others,
            feedback: None,
            margin_without_actuators: f64::INFINITY,
            implicit: Slopes::new(model.nv(), 0),
            slopes: Slopes::default(),
            cross: Vec::new(),
            rows: 0,
            apart,
            contacts_moved: false,
            constant: vec![0.0; model.nv()],
        };
        let room = |f: &dyn Force| f.entries(model);
        // An implicit force has its entries twice.
        let foreign: usize = forces.others.iter().map(|f| 2 * room(&**f)).sum();
        let own: usize = forces.all().map(room).sum();
        let elastic = forces.elastic.entries(&forces.paths);
        let geared = forces.actuators.entries();
        let own = own + forces.deformables.entries();
        forces.slopes = Slopes::new(model.nv(), own + foreign + elastic + geared);
        if derivatives {
            (forces.apart).reserve(model, own + foreign + geared);
        }
        let rows = own + foreign + geared + forces.elastic.rows(&forces.paths);
        forces.rows = rows.min(model.nv());
        let geared = if forces.pulled.is_empty() { 0 } else { geared };
        let joining = foreign + elastic + geared + forces.deformables.entries();
        forces.cross = Vec::with_capacity(joining);
        forces
    }

    /// The forces with only the common interface, in the order in which they are summed.
    fn all(&self) -> impl Iterator<Item = &dyn Force> {
        let own: [&dyn Force; 5] = [
            &self.damper,
            &self.spring,
            &self.wrenches,
            &self.lift,
            &self.fluid,
        ];
        own.into_iter().chain(self.others.iter().map(|f| &**f))
    }

    /// True if all forces but those of motion ([`Forces::add_inertial`]) depend on coordinates, velocities
    /// and inputs of joints alone, and none acts on a link.
    pub fn act_on_dofs_alone(&self) -> bool {
        // All fields are named, so that a new force cannot be forgotten here.
        let Forces {
            wrenches,
            pulled,
            elastic,
            deformables,
            lift,
            fluid,
            penalty,
            adhesion,
            others,
            // Forces of single dofs.
            damper: _,
            spring: _,
            actuators: _,
            feedback: _,
            // Forces of motion.
            gyroscopic: _,
            coriolis: _,
            // No forces.
            paths: _,
            margin_without_actuators: _,
            implicit: _,
            slopes: _,
            cross: _,
            rows: _,
            apart: _,
            contacts_moved: _,
            constant: _,
        } = self;
        let has_paths = !pulled.is_empty() || elastic.acts();
        let touches = penalty.is_some() || adhesion.is_some();
        let has_loads = wrenches.act() || lift.acts() || fluid.acts();
        !(has_paths || touches || has_loads) && deformables.is_empty() && others.is_empty()
    }

    /// The forces that load links, with their kinds, in the order in which they are summed.
    fn loads(&self) -> impl Iterator<Item = (ForceKinds, &dyn Force)> {
        let own: [(ForceKinds, &dyn Force); 2] = [
            (ForceKinds::EXTERNAL, &self.wrenches),
            (ForceKinds::GRAVITY_COMPENSATION, &self.lift),
        ];
        let others = self.others.iter().map(|f| (ForceKinds::OTHER, &**f));
        own.into_iter().chain(others)
    }

    /// Whether any of these kinds loads links.
    pub fn has_loads(&self, kinds: ForceKinds) -> bool {
        self.loads().any(|(kind, _)| kinds.has(kind))
    }

    /// Copies of the forces defined outside the library.
    pub fn duplicate_others(&self) -> Vec<Box<dyn Force>> {
        self.others.iter().map(|f| f.duplicate()).collect()
    }

    /// Whether there are forces defined outside the library, which may join any trees.
    pub fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Whether derivatives may couple dofs of different branches.
    pub fn may_cross(&self) -> bool {
        self.cross.capacity() > 0 || self.may_touch()
    }

    /// Largest number of entries between dofs of different branches in a model with deformable bodies.
    pub fn most_crossing(&self, t: &Topology) -> usize {
        let contacts = self.penalty.as_ref().map_or(0, |p| p.scene.capacity());
        let grips = self.adhesion.as_ref().map_or(0, |a| a.scene.capacity());
        self.cross.capacity() + 4 * (contacts + grips) * t.max_depth * t.max_depth
    }

    /// Whether there are deformable bodies, whose terms between dofs are sparse.
    pub fn has_deformables(&self) -> bool {
        !self.deformables.is_empty()
    }

    /// Pairs of trees that derivatives may couple in a model with deformable bodies; a pair may be
    /// visited more than once. Nodes are coupled by elements; other trees count as coupled with all if
    /// forces other than those of elements may cross.
    pub fn for_coupled_trees(&self, t: &Topology, mut visit: impl FnMut(usize, usize)) {
        self.deformables.for_pairs_of_trees(t, &mut visit);
        if !self.may_touch() && !self.has_others() && self.pulled.is_empty() {
            return;
        }
        let mut is_node = vec![false; t.trees.len()];
        self.deformables
            .for_lone_trees(t, |tree, _| is_node[tree] = true);
        for a in (0..is_node.len()).filter(|a| !is_node[*a]) {
            (0..is_node.len()).for_each(|b| visit(a, b));
        }
    }

    /// Trees that consist of one free node, with its place in the shape at rest.
    pub fn for_places(&self, t: &Topology, visit: impl FnMut(usize, Vec3)) {
        self.deformables.for_lone_trees(t, visit);
    }

    /// Largest number of dofs that derivatives may couple with other dofs, and of such entries, without
    /// those of contacts.
    pub fn room(&self) -> [usize; 2] {
        [self.rows, self.slopes.capacity() + self.cross.capacity()]
    }

    /// Whether some forces fade in.
    pub fn fade(&self) -> bool {
        self.penalty.is_some() || self.elastic.fades()
    }

    /// Takes new parameters. Writes armature + h D̃ + h² K̃ of every dof into `diagonal`, and the other
    /// constant terms into `system`.
    pub fn refresh(
        &mut self,
        model: &Model,
        params: &Params,
        h: f64,
        diagonal: &mut [f64],
        system: &mut System,
    ) {
        self.paths.place_points(model, params);
        self.deformables.refresh(params);
        self.apart.refresh(model, params);
        let mut implicit = std::mem::take(&mut self.implicit);
        implicit.clear();
        self.all().for_each(|f| f.implicit(params, &mut implicit));
        implicit.gather_diagonal();
        for (k, d) in diagonal.iter_mut().enumerate() {
            let [by_q, by_v] = implicit.diagonal[k];
            *d = params.armature[k] + h * (by_v + h * by_q);
        }
        if let Some(feedback) = &self.feedback {
            feedback.add_diagonal(h, diagonal);
        }
        self.implicit = implicit;
        self.constant.copy_from_slice(diagonal);
        let room = self.elastic.room(&self.paths);
        let servos = self.actuators.room(&self.paths);
        system.couple(
            diagonal.len(),
            self.couplings(h),
            [room[0] + servos[0], room[1] + servos[1]],
        );
    }

    /// Loads on the links. `kin` holds positions.
    pub fn load(&self, model: &Model, params: &Params, kin: &Kinematics, loads: &mut External) {
        for (_, f) in self.loads() {
            f.load(model, params, kin, loads);
        }
    }

    /// The loads of gravity compensation alone.
    pub fn load_compensation(
        &self,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        loads: &mut External,
    ) {
        self.lift.load(model, params, kin, loads);
    }

    /// Subtracts the share carried by gravity compensation from the masses and first moments of links.
    pub fn compensate(
        &self,
        model: &Model,
        params: &Params,
        kin: &Kinematics,
        weights: &mut [(f64, Vec3)],
    ) {
        self.lift.take_off(model, params, kin, weights);
    }

    /// Writes the generalized force f(q, v, u) − h K̃ v into `tau`. Returns the distance to the nearest
    /// jump of its derivatives.
    ///
    /// # Errors
    /// The errors of [`PenaltyContacts::apply`] and [`Adhesion::find`].
    pub fn apply(&mut self, at: &State<'_>, tau: &mut [f64]) -> Result<f64> {
        let margin = self.add_applied(at, tau)?;
        self.add_inertial(at, tau);
        Ok(margin)
    }

    /// Adds the forces of motion: those of fast joints, and of bodies that rotate freely. They come last; the
    /// latter use the sum of all others.
    pub fn add_inertial(&mut self, at: &State<'_>, tau: &mut [f64]) {
        if let Some(coriolis) = &mut self.coriolis {
            coriolis.apply(at, tau);
        }
        if let Some(gyroscopic) = &mut self.gyroscopic {
            gyroscopic.apply(at, tau);
        }
    }

    /// [`Forces::apply`] without the forces of motion.
    ///
    /// # Errors
    /// As [`Forces::apply`].
    pub fn add_applied(&mut self, at: &State<'_>, tau: &mut [f64]) -> Result<f64> {
        // −0.0 plus any number, zero of either sign included, is this number.
        tau.fill(-0.0);
        self.contacts_moved = false;
        // Called by name, so that a step needs no dynamic dispatch. Wrenches and gravity compensation
        // are loads.
        self.damper.apply(at, tau);
        self.spring.apply(at, tau);
        for i in &self.pulled {
            self.paths.update_one(*i, at.kin, at.q);
        }
        self.fluid.apply(at, tau);
        let adhesion = self.adhesion.as_deref_mut();
        let mut distance = self.actuators.act(at, &self.paths, adhesion, tau)?;
        if self.elastic.acts() {
            self.elastic.apply(at, &self.paths, tau);
            distance = distance.min(self.elastic.switch_distance());
        }
        if !self.deformables.is_empty() {
            self.deformables.apply(at, tau);
            distance = distance.min(self.deformables.switch_distance());
        }
        if let Some(feedback) = &self.feedback {
            feedback.apply(at, tau);
        }
        for f in &mut self.others {
            f.apply(at, tau);
            distance = distance.min(f.switch_distance());
        }
        if let Some(penalty) = &mut self.penalty {
            penalty.apply(at, tau)?;
            distance = distance.min(penalty.switch_distance());
        }
        self.margin_without_actuators = distance;
        Ok(distance.min(self.actuators.own_margin()))
    }

    /// The distance of [`Forces::apply`] without jumps of single actuators.
    pub fn margin_without_actuators(&self) -> f64 {
        self.margin_without_actuators
    }

    /// Calls `visit` with each actuator that is at a jump of its slopes, and with the dofs that move its
    /// force.
    pub fn for_jumps(&self, visit: impl FnMut(usize, &mut dyn Iterator<Item = usize>)) {
        self.actuators.for_jumps(visit);
    }

    /// Finds the derivatives at the state of the last [`Forces::apply`]. `acc` are the accelerations of
    /// the step and of its free motion, for implicit forces; empty stands for zero.
    pub fn differentiate(&mut self, at: &State<'_>, acc: [&[f64]; 2]) {
        let mut slopes = std::mem::take(&mut self.slopes);
        slopes.clear();
        self.damper.slopes(at, &mut slopes);
        self.spring.slopes(at, &mut slopes);
        for i in &self.pulled {
            self.paths.differentiate_one(*i, at.kin);
        }
        self.actuators.slopes(at, &self.paths, acc, &mut slopes);
        self.fluid.differentiate(at);
        self.fluid.slopes(at, &mut slopes);
        if let Some(gyroscopic) = &mut self.gyroscopic {
            gyroscopic.differentiate(at);
        }
        if let Some(coriolis) = &mut self.coriolis {
            coriolis.differentiate(at);
        }
        self.cross.clear();
        if self.elastic.acts() {
            self.elastic.slopes(at, &self.paths, acc[0], &mut slopes);
        }
        if !self.deformables.is_empty() {
            self.deformables.differentiate(at);
            let cross = Some(&mut self.cross);
            self.deformables.slopes(at.kin, &mut slopes, cross);
        }
        if let Some(feedback) = &self.feedback {
            feedback.slopes(at, &mut slopes);
        }
        let is_plain = self.pulled.is_empty() && self.deformables.is_empty();
        if self.has_others() || !is_plain || self.feedback.is_some() {
            self.others.iter().for_each(|f| f.slopes(at, &mut slopes));
            for e in &self.implicit.entries {
                slopes.add([e.row, e.column], 0.0, at.time_step * e.by_q);
            }
            let t = at.model.topology();
            let (entries, cross) = (&mut slopes.entries, &mut self.cross);
            entries.retain(|e| {
                let related = t.are_on_a_path(e.row, e.column);
                if !related {
                    cross.push(*e);
                }
                related
            });
        }
        self.slopes = slopes;
        self.differentiate_touching(at);
    }

    /// Visits the entries of R_q and R_v between dofs of one branch: (row, column, by q, by v). A pair
    /// may be visited more than once.
    #[inline(always)]
    pub fn for_branches(
        &self,
        t: &Topology,
        h: f64,
        mut visit: impl FnMut(usize, usize, f64, f64),
    ) {
        self.for_listed(t, h, &mut visit);
        self.for_touching(t, visit);
    }

    /// Visits these entries without those of contacts.
    #[inline(always)]
    pub fn for_listed(&self, t: &Topology, h: f64, mut visit: impl FnMut(usize, usize, f64, f64)) {
        let diagonal = self.slopes.diagonal.iter().zip(&self.implicit.diagonal);
        for (k, ([by_q, by_v], [implicit, _])) in diagonal.enumerate() {
            let by_v = by_v + h * implicit;
            if *by_q != 0.0 || by_v != 0.0 {
                visit(k, k, *by_q, by_v);
            }
        }
        let gyroscopic = self.gyroscopic.iter().flat_map(|g| g.entries());
        for e in self.slopes.entries.iter().chain(gyroscopic) {
            visit(e.row, e.column, e.by_q, e.by_v);
        }
        if self.is_turned() {
            self.for_turned(t, true, &mut visit);
        }
    }

    /// Whether implicit Coriolis forces act.
    #[inline(always)]
    fn is_turned(&self) -> bool {
        self.coriolis.as_ref().is_some_and(|c| c.acts())
    }

    /// Visits the entries of implicit Coriolis forces, within or between branches. Apart, so that the visits
    /// of slow steps are compiled without it.
    #[cold]
    #[inline(never)]
    fn for_turned(
        &self,
        t: &Topology,
        of_branches: bool,
        visit: &mut dyn FnMut(usize, usize, f64, f64),
    ) {
        for e in (self.coriolis.iter()).flat_map(|c| c.entries(t, of_branches)) {
            visit(e.row, e.column, e.by_q, e.by_v);
        }
    }

    /// Visits the entries between dofs of different branches.
    #[inline(always)]
    pub fn for_cross(&self, t: &Topology, mut visit: impl FnMut(usize, usize, f64, f64)) {
        for e in &self.cross {
            visit(e.row, e.column, e.by_q, e.by_v);
        }
        if self.is_turned() {
            self.for_turned(t, false, &mut visit);
        }
        if let Some(penalty) = &self.penalty {
            penalty.for_cross(&mut visit);
        }
        if let Some(adhesion) = &self.adhesion {
            adhesion.for_cross(t, visit);
        }
    }

    /// r += (R_q δq + R_v δv) for entries between dofs of different branches and, if `within`, also for
    /// entries of contacts within branches. An empty part stands for zero.
    pub fn times_cross(&self, t: &Topology, within: bool, [q, v]: [&[f64]; 2], r: &mut [f64]) {
        let mut add = |row: usize, column: usize, by_q: f64, by_v: f64| {
            let along = |d: &[f64]| d.get(column).copied().unwrap_or(0.0);
            r[row] += by_q * along(q) + by_v * along(v);
        };
        for e in &self.cross {
            add(e.row, e.column, e.by_q, e.by_v);
        }
        if self.is_turned() {
            self.for_turned(t, false, &mut add);
        }
        if let Some(penalty) = &self.penalty {
            penalty.times(within, [q, v], r);
        }
        if let Some(adhesion) = &self.adhesion {
            adhesion.times(t, within, [q, v], r);
        }
    }

    /// q_bar += R_qᵀ w and v_bar += R_vᵀ w for entries between dofs of different branches, and for
    /// entries of contacts within them.
    pub fn times_cross_transposed(
        &self,
        t: &Topology,
        w: &[f64],
        q_bar: &mut [f64],
        v_bar: &mut [f64],
    ) {
        let mut add = |row: usize, column: usize, by_q: f64, by_v: f64| {
            q_bar[column] += by_q * w[row];
            v_bar[column] += by_v * w[row];
        };
        for e in &self.cross {
            add(e.row, e.column, e.by_q, e.by_v);
        }
        if self.is_turned() {
            self.for_turned(t, false, &mut add);
        }
        if let Some(penalty) = &self.penalty {
            penalty.times_transposed(w, q_bar, v_bar);
        }
        if let Some(adhesion) = &self.adhesion {
            adhesion.times_transposed(w, q_bar, v_bar);
        }
    }

    /// Derivatives by the inputs of actuators, one for each actuator.
    pub fn actuator_inputs(&self) -> &[Input] {
        self.actuators.inputs()
    }

    /// Derivatives by the inputs, force by force.
    pub fn inputs(&self) -> impl Iterator<Item = &[Input]> {
        let others = self.others.iter().map(|f| f.inputs());
        std::iter::once(self.actuators.inputs()).chain(others)
    }

    /// Derivatives by the inputs of forces defined outside the library.
    pub fn other_inputs(&self) -> impl Iterator<Item = &Input> {
        self.others.iter().flat_map(|f| f.inputs())
    }

    /// r −= ∂f/∂u du; an empty `du` stands for zero.
    pub fn input_direction(&self, du: &[f64], r: &mut [f64]) {
        if du.is_empty() {
            return;
        }
        for input in self.inputs().flatten() {
            input.subtract(&[du[input.input]], r.as_chunks_mut().0);
        }
    }

    /// u_bar ← −(∂f/∂u)ᵀ w.
    pub fn input_adjoint(&self, w: &[f64], u_bar: &mut [f64]) {
        u_bar.fill(-0.0);
        self.inputs().for_each(|own| {
            for input in own {
                u_bar[input.input] -= input.adjoint(w);
            }
        });
    }

    /// Whether the derivatives by the state, or by one of these parameters, are one-sided.
    pub fn are_one_sided(&self, model: &Model, params: &Params, selected: &[Param]) -> bool {
        let (penalty, paths) = (self.penalty.as_ref(), &self.paths);
        let has_kink = |p: &Param| {
            self.fluid.has_kink(params, p) || self.elastic.has_kink(model, params, paths, p)
        };
        penalty.is_some_and(|x| x.is_one_sided(params, selected))
            || (self.adhesion.as_ref()).is_some_and(|a| a.is_degenerate())
            || selected.iter().any(has_kink)
    }

    /// Checks that the forces have a derivative by this parameter. A parameter of a force defined
    /// outside the library must exist.
    ///
    /// # Errors
    /// `InvalidArgument` for a parameter that does not exist, `Unsupported` for one without a
    /// derivative.
    pub fn check_param(&self, model: &Model, params: &Params, p: &Param) -> Result<()> {
        if p.kind != ParamKind::Force {
            return self.fluid.check_param(model, params, p);
        }
        let force = usize::try_from(p.index)
            .ok()
            .and_then(|i| self.others.get(i));
        let count = force.map_or(0, |f| f.parameters());
        if usize::try_from(p.component).is_ok_and(|c| c < count) {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "param: force {} has {count} parameters, component is {}",
            p.index, p.component
        )))
    }

    /// Value of a parameter that passed [`Forces::check_param`].
    pub fn param(&self, p: &Param) -> f64 {
        self.others[p.index as usize].parameter(p.component as usize)
    }

    pub fn set_param(&mut self, p: &Param, value: f64) {
        for others in [&mut self.others, &mut self.apart.others] {
            others[p.index as usize].set_parameter(p.component as usize, value);
        }
    }

    /// Adds the derivative of the balance by a parameter to `r`, see [`Force::by_parameter`].
    pub fn by_parameter(&self, at: &State<'_>, acc: &[f64], p: &Param, r: &mut [f64]) {
        match p.kind {
            ParamKind::Force => self.others[p.index as usize].by_parameter(at, acc, p, r),
            _ => self.all().for_each(|f| f.by_parameter(at, acc, p, r)),
        }
        if let Some(gyroscopic) = &self.gyroscopic {
            gyroscopic.by_parameter(at, p, r);
        }
        if let Some(coriolis) = &self.coriolis {
            coriolis.by_parameter(at, p, r);
        }
        self.actuators.by_parameter(at, &self.paths, p, r);
        self.elastic.by_parameter(at, &self.paths, acc, p, r);
        self.deformables.by_parameter(at.params, p, r);
        if let Some(penalty) = &self.penalty {
            penalty.by_parameter(at, p, r);
        }
        if let Some(adhesion) = &self.adhesion {
            adhesion.by_parameter(at, p, r);
        }
    }

    /// Joins the trees that forces of the last step couple.
    pub fn couple(&self, model: &Model, coupling: &mut Coupling) {
        let joins = |f: &Feedback| f.couplings(1.0).next().is_some();
        if self.has_others() || self.feedback.as_ref().is_some_and(joins) {
            coupling.join_all();
        }
        self.elastic.couple(model, &self.paths, coupling);
        self.deformables.couple(model.topology(), coupling);
        self.actuators.couple(model, &self.paths, coupling);
        if let Some(penalty) = &self.penalty {
            penalty.couple(model.topology(), coupling);
        }
        if let Some(adhesion) = &self.adhesion {
            adhesion.couple(model.topology(), coupling);
        }
    }

    /// All lengths at q, where `kin` holds positions.
    pub fn lengths(&mut self, kin: &Kinematics, q: &[f64]) -> &Paths {
        let paths = &mut self.apart.paths;
        paths.update(kin, q);
        paths
    }

    /// Energy stored at q [J], without contacts. `kin` holds positions.
    pub fn energy(&mut self, model: &Model, params: &Params, kin: &Kinematics, q: &[f64]) -> f64 {
        self.apart.energy(model, params, kin, q)
    }
}
