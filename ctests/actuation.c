/* Inputs of loaded robots: on joints, on transmissions, within efforts; servos and motors that are added. */
#include <math.h>
#include <stddef.h>

#include "check.h"

#define INERTIAL "<inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>\n"
#define JOINT(name, type, parent, child, rest)                                                             \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>"          \
    "<axis xyz='0 1 0'/><origin xyz='0 0 .5'/>" rest "</joint>\n"
#define MOTOR(name, joint, reduction)                                                                      \
    "<transmission name='t" name "'><type>transmission_interface/SimpleTransmission</type><joint name='"   \
    joint "'/><actuator name='" name "'><mechanicalReduction>" reduction "</mechanicalReduction></actuator>" \
    "</transmission>\n"

/* A base on what `root` is, with two hinges in a row; efforts 2 and 0. */
#define ROBOT(root, more)                                                                                  \
    "<robot name='r'><link name='world'/>" LINK("base") LINK("a") LINK("b") JOINT("root", root, "world", "base", "") \
    JOINT("j", "continuous", "base", "a", "<limit effort='2' velocity='3'/>")                              \
    JOINT("k", "continuous", "a", "b", "<limit effort='0' velocity='3'/>") more "</robot>"

static const char two_motors[] = ROBOT("fixed", MOTOR("m", "j", "-50") MOTOR("n", "k", "2"));
static const double H = 1e-3;

static ds_model *load(const char *text, const ds_load_options *options) {
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_URDF, options, &model));
    return model;
}

static size_t inputs(const char *text, int32_t base, int32_t actuation) {
    ds_load_options options;
    ds_load_options_init(&options);
    options.base = base;
    options.actuation = actuation;
    ds_model *model = load(text, &options);
    const size_t nu = ds_model_nu(model);
    if (actuation == DS_ACTUATION_JOINTS && nu == 2)
        CHECK(ds_model_actuator_id(model, "j") == 0 && ds_model_actuator_id(model, "k") == 1);
    ds_model_free(model);
    return nu;
}

static ds_sim *simulation(const ds_model *model) {
    ds_sim *sim = NULL;
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    options.time_step = H;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    return sim;
}

/* The step's Jacobians against central differences, for a model without quaternions. */
static void differences(ds_sim *sim, const double *q, const double *v, const double *u, size_t nu) {
    enum { NV = 2, MOST = 4 };
    double x[NV + NV + MOST], plus[NV], minus[NV], end[NV], by[NV * (NV + NV + MOST)];
    const double step = 1e-6;
    CHECK_OK(ds_sim_step(sim, q, v, u, plus, end));
    const ds_step_jacobians out = {.dv_dq = by, .dv_dv = by + NV * NV, .dv_du = by + 2 * NV * NV};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    memcpy(x, q, sizeof(double) * NV);
    memcpy(x + NV, v, sizeof(double) * NV);
    memcpy(x + 2 * NV, u, sizeof(double) * nu);
    for (size_t k = 0; k < 2 * NV + nu; k++) {
        const double kept = x[k];
        x[k] = kept + step;
        CHECK_OK(ds_sim_step(sim, x, x + NV, x + 2 * NV, end, plus));
        x[k] = kept - step;
        CHECK_OK(ds_sim_step(sim, x, x + NV, x + 2 * NV, end, minus));
        x[k] = kept;
        for (size_t i = 0; i < NV; i++)
            CHECK_NEAR(by[NV * k + i], (plus[i] - minus[i]) / (2.0 * step), 1e-9 * fmax(1.0, fabs(by[NV * k + i])));
    }
}

static void choices(void) {
    static const char *const roots[] = {ROBOT("floating", ""), ROBOT("planar", ""), ROBOT("spherical", "")};
    static const size_t dofs[] = {8, 5, 5};
    for (int i = 0; i < 3; i++) {
        CHECK(inputs(roots[i], DS_BASE_FROM_FILE, DS_ACTUATION_JOINTS) == 2);
        CHECK(inputs(roots[i], DS_BASE_FROM_FILE, DS_ACTUATION_FULL) == dofs[i]);
    }
    /* A joint of one dof on the world is a robot's first, one of several further out is no base. */
    CHECK(inputs(ROBOT("continuous", ""), DS_BASE_FROM_FILE, DS_ACTUATION_JOINTS) == 3);
    CHECK(inputs(ROBOT("fixed", LINK("c") JOINT("wrist", "spherical", "b", "c", "")), DS_BASE_FROM_FILE,
                 DS_ACTUATION_JOINTS) == 5);
    static const char loose[] =
        "<robot name='r'>" LINK("base") LINK("a") JOINT("j", "continuous", "base", "a", "") "</robot>";
    CHECK(inputs(loose, DS_BASE_FREE, DS_ACTUATION_JOINTS) == 1 && inputs(loose, DS_BASE_FREE, DS_ACTUATION_FULL) == 7);

    ds_builder *builder = NULL;
    ds_model *model = NULL;
    const double ball[10] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 1};
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    CHECK_OK(ds_builder_create(&builder));
    CHECK_OK(ds_builder_add_body(builder, 0, "base", NULL, ball, NULL));
    joint.kind = DS_JOINT_FREE;
    CHECK_OK(ds_builder_add_joint(builder, 1, &joint));
    CHECK_OK(ds_builder_add_body(builder, 1, "arm", NULL, ball, NULL));
    joint.kind = DS_JOINT_UNIVERSAL;
    CHECK_OK(ds_builder_add_joint(builder, 2, &joint));
    CHECK_OK(ds_builder_set_actuation(builder, DS_ACTUATION_JOINTS));
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK(ds_model_nu(model) == 2 && ds_model_nv(model) == 8);
    ds_model_free(model);
    ds_builder_free(builder);
}

static void transmissions(void) {
    ds_load_options options;
    ds_load_options_init(&options);
    ds_model *model = load(two_motors, NULL);
    CHECK(ds_model_nu(model) == 0 && ds_model_warning_count(model) == 1);
    CHECK(strstr(ds_model_warning(model, 0), "transmissions = 1") != NULL);
    ds_model_free(model);
    options.transmissions = 1;
    model = load(two_motors, &options);
    CHECK(ds_model_nu(model) == 2 && ds_model_warning_count(model) == 0 && ds_model_actuator_id(model, "m") == 0);
    ds_sim *sim = simulation(model);
    const double q[2] = {0.3, -0.4}, v[2] = {0.5, 0.6}, u[2] = {0.2, 0.7};
    differences(sim, q, v, u, 2);
    /* The same torques on the joints as inputs of their own. */
    options.transmissions = 0;
    options.actuation = DS_ACTUATION_JOINTS;
    ds_model *direct = load(two_motors, &options);
    ds_sim *other = simulation(direct);
    const double torques[2] = {-50.0 * u[0], 2.0 * u[1]};
    double end[2][4];
    CHECK_OK(ds_sim_step(sim, q, v, u, end[0], end[0] + 2));
    CHECK_OK(ds_sim_step(other, q, v, torques, end[1], end[1] + 2));
    for (int i = 0; i < 4; i++) CHECK_NEAR(end[0][i], end[1][i], 1e-13);
    ds_sim_free(other);
    ds_sim_free(sim);
    ds_model_free(direct);
    ds_model_free(model);

    /* The effort is the joint's: the motor's share of it is 50 times less. */
    ds_load_options_init(&options);
    options.transmissions = 1;
    options.effort_limits = 1;
    model = load(two_motors, &options);
    sim = simulation(model);
    const double more[2] = {1.0, 0.0}, most[2] = {2.0 / 50.0, 0.0};
    CHECK_OK(ds_sim_step(sim, q, v, more, end[0], end[0] + 2));
    CHECK_OK(ds_sim_step(sim, q, v, most, end[1], end[1] + 2));
    for (int i = 0; i < 4; i++) CHECK_NEAR(end[0][i], end[1][i], 1e-15);
    ds_sim_free(sim);
    ds_model_free(model);
}

static void efforts(void) {
    ds_load_options options;
    ds_load_options_init(&options);
    CHECK(options.effort_limits == 0 && options.transmissions == 0);
    options.actuation = DS_ACTUATION_JOINTS;
    options.effort_limits = 1;
    static const char text[] = ROBOT("fixed", "");
    ds_model *model = load(text, &options);
    CHECK(ds_model_warning_count(model) == 1);
    CHECK(strstr(ds_model_warning(model, 0), "effort_limits: the inputs of 1 joints, the first \"k\"") != NULL);
    ds_sim *sim = simulation(model);
    const double q[2] = {0.3, -0.4}, v[2] = {0.5, 0.6};
    double end[2][4], by[4];
    const double inside[2] = {1.5, 0.0}, beyond[2] = {-7.0, 5.0}, at[2] = {-2.0, 0.0};
    differences(sim, q, v, inside, 2);
    differences(sim, q, v, beyond, 2);
    CHECK_OK(ds_sim_step(sim, q, v, at, end[0], end[0] + 2));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.gradient == DS_GRADIENT_ONE_SIDED);
    CHECK_OK(ds_sim_step(sim, q, v, beyond, end[1], end[1] + 2));
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.gradient == DS_GRADIENT_EXACT);
    const ds_step_jacobians out = {.dv_du = by};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    for (int i = 0; i < 4; i++) CHECK_NEAR(by[i], 0.0, 0.0);
    ds_sim_free(sim);
    ds_model_free(model);
    /* Without it nothing is clamped. */
    options.effort_limits = 0;
    model = load(text, &options);
    CHECK(ds_model_warning_count(model) == 0);
    sim = simulation(model);
    CHECK_OK(ds_sim_step(sim, q, v, beyond, end[0], end[0] + 2));
    CHECK(fabs(end[0][2] - end[1][2]) > 1e-3);
    ds_sim_free(sim);
    ds_model_free(model);
}

/* Speeds are held at the end of a step where that is asked for, by all that has rows. */
static void velocities(void) {
    static const char text[] = ROBOT("fixed", "");
    ds_load_options load_options;
    ds_load_options_init(&load_options);
    load_options.actuation = DS_ACTUATION_JOINTS;
    ds_model *model = load(text, &load_options);
    ds_options options;
    ds_options_init(&options);
    CHECK(options.velocity_limits == 0);
    options.time_step = H;
    const double q[2] = {0.3, -0.4}, v[2] = {2.9, -1.0}, u[2] = {400.0, -900.0};
    double end[2], speed[2], by[4];
    for (int32_t asked = 0; asked < 2; asked++) {
        options.velocity_limits = asked;
        ds_sim *sim = NULL;
        CHECK_OK(ds_sim_create(model, &options, &sim));
        CHECK_OK(ds_sim_step(sim, q, v, u, end, speed));
        for (int i = 0; i < 2; i++) CHECK(asked ? fabs(speed[i]) < 3.0 + 1e-9 : fabs(speed[i]) > 3.5);
        const ds_step_jacobians out = {.dv_du = by};
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        for (int i = 0; asked && i < 4; i++) CHECK_NEAR(by[i], 0.0, 1e-12);
        if (!asked) CHECK(fabs(by[0]) > 1e-4);
        ds_sim_free(sim);
    }
    ds_sim *none = NULL;
    options.velocity_limits = 2;
    CHECK(ds_sim_create(model, &options, &none) == DS_ERR_INVALID_ARGUMENT && none == NULL);
    CHECK(strstr(ds_last_error(), "options.velocity_limits") != NULL);
    options.velocity_limits = 1;
    options.contact = DS_CONTACT_NONE;
    CHECK(ds_sim_create(model, &options, &none) == DS_ERR_UNSUPPORTED && none == NULL);
    CHECK(strstr(ds_last_error(), "options.velocity_limits") != NULL);
    ds_model_free(model);
}

static void added(void) {
    ds_load_options options;
    ds_load_options_init(&options);
    options.actuation = DS_ACTUATION_JOINTS;
    ds_model *model = load(two_motors, &options), *driven = NULL;
    ds_actuator_desc list[3];
    for (int i = 0; i < 3; i++) ds_actuator_desc_init(&list[i]);
    list[0].name = "servo";
    list[0].joint = "k";
    CHECK_OK(ds_actuator_desc_set_servo(&list[0], 30.0, 2.0));
    CHECK(list[0].gain == 30.0 && list[0].bias[1] == -30.0 && list[0].bias[2] == -2.0 && list[0].gear[0] == 1.0);
    list[1].name = "motor";
    list[1].joint = "j";
    list[1].gear[0] = 3.0;
    CHECK_OK(ds_model_with_actuators(model, list, 2, &driven));
    CHECK(ds_model_nu(model) == 2 && ds_model_nu(driven) == 4 && ds_model_actuator_id(driven, "servo") == 2);
    ds_sim *sim = simulation(driven), *plain = simulation(model);
    const double q[2] = {0.3, -0.4}, v[2] = {0.5, 0.6}, u[4] = {0.1, 0.2, 1.1, -0.3};
    /* The servo is implicit: a force with its slopes does the same. */
    const double torques[2] = {0.1 + 3.0 * -0.3, 0.2}, force[2] = {0.0, 30.0 * (1.1 + 0.4) - 2.0 * 0.6};
    const double by_q[4] = {0.0, 0.0, 0.0, -30.0}, by_v[4] = {0.0, 0.0, 0.0, -2.0};
    double end[2][4];
    differences(sim, q, v, u, 4);
    CHECK_OK(ds_sim_step(sim, q, v, u, end[0], end[0] + 2));
    CHECK_OK(ds_sim_set_force(plain, force, by_q, by_v));
    CHECK_OK(ds_sim_step(plain, q, v, torques, end[1], end[1] + 2));
    for (int i = 0; i < 4; i++) CHECK_NEAR(end[0][i], end[1][i], 1e-13);
    ds_sim_free(plain);
    ds_sim_free(sim);

    ds_model *again = NULL;
    CHECK_OK(ds_model_with_actuators(driven, NULL, 0, &again));
    CHECK(ds_model_nu(again) == 4);
    ds_model_free(again);
    /* Keyframes grow with it. */
    static const char keyed[] =
        "<mujoco><worldbody><body><joint name='h'/><geom size='1'/></body></worldbody><actuator><motor joint='h'/>"
        "</actuator><keyframe><key name='k' qpos='1' ctrl='2'/></keyframe></mujoco>";
    ds_model *file = NULL;
    CHECK_OK(ds_model_load_string(keyed, strlen(keyed), DS_FORMAT_MJCF, NULL, &file));
    CHECK(ds_model_time_step(file) == 0.002 && ds_model_warning_count(file) == 0);
    list[0].joint = "h";
    CHECK_OK(ds_model_with_actuators(file, list, 1, &again));
    double at[2], key[2] = {7.0, 7.0};
    CHECK_OK(ds_model_keyframe(again, "k", at, at + 1, key));
    CHECK(key[0] == 2.0 && key[1] == 0.0);
    ds_model_free(again);
    ds_model_free(file);

    /* What is no actuator: nothing is made. */
    ds_model *const poison = driven;
    ds_model *out = poison;
    list[0].joint = "k";
    list[1].joint = "nobody";
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "\"nobody\"");
    list[1].joint = "root";
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "fixed");
    list[1].joint = NULL;
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "actuators[1].joint");
    list[1].joint = "j";
    list[1].name = "servo";
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "taken twice");
    list[1].name = "k";
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "taken twice");
    list[1].name = NULL;
    list[1].gain = NAN;
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "gain");
    list[1].gain = 1.0;
    list[1].force_lower = 2.0;
    list[1].force_upper = 1.0;
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "force range");
    list[1].force_lower = -1.0;
    list[1].struct_size = 3;
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, &out), "actuators[1]: struct_size");
    list[1].struct_size = sizeof list[1] + 8;
    CHECK(ds_model_with_actuators(model, list, 2, &out) != DS_OK && strstr(ds_last_error(), "actuators[1]") != NULL);
    list[1].struct_size = sizeof list[1];
    CHECK_INVALID(ds_model_with_actuators(model, NULL, 1, &out), "actuators[0]");
    CHECK_INVALID(ds_model_with_actuators(NULL, list, 2, &out), "model");
    CHECK_INVALID(ds_model_with_actuators(model, list, 2, NULL), "out");
    CHECK(out == poison);
    const double gain = list[0].gain;
    CHECK_INVALID(ds_actuator_desc_set_servo(&list[0], -1.0, 0.0), "kp");
    CHECK_WRONG(ds_actuator_desc_set_servo(&list[0], 1.0, NAN), DS_ERR_NUMERICAL, "kd");
    CHECK_INVALID(ds_actuator_desc_set_servo(NULL, 1.0, 1.0), "actuator");
    list[0].struct_size = 0;
    CHECK_INVALID(ds_actuator_desc_set_servo(&list[0], 1.0, 1.0), "ds_actuator_desc_init");
    CHECK(list[0].gain == gain);

    /* Servos act on one-dof and spherical joints. */
    static const char ball[] = ROBOT("spherical", ""), flat[] = ROBOT("planar", "");
    ds_model *turning = load(ball, NULL), *sliding = load(flat, NULL);
    ds_actuator_desc_init(&list[0]);
    list[0].joint = "root";
    CHECK_OK(ds_actuator_desc_set_servo(&list[0], 1.0, 0.0));
    CHECK_WRONG(ds_model_with_actuators(sliding, list, 1, &out), DS_ERR_UNSUPPORTED, "one-dof");
    CHECK_OK(ds_model_with_actuators(turning, list, 1, &out));
    ds_model_free(out);
    ds_model_free(sliding);
    ds_model_free(turning);
    ds_model_free(driven);
    ds_model_free(model);
}

/* A ball of 1 kg on the ground that adheres to it. */
static void adhering(void) {
    static const char text[] =
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' pos='0 0 .1'><freejoint/><geom name='ball' "
        "size='.1' mass='1'/></body><body name='empty' pos='9 0 9'/></worldbody></mujoco>";
    ds_model *model = NULL, *held = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &model));
    ds_actuator_desc grip, bad;
    ds_actuator_desc_init(&grip);
    CHECK(grip.body == NULL);
    grip.name = "grip";
    grip.body = "ball";
    grip.gain = 4.0;
    grip.control_lower = 0.0;
    grip.control_upper = 10.0;
    CHECK_OK(ds_model_with_actuators(model, &grip, 1, &held));
    ds_sim *sim = NULL;
    ds_options options;
    ds_options_init(&options);
    options.time_step = H;
    CHECK_OK(ds_sim_create(held, &options, &sim));
    const ds_param gain = {DS_PARAM_ACTUATOR_GAIN, 0, 0};
    CHECK_OK(ds_sim_select_params(sim, &gain, 1));
    double q[7], v[6] = {0}, u = 5.0, value = 0.0, force[6], by_u[6], up[6] = {0, 0, 1.0, 0, 0, 0}, q_next[7], by_p[6];
    CHECK_OK(ds_sim_get_params(sim, &value));
    CHECK(value == 4.0);
    CHECK_OK(ds_model_neutral(held, q));
    CHECK_OK(ds_sim_step(sim, q, v, &u, q, v));
    const ds_contact *contacts = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    CHECK(count == 1);
    CHECK_NEAR(contacts[0].impulse[2], H * (9.81 + 20.0), 1e-12);
    CHECK_OK(ds_generalized_forces(sim, q, v, &u, DS_FORCE_ACTUATOR, force, NULL, NULL, by_u, NULL));
    CHECK_NEAR(force[2], -20.0, 1e-9);
    CHECK_NEAR(by_u[2], -4.0, 1e-9);
    double told = 0.0, length = 1.0;
    CHECK_OK(ds_actuator_states(sim, q, v, &u, &length, NULL, &told, NULL, NULL, NULL, NULL));
    CHECK(told == 20.0 && length == 0.0);
    /* On its way off, so that nothing presses back. */
    CHECK_OK(ds_sim_step(sim, q, up, &u, q_next, v));
    const ds_step_jacobians jacobians = {.dv_dp = by_p};
    CHECK_OK(ds_sim_step_jacobians(sim, &jacobians));
    CHECK_NEAR(by_p[2], -5.0 * H, 1e-9);
    const double wrong = -1.0;
    CHECK_INVALID(ds_sim_set_params(sim, &wrong), "DS_PARAM_ACTUATOR_GAIN");
    const ds_param none = {DS_PARAM_ACTUATOR_GAIN, 1, 0};
    CHECK_INVALID(ds_sim_select_params(sim, &none, 1), "an actuator");
    ds_sim_free(sim);

    ds_model *const poison = held;
    ds_model *out = poison;
#define REFUSED(field, value, words)                                                                       \
    do {                                                                                                   \
        bad = grip;                                                                                        \
        bad.field = (value);                                                                               \
        CHECK_INVALID(ds_model_with_actuators(model, &bad, 1, &out), words);                               \
    } while (0)
    REFUSED(body, "nobody", "no body is called \"nobody\"");
    REFUSED(body, "empty", "\"empty\" has no geom");
    REFUSED(joint, "ball", "expected one of them, got joint and body");
    REFUSED(tendon, "ball", "expected one of them, got tendon and body");
    REFUSED(gain, NAN, "\"grip\": gear, gain and bias must be finite");
    REFUSED(gain, -1.0, "gain of adhesion must not be negative");
    REFUSED(control_lower, -1.0, "control range of adhesion must not be negative");
    REFUSED(control_lower, NAN, "\"grip\": control range");
    REFUSED(bias[0], 1.0, "without a bias");
    REFUSED(gear[0], 2.0, "no gear");
    bad = grip;
    bad.control_lower = -INFINITY;
    bad.control_upper = INFINITY;
    CHECK_INVALID(ds_model_with_actuators(model, &bad, 1, &out), "needs a control range");
    CHECK(out == poison);
    ds_model_free(held);
    ds_model_free(model);
}

/* Two motors and a servo on one joint, whose sum the joint bounds. */
static void shared(void) {
    const double ball[10] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 1};
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_joint_desc joint;
    ds_actuator_desc motors[3];
    CHECK_OK(ds_builder_create(&builder));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ds_builder_add_body(builder, i, i ? "b" : "a", NULL, ball, NULL));
        ds_joint_desc_init(&joint);
        CHECK(joint.actuator_lower == -INFINITY && joint.actuator_upper == INFINITY);
        joint.name = i ? "k" : "j";
        joint.actuator_lower = i ? -INFINITY : -1.0;
        joint.actuator_upper = i ? INFINITY : 2.0;
        CHECK_OK(ds_builder_add_joint(builder, i + 1, &joint));
    }
    for (int i = 0; i < 3; i++) {
        ds_actuator_desc_init(&motors[i]);
        motors[i].joint = "j";
        CHECK_OK(ds_builder_add_actuator(builder, &motors[i]));
    }
    CHECK_OK(ds_builder_build(builder, &model));
    ds_joint_desc_init(&joint);
    CHECK_OK(ds_model_joint(model, 0, &joint));
    CHECK(joint.actuator_lower == -1.0 && joint.actuator_upper == 2.0);
    ds_sim *sim = simulation(model);
    const double q[2] = {0.1, 0.2}, v[2] = {0.3, -0.1}, rest[2] = {0, 0}, within[3] = {1.5, 1.0, -0.75};
    const double beyond[3] = {1.5, 1.5, 0.0};
    double next[2], a[2];
    CHECK_OK(ds_sim_step(sim, rest, rest, beyond, next, a));
    const double inertia[4] = {2, 1, 1, 1}; /* of hinges without offsets */
    CHECK_NEAR((inertia[0] * a[0] + inertia[1] * a[1]) / H, 2.0, 1e-12);
    differences(sim, q, v, within, 3);
    differences(sim, q, v, beyond, 3);
    ds_sim_free(sim);
    ds_model_free(model);
    ds_builder_free(builder);
}

static void time_steps(void) {
    static const char stated[] = "<mujoco>\n<option timestep='0.004'/><worldbody/></mujoco>";
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(stated, strlen(stated), DS_FORMAT_MJCF, NULL, &model));
    CHECK(ds_model_time_step(model) == 0.004 && ds_model_warning_count(model) == 0);
    ds_model_free(model);
    model = load(two_motors, NULL);
    CHECK(ds_model_time_step(model) == 0.001);
    ds_model_free(model);
}

int main(void) {
    choices();
    transmissions();
    efforts();
    velocities();
    added();
    adhering();
    shared();
    time_steps();
    return report();
}
