/* Friction of a hinge and of a ball by the load that they carry: what they hold, how they slide, derivatives,
 * refusals. */
#include <math.h>
#include <string.h>

#include "check.h"

static const double MASS = 2.0, ARM = 0.5, MOMENT = 0.3, GRAVITY = 9.81, STEP = 1e-3;

/* A mass that hangs below a hinge about y, or below a ball. */
static ds_model *pendulum(int32_t kind, double coefficient, double radius) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    int32_t body = 0;
    const double com[3] = {0.0, 0.0, -ARM}, about[6] = {MOMENT, 0.0, MOMENT, 0.0, 0.0, MOMENT};
    const double place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double inertia[10];
    CHECK_OK(ds_builder_create(&builder));
    CHECK_OK(ds_inertia_from_com(MASS, com, about, inertia));
    CHECK_OK(ds_builder_add_body(builder, 0, "arm", place, inertia, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    CHECK(joint.friction_coefficient == 0.0);
    joint.name = "hinge";
    joint.kind = kind;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.friction_coefficient = coefficient;
    joint.friction_radius = radius;
    CHECK_OK(ds_builder_add_joint(builder, body, &joint));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    return model;
}

static ds_sim *simulation(const ds_model *model) {
    ds_sim *sim = NULL;
    ds_options options;
    ds_options_init(&options);
    options.time_step = STEP;
    options.tolerance = 1e-12;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    return sim;
}

/* Velocity after a step from rest, with a torque about the hinge, and its slope by the coefficient. */
static double pushed(double coefficient, double radius, double torque, double *by_coefficient) {
    ds_model *model = pendulum(DS_JOINT_REVOLUTE, coefficient, radius);
    ds_sim *sim = simulation(model);
    const double wrench[6] = {0.0, 0.0, 0.0, 0.0, torque, 0.0};
    const ds_param mu = {.kind = DS_PARAM_JOINT_FRICTION_COEFFICIENT};
    const double zero = 0.0;
    double q = NAN, v = NAN;
    CHECK_OK(ds_sim_set_external_wrench(sim, 1, wrench));
    CHECK_OK(ds_sim_select_params(sim, &mu, 1));
    CHECK_OK(ds_sim_step(sim, &zero, &zero, NULL, &q, &v));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.converged && info.residual < 1e-12);
    ds_step_jacobians jacobians;
    memset(&jacobians, 0, sizeof jacobians);
    jacobians.dv_dp = by_coefficient;
    CHECK_OK(ds_sim_step_jacobians(sim, &jacobians));
    ds_sim_free(sim);
    ds_model_free(model);
    return v;
}

static void holds_and_slides(void) {
    const double mu = 0.4, radius = 0.05, most = mu * radius * MASS * GRAVITY;
    double slope = NAN;
    CHECK(fabs(pushed(mu, radius, 0.999 * most, &slope)) < 1e-12 && slope == 0.0);
    /* Beyond, N holds the weight and accelerates the mass: I a = torque - mu r N. */
    const double torque = 3.0 * most, inertia = MOMENT + MASS * ARM * ARM;
    double a = 0.0;
    for (int k = 0; k < 100; k++)
        a = (torque - mu * radius * hypot(MASS * GRAVITY, MASS * ARM * a)) / inertia;
    CHECK(fabs(pushed(mu, radius, torque, &slope) - STEP * a) < 1e-8 * STEP);
    double ignored;
    const double e = 1e-6;
    const double difference = (pushed(mu + e, radius, torque, &ignored) - pushed(mu - e, radius, torque, &ignored)) / (2 * e);
    CHECK(slope < 0.0 && fabs(slope - difference) < 1e-6 * fabs(slope));
}

/* A horizontal torque of any direction that is larger than the friction turns a ball along this torque. */
static void a_ball_holds_and_slides(void) {
    const double mu = 0.4, radius = 0.05, most = mu * radius * MASS * GRAVITY, inertia = MOMENT + MASS * ARM * ARM;
    ds_model *model = pendulum(DS_JOINT_SPHERICAL, mu, radius);
    ds_sim *sim = simulation(model);
    const ds_param parameter = {.kind = DS_PARAM_JOINT_FRICTION_COEFFICIENT};
    CHECK_OK(ds_sim_select_params(sim, &parameter, 1));
    const double q[4] = {0.0, 0.0, 0.0, 1.0}, rest[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 12; k++) {
        const double x = cos(0.5 * k), y = sin(0.5 * k);
        double q_end[4], v[3];
        const double weak[6] = {0.0, 0.0, 0.0, 0.999 * most * x, 0.999 * most * y, 0.0};
        CHECK_OK(ds_sim_set_external_wrench(sim, 1, weak));
        CHECK_OK(ds_sim_step(sim, q, rest, NULL, q_end, v));
        CHECK(v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0);
        const double strong[6] = {0.0, 0.0, 0.0, 3.0 * most * x, 3.0 * most * y, 0.0};
        CHECK_OK(ds_sim_set_external_wrench(sim, 1, strong));
        CHECK_OK(ds_sim_step(sim, q, rest, NULL, q_end, v));
        double a = 0.0, load = 0.0;
        for (int i = 0; i < 100; i++) {
            load = hypot(MASS * GRAVITY, MASS * ARM * a);
            a = (3.0 * most - mu * radius * load) / inertia;
        }
        CHECK(fabs(v[0] - STEP * a * x) < 1e-8 * STEP && fabs(v[1] - STEP * a * y) < 1e-8 * STEP);
        CHECK(fabs(v[2]) < 1e-15);
        /* I da = -r N dmu - mu r dN/da da */
        double slope[3];
        const double by_a = mu * radius * MASS * ARM * MASS * ARM * a / load;
        const double expected = -STEP * radius * load / (inertia + by_a);
        ds_step_jacobians jacobians;
        memset(&jacobians, 0, sizeof jacobians);
        jacobians.dv_dp = slope;
        CHECK_OK(ds_sim_step_jacobians(sim, &jacobians));
        CHECK(fabs(slope[0] - expected * x) < 1e-8 * STEP && fabs(slope[1] - expected * y) < 1e-8 * STEP);
    }
    ds_sim_free(sim);
    ds_model_free(model);
}

static void refused(void) {
    ds_model *model = pendulum(DS_JOINT_REVOLUTE, 0.4, 0.05);
    ds_sim *sim = NULL;
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_PENALTY;
    CHECK(ds_sim_create(model, &options, &sim) == DS_ERR_UNSUPPORTED);
    CHECK(strstr(ds_last_error(), "hinge") != NULL && strstr(ds_last_error(), "friction_coefficient") != NULL);
    CHECK(sim == NULL);
    ds_model_free(model);
    ds_builder *builder = NULL;
    CHECK_OK(ds_builder_create(&builder));
    int32_t body = 0;
    const double place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double inertia[10] = {1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1};
    CHECK_OK(ds_builder_add_body(builder, 0, "arm", place, inertia, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "hinge";
    joint.friction_coefficient = -0.1;
    CHECK(ds_builder_add_joint(builder, body, &joint) == DS_ERR_INVALID_ARGUMENT);
    CHECK(strstr(ds_last_error(), "friction coefficient must be") != NULL);
    ds_builder_free(builder);
}

int main(void) {
    holds_and_slides();
    a_ball_holds_and_slides();
    refused();
    return report();
}
