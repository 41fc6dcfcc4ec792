/* Drops a robot from many configurations and says how each run went: one JSON line a run.
 *
 * usage: survey FILE BASE GROUND MESH_DIR SECONDS CONFIGURATIONS
 *
 * BASE: file or free; GROUND: 1 adds the plane z = 0. Meshes are looked for in MESH_DIR. Requests of a file
 * beyond the defaults (mimic joints, open or missing meshes) are met by the nearest option, with a message.
 * No inputs act. The start is the neutral configuration, ds_model_home, then CONFIGURATIONS at random inside
 * the joints' limits, the lowest geom on the ground. Each start runs with both contact laws at 1 and 5 ms.
 * Times are in units of the same robot's step with DS_CONTACT_NONE. */
#define _POSIX_C_SOURCE 200809L
#include "robot.h"

/* Cost of reading the clock [µs]; a clock that stands still while another process has the core. */
static double reading;
static void measure_clock(void) {
    reading = INFINITY;
    for (int k = 0; k < 1000; k++) {
        const double begin = busy_us();
        reading = fmin(reading, busy_us() - begin);
    }
}
static double since(double begin) { return fmax(busy_us() - begin - reading, 0); }

static const double TIME_STEPS[] = {1e-3, 5e-3};

/* The step's time without a law, from states of a fall [µs]. */
static double unit(const ds_model *model, const double *q0) {
    ds_options o;
    ds_options_init(&o);
    o.contact = DS_CONTACT_NONE;
    ds_sim *sim = simulation(model, &o);
    double *q = numbers(ds_model_nq(model)), *v = numbers(ds_model_nv(model)), *u = numbers(ds_model_nu(model));
    memcpy(q, q0, ds_model_nq(model) * sizeof *q);
    Samples s = samples(400);
    for (int k = 0; k < 400; k++) {
        const double start = busy_us();
        if (ds_sim_step(sim, q, v, u, q, v)) break;
        record(&s, since(start));
    }
    sort_samples(&s);
    const double median = s.n ? quantile(&s, 0.5) : NAN;
    free(q), free(v), free(u), free(s.us);
    ds_sim_free(sim);
    return median;
}

/* Faster than this [m/s or rad/s] with more energy than at the start is thrown: gravity explains no such
 * speed. */
static const double FAST = 20;

/* JSON has no infinities. */
static double finite(double x) { return isfinite(x) ? x : 1e300; }

static void run(const ds_model *model, const double *q0, const char *start, double seconds, int law, double h, double unit_us) {
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), steps = (size_t)(seconds / h + 0.5);
    ds_options o;
    ds_options_init(&o);
    o.time_step = h;
    o.contact = LAWS[law];
    double *q = numbers(nq), *v = numbers(nv), *u = numbers(ds_model_nu(model));
    memcpy(q, q0, nq * sizeof *q);
    Samples times = samples(steps);
    size_t most = 0, unsolved = 0, one_sided = 0, given_up = 0, k = 0;
    double contacts = 0, sum = 0, top = 0, residual = 0, energy0 = 0, gain = 0, fast_gain = 0;
    char failure[300] = "";
    ds_sim *sim = NULL;
    ds_status status = ds_sim_create(model, &o, &sim);
    double kinetic, potential;
    if (!status) status = ds_energy(sim, q, v, &kinetic, &potential);
    energy0 = potential;
    for (; !status && k < steps; k++) {
        const double begin = busy_us();
        status = ds_sim_step(sim, q, v, u, q, v);
        const double us = since(begin);
        if (status) break;
        record(&times, us);
        sum += us;
        ds_step_info info;
        check(ds_sim_step_info(sim, &info), "ds_sim_step_info");
        contacts += (double)info.contacts;
        if (info.contacts > most) most = info.contacts;
        unsolved += !info.converged;
        one_sided += info.gradient == DS_GRADIENT_ONE_SIDED;
        given_up += info.push_out_given_up != 0;
        residual = fmax(residual, info.residual);
        const double speed = largest(v, nv);
        top = fmax(top, speed);
        if (!ds_energy(sim, q, v, &kinetic, &potential)) {
            gain = fmax(gain, kinetic + potential - energy0);
            if (speed > FAST) fast_gain = fmax(fast_gain, kinetic + potential - energy0);
        }
    }
    if (status) {
        snprintf(failure, sizeof failure, "%s: %s", ds_status_name(status), ds_last_error());
        for (char *c = failure; *c; c++)
            if (*c == '"' || *c == '\\') *c = '\'';
    }
    sort_samples(&times);
    printf("{\"start\": \"%s\", \"law\": \"%s\", \"h\": %g, \"steps\": %zu, \"top\": %.4g, \"gain\": %.4g, \"fast_gain\": %.4g, \"contacts\": %.2f, \"most\": %zu, "
           "\"unsolved\": %zu, \"one_sided\": %zu, \"given_up\": %zu, \"residual\": %.3g, \"unit_us\": %.3f, \"mean\": %.2f, \"median\": %.2f, "
           "\"p999\": %.2f, \"worst\": %.2f, \"failure\": \"%s\"}\n",
           start, LAW_NAMES[law], h, k, finite(top), finite(gain), finite(fast_gain), k ? contacts / (double)k : 0.0, most, unsolved, one_sided, given_up, finite(residual), finite(unit_us),
           finite(times.n ? sum / (double)times.n / unit_us : 0.0), finite(times.n ? quantile(&times, 0.5) / unit_us : 0.0),
           finite(times.n ? quantile(&times, 0.999) / unit_us : 0.0), finite(times.n ? quantile(&times, 1.0) / unit_us : 0.0), failure);
    fflush(stdout);
    free(q), free(v), free(u), free(times.us);
    ds_sim_free(sim);
}

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: survey FILE BASE GROUND MESH_DIR SECONDS CONFIGURATIONS\n");
        return 1;
    }
    ds_model *model = load_any(argv[1], argv[2], atoi(argv[3]), argv[4]);
    measure_clock();
    const double seconds = strtod(argv[5], NULL);
    const int configurations = atoi(argv[6]);
    const size_t nq = ds_model_nq(model);
    printf("{\"nq\": %zu, \"nv\": %zu, \"geoms\": %zu, \"warnings\": %zu}\n", nq, ds_model_nv(model), ds_model_ngeom(model),
           ds_model_warning_count(model));
    const int32_t base_q = free_base(model);
    double *q = numbers(nq), *neutral = numbers(nq);
    check(ds_model_neutral(model, neutral), "ds_model_neutral");
    ds_sim *query = simulation(model, NULL);
    const double us = unit(model, neutral);
    for (int c = -2; c < configurations; c++) {
        char start[24] = "neutral";
        memcpy(q, neutral, nq * sizeof *q);
        if (c == -2) {
            stand(model, query, base_q, q);
        } else if (c == -1) {
            snprintf(start, sizeof start, "home");
            check(ds_model_home(model, q), "ds_model_home");
        } else {
            snprintf(start, sizeof start, "random %d", c);
            random_configuration(model, query, base_q, q);
        }
        for (int law = 0; law < 2; law++)
            for (int h = 0; h < 2; h++) run(model, q, start, seconds, law, TIME_STEPS[h], us);
    }
    ds_sim_free(query);
    ds_model_free(model);
    free(q), free(neutral);
    return 0;
}
