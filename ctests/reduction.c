/* Reduced coordinates: three links on one coordinate, their steps and derivatives, and what is refused. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "diffsim_ik.h"

static ds_builder *chain(void) {
    ds_builder *builder = NULL;
    CHECK_OK(ds_builder_create(&builder));
    int32_t parent = 0;
    const char *names[] = {"a", "b", "c"};
    for (int k = 0; k < 3; k++) {
        const double com[3] = {0.0, 0.0, -0.2}, about[6] = {0.02, 0.0, 0.02, 0.0, 0.0, 0.004};
        const double place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, k ? -0.4 : 1.0, 1};
        double inertia[10];
        CHECK_OK(ds_inertia_from_com(0.7, com, about, inertia));
        CHECK_OK(ds_builder_add_body(builder, parent, names[k], place, inertia, &parent));
        ds_joint_desc joint;
        ds_joint_desc_init(&joint);
        joint.name = names[k];
        joint.axis[1] = 1.0;
        joint.axis[2] = 0.0;
        CHECK_OK(ds_builder_add_joint(builder, parent, &joint));
    }
    return builder;
}

static ds_reduction_desc described(const char *const *joints, const double *matrix) {
    ds_reduction_desc reduction;
    ds_reduction_desc_init(&reduction);
    reduction.joints = joints;
    reduction.joint_count = 3;
    reduction.matrix = matrix;
    return reduction;
}

/* The step of a chain on one coordinate: M a = tau - b with the matrix of the whole chain projected. */
static void one_coordinate(void) {
    const char *joints[] = {"a", "b", "c"};
    const double g[3] = {1.0, 0.5, 0.25}, offset[3] = {0.0, 0.1, -0.2}, y = 0.3, rate = 0.7;
    ds_builder *builder = chain();
    ds_model *whole = NULL, *model = NULL;
    ds_sim *all = NULL, *sim = NULL;
    CHECK_OK(ds_builder_build(builder, &whole));
    ds_reduction_desc reduction = described(joints, g);
    reduction.offset = offset;
    CHECK_OK(ds_builder_add_reduction(builder, &reduction));
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK(ds_model_nq(model) == 1 && ds_model_nv(model) == 1 && ds_model_njoint(model) == 3);
    CHECK(ds_model_joint_q_index(model, 2) == 0 && ds_model_joint_nv(model, 2) == 1);
    ds_options options;
    ds_options_init(&options);
    CHECK_OK(ds_sim_create(whole, &options, &all));
    CHECK_OK(ds_sim_create(model, &options, &sim));
    double q[3], v[3], zero[3] = {0}, bias[3], m[9], mass = 0.0, force = 0.0, ours, next_q, next_v;
    for (int k = 0; k < 3; k++) {
        q[k] = offset[k] + g[k] * y;
        v[k] = g[k] * rate;
    }
    CHECK_OK(ds_mass_matrix(all, q, m));
    CHECK_OK(ds_inverse_dynamics(all, q, v, zero, bias));
    for (int i = 0; i < 3; i++) {
        force += g[i] * bias[i];
        for (int j = 0; j < 3; j++) mass += g[i] * m[3 * j + i] * g[j];
    }
    CHECK_OK(ds_mass_matrix(sim, &y, &ours));
    CHECK(fabs(ours - mass) < 1e-13);
    CHECK_OK(ds_sim_step(sim, &y, &rate, NULL, &next_q, &next_v));
    const double h = ds_sim_time_step(sim);
    CHECK(fabs(next_v - (rate - h * force / mass)) < 1e-12);
    CHECK(fabs(next_q - (y + h * next_v)) < 1e-15);
    double by_q = NAN;
    ds_step_jacobians jacobians;
    memset(&jacobians, 0, sizeof jacobians);
    jacobians.dv_dq = &by_q;
    CHECK_OK(ds_sim_step_jacobians(sim, &jacobians));
    double ends[2];
    for (int side = 0; side < 2; side++) {
        const double at = y + (side ? 1e-6 : -1e-6);
        CHECK_OK(ds_sim_step(sim, &at, &rate, NULL, &next_q, &ends[side]));
    }
    CHECK(fabs(by_q - (ends[1] - ends[0]) / 2e-6) < 1e-8);
    CHECK(ds_sim_prescribe(sim, 0, 1.0) == DS_ERR_UNSUPPORTED);
    CHECK(strstr(ds_last_error(), "reduced") != NULL);
    ds_sim_free(sim);
    ds_sim_free(all);
    ds_model_free(model);
    ds_model_free(whole);
    ds_builder_free(builder);
}

/* A batch and a rollout of one step agree with a sim whose matrix has been changed, also by its entries. */
static void changed_entries(void) {
    const char *joints[] = {"a", "b", "c"};
    const double g[3] = {1.0, 0.5, 0.25}, changed[4] = {1.0, 0.6, -0.1, 0.2}, q0 = 0.3, v0 = -0.8, e = 1e-6;
    const ds_param params[4] = {{DS_PARAM_REDUCTION, 0, 0}, {DS_PARAM_REDUCTION, 0, 1},
                                {DS_PARAM_REDUCTION, 0, 2}, {DS_PARAM_REDUCTION, 0, 4}};
    ds_builder *builder = chain();
    ds_reduction_desc reduction = described(joints, g);
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    ds_batch *batch = NULL;
    ds_rollout *rollout = NULL;
    CHECK_OK(ds_builder_add_reduction(builder, &reduction));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_options options;
    ds_options_init(&options);
    CHECK_OK(ds_sim_create(model, &options, &sim));
    CHECK_OK(ds_batch_create(model, &options, 1, 1, &batch));
    CHECK_OK(ds_rollout_create(model, &options, 1, &rollout));
    CHECK_OK(ds_sim_select_params(sim, params, 4));
    CHECK_OK(ds_batch_select_params(batch, params, 4));
    CHECK_OK(ds_rollout_select_params(rollout, params, 4));
    double p[4] = {0}, q, v, ends[2], by_p[4], bar[4], of_batch[4], of_rollout[4];
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(p[0] == 1.0 && p[1] == 0.5 && p[2] == 0.25 && p[3] == 0.0);
    CHECK_OK(ds_sim_set_params(sim, changed));
    CHECK_OK(ds_batch_set_params(batch, 0, changed));
    CHECK_OK(ds_rollout_set_params(rollout, changed));
    CHECK_OK(ds_sim_step(sim, &q0, &v0, NULL, &q, &v));
    ds_step_jacobians jacobians;
    memset(&jacobians, 0, sizeof jacobians);
    jacobians.dv_dp = by_p;
    CHECK_OK(ds_sim_step_jacobians(sim, &jacobians));
    const double zero[2] = {0.0, 0.0}, one = 1.0, end[2] = {0.0, 1.0};
    CHECK_OK(ds_sim_step_vjp(sim, zero, &one, NULL, NULL, NULL, bar));
    double next_q, next_v, path_q[2], path_v[2];
    CHECK_OK(ds_batch_step(batch, &q0, &v0, NULL, &next_q, &next_v, NULL));
    CHECK(next_q == q && next_v == v);
    CHECK_OK(ds_batch_step_vjp(batch, zero, &one, NULL, NULL, NULL, of_batch, NULL));
    CHECK_OK(ds_rollout_run(rollout, &q0, &v0, NULL, 1, path_q, path_v));
    CHECK(path_q[1] == q && path_v[1] == v);
    CHECK_OK(ds_rollout_adjoint(rollout, zero, end, NULL, NULL, NULL, of_rollout));
    for (int k = 0; k < 4; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(p, changed, sizeof p);
            p[k] += side ? e : -e;
            CHECK_OK(ds_sim_set_params(sim, p));
            CHECK_OK(ds_sim_step(sim, &q0, &v0, NULL, &q, &ends[side]));
        }
        CHECK(fabs(by_p[k] - (ends[1] - ends[0]) / (2 * e)) < 1e-8);
        CHECK(fabs(by_p[k] - bar[k]) < 1e-12);
        CHECK(fabs(by_p[k] - of_batch[k]) < 1e-12);
        CHECK(fabs(by_p[k] - of_rollout[k]) < 1e-12);
    }
    const double none[4] = {0};
    CHECK_INVALID(ds_sim_set_params(sim, none), "rank 1");
    ds_rollout_free(rollout);
    ds_batch_free(batch);
    ds_sim_free(sim);
    ds_model_free(model);
    ds_builder_free(builder);
}

/* Inverse kinematics finds y within the bound of a follower; episodes of a batch with implicit steps end by
 * y. */
static void in_coordinates(void) {
    const char *joints[] = {"a", "b", "c"};
    const double g[3] = {1.0, -1.5, 0.25}, start = 0.1, still = 0.0;
    const double bound = 0.3;
    ds_builder *builder = chain();
    for (int32_t k = 0; k < 3; k++) {
        ds_joint_desc joint;
        ds_joint_desc_init(&joint);
        joint.name = joints[k];
        joint.axis[1] = 1.0;
        joint.axis[2] = 0.0;
        joint.lower = -bound;
        joint.upper = bound;
        CHECK_OK(ds_builder_set_joint(builder, k, &joint));
    }
    ds_reduction_desc reduction = described(joints, g);
    ds_model *model = NULL;
    CHECK_OK(ds_builder_add_reduction(builder, &reduction));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_ik *ik = NULL;
    int32_t posture;
    ds_ik_task task;
    ds_ik_task_init(&task);
    task.kind = DS_IK_POSTURE;
    CHECK_OK(ds_ik_create(model, NULL, &ik));
    CHECK_OK(ds_ik_add_task(ik, &task, &posture));
    CHECK(ds_ik_target_size(ik, posture) == 1 && ds_ik_residual_size(ik, posture) == 1);
    double y = NAN;
    for (int side = -1; side <= 1; side += 2) {
        const double far = side * 0.9;
        CHECK_OK(ds_ik_set_target(ik, posture, &far));
        CHECK_OK(ds_ik_solve(ik, &start, &y, NULL));
        CHECK_NEAR(y, side * bound / 1.5, 1e-12);
    }
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    options.integrator = DS_INTEGRATOR_BDF1;
    enum { N = 40 };
    ds_batch *batch = NULL;
    double path_q[N + 1], path_v[N + 1];
    size_t taken = 0;
    const double lower[2] = {0.099, -INFINITY};
    CHECK_OK(ds_batch_create(model, &options, 1, 1, &batch));
    ds_episodes episodes;
    ds_episodes_init(&episodes);
    episodes.q0 = &start;
    episodes.v0 = &still;
    episodes.lower = lower;
    episodes.q = path_q;
    episodes.v = path_v;
    episodes.taken = &taken;
    CHECK_OK(ds_batch_run_episodes(batch, N, &episodes, NULL));
    CHECK(taken > 1 && taken < N && path_q[taken] < 0.099 && path_q[taken - 1] >= 0.099);
    CHECK(path_q[N] == path_q[taken] && path_q[0] == start);
    double v_bar[N + 1] = {0}, v0_bar = NAN;
    v_bar[N] = 1.0;
    ds_episodes_bars bars;
    ds_episodes_bars_init(&bars);
    bars.v_bar = v_bar;
    bars.v0_bar = &v0_bar;
    CHECK_OK(ds_batch_episodes_adjoint(batch, &bars, NULL));
    double ends[2];
    for (int side = 0; side < 2; side++) {
        const double v0 = side ? 1e-6 : -1e-6;
        episodes.v0 = &v0;
        CHECK_OK(ds_batch_run_episodes(batch, N, &episodes, NULL));
        ends[side] = path_v[N];
    }
    CHECK_NEAR(v0_bar, (ends[1] - ends[0]) / 2e-6, 1e-7);
    ds_batch_free(batch);
    ds_ik_free(ik);
    ds_model_free(model);
    ds_builder_free(builder);
}

static void refused(void) {
    const char *joints[] = {"a", "b", "c"}, *twice[] = {"a", "b", "a"}, *unknown[] = {"a", "b", "x"};
    const double g[6] = {1.0, 0.5, 0.25, 2.0, 1.0, 0.5}, bad[3] = {1.0, NAN, 0.0};
    ds_builder *builder = chain();
    ds_reduction_desc reduction = described(twice, g);
    CHECK_INVALID(ds_builder_add_reduction(builder, &reduction), "twice");
    reduction = described(unknown, g);
    CHECK_INVALID(ds_builder_add_reduction(builder, &reduction), "\"x\"");
    reduction = described(joints, NULL);
    CHECK_INVALID(ds_builder_add_reduction(builder, &reduction), "matrix");
    reduction = described(joints, g);
    reduction.columns = 2;
    CHECK_INVALID(ds_builder_add_reduction(builder, &reduction), "rank 2");
    reduction.columns = 3;
    CHECK_INVALID(ds_builder_add_reduction(builder, &reduction), "columns");
    reduction = described(joints, bad);
    CHECK(ds_builder_add_reduction(builder, &reduction) == DS_ERR_NUMERICAL);
    CHECK_INVALID(ds_builder_add_reduction(builder, NULL), "reduction");
    CHECK_INVALID(ds_builder_add_reduction(NULL, &reduction), "builder");
    reduction = described(joints, g);
    CHECK_OK(ds_builder_add_reduction(builder, &reduction));
    CHECK_INVALID(ds_builder_add_reduction(builder, &reduction), "another");
    ds_builder_free(builder);
}

int main(void) {
    one_coordinate();
    changed_entries();
    in_coordinates();
    refused();
    return report();
}
