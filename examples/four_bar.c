/* A four-bar with dry pins swings down and stops where theory says.
 *
 * Two equal cranks carry a heavy coupler, which only translates. All four pins have Coulomb friction by their
 * load: mu r N with the radius r of the pin. So the force in each crank is tangent to both of its friction
 * circles and leans by beta against the crank, sin(beta) = 2 mu r / l. The coupler can rest where the cranks
 * lean less than beta. While it moves, w = (angular velocity)^2 follows
 *
 *   dw/dx = -2 g/l (sin x + tan(beta) cos x) - 2 tan(beta) w
 *
 * along the motion, which has a solution in closed form: where w is 0 again, the four-bar turns.
 *
 * usage: four_bar [FOLDER]       writes four_bar.dsrec there (default: target)
 */
#include <diffsim.h>
#include <diffsim_record.h>
#include <math.h>
#include <stdio.h>

static const double LENGTH = 0.3, MASS = 2.0, GRAVITY = 9.81, MU = 0.3, RADIUS = 0.02, START = 0.8, STEP = 1e-3;

/* A rod of radius 1 cm from z = 0 to `end` of a body; it touches nothing. */
static ds_status add_rod(ds_builder *builder, int32_t body, double end) {
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    geom.kind = DS_GEOM_CAPSULE;
    geom.size[0] = 0.01;
    geom.size[1] = 0.5 * fabs(end);
    geom.placement[14] = 0.5 * end;
    geom.contype = geom.conaffinity = 0;
    return ds_builder_add_geom(builder, body, &geom, NULL);
}

/* A body on a dry pin about y at (x, z) of its parent, with its centre of mass at (cx, cz). */
static ds_status add_body(ds_builder *builder, int32_t parent, const char *name, const double at[2], double mass,
                          const double center[2], int32_t *body) {
    const double place[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, at[0], 0, at[1], 1};
    const double com[3] = {center[0], 0, center[1]}, i = 0.01 * mass, about[6] = {i, 0, i, 0, 0, i};
    double inertia[10];
    ds_joint_desc pin;
    ds_joint_desc_init(&pin);
    pin.name = name;
    pin.axis[1] = 1.0;
    pin.axis[2] = 0.0;
    pin.friction_coefficient = MU;
    pin.friction_radius = RADIUS;
    ds_status status = ds_inertia_from_com(mass, com, about, inertia);
    if (status == DS_OK) status = ds_builder_add_body(builder, parent, name, place, inertia, body);
    return status == DS_OK ? ds_builder_add_joint(builder, *body, &pin) : status;
}

/* Light cranks around a heavy coupler. The right crank is cut in its middle, and a weld closes the loop. */
static ds_status make(ds_model **model) {
    ds_builder *builder = NULL;
    int32_t left = 0, coupler = 0, right = 0, post = 0;
    const double half = 0.5 * LENGTH, light = 5e-4 * MASS;
    ds_equality_desc weld;
    ds_geom_desc beam;
    ds_equality_desc_init(&weld);
    ds_geom_desc_init(&beam);
    ds_status status = ds_builder_create(&builder);
    if (status == DS_OK)
        status = add_body(builder, 0, "left", (double[]){-0.1, 0.4}, light, (double[]){0, -half}, &left);
    if (status == DS_OK)
        status = add_body(builder, left, "coupler", (double[]){0, -LENGTH}, MASS, (double[]){0.1, 0}, &coupler);
    if (status == DS_OK)
        status = add_body(builder, coupler, "right", (double[]){0.2, 0}, light, (double[]){0, 0.5 * half}, &right);
    if (status == DS_OK)
        status = add_body(builder, 0, "post", (double[]){0.1, 0.4}, light, (double[]){0, -0.5 * half}, &post);
    weld.kind = DS_EQUALITY_WELD;
    weld.body1 = right;
    weld.body2 = post;
    weld.anchor1[2] = half;
    weld.anchor2[2] = -half;
    if (status == DS_OK) status = ds_builder_add_equality(builder, &weld);
    beam.kind = DS_GEOM_BOX;
    beam.size[0] = 0.13;
    beam.size[1] = 0.03;
    beam.size[2] = 0.02;
    beam.placement[12] = 0.1;
    beam.contype = beam.conaffinity = 0;
    if (status == DS_OK) status = ds_builder_add_geom(builder, coupler, &beam, NULL);
    if (status == DS_OK) status = add_rod(builder, left, -LENGTH);
    if (status == DS_OK) status = add_rod(builder, right, half);
    if (status == DS_OK) status = add_rod(builder, post, -half);
    if (status == DS_OK) status = ds_builder_build(builder, model);
    ds_builder_free(builder);
    return status;
}

/* w at the angle x of a motion that began at rest at -start and goes up. */
static double square(double start, double x) {
    const double k = GRAVITY / LENGTH, s = 2.0 * MU * RADIUS / LENGTH, t = s / sqrt(1.0 - s * s);
    const double a = 2.0 * k * (1.0 - 2.0 * t * t) / (1.0 + 4.0 * t * t), b = -2.0 * t * (k + a);
    return a * cos(x) + b * sin(x) - (a * cos(start) - b * sin(start)) * exp(-2.0 * t * (x + start));
}

/* Angle of the next turn after a rest at `start` > beta, to the other side of the vertical if positive. */
static double turn_after(double start) {
    double low = 0.5 * (-start - asin(2.0 * MU * RADIUS / LENGTH)), high = start;
    while (square(start, low) < 0.0) low = 0.5 * (low - start);
    for (int k = 0; k < 60; k++) {
        const double x = 0.5 * (low + high);
        *(square(start, x) > 0.0 ? &low : &high) = x;
    }
    return low;
}

/* Swings until it rests, prints the turns. Returns whether theory and simulation agree. */
static int swing(ds_sim *sim, ds_recorder *recorder) {
    const double beta = asin(2.0 * MU * RADIUS / LENGTH);
    double q[4] = {START, -START, START, START}, v[4] = {0}, expected = START, worst = 0.0;
    int rests = 0;
    printf("rests below %.5f rad\n turn  angle [rad]  in theory\n", beta);
    for (int t = 0, turns = 0; t < 20000 && rests < 200; t++) {
        const double before = v[0];
        if (ds_sim_step(sim, q, v, NULL, q, v) != DS_OK || ds_recorder_step(recorder, sim) != DS_OK) return 0;
        rests = fabs(v[0]) < 1e-10 ? rests + 1 : 0;
        if (fabs(before) > 1e-10 && before * v[0] < 1e-10 * fabs(before)) {
            /* The side changes with each turn, until one falls short of the vertical. */
            const double side = expected > 0.0 ? -1.0 : 1.0;
            expected = side * turn_after(fabs(expected));
            worst = fmax(worst, fabs(q[0] - expected));
            printf("%5d %12.5f %10.5f\n", ++turns, q[0], expected);
        }
    }
    printf("at rest at %.5f rad; largest difference from theory %.1e rad\n", q[0], worst);
    return rests >= 200 && fabs(q[0]) < beta && worst < 1e-4;
}

int main(int argc, char **argv) {
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    ds_recorder *recorder = NULL;
    ds_options options;
    ds_options_init(&options);
    options.time_step = STEP;
    ds_status status = make(&model);
    if (status == DS_OK) status = ds_sim_create(model, &options, &sim);
    if (status == DS_OK) status = ds_recorder_create(model, NULL, &recorder);
    int agrees = 0;
    if (status == DS_OK) {
        agrees = swing(sim, recorder);
        printf("%s\n", agrees ? "it stops where theory says" : "it does not stop where theory says");
        char path[4096];
        snprintf(path, sizeof path, "%s/four_bar.dsrec", argc > 1 ? argv[1] : "target");
        status = ds_recorder_save(recorder, path);
    }
    if (status != DS_OK) fprintf(stderr, "%s: %s\n", ds_status_name(status), ds_last_error());
    ds_recorder_free(recorder);
    ds_sim_free(sim);
    ds_model_free(model);
    return status == DS_OK && agrees ? 0 : 1;
}
