/* Calls that are wrong: each one's status, a message that names the culprit, results untouched, and
 * handles that work as before. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

enum { MAX = 64, STEPS = 4, BIG = MAX * MAX };

static double q[MAX], v[MAX], u[MAX * STEPS], w[MAX], bad[MAX], zero_q[MAX];
/* Every result goes here. */
static struct {
    double a[BIG], b[BIG], c[BIG];
    int32_t id;
    ds_step_info info;
    void *handle;
} out, poison;
static ds_model *model;
static ds_sim *sim;
static ds_rollout *rollout;
static ds_builder *builder;
static double reference[2][MAX];
static int wrong_calls = 0;

static void works_as_before(const char *call) {
    double q_next[MAX], v_next[MAX];
    const size_t nq = ds_model_nq(model) * sizeof *q, nv = ds_model_nv(model) * sizeof *v;
    if (ds_sim_step(sim, q, v, u, q_next, v_next) != DS_OK ||
        memcmp(q_next, reference[0], nq) != 0 || memcmp(v_next, reference[1], nv) != 0) {
        ++checks_failed;
        fprintf(stderr, "after %s: the sim no longer works as before\n", call);
    }
}

static void expect(const char *call, int line, ds_status got, ds_status want, const char *culprit) {
    ++wrong_calls;
    ++checks_made;
    const char *problem = NULL;
    if (got != want) problem = "status";
    else if (strstr(ds_last_error(), culprit) == NULL) problem = "message";
    else if (memcmp(&out, &poison, sizeof out) != 0) problem = "results";
    if (problem != NULL) {
        ++checks_failed;
        fprintf(stderr, "%s:%d: %s\n    wrong %s: %s, \"%s\"; expected %s naming \"%s\"\n", __FILE__,
                line, call, problem, ds_status_name(got), ds_last_error(), ds_status_name(want),
                culprit);
        memcpy(&out, &poison, sizeof out);
    }
    works_as_before(call);
}

#define WRONG(call, want, culprit) expect(#call, __LINE__, (call), (want), (culprit))
#define INVALID(call, culprit) WRONG(call, DS_ERR_INVALID_ARGUMENT, culprit)
#define NUMERICAL(call, culprit) WRONG(call, DS_ERR_NUMERICAL, culprit)

/* The list `x` with entry i replaced. */
static const double *with(const double *x, size_t i, double value) {
    memcpy(bad, x, sizeof bad);
    bad[i] = value;
    return bad;
}

static ds_status create(void (*change)(ds_options *)) {
    ds_options options;
    ds_options_init(&options);
    change(&options);
    return ds_sim_create(model, &options, (ds_sim **)&out.handle);
}

#define OPTION(field, value, want)                                        \
    static void set_##want##_##field(ds_options *o) { o->field = value; }
OPTION(struct_size, 0, zero)
OPTION(struct_size, 1 << 20, large)
OPTION(time_step, -1e-3, negative)
OPTION(time_step, NAN, nan)
OPTION(time_step, 1e-101, tiny)
OPTION(contact, 99, unknown)
OPTION(integrator, -1, unknown)
OPTION(integrator, DS_INTEGRATOR_FROM_MODEL + 1, large)
OPTION(integrator, DS_INTEGRATOR_BDF1, touching)
OPTION(tolerance, 0.0, zero)
OPTION(max_iterations, 0, zero)
OPTION(max_contacts, SIZE_MAX / 64, large)
OPTION(kp, 2.0, large)
OPTION(kd, -1.0, negative)
OPTION(max_push_out, -1.0, negative)
OPTION(max_push_out, NAN, nan)
OPTION(max_push_out_angle, -1.0, negative)
OPTION(max_push_out_angle, NAN, nan)
OPTION(max_work, 0.0, zero)
OPTION(restitution_threshold, -1.0, negative)
OPTION(restitution_threshold, NAN, nan)
OPTION(newton_tolerance, 0.0, zero)
OPTION(newton_tolerance, NAN, nan)
OPTION(max_newton, 0, zero)
OPTION(checkpoint_interval, 0, zero)
OPTION(derivatives, 2, unknown)
OPTION(require_convergence, 2, unknown)

static void options(void) {
    INVALID(create(set_zero_struct_size), "ds_options_init");
    INVALID(create(set_large_struct_size), "struct_size");
    INVALID(create(set_negative_time_step), "time_step");
    INVALID(create(set_nan_time_step), "time_step");
    INVALID(create(set_tiny_time_step), "time_step must be finite and at least 1e-100, or 0");
    INVALID(create(set_unknown_contact), "contact");
    INVALID(create(set_unknown_integrator), "integrator");
    INVALID(create(set_large_integrator), "integrator");
    WRONG(create(set_touching_integrator), DS_ERR_UNSUPPORTED, "contact");
    INVALID(create(set_zero_tolerance), "tolerance");
    INVALID(create(set_zero_max_iterations), "max_iterations");
    INVALID(create(set_zero_newton_tolerance), "newton_tolerance");
    INVALID(create(set_nan_newton_tolerance), "newton_tolerance");
    INVALID(create(set_zero_max_newton), "max_newton");
    WRONG(create(set_large_max_contacts), DS_ERR_CAPACITY, "max_contacts");
    INVALID(create(set_large_kp), "kp");
    INVALID(create(set_negative_kd), "kd");
    INVALID(create(set_negative_max_push_out), "max_push_out");
    INVALID(create(set_nan_max_push_out), "max_push_out");
    INVALID(create(set_negative_max_push_out_angle), "max_push_out_angle");
    INVALID(create(set_nan_max_push_out_angle), "max_push_out_angle");
    INVALID(create(set_zero_max_work), "max_work");
    INVALID(create(set_negative_restitution_threshold), "restitution_threshold");
    INVALID(create(set_nan_restitution_threshold), "restitution_threshold");
    INVALID(create(set_zero_checkpoint_interval), "checkpoint_interval");
    INVALID(create(set_unknown_derivatives), "derivatives");
    INVALID(create(set_unknown_require_convergence), "require_convergence");
    INVALID(ds_sim_create(NULL, NULL, (ds_sim **)&out.handle), "model");
    INVALID(ds_sim_create(model, NULL, NULL), "out");
}

static void models(void) {
    INVALID(ds_model_neutral(NULL, out.a), "model");
    INVALID(ds_model_neutral(model, NULL), "q");
    INVALID(ds_model_home(NULL, out.a), "model");
    INVALID(ds_model_home(model, NULL), "q");
    INVALID(ds_model_keyframe(model, "home", out.a, out.b, out.c), "home");
    INVALID(ds_model_keyframe(model, NULL, out.a, out.b, out.c), "name");
    INVALID(ds_model_keyframe(model, "\xff\xfe", out.a, out.b, out.c), "name");
    INVALID(ds_model_integrate(model, NULL, v, out.a), "q");
    INVALID(ds_model_integrate(model, q, NULL, out.a), "dv");
    INVALID(ds_model_integrate(model, q, v, NULL), "q_out");
    NUMERICAL(ds_model_integrate(model, q, with(v, 2, NAN), out.a), "dv[2]");
    INVALID(ds_model_integrate(model, zero_q, v, out.a), "root_joint");
    NUMERICAL(ds_model_difference(model, q, with(q, 0, INFINITY), out.a), "q1[0]");
    INVALID(ds_model_body_inertia(model, -1, out.a), "body");
    INVALID(ds_model_body_inertia(model, 1000, out.a), "1000");
    INVALID(ds_model_body_inertia(model, 1, NULL), "out");
    INVALID(ds_model_geom_size(model, 99, out.a), "geom");
    INVALID(ds_model_joint_limits(model, INT32_MIN, out.a), "joint");
    NUMERICAL(ds_model_q_from_mujoco(model, with(q, 5, -INFINITY), out.a), "qpos[5]");
    INVALID(ds_model_v_to_mujoco(model, zero_q, v, out.a), "root_joint");
    CHECK(ds_model_body_id(model, "nobody") == -1 && strstr(ds_last_error(), "nobody"));
    CHECK(ds_model_body_name(model, 1000) == NULL && strstr(ds_last_error(), "1000"));
    CHECK(ds_model_warning(model, SIZE_MAX) == NULL);
}

static void steps(void) {
    INVALID(ds_sim_step(NULL, q, v, u, out.a, out.b), "sim");
    INVALID(ds_sim_step(sim, NULL, v, u, out.a, out.b), "q");
    INVALID(ds_sim_step(sim, q, NULL, u, out.a, out.b), "v");
    INVALID(ds_sim_step(sim, q, v, NULL, out.a, out.b), "u");
    INVALID(ds_sim_step(sim, q, v, u, NULL, out.b), "q_next");
    INVALID(ds_sim_step(sim, q, v, u, out.a, NULL), "v_next");
    NUMERICAL(ds_sim_step(sim, with(q, 1, NAN), v, u, out.a, out.b), "q[1]");
    NUMERICAL(ds_sim_step(sim, q, with(v, 4, INFINITY), u, out.a, out.b), "v[4]");
    NUMERICAL(ds_sim_step(sim, q, v, with(u, 6, NAN), out.a, out.b), "u[6]");
    INVALID(ds_sim_step(sim, zero_q, v, u, out.a, out.b), "root_joint");
    INVALID(ds_sim_step(sim, (const double *)((const char *)q + 1), v, u, out.a, out.b), "q: must be aligned");
    /* Finite, but its square is not. */
    NUMERICAL(ds_sim_step(sim, q, with(v, 7, 1e200), u, out.a, out.b), "finite");
    INVALID(ds_sim_step_jacobians(sim, NULL), "out");
    ds_step_jacobians same = {.dq_dq = out.a, .dv_dv = out.a + 1};
    INVALID(ds_sim_step_jacobians(sim, &same), "dv_dv: must not overlap dq_dq");
    ds_jacobian_entries entries, others;
    int32_t ids[400];
    CHECK_OK(ds_sim_jacobian_entries(sim, &entries));
    INVALID(ds_sim_jacobian_entries(sim, NULL), "out");
    INVALID(ds_sim_jacobian_pattern(sim, NULL, ids, NULL, NULL, NULL), "entries");
    INVALID(ds_sim_jacobian_pattern(sim, &entries, ids, NULL, ids + 1, NULL), "input_starts: must not overlap state_starts");
    INVALID(ds_sim_step_jacobians_sparse(sim, NULL, &same), "entries");
    INVALID(ds_sim_step_jacobians_sparse(sim, &entries, NULL), "out");
    INVALID(ds_sim_step_jacobians_sparse(sim, &entries, &same), "dv_dv: must not overlap dq_dq");
    others = entries;
    others.pattern++;
    INVALID(ds_sim_jacobian_pattern(sim, &others, ids, NULL, NULL, NULL), "entries->pattern");
    INVALID(ds_sim_step_jacobians_sparse(sim, &others, &same), "entries->pattern");
    others = entries;
    others.by_input--;
    INVALID(ds_sim_step_jacobians_sparse(sim, &others, &same), "entries->by_input");
    NUMERICAL(ds_sim_step_jvp(sim, NULL, with(v, 3, NAN), NULL, NULL, out.a, out.b), "dv[3]");
    INVALID(ds_sim_step_vjp(sim, NULL, v, out.a, out.b, out.c, NULL), "q_next_bar");
    NUMERICAL(ds_sim_step_vjp(sim, v, with(v, 0, NAN), out.a, out.b, out.c, NULL), "v_next_bar[0]");
    int32_t which = 7;
    INVALID(ds_sim_step_vjp_aware(sim, v, NULL, out.a, out.b, out.c, NULL, &which), "v_next_bar");
    INVALID(ds_sim_step_vjp_aware(sim, v, v, out.a, out.b, out.c, NULL, NULL), "which");
    NUMERICAL(ds_sim_step_vjp_aware(sim, with(v, 1, NAN), v, out.a, out.b, out.c, NULL, &which), "q_next_bar[1]");
    size_t moved;
    WRONG(ds_sim_aware_contacts(sim, &moved), DS_ERR_NO_STEP, "since the step");
    INVALID(ds_sim_step_info(sim, NULL), "out");
    const ds_contact *contacts;
    size_t count;
    INVALID(ds_sim_contacts(sim, NULL, &count), "contacts");
    INVALID(ds_sim_contacts(sim, &contacts, NULL), "count");
    INVALID(ds_sim_set_external_wrench(sim, 99, w), "body");
    INVALID(ds_sim_set_external_wrench(sim, 1, NULL), "wrench");
    NUMERICAL(ds_sim_set_external_wrench(sim, 1, with(w, 5, NAN)), "wrench[5]");
    CHECK_OK(ds_sim_reset(sim));
    ds_step_jacobians one = {.dv_dv = out.a};
    WRONG(ds_sim_step_jacobians(sim, &one), DS_ERR_NO_STEP, "step");
    CHECK_OK(ds_sim_reset(sim));
    WRONG(ds_sim_step_info(sim, &out.info), DS_ERR_NO_STEP, "step");
}

static void parameters(void) {
    const ds_param unknown = {99, 0, 0}, no_body = {DS_PARAM_BODY_INERTIA, 99, 0},
                   no_component = {DS_PARAM_GRAVITY, 0, 3}, useless = {DS_PARAM_GEOM_FRICTION, 0, 0},
                   mass = {DS_PARAM_BODY_INERTIA, 1, 0};
    INVALID(ds_sim_select_params(sim, NULL, 2), "params");
    INVALID(ds_sim_select_params(sim, &unknown, 1), "kind");
    INVALID(ds_sim_select_params(sim, &no_body, 1), "99");
    INVALID(ds_sim_select_params(sim, &no_component, 1), "component");
    WRONG(ds_sim_select_params(sim, &useless, 1), DS_ERR_UNSUPPORTED, "DS_PARAM_GEOM_FRICTION");
    CHECK_OK(ds_sim_select_params(sim, &mass, 1));
    const double negative = -1.0, nan = NAN;
    INVALID(ds_sim_set_params(sim, NULL), "p");
    INVALID(ds_sim_set_params(sim, &negative), "p[0]");
    NUMERICAL(ds_sim_set_params(sim, &nan), "p[0]");
    INVALID(ds_sim_get_params(sim, NULL), "p");
    CHECK_OK(ds_sim_select_params(sim, NULL, 0));
}

static void dynamics(void) {
    INVALID(ds_forward_kinematics(sim, NULL, out.a), "q");
    INVALID(ds_forward_kinematics(sim, q, NULL), "placements");
    INVALID(ds_forward_kinematics(sim, zero_q, out.a), "root_joint");
    NUMERICAL(ds_inverse_dynamics(sim, q, v, with(v, 0, NAN), out.a), "a[0]");
    INVALID(ds_inverse_dynamics(sim, q, v, NULL, out.a), "a");
    NUMERICAL(ds_inverse_dynamics(sim, q, with(v, 9, 1e300), v, out.a), "finite");
    NUMERICAL(ds_forward_dynamics(sim, q, v, with(v, 1, INFINITY), out.a), "tau[1]");
    NUMERICAL(ds_mass_matrix(sim, with(q, 8, NAN), out.a), "q[8]");
    NUMERICAL(ds_mass_matrix(sim, with(q, 1, 1e200), out.a), "q");
    NUMERICAL(ds_forward_kinematics(sim, with(q, 1, -1e308), out.a), "q");
    NUMERICAL(ds_center_of_mass(sim, with(q, 1, 1e308), out.a, out.b, out.c), "q");
    NUMERICAL(ds_body_jacobian(sim, q, 1, with(w, 2, 1e308), out.a), "point[2]");
    INVALID(ds_mass_matrix(sim, q, NULL), "M");
    INVALID(ds_mass_matrix(sim, q, q), "M: must not overlap q");
    NUMERICAL(ds_inverse_dynamics_derivatives(sim, q, with(v, 3, NAN), v, out.a, out.b), "v[3]");
    INVALID(ds_inverse_dynamics_derivatives(sim, q, v, v, out.a, out.a), "must not overlap");
    INVALID(ds_forward_dynamics_derivatives(sim, q, v, NULL, out.a, out.b, out.c), "tau");
    NUMERICAL(ds_forward_dynamics_derivatives(sim, q, with(v, 9, 1e300), v, out.a, out.b, out.c), "finite");
    INVALID(ds_body_jacobian(sim, q, 77, w, out.a), "77");
    INVALID(ds_body_jacobian(sim, q, 1, NULL, out.a), "point");
    NUMERICAL(ds_body_jacobian(sim, q, 1, with(w, 2, NAN), out.a), "point[2]");
    NUMERICAL(ds_energy(sim, q, with(v, 2, NAN), out.a, out.b), "v[2]");
    NUMERICAL(ds_energy(sim, q, with(v, 2, 1e200), out.a, out.b), "finite");
    INVALID(ds_hybrid_dynamics(sim, q, v, NULL, out.a, out.b), "prescribed");
    INVALID(ds_sim_set_force(NULL, v, NULL, NULL), "sim");
    NUMERICAL(ds_sim_set_force(sim, with(v, 5, NAN), NULL, NULL), "tau");
    NUMERICAL(ds_sim_set_force(sim, v, with(w, 7, INFINITY), NULL), "K");
    NUMERICAL(ds_sim_set_force(sim, v, NULL, with(w, 3, NAN)), "D");
    NUMERICAL(ds_momentum(sim, q, v, with(w, 0, NAN), out.a), "about[0]");
}

static void rollouts(void) {
    INVALID(ds_rollout_create(model, NULL, 0, (ds_rollout **)&out.handle), "max_steps");
    WRONG(ds_rollout_create(model, NULL, SIZE_MAX / 2, (ds_rollout **)&out.handle), DS_ERR_CAPACITY, "max_steps");
    WRONG(ds_rollout_create(model, NULL, SIZE_MAX, (ds_rollout **)&out.handle), DS_ERR_CAPACITY, "max_steps");
    WRONG(ds_rollout_adjoint(rollout, u, u, out.a, out.b, out.c, NULL), DS_ERR_NO_STEP, "run");
    size_t other;
    WRONG(ds_rollout_aware_report(rollout, &other, &other), DS_ERR_NO_STEP, "adjoint");
    INVALID(ds_rollout_run(rollout, q, v, u, 0, out.a, out.b), "steps");
    INVALID(ds_rollout_run(rollout, q, v, u, STEPS + 1, out.a, out.b), "steps");
    INVALID(ds_rollout_run(rollout, q, v, u, SIZE_MAX, out.a, out.b), "steps");
    INVALID(ds_rollout_run(rollout, q, v, NULL, STEPS, out.a, out.b), "u");
    NUMERICAL(ds_rollout_run(rollout, q, with(v, 1, NAN), u, STEPS, out.a, out.b), "v[1]");
    INVALID(ds_rollout_run(rollout, q, v, u, STEPS, out.a, u), "v: must not overlap u");
    NUMERICAL(ds_rollout_run(rollout, q, with(v, 8, 1e200), u, STEPS, out.a, out.b), "finite");
    u[2 * ds_model_nu(model) + 3] = NAN;
    NUMERICAL(ds_rollout_run(rollout, q, v, u, STEPS, out.a, out.b), "step 2");
    u[2 * ds_model_nu(model) + 3] = 0.0;
    INVALID(ds_rollout_select_params(rollout, NULL, 1), "params");
}

static ds_status add_joint(int32_t body, void (*change)(ds_joint_desc *)) {
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "new";
    change(&joint);
    return ds_builder_add_joint(builder, body, &joint);
}

static ds_status add_geom(void (*change)(ds_geom_desc *)) {
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    geom.size[0] = geom.size[1] = geom.size[2] = 0.1;
    change(&geom);
    return ds_builder_add_geom(builder, 1, &geom, &out.id);
}

static void same_name(ds_joint_desc *j) { j->name = "hinge"; }
static void unchanged(ds_joint_desc *j) { (void)j; }
static void zero_size(ds_joint_desc *j) { j->struct_size = 0; }
static void unknown_kind(ds_joint_desc *j) { j->kind = 42; }
static void negative_damping(ds_joint_desc *j) { j->damping = -1.0; }
static void nan_armature(ds_joint_desc *j) { j->armature = NAN; }
static void limits_crossed(ds_joint_desc *j) { j->lower = 1.0, j->upper = -1.0; }
static void unknown_shape(ds_geom_desc *g) { g->kind = 42; }
static void height_field(ds_geom_desc *g) { g->kind = DS_GEOM_HEIGHT_FIELD; }
static void flat_box(ds_geom_desc *g) { g->kind = DS_GEOM_BOX, g->size[2] = 0.0; }
static void negative_friction(ds_geom_desc *g) { g->friction[0] = -1.0; }
static void empty_mesh(ds_geom_desc *g) { g->kind = DS_GEOM_MESH; }
static void huge_mesh(ds_geom_desc *g) {
    g->kind = DS_GEOM_MESH, g->vertices = q, g->vertex_count = SIZE_MAX;
}
static void scaled(ds_geom_desc *g) { g->placement[0] = 2.0; }
static void row_major(ds_geom_desc *g) { g->placement[3] = 1.0; }
static void odd_condim(ds_geom_desc *g) { g->condim = 2; }

static ds_status step_massless(void) {
    ds_builder *empty = NULL;
    CHECK_OK(ds_builder_create(&empty));
    CHECK_OK(ds_builder_add_body(empty, 0, "ghost", NULL, NULL, NULL));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "idle";
    CHECK_OK(ds_builder_add_joint(empty, 1, &joint));
    /* A warning at first: a rotor or damping may yet carry it. */
    ds_model *light = NULL;
    CHECK_OK(ds_builder_build(empty, &light));
    CHECK(ds_model_warning_count(light) == 1 && strstr(ds_model_warning(light, 0), "idle"));
    ds_builder_free(empty);
    ds_sim *still = NULL;
    CHECK_OK(ds_sim_create(light, NULL, &still));
    const ds_status status = ds_sim_step(still, v, v, NULL, out.a, out.b);
    ds_sim_free(still);
    ds_model_free(light);
    return status;
}

static ds_status build_zero_axis(void) {
    ds_builder *one = NULL;
    CHECK_OK(ds_builder_create(&one));
    const double ball[10] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 1};
    CHECK_OK(ds_builder_add_body(one, 0, "ball", NULL, ball, NULL));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "stuck";
    joint.axis[2] = 0.0;
    ds_status status = ds_builder_add_joint(one, 1, &joint);
    if (status == DS_OK) status = ds_builder_build(one, (ds_model **)&out.handle);
    ds_builder_free(one);
    return status;
}

static void building(void) {
    const double ball[10] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 1}, negative[10] = {-1, 0, 0, 0, 1, 0, 1, 0, 0, 1},
                 nan[10] = {1, 0, 0, 0, NAN, 0, 1, 0, 0, 1}, no_body[10] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 9};
    INVALID(ds_builder_create(NULL), "out");
    INVALID(ds_builder_add_body(NULL, 0, "x", NULL, ball, &out.id), "builder");
    INVALID(ds_builder_add_body(builder, 9, "x", NULL, ball, &out.id), "parent");
    INVALID(ds_builder_add_body(builder, -1, "x", NULL, ball, &out.id), "parent");
    INVALID(ds_builder_add_body(builder, 0, "bob", NULL, ball, &out.id), "bob");
    INVALID(ds_builder_add_body(builder, 0, "world", NULL, ball, &out.id), "world");
    INVALID(ds_builder_add_body(builder, 0, "x", NULL, negative, &out.id), "mass");
    NUMERICAL(ds_builder_add_body(builder, 0, "x", NULL, nan, &out.id), "inertia[4]");
    INVALID(ds_builder_add_body(builder, 0, "x", NULL, no_body, &out.id), "moments of inertia");
    INVALID(ds_builder_add_body(builder, 0, "x", zero_q, ball, &out.id), "placement");
    INVALID(ds_builder_add_joint(builder, 1, NULL), "joint");
    INVALID(add_joint(0, unchanged), "world");
    INVALID(add_joint(5, unchanged), "body");
    INVALID(add_joint(1, same_name), "hinge");
    INVALID(add_joint(1, zero_size), "ds_joint_desc_init");
    INVALID(add_joint(1, unknown_kind), "kind");
    INVALID(add_joint(1, negative_damping), "damping");
    INVALID(add_joint(1, nan_armature), "armature");
    INVALID(add_joint(1, limits_crossed), "limits");
    INVALID(build_zero_axis(), "stuck");
    INVALID(add_geom(unknown_shape), "kind");
    WRONG(add_geom(height_field), DS_ERR_INVALID_ARGUMENT, "geom.columns");
    INVALID(add_geom(flat_box), "sizes");
    INVALID(add_geom(negative_friction), "friction");
    INVALID(add_geom(empty_mesh), "triangles, got 0");
    INVALID(add_geom(huge_mesh), "vertices");
    INVALID(add_geom(scaled), "placement");
    INVALID(add_geom(row_major), "column-major");
    INVALID(add_geom(odd_condim), "condim");
    ds_actuator_desc motor;
    ds_actuator_desc_init(&motor);
    INVALID(ds_builder_add_actuator(builder, &motor), "joint");
    motor.joint = "missing";
    INVALID(ds_builder_add_actuator(builder, &motor), "missing");
    NUMERICAL(ds_builder_set_gravity(builder, with(w, 1, NAN)), "gravity");
    INVALID(ds_builder_set_actuation(builder, 5), "actuation");
    INVALID(ds_builder_build(builder, NULL), "out");
    NUMERICAL(step_massless(), "idle");
    INVALID(ds_inertia_from_com(1.0, NULL, w, out.a), "com");
    NUMERICAL(ds_inertia_from_com(NAN, w, w, out.a), "mass");
    /* After all that the builder builds. */
    ds_model *built = NULL;
    CHECK_OK(ds_builder_build(builder, &built));
    CHECK(ds_model_nbody(built) == 2 && ds_model_nv(built) == 1 && ds_model_ngeom(built) == 0);
    ds_model_free(built);
}

static void prepare(const char *path) {
    memset(&poison, 0xA5, sizeof poison);
    memcpy(&out, &poison, sizeof out);
    ds_load_options load;
    ds_load_options_init(&load);
    load.base = DS_BASE_FREE;
    load.actuation = DS_ACTUATION_FULL;
    CHECK_OK(ds_model_load(path, &load, &model));
    if (model == NULL) exit(report());
    ds_options smooth;
    ds_options_init(&smooth);
    smooth.contact = DS_CONTACT_NONE;
    CHECK_OK(ds_sim_create(model, &smooth, &sim));
    CHECK_OK(ds_rollout_create(model, &smooth, STEPS, &rollout));
    CHECK_OK(ds_model_neutral(model, q));
    for (size_t i = 0; i < ds_model_nv(model); i++) v[i] = 0.1 * (double)(i + 1);
    CHECK_OK(ds_sim_step(sim, q, v, u, reference[0], reference[1]));
    CHECK_OK(ds_builder_create(&builder));
    const double ball[10] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 1};
    CHECK_OK(ds_builder_add_body(builder, 0, "bob", NULL, ball, NULL));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "hinge";
    CHECK_OK(ds_builder_add_joint(builder, 1, &joint));
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    prepare(model_path(argv, "arm7.urdf"));
    options();
    models();
    steps();
    parameters();
    dynamics();
    rollouts();
    building();
    ds_builder_free(builder);
    ds_rollout_free(rollout);
    ds_sim_free(sim);
    ds_model_free(model);
    printf("%d wrong calls\n", wrong_calls);
    CHECK(wrong_calls >= 60);
    return report();
}
