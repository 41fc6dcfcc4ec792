/* Prescribed motion from C: a driven pendulum and its driving force, a body that follows a mocap body,
 * derivatives, rollouts and batches, and refusals. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"

enum { STEPS = 50, COUNT = 2 };

static const double H = 1e-3, SPEED = 1.5;

static const char PENDULUM[] =
    "<mujoco><option gravity='0 0 -10'/><worldbody><body><joint name='hinge' axis='0 1 0'/>"
    "<inertial pos='0 0 -0.5' mass='2' diaginertia='0.1 0.1 0.1'/>"
    "<body pos='0 0 -1'><joint name='elbow' axis='0 1 0'/>"
    "<inertial pos='0 0 -0.2' mass='0.5' diaginertia='0.01 0.01 0.01'/></body></body></worldbody></mujoco>";

/* A target that is moved from outside, and a box that a weld of two sites ties to it, above a floor. */
static const char TELEOPERATION[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='target' mocap='true' pos='0 0 0.5'><geom size='0.02' contype='0' conaffinity='0'/><site name='t'/></body>"
    "<body name='box' pos='0 0 0.5'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/><site name='b'/></body>"
    "</worldbody><equality><weld site1='t' site2='b'/></equality>"
    "<keyframe><key name='up' mpos='0 0 2' mquat='0 0 0 1'/></keyframe></mujoco>";

static ds_model *load(const char *text) {
    ds_load_options options;
    ds_load_options_init(&options);
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &options, &model));
    if (model == NULL) exit(report());
    return model;
}

static ds_options with(int32_t contact, int32_t integrator) {
    ds_options options;
    ds_options_init(&options);
    options.contact = contact;
    options.integrator = integrator;
    options.time_step = H;
    return options;
}

static ds_sim *create(const ds_model *model, int32_t contact, int32_t integrator) {
    const ds_options options = with(contact, integrator);
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    if (sim == NULL) exit(report());
    return sim;
}

static void pendulum(const ds_model *model, int32_t contact, int32_t integrator) {
    ds_sim *sim = create(model, contact, integrator);
    double q[2] = {0.3, 0.0}, v[2] = {SPEED, 0.0}, velocity[2], impulse[2];
    CHECK_OK(ds_sim_prescribed_velocities(sim, velocity));
    CHECK(isnan(velocity[0]) && isnan(velocity[1]));
    CHECK_OK(ds_sim_prescribe(sim, 0, SPEED));
    CHECK_OK(ds_sim_prescribe(sim, 1, 0.0));
    CHECK_OK(ds_sim_prescribed_velocities(sim, velocity));
    CHECK(velocity[0] == SPEED && velocity[1] == 0.0);
    const ds_param list[] = {{DS_PARAM_PRESCRIBED, 0, 0}, {DS_PARAM_GRAVITY, 0, 2}};
    CHECK_OK(ds_sim_select_params(sim, list, 2));
    for (int k = 0; k < STEPS; k++) {
        const double angle = q[0];
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
        CHECK(v[0] == SPEED && v[1] == 0.0);
        if (integrator == DS_INTEGRATOR_MIDPOINT) {
            CHECK_WRONG(ds_sim_prescribed_impulses(sim, impulse), DS_ERR_UNSUPPORTED, "DS_INTEGRATOR_MIDPOINT");
            continue;
        }
        /* Both links are one: their weight turns about the hinge, that of the lower one about the elbow. */
        CHECK_OK(ds_sim_prescribed_impulses(sim, impulse));
        CHECK_NEAR(impulse[0], H * 10.0 * sin(angle) * (2.0 * 0.5 + 0.5 * 1.2), 1e-12);
    }
    double vp[4], vv[4], p_bar[2], one[2] = {1.0, 0.0};
    const ds_step_jacobians out = {.dv_dp = vp, .dv_dv = vv};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    for (int i = 0; i < 4; i++) CHECK(vv[i] == 0.0 && vp[i] == (i == 0 ? 1.0 : 0.0));
    CHECK_OK(ds_sim_step_vjp(sim, one, one, NULL, NULL, NULL, p_bar));
    /* The midpoint rule goes half of the step with the velocity before. */
    CHECK_NEAR(p_bar[0], 1.0 + (integrator == DS_INTEGRATOR_MIDPOINT ? 0.5 : 1.0) * H, 1e-15);
    CHECK(p_bar[1] == 0.0);
    double p[2];
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(p[0] == SPEED && p[1] == -10.0);
    p[0] = 0.25;
    CHECK_OK(ds_sim_set_params(sim, p));
    CHECK_WRONG(ds_sim_prescribed_impulses(sim, impulse),
                DS_ERR_NO_STEP, "no step");
    CHECK_OK(ds_sim_reset(sim));
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK(v[0] == 0.25);
    /* A dof that is a parameter stays one; the other one swings again. */
    CHECK_INVALID(ds_sim_prescribe(sim, 0, NAN), "dof 0 cannot be freed");
    CHECK_OK(ds_sim_prescribe(sim, 1, NAN));
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK(v[0] == 0.25 && v[1] != 0.0);
    ds_sim_free(sim);
}

static void refused(const ds_model *model) {
    ds_sim *sim = create(model, DS_CONTACT_NCP, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD);
    double x[2];
    CHECK_INVALID(ds_sim_prescribe(NULL, 0, 0.0), "sim");
    CHECK_INVALID(ds_sim_prescribe(sim, 2, 0.0), "dof");
    CHECK_INVALID(ds_sim_prescribe(sim, -1, 0.0), "dof");
    CHECK_WRONG(ds_sim_prescribe(sim, 0, INFINITY), DS_ERR_NUMERICAL, "velocity");
    CHECK_INVALID(ds_sim_prescribed_velocities(sim, NULL), "velocity");
    CHECK_INVALID(ds_sim_prescribed_impulses(sim, NULL), "impulse");
    CHECK_WRONG(ds_sim_prescribed_impulses(sim, x), DS_ERR_NO_STEP, "no step");
    const ds_param one = {DS_PARAM_PRESCRIBED, 0, 0}, none = {DS_PARAM_PRESCRIBED, 2, 0};
    CHECK_WRONG(ds_sim_select_params(sim, &one, 1), DS_ERR_UNSUPPORTED, "dof 0 has no prescribed velocity");
    CHECK_INVALID(ds_sim_select_params(sim, &none, 1), "index (a dof)");
    CHECK_OK(ds_sim_prescribed_velocities(sim, x));
    CHECK(isnan(x[0]) && isnan(x[1]));
    ds_sim_free(sim);
}

/* Rollouts and batches are prescribed as sims are, and do the same steps. */
static void runs(const ds_model *model) {
    const ds_options options = with(DS_CONTACT_NCP, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD);
    ds_rollout *rollout = NULL;
    CHECK_OK(ds_rollout_create(model, &options, STEPS, &rollout));
    CHECK_OK(ds_rollout_prescribe(rollout, 0, SPEED));
    CHECK_INVALID(ds_rollout_prescribe(rollout, 2, SPEED), "dof");
    const ds_param one = {DS_PARAM_PRESCRIBED, 0, 0};
    CHECK_OK(ds_rollout_select_params(rollout, &one, 1));
    static double q[2 * (STEPS + 1)], v[2 * (STEPS + 1)], q_bar[2 * (STEPS + 1)], v_bar[2 * (STEPS + 1)];
    const double q0[2] = {0.3, 0.1}, v0[2] = {0.0, 0.2};
    CHECK_OK(ds_rollout_run(rollout, q0, v0, NULL, STEPS, q, v));
    CHECK_NEAR(q[2 * STEPS], 0.3 + H * STEPS * SPEED, 1e-14);
    q_bar[2 * STEPS] = 1.0;
    double p_bar = NAN;
    CHECK_OK(ds_rollout_adjoint(rollout, q_bar, v_bar, NULL, NULL, NULL, &p_bar));
    CHECK_NEAR(p_bar, H * STEPS, 1e-14);
    ds_batch *batch = NULL;
    CHECK_OK(ds_batch_create(model, &options, COUNT, 1, &batch));
    CHECK_OK(ds_batch_prescribe(batch, 1, 0, SPEED));
    CHECK_INVALID(ds_batch_prescribe(batch, COUNT, 0, SPEED), "element");
    CHECK_INVALID(ds_batch_prescribe(batch, 0, -1, SPEED), "dof");
    double qs[2 * COUNT] = {0.3, 0.1, 0.3, 0.1}, vs[2 * COUNT] = {0.0, 0.2, 0.0, 0.2};
    CHECK_OK(ds_batch_step(batch, qs, vs, NULL, qs, vs, NULL));
    CHECK(vs[0] != SPEED && vs[2] == SPEED && vs[2] == v[2] && vs[3] == v[3]);
    ds_batch_free(batch);
    ds_rollout_free(rollout);
}

/* The box goes where the target goes, and is let go with it on the floor. */
static void teleoperation(int32_t contact) {
    ds_model *model = load(TELEOPERATION);
    CHECK(ds_model_nq(model) == 14 && ds_model_nv(model) == 12);
    const int32_t target = ds_model_body_id(model, "target");
    CHECK(ds_model_body_mocap(model, target) == 0);
    CHECK(ds_model_body_mocap(model, ds_model_body_id(model, "box")) == -1);
    CHECK(ds_model_body_mocap(model, 99) == -1);
    const int32_t joint = ds_model_joint_id(model, "target");
    CHECK(ds_model_joint_body(model, joint) == target && ds_model_joint_v_index(model, joint) == 0);
    double q[14], v[12] = {0}, u;
    CHECK_OK(ds_model_keyframe(model, "up", q, v, &u));
    CHECK(q[2] == 2.0 && q[5] == 1.0 && q[6] == 0.0 && q[9] == 0.5);
    /* MuJoCo's qpos of the box first. */
    double qpos[14], back[14];
    CHECK_OK(ds_model_q_to_mujoco(model, q, qpos));
    CHECK(qpos[2] == 0.5 && qpos[3] == 1.0 && qpos[9] == 2.0 && qpos[10] == 0.0 && qpos[13] == 1.0);
    CHECK_OK(ds_model_q_from_mujoco(model, qpos, back));
    CHECK(memcmp(q, back, sizeof q) == 0);
    CHECK_OK(ds_model_neutral(model, q));
    ds_sim *sim = create(model, contact, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD);
    double velocity[12];
    CHECK_OK(ds_sim_prescribed_velocities(sim, velocity));
    for (int i = 0; i < 12; i++) CHECK(i < 6 ? velocity[i] == 0.0 : isnan(velocity[i]));
    CHECK_OK(ds_sim_prescribe(sim, 0, 0.3));
    CHECK_OK(ds_sim_prescribe(sim, 2, 0.1));
    for (int k = 0; k < 1000; k++) CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK_NEAR(q[0], 0.3, 1e-12);
    CHECK_NEAR(q[2], 0.6, 1e-12);
    const double near = contact == DS_CONTACT_CONVEX ? 2e-3 : 1e-8;
    CHECK_NEAR(q[7], 0.3, near);
    CHECK_NEAR(q[9], 0.6, near);
    /* Down to the floor. */
    CHECK_OK(ds_sim_prescribe(sim, 0, 0.0));
    CHECK_OK(ds_sim_prescribe(sim, 2, -0.2));
    for (int k = 0; k < 2400; k++) CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK_NEAR(q[2], 0.12, 1e-9);
    CHECK_NEAR(q[9], 0.12, near);
    ds_sim_free(sim);
    ds_model_free(model);
}

int main(void) {
    ds_model *model = load(PENDULUM);
    const int32_t laws[] = {DS_CONTACT_NCP, DS_CONTACT_LCP, DS_CONTACT_CONVEX, DS_CONTACT_NONE};
    const int32_t schemes[] = {DS_INTEGRATOR_SYMPLECTIC_EULER, DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD, DS_INTEGRATOR_MIDPOINT};
    for (int law = 0; law < 4; law++)
        for (int scheme = 0; scheme < 3; scheme++) pendulum(model, laws[law], schemes[scheme]);
    refused(model);
    runs(model);
    ds_model_free(model);
    for (int law = 0; law < 3; law++) teleoperation(laws[law]);
    return report();
}
