/* The models of bits.c: files, models made by ds_builder_*, and texts. Each shows a part of the library that
 * others do not: a kind of joint, of equality, of shape, of contact problem. */
#ifndef SCENES_H
#define SCENES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diffsim.h"

#ifndef MODELS
#define MODELS "examples/models"
#endif

/* Counts a failure and lets it take part in the hash of the model; 1 where there is none. */
static int model_ok(ds_status status);

/* Random numbers in [-1, 1), the same in every run. */
static uint64_t noise_state;

static void noise_from(uint64_t seed) { noise_state = seed * 2654435761u + 12345; }

static double noise(void) {
    noise_state = noise_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(noise_state >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct scene scene;
struct scene {
    const char *name;
    void (*make)(const scene *, ds_model **);
    /* Which one of its kind. */
    int number;
    /* Steps of a case; derivatives are taken at each `every`-th. */
    int steps, every;
    size_t max_contacts;
    /* Which cases: FEW leaves many of the combinations out, DEAR most of them, and its steps may take less work, LIMITED
       little; HOMES also starts from the keyframe. */
    int flags;
    const char *text;
};

enum { FEW = 1, HOMES = 2, DEAR = 4, LIMITED = 8 };

static ds_builder *builder;

static void begin(void) { model_ok(ds_builder_create(&builder)); }

static void finish(int32_t actuation, ds_model **out) {
    model_ok(ds_builder_set_actuation(builder, actuation));
    model_ok(ds_builder_build(builder, out));
    ds_builder_free(builder);
    builder = NULL;
}

/* Turned about z by yaw, then about y by pitch. */
static void pose(double x, double y, double z, double yaw, double pitch, double out[16]) {
    const double c = cos(yaw), s = sin(yaw), d = cos(pitch), t = sin(pitch);
    const double m[16] = {c * d, s * d, -t, 0, -s, c, 0, 0, c * t, s * t, d, 0, x, y, z, 1};
    memcpy(out, m, sizeof m);
}

/* A body with the inertia of a box of these half extents, its centre at `com` along x. */
static int32_t body(int32_t parent, const char *name, const double placement[16], double mass, double com, double a,
                    double b, double c) {
    const double centre[3] = {com, 0, 0}, k = mass / 3.0;
    const double about[6] = {k * (b * b + c * c), 0, k * (a * a + c * c), 0, 0, k * (a * a + b * b)};
    double inertia[10];
    int32_t id = -1;
    model_ok(ds_inertia_from_com(mass, centre, about, inertia));
    model_ok(ds_builder_add_body(builder, parent, name, placement, inertia, &id));
    return id;
}

static ds_joint_desc joint(const char *name, int32_t kind, double x, double y, double z) {
    ds_joint_desc desc;
    ds_joint_desc_init(&desc);
    desc.name = name;
    desc.kind = kind;
    desc.axis[0] = x, desc.axis[1] = y, desc.axis[2] = z;
    return desc;
}

static ds_geom_desc geom(int32_t kind, double a, double b, double c, double friction) {
    ds_geom_desc desc;
    ds_geom_desc_init(&desc);
    desc.kind = kind;
    desc.size[0] = a, desc.size[1] = b, desc.size[2] = c;
    desc.friction[0] = friction;
    return desc;
}

static void add_geom(int32_t to, const ds_geom_desc *desc) { model_ok(ds_builder_add_geom(builder, to, desc, NULL)); }

static void ground(double friction) {
    ds_geom_desc plane = geom(DS_GEOM_PLANE, 0, 0, 0, friction);
    plane.name = "ground";
    add_geom(0, &plane);
}

static int32_t free_body(const char *name, const double placement[16], double mass, const ds_geom_desc *shape) {
    const int32_t id = body(0, name, placement, mass, 0, 0.1, 0.1, 0.1);
    const ds_joint_desc root = joint(name, DS_JOINT_FREE, 0, 0, 1);
    model_ok(ds_builder_add_joint(builder, id, &root));
    add_geom(id, shape);
    return id;
}

/* Box or ball number k of a scene. */
static int32_t thing(int k, double x, double y, double z, double yaw, int is_box) {
    char name[32];
    double at[16];
    snprintf(name, sizeof name, "thing%d", k);
    pose(x, y, z, yaw, 0, at);
    const ds_geom_desc shape = is_box ? geom(DS_GEOM_BOX, 0.1, 0.1, 0.1, 0.6) : geom(DS_GEOM_SPHERE, 0.1, 0, 0, 0.4);
    return free_body(name, at, 1.0 + 0.05 * k, &shape);
}

static void load_file(const scene *s, ds_model **out) {
    char path[4096];
    ds_load_options options;
    ds_load_options_init(&options);
    if (strstr(s->text, "urdf")) options.actuation = DS_ACTUATION_FULL;
    /* Number 1: on a free base above an added ground; 2: a file of the caller, which may have more than it needs; 3: with
       parts that do not touch each other, over a ground. */
    if (s->number == 1) {
        options.base = DS_BASE_FREE;
        options.ground_plane = 1;
    }
    if (s->number == 2) {
        options.mimic = DS_MIMIC_COUPLE;
        options.missing_mesh = DS_MISSING_MESH_SKIP;
        options.open_mesh = DS_OPEN_MESH_HULL;
        options.exclude_overlapping = 1;
    }
    if (s->number == 3) {
        options.self_collision = 0;
        options.ground_plane = 1;
    }
    snprintf(path, sizeof path, "%s%s%s", s->number == 2 ? "" : MODELS, s->number == 2 ? "" : "/", s->text);
    model_ok(ds_model_load(path, &options, out));
}

static void load_text(const scene *s, ds_model **out) {
    ds_load_options options;
    ds_load_options_init(&options);
    options.mimic = DS_MIMIC_COUPLE;
    options.actuation = DS_ACTUATION_FULL;
    const int32_t format = strstr(s->text, "<robot") ? DS_FORMAT_URDF : DS_FORMAT_MJCF;
    model_ok(ds_model_load_string(s->text, strlen(s->text), format, &options, out));
}

/* Springs, dampers, rotors, dry friction and limits on every dof. */
static void dress(ds_joint_desc *j) {
    const int one = j->kind == DS_JOINT_REVOLUTE || j->kind == DS_JOINT_PRISMATIC;
    j->damping = 0.2;
    j->stiffness = 3.0;
    j->armature = 0.02;
    j->friction_loss = 0.05;
    j->anchor[0] = j->kind == DS_JOINT_PRISMATIC ? 0.0 : -0.01;
    j->axis2[0] = 0.1, j->axis2[1] = 1.0, j->axis2[2] = 0.2;
    if (one) {
        j->reference = 0.1;
        j->spring_reference = 0.05;
        j->lower = 0.08;
        j->upper = 0.12;
        j->limit_margin = 0.005;
    }
}

/* Four links with joints of one kind over the ground, which they touch. */
static void chain(const scene *s, ds_model **out) {
    begin();
    ground(0.7);
    int32_t parent = 0;
    for (int k = 0; k < 4; k++) {
        char name[32];
        double at[16];
        snprintf(name, sizeof name, "link%d", k);
        pose(k ? 0.2 : 0, 0, k ? 0 : 0.0498, k ? 0.2 : 0, 0, at);
        parent = body(parent, name, at, 0.5, 0.1, 0.1, 0.03, 0.02);
        ds_joint_desc j = joint(name, s->number, 0.2 * k, k % 2 ? 1 : 0.3, k % 2 ? 0.2 : 1);
        dress(&j);
        model_ok(ds_builder_add_joint(builder, parent, &j));
        /* Without one on the first link, which could not leave the ground. */
        if (k == 0) continue;
        ds_geom_desc g = geom(DS_GEOM_CAPSULE, 0.05, 0.05, 0, 0.5);
        pose(0.1, 0, 0, 0, acos(-1.0) / 2, g.placement);
        g.contype = 0;
        add_geom(parent, &g);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* Universal joints alone, as of a tentacle; its tip stands on the ground or in the air. */
static void universal_arm(const scene *s, ds_model **out) {
    begin();
    ground(0.8);
    int32_t parent = 0;
    for (int k = 0; k < 8; k++) {
        char name[32];
        double at[16];
        snprintf(name, sizeof name, "link%d", k);
        pose(k ? 0.15 : 0, 0, k ? 0 : (s->number ? 0.0999 : 1.0), 0, 0, at);
        parent = body(parent, name, at, 0.3, 0.07, 0.07, 0.02, 0.02);
        ds_joint_desc j = joint(name, DS_JOINT_UNIVERSAL, 0, 1, 0);
        j.axis2[0] = 0, j.axis2[1] = 0, j.axis2[2] = 1;
        j.damping = 0.1;
        model_ok(ds_builder_add_joint(builder, parent, &j));
    }
    const ds_geom_desc tip = geom(DS_GEOM_BOX, 0.1, 0.08, 0.1, 0.5);
    add_geom(parent, &tip);
    finish(DS_ACTUATION_FULL, out);
}

/* A free trunk with a limb of every kind of joint, several joints on one body, a weld, and actuators that
 * clamp. */
static void mixed(const scene *s, ds_model **out) {
    static const int32_t kinds[] = {DS_JOINT_REVOLUTE, DS_JOINT_SPHERICAL, DS_JOINT_UNIVERSAL, DS_JOINT_PRISMATIC,
                                    DS_JOINT_PLANAR, DS_JOINT_TRANSLATION, DS_JOINT_CONTINUOUS,
                                    DS_JOINT_PLANAR_TRANSLATION, DS_JOINT_FIXED};
    (void)s;
    begin();
    ground(0.6);
    double at[16];
    pose(0, 0, 0.2999, 0.3, 0, at);
    const ds_geom_desc box = geom(DS_GEOM_BOX, 0.2, 0.15, 0.05, 0.6);
    const int32_t trunk = free_body("trunk", at, 5.0, &box);
    for (int k = 0; k < 9; k++) {
        char name[32], second[32];
        const double angle = 0.7 * k;
        snprintf(name, sizeof name, "limb%d", k);
        pose(0.25 * cos(angle), 0.25 * sin(angle), 0, angle, 0, at);
        const int32_t limb = body(trunk, name, at, 0.4, 0.02, 0.05, 0.04, 0.1);
        ds_joint_desc j = joint(name, kinds[k], 0.3, 1, 0.1);
        dress(&j);
        model_ok(ds_builder_add_joint(builder, limb, &j));
        if (k % 3 == 0) {
            snprintf(second, sizeof second, "second%d", k);
            j = joint(second, DS_JOINT_REVOLUTE, 1, 0, 0.2);
            j.damping = 0.1;
            model_ok(ds_builder_add_joint(builder, limb, &j));
        }
        ds_geom_desc foot = geom(k % 2 ? DS_GEOM_SPHERE : DS_GEOM_CYLINDER, 0.05, k % 2 ? 0 : 0.05, 0, 0.7);
        pose(0, 0, -0.25, 0, 0, foot.placement);
        foot.condim = k == 4 ? 1 : 3;
        foot.margin = k == 5 ? 0.01 : 0;
        add_geom(limb, &foot);
        if (kinds[k] == DS_JOINT_FIXED) continue;
        ds_actuator_desc motor;
        ds_actuator_desc_init(&motor);
        motor.name = motor.joint = name;
        motor.gain = 2.0;
        motor.control_lower = -0.04, motor.control_upper = 0.05;
        if (k == 0 || k == 3) {
            motor.gain = 30.0;
            motor.bias[1] = -30.0, motor.bias[2] = -1.0;
            motor.force_lower = -1.5, motor.force_upper = 1.5;
        } else
            motor.gear[1] = k == 6 ? 0.0 : 0.5;
        model_ok(ds_builder_add_actuator(builder, &motor));
    }
    finish(DS_ACTUATION_FROM_FILE, out);
}

static int32_t bar(int32_t parent, const char *name, double x, double angle, double length) {
    double at[16];
    pose(x, 0, 0, 0, angle, at);
    const int32_t id = body(parent, name, at, 1.0, 0.5 * length, 0.5 * length, 0.01, 0.01);
    const ds_joint_desc j = joint(name, DS_JOINT_REVOLUTE, 0, 1, 0);
    model_ok(ds_builder_add_joint(builder, id, &j));
    return id;
}

static ds_equality_desc tie(int32_t kind, int32_t body1, int32_t body2) {
    ds_equality_desc desc;
    ds_equality_desc_init(&desc);
    desc.kind = kind;
    desc.body1 = body1;
    desc.body2 = body2;
    return desc;
}

static void add_tie(const ds_equality_desc *desc) { model_ok(ds_builder_add_equality(builder, desc)); }

/* A linkage that a connection closes; with redundant rows, as it is planar. */
static void four_bar(const scene *s, ds_model **out) {
    const double up = -acos(-1.0) / 2;
    (void)s;
    begin();
    const int32_t crank = bar(0, "crank", 0.0, up, 0.4), coupler = bar(crank, "coupler", 0.4, -up, 1.0);
    const int32_t rocker = bar(0, "rocker", 1.0, up, 0.4);
    ds_equality_desc loop = tie(DS_EQUALITY_CONNECT, coupler, rocker);
    loop.anchor1[0] = 1.0;
    loop.anchor2[0] = 0.4;
    add_tie(&loop);
    finish(DS_ACTUATION_FULL, out);
}

/* Bars and boxes held by every kind of equality, some of them violated at the start; a coupling of joints
 * across trees. */
static void equalities(const scene *s, ds_model **out) {
    begin();
    ground(0.5);
    int32_t bars[6], boxes[4];
    for (int k = 0; k < 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "bar%d", k);
        bars[k] = bar(k == 3 ? bars[2] : 0, name, k == 3 ? 0.5 : 3.0 + k, -0.5 - 0.1 * k, 0.5);
    }
    for (int k = 0; k < 4; k++) boxes[k] = thing(k, 0.3 * k, 0.01 * k, 0.0999 + 0.001 * k, 0.1 * k, k != 2);
    ds_equality_desc e = tie(DS_EQUALITY_WELD, boxes[0], boxes[1]);
    e.anchor2[0] = 0.1;
    add_tie(&e);
    e = tie(DS_EQUALITY_WELD, boxes[2], boxes[3]);
    e.torque_scale = 0.0;
    add_tie(&e);
    e = tie(DS_EQUALITY_DISTANCE, boxes[1], boxes[2]);
    e.anchor1[2] = 0.1;
    e.length = s->number ? 0.4 : 0.0;
    add_tie(&e);
    e = tie(DS_EQUALITY_CONNECT, 0, bars[0]);
    e.anchor1[0] = 3.4;
    e.active = 0;
    add_tie(&e);
    e = tie(DS_EQUALITY_JOINT, 0, 0);
    e.joint1 = "bar0", e.joint2 = "bar1";
    e.coefficients[0] = s->number ? 0.02 : 0.0, e.coefficients[1] = -0.7, e.coefficients[2] = 0.3;
    add_tie(&e);
    e.joint1 = "bar2", e.joint2 = "bar3";
    e.coefficients[3] = 0.1;
    add_tie(&e);
    e.joint1 = "bar4", e.joint2 = NULL;
    add_tie(&e);
    finish(DS_ACTUATION_FULL, out);
}

static const double CORNERS[] = {-0.1, -0.1, -0.1, 0.1, -0.1, -0.1, -0.1, 0.1, -0.1, -0.1, -0.1, 0.15};
static const uint32_t SIDES[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
/* An L of height 0.1, which is not convex. */
static const double L_CORNERS[] = {0,   0,   0, 0.2, 0,   0, 0.2, 0.1, 0, 0.1, 0.1, 0, 0.1, 0.2, 0, 0, 0.2, 0,
                                   0,   0,   0.1, 0.2, 0, 0.1, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.1, 0, 0.2, 0.1};
static const uint32_t L_SIDES[] = {0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 5, 4, 6, 7, 8, 6, 8, 9, 6, 9, 10, 6, 10, 11,
                                   0, 1, 7, 0, 7, 6, 1, 2, 8, 1, 8, 7, 2, 3, 9, 2, 9, 8, 3, 4, 10, 3, 10, 9,
                                   4, 5, 11, 4, 11, 10, 5, 0, 6, 5, 6, 11};

/* One free body of every shape, in a ring so that neighbours touch each other and the ground; turned by
 * number. */
static void shapes(const scene *s, ds_model **out) {
    begin();
    ground(0.5);
    for (int k = 0; k < 14; k++) {
        ds_geom_desc g;
        char name[32];
        double at[16], height = 0.0999;
        switch (k % 7) {
        case 0: g = geom(DS_GEOM_SPHERE, 0.1, 0, 0, 0.5); break;
        case 1: g = geom(DS_GEOM_CAPSULE, 0.08, 0.1, 0, 0.4), height = 0.1799; break;
        case 2: g = geom(DS_GEOM_CYLINDER, 0.1, 0.1, 0, 0.6); break;
        case 3: g = geom(DS_GEOM_ELLIPSOID, 0.12, 0.09, 0.1, 0.3); break;
        case 4: g = geom(DS_GEOM_BOX, 0.1, 0.12, 0.1, 0.7); break;
        default:
            g = geom(DS_GEOM_MESH, 0, 0, 0, 0.5);
            if (k % 7 == 5) {
                g.vertices = CORNERS, g.vertex_count = 4;
                g.triangles = SIDES, g.triangle_count = 4;
            } else {
                g.vertices = L_CORNERS, g.vertex_count = 12;
                g.triangles = L_SIDES, g.triangle_count = 20;
                g.mesh_mode = DS_MESH_DECOMPOSED;
                height = -0.0001;
            }
        }
        snprintf(name, sizeof name, "shape%d", k);
        if (k < 7)
            pose(0.19 * k, 0.01 * k, height, 0.3 * k, s->number ? 0.15 * k : 0, at);
        else
            /* Upon others than those beside it. */
            pose(0.19 * ((3 * k) % 7), 0.02, height + 0.22, 0.5 * k, s->number ? 0.1 * k : 0, at);
        free_body(name, at, 1.0, &g);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* Boxes and balls in layers of four that touch, within walls. */
static void heap(const scene *s, ds_model **out) {
    begin();
    ground(0.6);
    noise_from(3);
    for (int k = 0; k < 4; k++) {
        ds_geom_desc wall = geom(DS_GEOM_BOX, k < 2 ? 0.05 : 0.4, k < 2 ? 0.4 : 0.05, 0.5, 0.4);
        pose(k < 2 ? 0.34 * (2 * k - 1) : 0, k < 2 ? 0 : 0.34 * (2 * k - 5), 0.5, 0, 0, wall.placement);
        add_geom(0, &wall);
    }
    for (int k = 0; k < s->number; k++) {
        const int layer = k / 4, x = k % 2, y = k / 2 % 2;
        const double dx = 0.01 * noise(), dy = 0.01 * noise(), turn = 0.3 * noise();
        thing(k, 0.14 * (2 * x - 1) + dx, 0.14 * (2 * y - 1) + dy, 0.0998 + 0.1995 * layer, turn, (k + layer) % 3 != 0);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* Boxes at random in a cube that holds few of them; number 0: a pair on the ground that overlap. */
static void overlap(const scene *s, ds_model **out) {
    begin();
    noise_from(5);
    if (s->number == 0) {
        ground(0.6);
        thing(0, 0, 0, 0.08, 0, 1);
        thing(1, 0.15, 0.03, 0.09, 0.2, 1);
    }
    for (int k = 0; k < s->number; k++) {
        const double within = 0.25 * cbrt(s->number / 12.0), x = within * noise(), y = within * noise(), z = within * noise();
        thing(k, x, y, z, noise(), k % 4 != 3);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* Boxes exactly on each other: constraints that depend on each other. */
static void tower(const scene *s, ds_model **out) {
    begin();
    ground(0.6);
    for (int k = 0; k < s->number; k++) thing(k, 0, 0, 0.1 + 0.2 * k, 0, 1);
    finish(DS_ACTUATION_FULL, out);
}

/* Boxes and balls that slide, roll and stick on the ground and on a slope; some without friction. */
static void slope(const scene *s, ds_model **out) {
    (void)s;
    begin();
    ds_geom_desc plane = geom(DS_GEOM_PLANE, 0, 0, 0, 0.2);
    pose(0, 0, 0, 0, 0.4, plane.placement);
    add_geom(0, &plane);
    for (int k = 0; k < 5; k++) {
        char name[32];
        double at[16];
        snprintf(name, sizeof name, "slider%d", k);
        const double x = 0.4 * k, r = 0.0999;
        pose(x * cos(0.4) + r * sin(0.4), 0, -x * sin(0.4) + r * cos(0.4), 0, 0.4, at);
        ds_geom_desc g = k % 2 ? geom(DS_GEOM_SPHERE, 0.1, 0, 0, 0.5) : geom(DS_GEOM_BOX, 0.1, 0.1, 0.1, k ? 0.8 : 0.1);
        if (k == 4) g.condim = 1;
        free_body(name, at, 1.0, &g);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* Four walkers of a trunk and two legs; the first two touch. */
static void herd(const scene *s, ds_model **out) {
    (void)s;
    begin();
    ground(0.7);
    for (int k = 0; k < 4; k++) {
        char name[32];
        double at[16];
        snprintf(name, sizeof name, "trunk%d", k);
        pose(k == 1 ? 0.3999 : 1.5 * k, 0, 0.2499 + 1e-4 * k, 0, 0, at);
        const ds_geom_desc trunk_box = geom(DS_GEOM_BOX, 0.2, 0.1, 0.05, 0.6);
        const int32_t trunk = free_body(name, at, 3.0 + 0.1 * k, &trunk_box);
        for (int leg = 0; leg < 3; leg++) {
            snprintf(name, sizeof name, "leg%d-%d", k, leg);
            pose(0.12 * (leg - 1), leg == 1 ? 0.1 : -0.1, 0, 0, 0, at);
            const int32_t id = body(trunk, name, at, 0.3, 0, 0.02, 0.02, 0.1);
            ds_joint_desc hip = joint(name, DS_JOINT_REVOLUTE, 0, 1, 0);
            hip.damping = 0.1;
            hip.friction_loss = leg == 0 ? 0.1 : 0.0;
            hip.lower = -0.05, hip.upper = leg == 2 ? 0.0 : 0.05;
            model_ok(ds_builder_add_joint(builder, id, &hip));
            ds_geom_desc foot = geom(DS_GEOM_SPHERE, 0.05, 0, 0, 0.8);
            pose(0, 0, -0.2, 0, 0, foot.placement);
            add_geom(id, &foot);
        }
    }
    finish(DS_ACTUATION_FULL, out);
}

/* So many balls in a row between two walls that leave no room for them. */
static void jam(const scene *s, ds_model **out) {
    begin();
    ground(0.8);
    const double pitch = 0.195;
    for (int k = 0; k < s->number; k++) thing(k, pitch * k, 2e-3 * (k % 2), 0.0999, 0, 0);
    for (int k = 0; k < 2; k++) {
        ds_geom_desc wall = geom(DS_GEOM_BOX, 0.05, 1.0, 0.2, 0.8);
        pose(k ? pitch * (s->number - 1) + 0.145 : -0.145, 0, 0.2, 0, 0, wall.placement);
        add_geom(0, &wall);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* A free trunk with so many boxes on hinges, all of them in each other: one tree, more rows than dofs. */
static void jammed_robot(const scene *s, ds_model **out) {
    begin();
    ground(0.6);
    double at[16];
    pose(0, 0, 0.08, 0, 0, at);
    const ds_geom_desc box = geom(DS_GEOM_BOX, 0.2, 0.1, 0.05, 0.6);
    const int32_t trunk = free_body("trunk", at, 5.0, &box);
    noise_from(11);
    for (int k = 0; k < s->number; k++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", k);
        const double x = 0.06 * noise(), y = 0.06 * noise(), z = 0.06 * noise();
        pose(x, y, z, 0, 0, at);
        const int32_t id = body(trunk, name, at, 0.3, 0, 0.08, 0.04, 0.05);
        const double a = noise(), b = noise(), c = noise();
        const ds_joint_desc j = joint(name, DS_JOINT_REVOLUTE, a, b, c);
        model_ok(ds_builder_add_joint(builder, id, &j));
        const ds_geom_desc g = geom(DS_GEOM_BOX, 0.08, 0.04, 0.05, 0.5);
        add_geom(id, &g);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* A chain of so many links, with a ball under every sixth that lies on the ground: deep from 65 dofs on.
 * text: without. */
static void deep(const scene *s, ds_model **out) {
    begin();
    ground(0.6);
    int32_t parent = 0;
    for (int k = 1; k <= s->number; k++) {
        char name[32];
        double at[16];
        snprintf(name, sizeof name, "link%d", k);
        pose(k > 1 ? 0.1 : 0, 0, k > 1 ? 0 : 0.0499, 0, 0, at);
        parent = body(parent, name, at, 0.1, 0.05, 0.05, 0.02, 0.02);
        ds_joint_desc j = joint(name, DS_JOINT_REVOLUTE, 0, k % 3 ? 1 : 0, k % 3 ? 0 : 1);
        if (k == 20) {
            j.kind = DS_JOINT_SPHERICAL;
            j.axis[0] = 1;
        }
        j.armature = 0.01;
        j.damping = 0.05;
        if (k == 10) j.friction_loss = 0.1, j.lower = -0.01, j.upper = 0.01;
        model_ok(ds_builder_add_joint(builder, parent, &j));
        if (s->text || k % 6) continue;
        ds_geom_desc g = geom(DS_GEOM_SPHERE, 0.05, 0, 0, 0.6);
        pose(0.05, 0, 0, 0, 0, g.placement);
        g.contype = 0;
        add_geom(parent, &g);
    }
    finish(DS_ACTUATION_FULL, out);
}

/* As deep, but on a free base and with side branches. */
static void deep_free(const scene *s, ds_model **out) {
    begin();
    ground(0.5);
    double at[16];
    pose(0, 0, 0.0999, 0, 0, at);
    const ds_geom_desc ball = geom(DS_GEOM_SPHERE, 0.1, 0, 0, 0.6);
    int32_t parent = free_body("root", at, 1.0, &ball);
    for (int k = 0; k < s->number; k++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", k);
        pose(0.1, 0, 0, 0, 0, at);
        const int32_t id = body(parent, name, at, 0.1, 0.05, 0.05, 0.02, 0.02);
        const ds_joint_desc j = joint(name, k % 5 ? DS_JOINT_REVOLUTE : DS_JOINT_UNIVERSAL, 0, k % 2, 1 - k % 2);
        ds_joint_desc damped = j;
        damped.damping = 0.05;
        damped.armature = 0.01;
        if (k % 5 == 0) damped.axis2[0] = 1, damped.axis2[1] = damped.axis2[2] = 0;
        model_ok(ds_builder_add_joint(builder, id, &damped));
        if (k % 12 == 11) {
            ds_geom_desc g = geom(DS_GEOM_SPHERE, 0.1, 0, 0, 0.6);
            g.contype = 0;
            add_geom(id, &g);
        }
        /* Every ninth is a branch that ends. */
        if (k % 9 != 8) parent = id;
    }
    finish(DS_ACTUATION_FULL, out);
}

static const char TERRAIN[] =
    "<mujoco><asset><hfield name='h' nrow='4' ncol='4' size='1 1 .2 .1' elevation='0 1 0 1 0 1 0 0 1 .5 .2 .3 0 1 0 .4'/>"
    "</asset><worldbody><geom type='hfield' hfield='h'/>"
    "<body pos='.1 .1 .2'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body pos='-.4 .3 .25'><freejoint/><geom type='sphere' size='.1' friction='.4'/></body>"
    "<body pos='.5 -.4 .3'><freejoint/><geom type='capsule' size='.08 .1'/></body>"
    "<body pos='-.5 -.5 .25'><freejoint/><geom type='ellipsoid' size='.1 .08 .06' mass='1'/></body>"
    "</worldbody></mujoco>";

/* A ball between walls that are too near, and one in a wedge. */
static const char WALLS[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1' pos='-0.099 0 0' zaxis='1 0 0' friction='.5'/>"
    "<geom type='plane' size='1 1 1' pos='0.099 0 0' zaxis='-1 0 0'/>"
    "<geom type='plane' size='1 1 1' pos='0 3 0' zaxis='0 -1 .4'/>"
    "<body><freejoint/><geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>";

/* A finger that follows another one and grips a block. */
static const char MIMIC[] =
    "<robot name='gripper'><link name='base'><inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01' ixy='0' "
    "ixz='0' iyz='0'/></inertial></link>"
    "<link name='a'><inertial><mass value='.2'/><inertia ixx='.001' iyy='.001' izz='.001' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><geometry><box size='.02 .05 .1'/></geometry></collision></link>"
    "<link name='b'><inertial><mass value='.2'/><inertia ixx='.001' iyy='.001' izz='.001' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><geometry><box size='.02 .05 .1'/></geometry></collision></link>"
    "<link name='c'><inertial><mass value='.1'/><inertia ixx='.001' iyy='.001' izz='.001' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><geometry><sphere radius='.05'/></geometry></collision></link>"
    "<joint name='left' type='prismatic'><parent link='base'/><child link='a'/><origin xyz='.0599 0 0'/><axis xyz='1 0 0'/>"
    "<limit lower='-.05' upper='.05' effort='10' velocity='1'/><dynamics damping='.5' friction='.2'/></joint>"
    "<joint name='right' type='prismatic'><parent link='base'/><child link='b'/><origin xyz='-.0599 0 0'/><axis xyz='-1 0 0'/>"
    "<limit lower='-.05' upper='.05' effort='10' velocity='1'/><mimic joint='left' multiplier='1' offset='.001'/></joint>"
    "<joint name='held' type='planar'><parent link='base'/><child link='c'/><axis xyz='0 1 0'/></joint></robot>";

#define FILE_SCENE(name, file, number) {name, load_file, number, 24, 5, 128, HOMES, file}

static const scene SCENES[] = {
    FILE_SCENE("cartpole", "cartpole.xml", 0),
    FILE_SCENE("arm7", "arm7.urdf", 0),
    FILE_SCENE("arm7-free", "arm7.urdf", 1),
    FILE_SCENE("arm7-apart", "arm7.urdf", 3),
    FILE_SCENE("quadruped", "quadruped.xml", 0),
    FILE_SCENE("runner", "runner.xml", 0),
    FILE_SCENE("humanoid", "humanoid.xml", 0),
    {"chain-revolute", chain, DS_JOINT_REVOLUTE, 24, 5, 64, 0, NULL},
    {"chain-continuous", chain, DS_JOINT_CONTINUOUS, 24, 5, 64, FEW, NULL},
    {"chain-prismatic", chain, DS_JOINT_PRISMATIC, 24, 5, 64, 0, NULL},
    {"chain-spherical", chain, DS_JOINT_SPHERICAL, 24, 5, 64, 0, NULL},
    {"chain-planar-translation", chain, DS_JOINT_PLANAR_TRANSLATION, 24, 5, 64, FEW, NULL},
    {"chain-translation", chain, DS_JOINT_TRANSLATION, 24, 5, 64, FEW, NULL},
    {"chain-planar", chain, DS_JOINT_PLANAR, 24, 5, 64, FEW, NULL},
    {"chain-universal", chain, DS_JOINT_UNIVERSAL, 24, 5, 64, 0, NULL},
    {"universal-arm", universal_arm, 0, 24, 5, 64, FEW, NULL},
    {"universal-arm-down", universal_arm, 1, 24, 5, 64, FEW, NULL},
    {"mixed", mixed, 0, 24, 5, 64, 0, NULL},
    {"four-bar", four_bar, 0, 24, 5, 32, FEW, NULL},
    {"equalities", equalities, 0, 20, 5, 64, 0, NULL},
    {"equalities-violated", equalities, 1, 20, 5, 64, FEW, NULL},
    {"mimic", load_text, 0, 24, 5, 64, FEW, MIMIC},
    {"shapes", shapes, 0, 8, 3, 400, FEW, NULL},
    {"shapes-turned", shapes, 1, 8, 3, 400, FEW, NULL},
    {"terrain", load_text, 0, 16, 5, 128, FEW, TERRAIN},
    {"slope", slope, 0, 20, 5, 64, 0, NULL},
    {"herd", herd, 0, 16, 5, 128, 0, NULL},
    {"tower-3", tower, 3, 12, 4, 64, FEW, NULL},
    {"tower-8", tower, 8, 8, 4, 128, FEW, NULL},
    {"heap-12", heap, 12, 12, 4, 400, DEAR, NULL},
    {"heap-40", heap, 40, 4, 2, 1200, DEAR, NULL},
    {"overlap-2", overlap, 0, 16, 5, 64, FEW, NULL},
    {"overlap-12", overlap, 12, 8, 4, 600, DEAR, NULL},
    {"overlap-40", overlap, 40, 2, 1, 3000, DEAR | LIMITED, NULL},
    {"jam-walls", load_text, 0, 12, 4, 32, FEW, WALLS},
    {"jam-row-1", jam, 1, 12, 4, 32, FEW, NULL},
    {"jam-row-4", jam, 4, 12, 4, 64, FEW, NULL},
    {"jam-robot-3", jammed_robot, 3, 8, 4, 200, FEW, NULL},
    {"jam-robot-12", jammed_robot, 12, 4, 2, 800, DEAR | LIMITED, NULL},
    {"deep-air", deep, 80, 4, 2, 64, DEAR, "air"},
    {"deep-lying", deep, 80, 4, 2, 64, DEAR, NULL},
    {"deep-many", deep, 180, 2, 1, 64, DEAR | LIMITED, NULL},
    {"deep-free", deep_free, 80, 4, 2, 64, DEAR, NULL},
};

#endif
