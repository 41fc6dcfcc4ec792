/* Springs and tendons: in a builder, their lengths, and what they pull. */
#include <math.h>

#include "check.h"

static int32_t slider(ds_builder *builder, const char *name, double x) {
    const double com[3] = {0.0, 0.0, 0.0}, about[6] = {0.01, 0.0, 0.01, 0.0, 0.0, 0.01};
    double inertia[10], placement[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1};
    int32_t id = -1;
    ds_joint_desc joint;
    CHECK_OK(ds_inertia_from_com(2.0, com, about, inertia));
    CHECK_OK(ds_builder_add_body(builder, 0, name, placement, inertia, &id));
    ds_joint_desc_init(&joint);
    joint.name = name;
    joint.kind = DS_JOINT_PRISMATIC;
    CHECK_OK(ds_builder_add_joint(builder, id, &joint));
    return id;
}

/* One field of a good description made wrong: refused with a message that names it. */
#define BAD(what, good, field, value, culprit)                             \
    do {                                                                    \
        ds_##what##_desc bad = good;                                        \
        bad.field = value;                                                  \
        CHECK_INVALID(ds_builder_add_##what(builder, &bad), culprit);       \
    } while (0)

int main(void) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const int32_t bodies[2] = {slider(builder, "a", 0.0), slider(builder, "b", 3.0)};
    const double anchors[6] = {0, 0, 0, 0, 0, 0};
    const char *const joints[2] = {"a", "b"};
    const double coefficients[2] = {1.0, -2.0};

    ds_tendon_desc cable, sum;
    ds_tendon_desc_init(&cable);
    cable.name = "cable";
    cable.count = 2;
    cable.bodies = bodies;
    cable.anchors = anchors;
    ds_tendon_desc_init(&sum);
    sum.name = "sum";
    sum.kind = DS_TENDON_FIXED;
    sum.count = 2;
    sum.joints = joints;
    sum.coefficients = coefficients;

    const int32_t nobody[2] = {0, 9}, negative[2] = {0, -1};
    const char *const unknown[2] = {"a", "nobody"}, *const twice[2] = {"a", "a"};
    BAD(tendon, cable, stiffness, -1.0, "tendon \"cable\": stiffness");
    BAD(tendon, cable, damping, NAN, "damping");
    BAD(tendon, cable, friction_loss, INFINITY, "friction loss");
    BAD(tendon, cable, rest_lower, 2.0, "lengths at rest");
    BAD(tendon, cable, lower, INFINITY, "limits");
    BAD(tendon, cable, upper, -INFINITY, "limits");
    BAD(tendon, cable, count, 1, "two points");
    BAD(tendon, cable, kind, 7, "tendon.kind");
    BAD(tendon, cable, pull_only, 2, "tendon.pull_only");
    BAD(tendon, cable, anchors, NULL, "tendon.anchors");
    BAD(tendon, cable, bodies, nobody, "path[1]");
    BAD(tendon, cable, bodies, negative, "tendon.bodies");
    BAD(tendon, sum, joints, unknown, "\"nobody\"");
    BAD(tendon, sum, joints, twice, "named once");
    BAD(tendon, sum, coefficients, NULL, "tendon.coefficients");
    ds_tendon_desc crossed = cable;
    crossed.rest_lower = 2.0;
    crossed.rest_upper = 1.0;
    CHECK_INVALID(ds_builder_add_tendon(builder, &crossed), "lengths at rest");
    crossed = cable;
    crossed.lower = 2.0;
    crossed.upper = 1.0;
    CHECK_INVALID(ds_builder_add_tendon(builder, &crossed), "limits");
    CHECK_INVALID(ds_builder_add_tendon(builder, NULL), "tendon");
    CHECK_INVALID(ds_builder_add_tendon(NULL, &cable), "builder");
    CHECK_OK(ds_builder_add_tendon(builder, &cable));
    CHECK_OK(ds_builder_add_tendon(builder, &sum));
    CHECK_INVALID(ds_builder_add_tendon(builder, &cable), "taken twice");

    ds_spring_desc spring;
    ds_spring_desc_init(&spring);
    spring.name = "spring";
    spring.body2 = bodies[0];
    spring.anchor1[2] = 0.5;
    spring.stiffness = 100.0;
    spring.damping = 1.0;
    BAD(spring, spring, stiffness, -1.0, "spring \"spring\": stiffness");
    BAD(spring, spring, damping, INFINITY, "damping");
    BAD(spring, spring, anchor2[1], NAN, "anchor2");
    BAD(spring, spring, body1, 9, "body1");
    BAD(spring, spring, body2, -1, "spring.body2");
    CHECK_INVALID(ds_builder_add_spring(builder, NULL), "spring");
    CHECK_INVALID(ds_builder_add_spring(NULL, &spring), "builder");
    CHECK_OK(ds_builder_add_spring(builder, &spring));
    CHECK_OK(ds_builder_build(builder, &model));

    CHECK(ds_model_ntendon(model) == 2 && ds_model_ntendon(NULL) == 0);
    CHECK(ds_model_tendon_id(model, "sum") == 1 && ds_model_tendon_id(model, "nobody") == -1);
    CHECK(strcmp(ds_model_tendon_name(model, 0), "cable") == 0 && !ds_model_tendon_name(model, 2));

    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    const double q[2] = {1.0, 5.0}, v[2] = {0.0, 0.0};
    double lengths[2] = {0.0, 0.0}, moments[4] = {7.0, 7.0, 7.0, 7.0};
    CHECK_OK(ds_sim_tendon_lengths(sim, q, lengths, moments));
    CHECK_NEAR(lengths[0], 5.0, 1e-14);
    CHECK_NEAR(lengths[1], -9.0, 1e-14);
    CHECK_NEAR(moments[0], -0.8, 1e-14);
    CHECK_NEAR(moments[1], 0.8, 1e-14);
    CHECK_NEAR(moments[2], 1.0, 0.0);
    CHECK_NEAR(moments[3], -2.0, 0.0);
    CHECK_OK(ds_sim_tendon_lengths(sim, q, lengths, NULL));
    const double lost[2] = {NAN, 0.0};
    CHECK_WRONG(ds_sim_tendon_lengths(sim, lost, lengths, moments), DS_ERR_NUMERICAL, "q[0]");
    CHECK(lengths[0] == 5.0 && moments[2] == 1.0);
    CHECK_INVALID(ds_sim_tendon_lengths(sim, NULL, lengths, NULL), "q");
    CHECK_INVALID(ds_sim_tendon_lengths(sim, q, NULL, NULL), "lengths");
    CHECK_INVALID(ds_sim_tendon_lengths(NULL, q, lengths, NULL), "sim");

    /* The spring's end on body a is 0.5 m too high: (2 + 0.01 h d + h² k) dv = -h (k 0.5 + 2 g). */
    const double h = options.time_step;
    double kinetic, potential, q_next[2], v_next[2];
    CHECK_OK(ds_energy(sim, q, v, &kinetic, &potential));
    CHECK_NEAR(potential, 2.0 * 9.81 * 6.0 + 0.5 * 100.0 * 0.25, 1e-11);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
    CHECK_NEAR(v_next[0], -h * (50.0 + 19.62) / (2.0 + h * 1.0 + h * h * 100.0), 1e-13);
    CHECK_NEAR(v_next[1], -h * 9.81, 1e-13);

    const ds_param list[3] = {{DS_PARAM_SPRING, 0, 1}, {DS_PARAM_TENDON, 1, 3}, {DS_PARAM_TENDON, 0, 0}};
    const ds_param none[1] = {{DS_PARAM_TENDON, 2, 0}};
    CHECK_OK(ds_sim_select_params(sim, list, 3));
    CHECK_INVALID(ds_sim_select_params(sim, none, 1), "params[0]");
    double p[3];
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK_NEAR(p[0], 1.0, 0.0);
    CHECK_NEAR(p[1], 0.0, 0.0);
    p[2] = -1.0;
    CHECK_INVALID(ds_sim_set_params(sim, p), "p[2]");
    ds_sim_free(sim);
    ds_model_free(model);
    ds_builder_free(builder);
    return report();
}
