/* Hydroelastic contact: patches and their polygons against closed forms, options of friction, and bad input.
 * */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "check.h"

static const double HALF = 0.05, MODULUS = 1e7;

/* The corners of a cube and its triangles, counter-clockwise from outside. */
static const double CORNERS[24] = {-0.05, -0.05, -0.05, 0.05, -0.05, -0.05, -0.05, 0.05, -0.05, 0.05, 0.05, -0.05,
                                   -0.05, -0.05, 0.05,  0.05, -0.05, 0.05,  -0.05, 0.05, 0.05,  0.05, 0.05, 0.05};
static const uint32_t TRIANGLES[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static ds_geom_desc plane(void) {
    ds_geom_desc g;
    ds_geom_desc_init(&g);
    g.name = "ground";
    g.kind = DS_GEOM_PLANE;
    g.hydroelastic = DS_HYDROELASTIC_RIGID;
    g.friction[0] = 0.8;
    return g;
}

static ds_geom_desc cube(void) {
    ds_geom_desc g;
    ds_geom_desc_init(&g);
    g.name = "cube";
    g.kind = DS_GEOM_BOX;
    for (int k = 0; k < 3; k++) g.size[k] = HALF;
    g.hydroelastic = DS_HYDROELASTIC_COMPLIANT;
    g.modulus = MODULUS;
    g.friction[0] = 0.3;
    return g;
}

static ds_geom_desc mesh(void) {
    ds_geom_desc g = cube();
    g.kind = DS_GEOM_MESH;
    g.vertices = CORNERS;
    g.vertex_count = 8;
    g.triangles = TRIANGLES;
    g.triangle_count = 12;
    g.resolution = 0.1;
    return g;
}

/* A free body of 1 kg with this geom on a plane; NULL if it is refused. */
static ds_model *scene(const ds_geom_desc *geom) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    const double inertia[10] = {1, 0, 0, 0, 1.7e-3, 0, 1.7e-3, 0, 0, 1.7e-3};
    int32_t body = 0;
    const ds_geom_desc ground = plane();
    CHECK_OK(ds_builder_create(&builder));
    CHECK_OK(ds_builder_add_geom(builder, 0, &ground, NULL));
    CHECK_OK(ds_builder_add_body(builder, 0, "cube", NULL, inertia, &body));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "free";
    joint.kind = DS_JOINT_FREE;
    CHECK_OK(ds_builder_add_joint(builder, body, &joint));
    if (ds_builder_add_geom(builder, body, geom, NULL) == DS_OK) ds_builder_build(builder, &model);
    ds_builder_free(builder);
    return model;
}

static ds_options options(void) {
    ds_options o;
    ds_options_init(&o);
    o.contact = DS_CONTACT_CONVEX;
    o.time_step = 1e-3;
    return o;
}

static ds_sim *create(const ds_model *model, const ds_options *o) {
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, o, &sim));
    if (sim == NULL) exit(report());
    return sim;
}

static void pressed_cube(const ds_geom_desc *geom, double tolerance) {
    ds_model *model = scene(geom);
    CHECK(model != NULL);
    const ds_options o = options();
    ds_sim *sim = create(model, &o);
    const double *vertices = NULL, *pressures = NULL;
    const size_t *starts = NULL;
    const ds_patch *patches = NULL;
    size_t count = 0, contacts = 0;
    CHECK_WRONG(ds_sim_patches(sim, &patches, &count), DS_ERR_NO_STEP, "step");
    CHECK_WRONG(ds_sim_patch_faces(sim, &vertices, &pressures, &starts, &contacts), DS_ERR_NO_STEP, "step");
    double q[7] = {0, 0, HALF, 0, 0, 0, 1}, depth = 1e-3;
    q[2] -= depth;
    CHECK_OK(ds_sim_collide(sim, q));
    CHECK_OK(ds_sim_patches(sim, &patches, &count));
    CHECK(count == 1 && patches->geom_a == 0 && patches->geom_b == 1);
    CHECK_NEAR(patches->area, 0.01, 1e-9);
    const ds_contact *list = NULL;
    size_t listed = 0;
    CHECK_OK(ds_sim_contacts(sim, &list, &listed));
    CHECK_OK(ds_sim_patch_faces(sim, &vertices, &pressures, &starts, &contacts));
    CHECK(contacts == listed && contacts > 4);
    /* The pressure is linear on a polygon: the force is that of its triangles. */
    double force = 0.0, highest = 0.0;
    for (size_t i = 0; i < contacts; i++) {
        double area = 0.0, own = 0.0;
        const size_t first = starts[i], end = starts[i + 1];
        CHECK(end >= first + 3 && end <= first + 10);
        for (size_t k = first + 1; k + 1 < end; k++) {
            const double *a = vertices + 3 * first, *b = vertices + 3 * k, *c = b + 3;
            const double x = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            area += 0.5 * fabs(x);
            own += 0.5 * fabs(x) * (pressures[first] + pressures[k] + pressures[k + 1]) / 3.0;
        }
        const ds_contact *c = (const ds_contact *)((const char *)list + i * ds_contact_size());
        CHECK_NEAR(area, c->area, 1e-12);
        CHECK_NEAR(own, c->area * c->pressure, 1e-6);
        for (size_t k = first; k < end; k++) {
            CHECK_NEAR(vertices[3 * k + 2], 0.0, 1e-12);
            highest = fmax(highest, pressures[k]);
        }
        if (c->pressure > 0.0) force += own;
    }
    /* The field is that of the distance: 1960.267 N at 1 mm (a closed form, which Drake gives too). */
    const double a = 2.0 * HALF;
    const double exact = MODULUS / HALF * (a * a * depth - 2.0 * a * depth * depth + 4.0 / 3.0 * depth * depth * depth);
    CHECK_NEAR(force, exact, tolerance * exact);
    CHECK_NEAR(highest, MODULUS * depth / HALF, 1e-6 * MODULUS);
    CHECK_INVALID(ds_sim_patch_faces(NULL, &vertices, &pressures, &starts, &contacts), "sim");
    CHECK_INVALID(ds_sim_patch_faces(sim, NULL, &pressures, &starts, &contacts), "vertices");
    CHECK_INVALID(ds_sim_patch_faces(sim, &vertices, NULL, &starts, &contacts), "pressures");
    CHECK_INVALID(ds_sim_patch_faces(sim, &vertices, &pressures, NULL, &contacts), "starts");
    CHECK_INVALID(ds_sim_patch_faces(sim, &vertices, &pressures, &starts, NULL), "contacts");
    CHECK_INVALID(ds_sim_patches(sim, NULL, &count), "patches");
    CHECK_INVALID(ds_sim_patches(sim, &patches, NULL), "count");
    ds_sim_free(sim);

    /* Points have no faces. */
    ds_options rigid = options();
    rigid.contact = DS_CONTACT_NCP;
    sim = create(model, &rigid);
    CHECK_OK(ds_sim_collide(sim, q));
    CHECK_OK(ds_sim_patch_faces(sim, &vertices, &pressures, &starts, &contacts));
    CHECK_OK(ds_sim_patches(sim, &patches, &count));
    CHECK(contacts == 0 && count == 0 && patches == NULL);
    ds_sim_free(sim);
    ds_model_free(model);
}

static void bad_geoms(void) {
    const double bad[4] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        ds_geom_desc g = cube();
        g.modulus = bad[i];
        CHECK(scene(&g) == NULL && strstr(ds_last_error(), "modulus") && strstr(ds_last_error(), "cube"));
        g = cube();
        g.resolution = bad[i];
        CHECK(scene(&g) == NULL && strstr(ds_last_error(), "resolution") && strstr(ds_last_error(), "cube"));
        g = cube();
        if (i > 0) {
            g.hydroelastic_margin = bad[i];
            CHECK(scene(&g) == NULL && strstr(ds_last_error(), "hydroelastic_margin"));
        }
    }
    ds_geom_desc g = cube();
    g.hydroelastic = 7;
    CHECK(scene(&g) == NULL && strstr(ds_last_error(), "hydroelastic"));

    /* What only the sim sees: absurd resolutions, open meshes, and meshes that are not convex. */
    const ds_options o = options();
    ds_sim *sim = NULL;
    for (int what = 0; what < 4; what++) {
        g = what == 0 ? cube() : mesh();
        double dented[24];
        memcpy(dented, CORNERS, sizeof dented);
        if (what == 0) {
            g.kind = DS_GEOM_SPHERE;
            g.resolution = 1e-9;
        } else if (what == 1) {
            g.triangle_count = 10;
            g.hydroelastic = DS_HYDROELASTIC_RIGID;
        } else if (what == 2) {
            for (int k = 0; k < 3; k++) dented[21 + k] = 0.0;
            g.vertices = dented;
        } else {
            g.resolution = 1e-6;
        }
        ds_model *model = scene(&g);
        if (model == NULL) {
            /* The model refuses an open mesh if it must collide as it is. */
            CHECK(what == 1);
            continue;
        }
        static const ds_status expected[4] = {DS_ERR_CAPACITY, DS_ERR_INVALID_ARGUMENT, DS_ERR_UNSUPPORTED,
                                              DS_ERR_CAPACITY};
        static const char *const words[4] = {"resolution", "closed", "convex", "resolution"};
        CHECK_WRONG(ds_sim_create(model, &o, &sim), expected[what], words[what]);
        CHECK(sim == NULL && strstr(ds_last_error(), "cube") != NULL);
        ds_model_free(model);
    }
}

/* The speed that a cube at 1 m/s loses in 10 ms. */
static double lost(ds_model *model, const ds_options *o) {
    ds_sim *sim = create(model, o);
    double q[7] = {0, 0, HALF - 1e-6, 0, 0, 0, 1}, v[6] = {1, 0, 0, 0, 0, 0}, first = 0.0;
    for (int i = 0; i < 40; i++) {
        if (i == 30) first = v[0];
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    }
    ds_sim_free(sim);
    return first - v[0];
}

static void friction(void) {
    ds_geom_desc g = cube();
    g.hydroelastic = DS_HYDROELASTIC_NONE;
    ds_model *model = scene(&g);
    CHECK(model != NULL);
    static const double expected[3] = {0.8, 0.48 / 1.1, 0.24};
    for (int32_t rule = 0; rule < 3; rule++) {
        for (int32_t variant = 0; variant < 2; variant++) {
            ds_options o = options();
            o.friction_rule = rule;
            o.contact = variant ? DS_CONTACT_CONVEX : DS_CONTACT_NCP;
            o.convex_variant = variant;
            const double due = expected[rule] * 9.81 * 0.01;
            CHECK_NEAR(lost(model, &o), due, 0.05 * due);
        }
    }
    ds_options o = options();
    ds_sim *sim = NULL;
    CHECK(o.friction_rule == DS_FRICTION_LARGER && o.convex_variant == DS_CONVEX_SAP);
    o.friction_rule = 3;
    CHECK_INVALID(ds_sim_create(model, &o, &sim), "friction_rule");
    o = options();
    o.convex_variant = -1;
    CHECK_INVALID(ds_sim_create(model, &o, &sim), "convex_variant");
    o.convex_variant = 3;
    CHECK_INVALID(ds_sim_create(model, &o, &sim), "convex_variant");
    o.convex_variant = DS_CONVEX_LAGGED;
    o.contact = DS_CONTACT_NCP;
    CHECK_WRONG(ds_sim_create(model, &o, &sim), DS_ERR_UNSUPPORTED, "convex_variant");
    /* An older program's options end before both. */
    o = options();
    o.friction_rule = 77;
    o.struct_size = offsetof(ds_options, friction_rule);
    CHECK_OK(ds_sim_create(model, &o, &sim));
    ds_sim_free(sim);
    ds_model_free(model);
}

/* Similar friction lets a cube on a slope creep at s t/(1 - t²)^½, t = tan(slope)/friction, s = 1e-4 m/s. */
static void similar(void) {
    ds_geom_desc g = cube();
    g.hydroelastic = DS_HYDROELASTIC_NONE;
    ds_model *model = scene(&g);
    CHECK(model != NULL);
    ds_options o = options();
    o.convex_variant = DS_CONVEX_SIMILAR;
    const ds_param sideways = {DS_PARAM_GRAVITY, 0, 0};
    const double share = 0.5, pull = share * 0.8 * 9.81, due = 1e-4 * share / sqrt(1.0 - share * share);
    ds_sim *sim = create(model, &o);
    CHECK_OK(ds_sim_select_params(sim, &sideways, 1));
    CHECK_OK(ds_sim_set_params(sim, &pull));
    double q[7] = {0, 0, HALF - 1e-6, 0, 0, 0, 1}, v[6] = {0};
    for (int i = 0; i < 1000; i++) CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    CHECK_NEAR(v[0], due, 0.02 * due);
    ds_sim_free(sim);
    o.contact = DS_CONTACT_LCP;
    CHECK_WRONG(ds_sim_create(model, &o, &sim), DS_ERR_UNSUPPORTED, "convex_variant");
    ds_model_free(model);
}

int main(void) {
    ds_geom_desc g = cube();
    pressed_cube(&g, 1e-9);
    g = mesh();
    pressed_cube(&g, 1e-9);
    bad_geoms();
    friction();
    similar();
    return report();
}
