/* Models that are read part by part, taken apart, changed and built again. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

static const char *const HAND =
    "<mujoco><worldbody><body name='thumb' pos='0.1 0 0'><joint name='j' axis='0 0 2'/><geom name='g' size='0.02'/></body>"
    "</worldbody><actuator><motor name='m' joint='j' gear='3' ctrlrange='-1 2'/></actuator>"
    "<keyframe><key name='open' qpos='0.5'/></keyframe></mujoco>";

static ds_model *hand(void) {
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(HAND, strlen(HAND), DS_FORMAT_MJCF, NULL, &model));
    return model;
}

/* One step from the neutral configuration with its linear model. */
static void step(const ds_model *model, double *q, double *v, double *A, double *B) {
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    double *from = malloc((nq + 1) * sizeof(double)), *u = malloc((nu + 1) * sizeof(double));
    CHECK_OK(ds_model_neutral(model, from));
    for (size_t i = 0; i < nv; i++) v[i] = 0.1 * (double)(i % 3) - 0.1;
    for (size_t i = 0; i < nu; i++) u[i] = 0.2;
    CHECK_OK(ds_sim_linearize(sim, from, v, u, A, B));
    CHECK_OK(ds_sim_step(sim, from, v, u, q, v));
    free(from);
    free(u);
    ds_sim_free(sim);
}

static void a_round_trip(char **argv, const char *name) {
    ds_model *model = NULL, *again = NULL;
    ds_builder *builder = NULL;
    CHECK_OK(ds_model_load(model_path(argv, name), NULL, &model));
    CHECK_OK(ds_builder_from_model(model, &builder));
    CHECK_OK(ds_builder_build(builder, &again));
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    CHECK(nq == ds_model_nq(again) && nv == ds_model_nv(again) && nu == ds_model_nu(again));
    CHECK(ds_model_nkeyframe(model) == ds_model_nkeyframe(again));
    const size_t n = nq + nv + 4 * nv * nv + 2 * nv * nu;
    double *a = calloc(n, sizeof(double)), *b = calloc(n, sizeof(double));
    step(model, a, a + nq, a + nq + nv, a + nq + nv + 4 * nv * nv);
    step(again, b, b + nq, b + nq + nv, b + nq + nv + 4 * nv * nv);
    CHECK(memcmp(a, b, n * sizeof(double)) == 0);
    for (int32_t i = 0; i < (int32_t)ds_model_nbody(model); i++)
        CHECK(strcmp(ds_model_body_name(model, i), ds_model_body_name(again, i)) == 0 &&
              ds_builder_body_id(builder, ds_model_body_name(model, i)) ==
                  (ds_model_body_name(model, i)[0] ? i : ds_builder_body_id(builder, "")));
    free(a);
    free(b);
    ds_builder_free(builder);
    ds_model_free(model);
    ds_model_free(again);
}

static void linear_models_are_the_jacobians(char **argv) {
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_model_load(model_path(argv, "quadruped.xml"), NULL, &model));
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    enum { NQ = 19, NV = 18, NU = 12 };
    CHECK(ds_model_nq(model) == NQ && ds_model_nv(model) == NV && ds_model_nu(model) == NU);
    static double q[NQ], v[NV], u[NU], A[4 * NV * NV], B[2 * NV * NU];
    static double qq[NV * NV], qv[NV * NV], vq[NV * NV], vv[NV * NV], qu[NV * NU], vu[NV * NU];
    CHECK_OK(ds_model_keyframe_at(model, 0, q, v, u));
    CHECK_OK(ds_sim_linearize(sim, q, v, u, A, B));
    const ds_step_jacobians out = {qq, qv, qu, NULL, vq, vv, vu, NULL};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    int same = 1;
    for (int c = 0; c < NV; c++)
        for (int r = 0; r < NV; r++) {
            const int at = r + NV * c, to = r + 2 * NV * c;
            same = same && A[to] == qq[at] && A[to + NV] == vq[at];
            same = same && A[to + 2 * NV * NV] == qv[at] && A[to + 2 * NV * NV + NV] == vv[at];
        }
    for (int c = 0; c < NU; c++)
        for (int r = 0; r < NV; r++)
            same = same && B[r + 2 * NV * c] == qu[r + NV * c] && B[r + 2 * NV * c + NV] == vu[r + NV * c];
    CHECK(same);
    CHECK_OK(ds_sim_linearize(sim, q, v, u, A, NULL));
    CHECK_OK(ds_sim_linearize(sim, q, v, u, NULL, B));
    CHECK_INVALID(ds_sim_linearize(sim, q, v, u, A, A), "B: must not overlap A");
    CHECK_INVALID(ds_sim_linearize(sim, q, A, u, A, B), "A: must not overlap v");
    CHECK_INVALID(ds_sim_linearize(sim, NULL, v, u, A, B), "q");
    CHECK_INVALID(ds_sim_linearize(NULL, q, v, u, A, B), "sim");
    u[3] = NAN;
    CHECK_WRONG(ds_sim_linearize(sim, q, v, u, A, B), DS_ERR_NUMERICAL, "u[3]");
    u[3] = 0.0;
    /* Results of a step go over arguments and not over each other. */
    CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    const double before = q[2];
    CHECK_INVALID(ds_sim_step(sim, q, v, u, q, q), "v_next: must not overlap q_next");
    CHECK_INVALID(ds_sim_step(sim, q, v, u, q, q + 5), "v_next: must not overlap q_next");
    CHECK(q[2] == before);

    double up[NQ];
    memcpy(up, q, sizeof up);
    up[2] += 0.7;
    CHECK_OK(ds_model_place_on_ground(model, up, up));
    CHECK_NEAR(up[2], q[2], 1e-3);
    CHECK_INVALID(ds_model_place_on_ground(model, NULL, up), "q");
    CHECK_INVALID(ds_model_place_on_ground(model, q, NULL), "q_out");
    up[3] = 5.0;
    CHECK_INVALID(ds_model_place_on_ground(model, up, up), "quaternion");
    CHECK_INVALID(ds_model_keyframe_at(model, 1, q, NULL, NULL), "keyframe");
    ds_sim_free(sim);
    ds_model_free(model);
}

static void parts_are_read(char **argv) {
    ds_model *model = NULL;
    CHECK_OK(ds_model_load(model_path(argv, "quadruped.xml"), NULL, &model));
    ds_actuator_desc actuator;
    ds_actuator_desc_init(&actuator);
    CHECK_OK(ds_model_actuator(model, 0, &actuator));
    CHECK(strcmp(actuator.name, "FR_hip") == 0 && strcmp(actuator.joint, "FR_hip_joint") == 0);
    CHECK(actuator.tendon == NULL && actuator.body == NULL && actuator.gear[0] == 1.0);
    CHECK(actuator.gain == 100.0 && actuator.bias[1] == -100.0 && actuator.control_upper == 0.863);
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    CHECK_OK(ds_model_joint(model, ds_model_joint_id(model, "FR_hip_joint"), &joint));
    CHECK(joint.kind == DS_JOINT_REVOLUTE && joint.axis[0] == 1.0 && joint.damping == 2.0);
    CHECK(joint.armature == 0.01 && joint.lower == -0.863 && joint.upper == 0.863 && joint.effort == INFINITY);
    ds_body_desc body;
    ds_body_desc_init(&body);
    CHECK_OK(ds_model_body(model, 1, &body));
    CHECK(strcmp(body.name, "trunk") == 0 && body.parent == 0 && body.mocap == -1);
    double mass, com[3], about[6], inertia[10];
    CHECK_OK(ds_inertia_to_com(body.inertia, &mass, com, about));
    CHECK_OK(ds_inertia_from_com(mass, com, about, inertia));
    for (int i = 0; i < 10; i++) CHECK_NEAR(inertia[i], body.inertia[i], 1e-15);
    const double none[10] = {0}, odd[10] = {0, 1};
    CHECK_OK(ds_inertia_to_com(none, &mass, com, about));
    CHECK(mass == 0.0 && com[0] == 0.0 && about[5] == 0.0);
    CHECK_INVALID(ds_inertia_to_com(odd, &mass, NULL, NULL), "inertia: its mass");
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    CHECK_OK(ds_model_geom(model, 0, &geom));
    CHECK(geom.kind == DS_GEOM_PLANE && geom.vertices == NULL && geom.heights == NULL);

    /* Structs of other sizes, and what is none. */
    struct {
        ds_joint_desc known;
        double more;
    } newer = {joint, 0.0};
    newer.known.struct_size = sizeof newer;
    newer.more = 0.0;
    CHECK_OK(ds_model_joint(model, 1, &newer.known));
    CHECK(newer.known.struct_size == sizeof newer && newer.known.damping == 2.0);
    joint.struct_size = offsetof(ds_joint_desc, effort);
    joint.effort = 7.0;
    CHECK_OK(ds_model_joint(model, 1, &joint));
    CHECK(joint.effort == 7.0 && joint.struct_size == offsetof(ds_joint_desc, effort));
    joint.struct_size = 0;
    CHECK_INVALID(ds_model_joint(model, 1, &joint), "struct_size");
    CHECK_INVALID(ds_model_joint(model, 99, &joint), "joint");
    CHECK_INVALID(ds_model_joint(NULL, 0, &joint), "model");
    CHECK_INVALID(ds_model_body(model, -1, &body), "body");
    CHECK_INVALID(ds_model_body(model, 0, NULL), "out");
    CHECK_INVALID(ds_model_geom(model, 99, &geom), "geom");
    CHECK_INVALID(ds_model_actuator(model, 12, &actuator), "actuator");
    ds_model_free(model);
}

static void a_hand_comes_to_an_arm(char **argv) {
    ds_load_options options;
    ds_load_options_init(&options);
    options.actuation = DS_ACTUATION_FULL;
    ds_model *arm = NULL, *made = NULL, *other = hand();
    CHECK_OK(ds_model_load(model_path(argv, "arm7.urdf"), &options, &arm));
    ds_builder *builder = NULL;
    CHECK_OK(ds_builder_from_model(arm, &builder));
    const int32_t last = (int32_t)ds_model_nbody(arm) - 1;
    const double place[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0.1, 1};
    CHECK_OK(ds_builder_attach(builder, last, place, other, "left_"));
    CHECK_OK(ds_builder_attach(builder, last, NULL, other, "right_"));
    CHECK_INVALID(ds_builder_attach(builder, last, place, other, "left_"), "left_thumb");
    CHECK_OK(ds_builder_attach(builder, 0, place, other, NULL));
    CHECK_INVALID(ds_builder_attach(builder, 99, place, other, "x"), "body");
    CHECK_INVALID(ds_builder_attach(builder, 0, place, NULL, "x"), "model");
    CHECK_INVALID(ds_builder_attach(NULL, 0, place, other, "x"), "builder");
    const double scaled[16] = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    CHECK_INVALID(ds_builder_attach(builder, 0, scaled, other, "x"), "placement");

    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    const int32_t j = ds_builder_joint_id(builder, "right_j");
    CHECK_OK(ds_builder_joint(builder, j, &joint));
    CHECK(joint.name == NULL && joint.axis[2] == 1.0 && joint.friction_loss == 0.0);
    joint.friction_loss = 0.4;
    CHECK_OK(ds_builder_set_joint(builder, j, &joint));
    joint.kind = DS_JOINT_PRISMATIC;
    CHECK_INVALID(ds_builder_set_joint(builder, j, &joint), "kind");
    joint.kind = DS_JOINT_REVOLUTE;
    joint.damping = -1.0;
    CHECK_INVALID(ds_builder_set_joint(builder, j, &joint), "damping");
    joint.damping = 0.0;
    joint.effort = NAN;
    CHECK_INVALID(ds_builder_set_joint(builder, j, &joint), "joint.effort");
    CHECK_INVALID(ds_builder_set_joint(builder, -1, &joint), "joint");
    CHECK(ds_builder_joint_id(builder, "nobody") == -1 && strstr(ds_last_error(), "nobody") != NULL);

    ds_body_desc body;
    ds_body_desc_init(&body);
    CHECK_OK(ds_builder_body(builder, last, &body));
    body.gravity_compensation = 0.5;
    CHECK_OK(ds_builder_set_body(builder, last, &body));
    body.inertia[0] = -1.0;
    CHECK_INVALID(ds_builder_set_body(builder, last, &body), "mass");
    CHECK_INVALID(ds_builder_set_body(builder, 0, &body), "world");
    CHECK_INVALID(ds_builder_body(builder, 99, &body), "body");

    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    geom.name = "terrain";
    geom.kind = DS_GEOM_HEIGHT_FIELD;
    const double heights[6] = {0, 0.1, 0, 0, 0.2, 0};
    geom.size[0] = geom.size[1] = 2.0;
    geom.size[2] = 0.5;
    CHECK_INVALID(ds_builder_add_geom(builder, 0, &geom, NULL), "geom.columns");
    geom.columns = 3;
    geom.rows = 2;
    CHECK_INVALID(ds_builder_add_geom(builder, 0, &geom, NULL), "geom.heights");
    geom.heights = heights;
    geom.placement[14] = -3.0;
    CHECK_OK(ds_builder_add_geom(builder, 0, &geom, NULL));
    const int32_t g = ds_builder_geom_id(builder, "left_g");
    ds_geom_desc_init(&geom);
    CHECK_OK(ds_builder_geom(builder, g, &geom));
    CHECK(geom.name == NULL && geom.size[0] == 0.02);
    geom.size[0] = 0.05;
    CHECK_OK(ds_builder_set_geom(builder, g, &geom));
    CHECK_OK(ds_builder_remove_geom(builder, ds_builder_geom_id(builder, "right_g")));
    CHECK_INVALID(ds_builder_remove_geom(builder, 9999), "9999");

    CHECK_OK(ds_builder_build(builder, &made));
    CHECK(ds_model_nu(made) == ds_model_nv(arm) + 3 && ds_model_nv(made) == ds_model_nv(arm) + 3);
    CHECK(ds_model_body_parent(made, ds_model_body_id(made, "left_thumb")) == last);
    CHECK(ds_model_geom_id(made, "right_g") == -1 && ds_model_geom_id(made, "terrain") >= 0);
    double size[3];
    CHECK_OK(ds_model_geom_size(made, ds_model_geom_id(made, "left_g"), size));
    CHECK(size[0] == 0.05);
    ds_geom_desc_init(&geom);
    CHECK_OK(ds_model_geom(made, ds_model_geom_id(made, "terrain"), &geom));
    CHECK(geom.rows == 2 && geom.columns == 3 && memcmp(geom.heights, heights, sizeof heights) == 0);
    ds_joint_desc_init(&joint);
    CHECK_OK(ds_model_joint(made, ds_model_joint_id(made, "right_j"), &joint));
    CHECK(joint.friction_loss == 0.4 && joint.axis[2] == 1.0);
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(made, NULL, &sim));
    const ds_param friction = {DS_PARAM_JOINT_FRICTION, ds_model_joint_id(made, "right_j"), 0};
    const ds_param nothing = {DS_PARAM_JOINT_FRICTION, ds_model_joint_id(made, "left_j"), 0};
    CHECK_OK(ds_sim_select_params(sim, &friction, 1));
    CHECK_WRONG(ds_sim_select_params(sim, &nothing, 1), DS_ERR_UNSUPPORTED, "without dry friction");
    ds_sim_free(sim);
    ds_builder_free(builder);
    ds_model_free(made);
    ds_model_free(arm);
    ds_model_free(other);
    CHECK_INVALID(ds_builder_from_model(NULL, &builder), "model");
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    const char *const all[] = {"arm7.urdf", "cable_arm.xml", "cartpole.xml", "catapult.xml",
                               "humanoid.xml", "quadruped.xml", "runner.xml", "worm.xml"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) a_round_trip(argv, all[i]);
    linear_models_are_the_jacobians(argv);
    parts_are_read(argv);
    a_hand_comes_to_an_arm(argv);
    return report();
}
