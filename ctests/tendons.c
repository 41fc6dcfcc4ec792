/* Springs, tendons and actuators at sites: in a builder, their lengths, and their forces. */
#include <math.h>
#include <stddef.h>

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

/* Two motors and a servo along tendons of the same sliders: the cable draws them together. */
static void pulled(ds_builder *builder) {
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    ds_actuator_desc motor, servo;
    ds_actuator_desc_init(&motor);
    motor.name = "winch";
    motor.tendon = "cable";
    motor.gear[0] = -2.0;
    ds_actuator_desc_init(&servo);
    servo.name = "servo";
    servo.tendon = "sum";
    servo.gain = 4.0;
    servo.bias[1] = -4.0;
    servo.bias[2] = -0.5;
    servo.force_lower = -30.0;
    BAD(actuator, motor, tendon, "rope", "actuator \"winch\": no tendon is called \"rope\"");
    BAD(actuator, motor, joint, "a", "actuator.site: expected one of them, got joint and tendon");
    BAD(actuator, motor, tendon, NULL, "actuator.joint");
    BAD(actuator, motor, struct_size, 8, "struct_size");
    CHECK_OK(ds_builder_add_actuator(builder, &motor));
    CHECK_OK(ds_builder_add_actuator(builder, &servo));
    /* A struct of before there were tendons in it. */
    ds_actuator_desc old;
    ds_actuator_desc_init(&old);
    old.joint = "a";
    old.tendon = "cable";
    old.struct_size = offsetof(ds_actuator_desc, tendon);
    CHECK_OK(ds_builder_add_actuator(builder, &old));
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK(ds_model_nu(model) == 3 && ds_model_actuator_id(model, "servo") == 1);

    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.contact = DS_CONTACT_NONE;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    const double q[2] = {1.0, 5.0}, v[2] = {0.0, 3.0}, u[3] = {1.5, -2.0, 0.25}, h = options.time_step;
    double q_next[2], v_next[2], dv_du[6];
    CHECK_OK(ds_sim_step(sim, q, v, u, q_next, v_next));
    /* The cable's moment is (-0.8, 0.8), the sum's (1, -2), its length -9 and its rate -6. */
    const double winch = -2.0 * 1.5, drive = 4.0 * -2.0 + 4.0 * 9.0 + 0.5 * 6.0;
    /* The servo is implicit: kp of the length at the end, kv of the rate there. */
    const double ahead = drive + 4.0 * h * 6.0, s = h * 0.5 + h * h * 4.0;
    const double A[3] = {2.0 + h * 1.0 + h * h * 100.0 + s, -2.0 * s, 2.0 + 4.0 * s};
    const double det = A[0] * A[2] - A[1] * A[1];
    const double f[2] = {-0.8 * winch + ahead + 0.25 - 50.0 - 19.62, 0.8 * winch - 2.0 * ahead - 19.62};
    CHECK_NEAR(v_next[0], h * (A[2] * f[0] - A[1] * f[1]) / det, 1e-13);
    CHECK_NEAR(v_next[1], 3.0 + h * (A[0] * f[1] - A[1] * f[0]) / det, 1e-13);
    const ds_step_jacobians out = {.dv_du = dv_du};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    CHECK_NEAR(dv_du[0], h * (A[2] * 1.6 + A[1] * 1.6) / det, 1e-14);
    CHECK_NEAR(dv_du[1], h * (A[0] * -1.6 - A[1] * 1.6) / det, 1e-14);
    CHECK_NEAR(dv_du[3], h * (A[0] * -8.0 - A[1] * 4.0) / det, 1e-14);
    ds_sim_free(sim);
    ds_model_free(model);

    /* No two of its points move against each other. */
    const int32_t one[2] = {1, 1};
    const double points[6] = {0, 0, 0, 1, 0, 0};
    ds_tendon_desc rigid;
    ds_tendon_desc_init(&rigid);
    rigid.name = "rigid";
    rigid.count = 2;
    rigid.bodies = one;
    rigid.anchors = points;
    motor.name = "idle";
    motor.tendon = "rigid";
    CHECK_OK(ds_builder_add_tendon(builder, &rigid));
    CHECK_OK(ds_builder_add_actuator(builder, &motor));
    model = NULL;
    CHECK_INVALID(ds_builder_build(builder, &model), "its length is constant");
    CHECK(model == NULL);
}

/* A motor and a servo at a site; the servo acts along the axes of a site of the world. */
static void pushed(void) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const int32_t body = slider(builder, "a", 0.5);
    const double at[16] = {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0.25, 1};
    int32_t id = -1;
    CHECK_OK(ds_builder_add_site(builder, body, "tip", at, &id));
    CHECK_OK(ds_builder_add_site(builder, 0, "home", NULL, &id));
    ds_actuator_desc motor, servo;
    ds_actuator_desc_init(&motor);
    motor.site = "tip";
    motor.gear[0] = -2.0; /* The site's x axis points down. */
    servo = motor;
    servo.reference_site = "home";
    servo.gear[0] = 0.0;
    servo.gear[2] = 3.0;
    servo.gain = 4.0;
    servo.bias[1] = -4.0;
    BAD(actuator, motor, site, "nose", "no site is called \"nose\"");
    BAD(actuator, servo, reference_site, "nose", "no site is called \"nose\"");
    BAD(actuator, servo, site, NULL, "actuator.reference_site: expected NULL");
    BAD(actuator, motor, body, "a", "expected one of them, got body and site");
    CHECK_OK(ds_builder_add_actuator(builder, &motor));
    CHECK_OK(ds_builder_add_actuator(builder, &servo));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_actuator_desc read;
    ds_actuator_desc_init(&read);
    CHECK_OK(ds_model_actuator(model, 1, &read));
    CHECK(strcmp(read.site, "tip") == 0 && strcmp(read.reference_site, "home") == 0 && read.gear[2] == 3.0);
    CHECK(read.joint == NULL && read.tendon == NULL && read.body == NULL);
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    const double q[1] = {0.5}, v[1] = {0.2}, u[2] = {1.5, 1.0};
    double lengths[2], velocities[2], forces[2];
    CHECK_OK(ds_actuator_states(sim, q, v, u, lengths, velocities, forces, NULL, NULL, NULL, NULL));
    CHECK_NEAR(lengths[0], 0.0, 0.0);
    CHECK_NEAR(lengths[1], 3.0 * 0.75, 1e-14);
    CHECK_NEAR(velocities[0], 2.0 * 0.2, 1e-14);
    CHECK_NEAR(velocities[1], 3.0 * 0.2, 1e-14);
    CHECK_NEAR(forces[1], 4.0 * (1.0 - 2.25), 1e-14);
    ds_sim_free(sim);
    ds_model_free(model);
    ds_builder_free(builder);
}

/* Paths around solids and over pulleys, and descriptions that are shorter. */
static void wraps(void) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const int32_t a = slider(builder, "a", 0.0);
    const int32_t bodies[6] = {0, a, 0, -7, 0, a}, none[6] = {-1, -1, -1, -1, -1, -1};
    const int32_t stations[6] = {DS_PATH_POINT,  DS_PATH_CYLINDER, DS_PATH_POINT,
                                 DS_PATH_PULLEY, DS_PATH_POINT,    DS_PATH_POINT};
    const int32_t side_bodies[6] = {-1, 0, -1, -1, -1, -1}, nobody[6] = {-1, 9, -1, -1, -1, -1};
    const double anchors[18] = {-2, 0, 0, 0, 0, 0, 2, 0, 4, 0, 0, 0, 0, 2, 0, 0, 0, 0};
    const double sizes[6] = {1, 1, 1, 2, 1, 1}, flat[6] = {0, 0, 0, 2, 0, 0};
    const double axes[18] = {0, 0, 0, 0, 0, 5}, pointless[18] = {0};
    const double sides[18] = {0, 0, 0, 0, 3, 0};
    const int32_t unknown[6] = {0, 4, 0, 3, 0, 0}, loose[6] = {1, 0, 0, 3, 0, 0};
    ds_tendon_desc wrap;
    ds_tendon_desc_init(&wrap);
    wrap.name = "wrap";
    wrap.count = 6;
    wrap.bodies = bodies;
    wrap.anchors = anchors;
    wrap.stations = stations;
    wrap.sizes = sizes;
    wrap.axes = axes;
    wrap.side_bodies = side_bodies;
    wrap.sides = sides;
    BAD(tendon, wrap, stations, unknown, "tendon.stations[1]");
    BAD(tendon, wrap, stations, loose, "before it and after it");
    BAD(tendon, wrap, stations, NULL, "tendon.bodies");
    BAD(tendon, wrap, sizes, NULL, "tendon.sizes");
    BAD(tendon, wrap, sizes, flat, "radius");
    BAD(tendon, wrap, axes, pointless, "tendon.axes[1]");
    BAD(tendon, wrap, side_bodies, nobody, "path[1]");
    BAD(tendon, wrap, sides, NULL, "tendon.sides");
    CHECK_OK(ds_builder_add_tendon(builder, &wrap));
    wrap.name = "through";
    wrap.side_bodies = none;
    wrap.sides = NULL;
    wrap.axes = NULL;
    CHECK_OK(ds_builder_add_tendon(builder, &wrap));
    /* A caller whose header ends before the stations: what stands behind is not read. */
    ds_tendon_desc old = wrap;
    old.name = "old";
    old.struct_size = offsetof(ds_tendon_desc, stations);
    const int32_t two[2] = {0, a};
    old.count = 2;
    old.bodies = two;
    CHECK_OK(ds_builder_add_tendon(builder, &old));
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    const double q[1] = {0.0};
    double lengths[3], moments[3];
    CHECK_OK(ds_sim_tendon_lengths(sim, q, lengths, moments));
    const double bent = 2.0 * sqrt(3.0) + acos(-1.0) / 3.0;
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(lengths[k], hypot(bent, 4.0) + 1.0, 1e-13);
        CHECK_NEAR(moments[k], 0.0, 1e-13);
    }
    CHECK_NEAR(lengths[2], 2.0, 1e-14);
    ds_sim_free(sim);
    ds_model_free(model);
    ds_builder_free(builder);
}

int main(void) {
    wraps();
    pushed();
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
    BAD(tendon, cable, rest_lower, 2.0, "rest lengths");
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
    CHECK_INVALID(ds_builder_add_tendon(builder, &crossed), "rest lengths");
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
    pulled(builder);

    CHECK(ds_model_ntendon(model) == 2 && ds_model_ntendon(NULL) == 0);
    CHECK(ds_model_tendon_id(model, "sum") == 1 && ds_model_tendon_id(model, "nobody") == -1);
    CHECK(strcmp(ds_model_tendon_name(model, 0), "cable") == 0 && !ds_model_tendon_name(model, 2));

    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
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

    /* Its end in the world rises: the force of the spring follows at once. */
    const ds_param moved[2] = {{DS_PARAM_SPRING, 0, 4}, {DS_PARAM_SPRING, 0, 7}};
    const ds_param beyond[1] = {{DS_PARAM_SPRING, 0, 8}};
    CHECK_OK(ds_sim_select_params(sim, moved, 2));
    CHECK_INVALID(ds_sim_select_params(sim, beyond, 1), "component");
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK_NEAR(p[0], 0.5, 0.0);
    p[0] = 0.8;
    CHECK_OK(ds_sim_set_params(sim, p));
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
    CHECK_NEAR(v_next[0], -h * (20.0 + 19.62) / (2.0 + h * 1.0 + h * h * 100.0), 1e-13);
    double by_anchors[4];
    const ds_step_jacobians columns = {.dv_dp = by_anchors};
    CHECK_OK(ds_sim_step_jacobians(sim, &columns));
    CHECK_NEAR(by_anchors[0], h * 100.0 / (2.0 + h * 1.0 + h * h * 100.0), 1e-13);
    CHECK_NEAR(by_anchors[2], -h * 100.0 / (2.0 + h * 1.0 + h * h * 100.0), 1e-13);
    CHECK_NEAR(by_anchors[1], 0.0, 0.0);
    ds_sim_free(sim);
    ds_model_free(model);
    ds_builder_free(builder);
    return report();
}
