/* Sensors, rays, acceleration and contact forces at a state, the force for an acceleration. */
#include "check.h"

#include <math.h>
#include <string.h>

static const char ROBOT[] =
    "<mujoco><worldbody><geom name='ground' type='plane' size='0 0 1'/>"
    "<body name='ball' pos='0 0 0.099'><freejoint/><geom name='ball' size='0.1' mass='2'/>"
    "<site name='top' pos='0 0 0.2' euler='180 0 0'/></body></worldbody>"
    "<sensor><framepos name='place' objtype='site' objname='top'/><rangefinder name='range' site='top'/>"
    "<touch name='touch' site='top'/><clock/></sensor></mujoco>";

/* Of limits: how far one is passed, how fast, and the force with which it holds: what pushes. */
static void limits(void) {
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' range='-1 0.5'/><geom size='0.1' mass='2' pos='1 0 0'/>"
        "</body></worldbody><actuator><motor joint='j'/></actuator><sensor><jointlimitpos joint='j'/><jointlimitvel joint='j'/>"
        "<jointlimitfrc name='held' joint='j'/></sensor></mujoco>";
    ds_load_options load;
    ds_load_options_init(&load);
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    /* The file's angles are degrees. */
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &load, &model));
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    CHECK(ds_model_sensor_kind(model, 0) == DS_SENSOR_JOINT_LIMIT_POSITION && ds_model_sensor_kind(model, 2) == DS_SENSOR_JOINT_LIMIT_FORCE);
    const double bound = 0.5 * 3.14159265358979323846 / 180.0;
    double q = bound + 0.01, v = 0.3, u = 0.0, data[3], by_q[3], by_v[3], by_u[3], u_bar;
    CHECK_OK(ds_sim_sensors(sim, &q, &v, &u, data));
    CHECK_NEAR(data[0], -0.01, 1e-15);
    CHECK_NEAR(data[1], -0.3, 1e-15);
    q = bound;
    v = 0.0;
    u = 4.0;
    CHECK_OK(ds_sim_sensors(sim, &q, &v, &u, data));
    CHECK_NEAR(data[2], 4.0, 1e-8);
    CHECK_OK(ds_sim_sensor_jacobians(sim, &q, &v, &u, by_q, by_v, by_u, NULL));
    CHECK_NEAR(by_u[2], 1.0, 1e-9);
    /* Of what comes at some speed all of the momentum is taken in a step. */
    const double inertia = 2.0 * (1.0 + 0.4 * 0.1 * 0.1);
    CHECK_NEAR(by_v[2], inertia / options.time_step, 1e-6);
    const double data_bar[3] = {0.0, 0.0, 2.0};
    CHECK_OK(ds_sim_sensor_vjp(sim, &q, &v, &u, data_bar, NULL, NULL, &u_bar, NULL));
    CHECK_NEAR(u_bar, 2.0, 1e-9);
    u = -4.0;
    CHECK_OK(ds_sim_sensor_jacobians(sim, &q, &v, &u, by_q, NULL, NULL, NULL));
    CHECK_NEAR(by_q[2], 0.0, 0.0);
    ds_sim_free(sim);
    ds_model_free(model);
}

/* A ball that drills is braked by torsion, and only by it. */
static void torsion(void) {
    const char *text =
        "<mujoco><worldbody><geom type='plane' size='1 1 1' condim='4' friction='1 .004 0'/><body pos='0 0 .1'><freejoint/>"
        "<geom size='.1' mass='.5' condim='4' friction='1 .004 0'/></body></worldbody></mujoco>";
    ds_load_options load;
    ds_load_options_init(&load);
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &load, &model));
    CHECK_OK(ds_sim_create(model, &options, &sim));
    double q[7] = {0, 0, 0.1, 0, 0, 0, 1}, v[6] = {0, 0, 0, 0, 0, 5}, torques[3] = {7, 7, 7};
    CHECK(ds_sim_contact_torques(sim, torques) == DS_ERR_NO_STEP && torques[2] == 7.0);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK_OK(ds_sim_contact_torques(sim, torques));
    CHECK_NEAR(torques[0], 0.0, 1e-15);
    CHECK_NEAR(torques[2], -0.004 * 0.5 * 9.81 * options.time_step, 1e-12);
    CHECK_NEAR(v[5], 5.0 + torques[2] / 0.002, 1e-9);
    const ds_contact *contacts;
    size_t count;
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    CHECK(count == 1 && contacts[0].mode == DS_MODE_SLIDING && contacts[0].at_bound == 0);
    CHECK(ds_sim_contact_torques(sim, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(strstr(ds_last_error(), "torques") != NULL);
    CHECK(ds_sim_contact_torques(NULL, torques) != DS_OK);
    ds_sim_free(sim);
    /* With a pyramid the point sticks while it turns. */
    options.contact = DS_CONTACT_LCP;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    CHECK(count == 1 && contacts[0].mode == DS_MODE_STICKING && contacts[0].at_bound == 16);
    ds_sim_free(sim);
    options.contact = DS_CONTACT_PENALTY;
    sim = NULL;
    CHECK(ds_sim_create(model, &options, &sim) == DS_ERR_UNSUPPORTED && sim == NULL);
    CHECK(strstr(ds_last_error(), "condim") != NULL);
    ds_model_free(model);
}

/* One hinge on thirty feet: its contacts have more torques than any other result of so few dofs has numbers.
 * */
static void many_feet(void) {
    enum { FEET = 30 };
    char text[200 + 130 * FEET];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .05'><joint axis='0 0 1'/>");
    for (int i = 0; i < FEET; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<geom size='.05' mass='1' pos='%g 0 0' condim='6' friction='1 .01 .001'/>", 0.2 * i);
    n += (size_t)snprintf(text + n, sizeof text - n, "</body></worldbody></mujoco>");
    ds_load_options load;
    ds_load_options_init(&load);
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_model_load_string(text, n, DS_FORMAT_MJCF, &load, &model));
    CHECK_OK(ds_sim_create(model, &options, &sim));
    double q = 0, v = 1, torques[3 * FEET + 1], *const beyond = torques + 3 * FEET;
    CHECK_OK(ds_sim_step(sim, &q, &v, NULL, &q, &v));
    const ds_contact *contacts;
    size_t count;
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    CHECK(count == FEET);
    *beyond = 7;
    CHECK_OK(ds_sim_contact_torques(sim, torques));
    CHECK(*beyond == 7.0 && torques[2] <= 0.0);
    ds_sim_free(sim);
    ds_model_free(model);
}

int main(void) {
    torsion();
    many_feet();
    limits();
    ds_load_options load;
    ds_load_options_init(&load);
    load.actuation = DS_ACTUATION_FULL;
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(ROBOT, strlen(ROBOT), DS_FORMAT_MJCF, &load, &model));
    CHECK(ds_model_nsensor(model) == 3 && ds_model_nsensordata(model) == 5);
    CHECK(ds_model_sensor_id(model, "range") == 1 && ds_model_sensor_id(model, "none") == -1);
    CHECK(strcmp(ds_model_sensor_name(model, 2), "touch") == 0);
    CHECK(ds_model_sensor_adr(model, 1) == 3 && ds_model_sensor_dim(model, 0) == 3);
    CHECK(ds_model_sensor_kind(model, 1) == DS_SENSOR_RANGEFINDER && ds_model_sensor_kind(model, 3) == -1);
    CHECK(ds_model_warning_count(model) == 1);

    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.contact = DS_CONTACT_CONVEX;
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    double q[7], v[6] = {0.1, 0, 0, 0, 0, 0}, u[6] = {0, 0, 1, 0, 0, 0}, data[5];
    CHECK_OK(ds_model_neutral(model, q));
    CHECK_OK(ds_sim_sensors(sim, q, v, u, data));
    CHECK(fabs(data[2] - 0.299) < 1e-15 && fabs(data[3] - 0.299) < 1e-12);

    /* Rays: of one, with its derivative, and of many. */
    const double origin[3] = {0, 0, 3}, down[3] = {0, 0, -2};
    double distance, normal[3], slope[6];
    int32_t geom;
    ds_gradient gradient;
    CHECK_OK(ds_sim_ray_cast(sim, q, origin, down, INFINITY, -1, &distance, normal, &geom, slope, &gradient));
    CHECK(geom == ds_model_geom_id(model, "ball") && fabs(distance - 2.801) < 1e-12 && fabs(normal[2] - 1.0) < 1e-12);
    CHECK(fabs(slope[2] + 1.0) < 1e-12 && fabs(slope[0]) < 1e-12 && gradient == DS_GRADIENT_EXACT);
    CHECK_OK(ds_sim_ray_cast(sim, q, origin, down, INFINITY, ds_model_body_id(model, "ball"), &distance, NULL, &geom, NULL, NULL));
    CHECK(geom == ds_model_geom_id(model, "ground") && distance == 3.0);
    CHECK_OK(ds_sim_ray_cast(sim, q, origin, down, 1.0, -1, &distance, normal, &geom, NULL, NULL));
    CHECK(geom == -1 && distance == -1.0 && normal[2] == 0.0);
    const double origins[6] = {0, 0, 3, 1, 0, 3}, directions[6] = {0, 0, -1, 0, 0, -1};
    double distances[2];
    int32_t geoms[2];
    CHECK_OK(ds_sim_ray_casts(sim, q, 2, origins, directions, INFINITY, -1, distances, NULL, geoms, NULL, NULL));
    CHECK(geoms[0] != geoms[1] && distances[1] == 3.0);
    CHECK_OK(ds_sim_ray_casts(sim, q, 0, NULL, NULL, 1.0, -1, NULL, NULL, NULL, NULL, NULL));

    /* The state stays, and what holds the ball is the sum of its contacts. */
    double a[6], wrenches[12], da[36];
    CHECK_OK(ds_sim_forward(sim, q, v, u, a));
    CHECK_OK(ds_sim_body_contact_wrenches(sim, wrenches));
    CHECK_OK(ds_sim_contact_torques(sim, da));
    CHECK(da[0] == 0.0 && da[2] == 0.0);
    CHECK(wrenches[8] > 0.0 && fabs(wrenches[8] + u[2] - 2 * 9.81 - 2 * a[2]) < 1e-9);
    CHECK_OK(ds_sim_acceleration_jacobians(sim, NULL, da, NULL, NULL));
    double a_bar[6] = {0, 0, 1, 0, 0, 0}, v_bar[6];
    CHECK_OK(ds_sim_acceleration_vjp(sim, a_bar, NULL, v_bar, NULL, NULL));
    for (int k = 0; k < 6; ++k) {
        CHECK(fabs(v_bar[k] - da[6 * k + 2]) < 1e-9 * (1 + fabs(v_bar[k])));
    }
    double force[6], by_a[36];
    CHECK_OK(ds_sim_inverse(sim, q, v, NULL, a, force));
    CHECK(fabs(force[2] - u[2]) < 1e-6 && fabs(force[0]) < 1e-6);
    CHECK_OK(ds_sim_inverse_jacobians(sim, NULL, NULL, by_a));
    CHECK(by_a[14] > 2.0);
    double touch[5];
    CHECK_OK(ds_sim_sensors(sim, q, v, u, touch));
    CHECK(touch[4] == 0.0);
    double by_q[30], bar[5] = {0, 0, 0, 1, 0}, q_bar[6];
    CHECK_OK(ds_sim_sensor_jacobians(sim, q, v, u, by_q, NULL, NULL, &gradient));
    CHECK(by_q[5 * 2 + 2] == 1.0);
    CHECK_OK(ds_sim_sensor_vjp(sim, q, v, u, bar, q_bar, NULL, NULL, NULL));
    CHECK(q_bar[2] == by_q[5 * 2 + 3]);

    /* Bad calls: a status, a message, nothing written. */
    distance = 7.0;
    const double nowhere[3] = {0, 0, 0};
    CHECK(ds_sim_ray_cast(sim, q, origin, nowhere, 1.0, -1, &distance, NULL, NULL, NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(strstr(ds_last_error(), "directions") != NULL && distance == 7.0);
    CHECK(ds_sim_ray_cast(sim, q, origin, down, 0.0, -1, &distance, NULL, NULL, NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_sim_ray_cast(sim, q, origin, down, 1.0, 9, &distance, NULL, NULL, NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(strstr(ds_last_error(), "exclude_body") != NULL);
    CHECK(ds_sim_ray_cast(sim, q, NULL, down, 1.0, -1, NULL, NULL, NULL, NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_sim_forward(sim, q, v, NULL, a) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_sim_sensors(sim, q, v, u, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_sim_inverse(sim, q, v, u, NULL, force) == DS_ERR_INVALID_ARGUMENT);
    ds_sim_free(sim);
    options.contact = DS_CONTACT_NCP;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    CHECK(ds_sim_body_contact_wrenches(sim, wrenches) == DS_ERR_NO_STEP);
    CHECK(ds_sim_contact_torques(sim, wrenches) == DS_ERR_NO_STEP);
    CHECK(ds_sim_inverse(sim, q, v, u, a, force) == DS_ERR_UNSUPPORTED);
    CHECK(strstr(ds_last_error(), "options.contact") != NULL);
    ds_sim_free(sim);
    ds_model_free(model);

    /* In a builder. */
    ds_builder *builder = NULL;
    int32_t body;
    CHECK_OK(ds_builder_create(&builder));
    const double inertia[10] = {1, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1};
    CHECK_OK(ds_builder_add_body(builder, 0, "body", NULL, inertia, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "hinge";
    joint.kind = DS_JOINT_REVOLUTE;
    CHECK_OK(ds_builder_add_joint(builder, body, &joint));
    ds_sensor_desc sensor;
    ds_sensor_desc_init(&sensor);
    sensor.name = "angle";
    sensor.kind = DS_SENSOR_JOINT_POSITION;
    sensor.of = "hinge";
    CHECK_OK(ds_builder_add_sensor(builder, &sensor));
    CHECK(ds_builder_add_sensor(builder, &sensor) == DS_ERR_INVALID_ARGUMENT);
    sensor.name = "spin";
    sensor.kind = DS_SENSOR_GYRO;
    sensor.body = body;
    CHECK_OK(ds_builder_add_sensor(builder, &sensor));
    sensor.name = "bad";
    sensor.kind = 99;
    CHECK(ds_builder_add_sensor(builder, &sensor) == DS_ERR_INVALID_ARGUMENT);
    CHECK(strstr(ds_last_error(), "sensor.kind") != NULL);
    sensor.kind = DS_SENSOR_TOUCH;
    sensor.zone = 9;
    CHECK(ds_builder_add_sensor(builder, &sensor) == DS_ERR_INVALID_ARGUMENT);
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK(ds_model_nsensor(model) == 2 && ds_model_nsensordata(model) == 4);
    ds_model_free(model);
    ds_builder_free(builder);
    return report();
}
