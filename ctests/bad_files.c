/* Files and texts that are not models: each one's status, and a message with the element, its name and the
 * line. */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

#define LINK(name) "<link name='" name "'><inertial><mass value='1'/>" INERTIA "</inertial></link>\n"
#define INERTIA "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
#define JOINT(name, parent, child, rest)                                                \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
    "'/><limit lower='-1' upper='1' effort='1' velocity='1'/>" rest "</joint>\n"
#define ROBOT(body) "<robot name='r'>\n" body "</robot>"
#define MUJOCO(body) "<mujoco>\n" body "</mujoco>"
#define WORLD(body) MUJOCO("<worldbody>\n" body "</worldbody>\n")
#define CORNERS "0 0 0 1 0 0 0 1 0 0 0 1"
#define CLOSED "0 2 1 0 1 3 0 3 2 1 2 3"
#define MESH(vertices, faces)                                                                      \
    MUJOCO("<asset><mesh name='m' vertex='" vertices "' face='" faces "'/></asset>"                \
           "<worldbody><geom name='g' type='mesh' mesh='m' mass='0'/></worldbody>\n")
#define BALL "<geom name='g' type='sphere' size='0.1'/>"

static const struct {
    const char *what;
    ds_format format;
    ds_status status;
    const char *text;
    /* Each must be in the message. */
    const char *culprits[3];
} cases[] = {
    {"nothing", DS_FORMAT_URDF, DS_ERR_PARSE, "", {"line 1"}},
    {"no XML", DS_FORMAT_URDF, DS_ERR_PARSE, "hello", {"line 1"}},
    {"truncated", DS_FORMAT_URDF, DS_ERR_PARSE, "<robot name='r'>\n<link name='a'>\n", {"line"}},
    {"wrong root", DS_FORMAT_URDF, DS_ERR_PARSE, "<mujoco/>", {"robot"}},
    {"no links", DS_FORMAT_URDF, DS_ERR_PARSE, ROBOT(""), {"link"}},
    {"link twice", DS_FORMAT_URDF, DS_ERR_PARSE, ROBOT(LINK("a") LINK("a")), {"\"a\"", "line 3"}},
    {"joint twice", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "b", "") JOINT("j", "a", "c", "")),
     {"\"j\"", "line 6"}},
    {"cycle", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "") JOINT("k", "b", "a", "")), {"\""}},
    {"own parent", DS_FORMAT_URDF, DS_ERR_PARSE, ROBOT(LINK("a") JOINT("j", "a", "a", "")), {"\"a\""}},
    {"two parents", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT(LINK("a") LINK("b") LINK("c") JOINT("j", "a", "c", "") JOINT("k", "b", "c", "")),
     {"\"c\"", "line"}},
    {"missing parent", DS_FORMAT_URDF, DS_ERR_PARSE, ROBOT(LINK("b") JOINT("j", "a", "b", "")),
     {"\"a\"", "\"j\"", "line 3"}},
    {"missing child", DS_FORMAT_URDF, DS_ERR_PARSE, ROBOT(LINK("a") JOINT("j", "a", "b", "")),
     {"\"b\"", "\"j\"", "line 3"}},
    {"negative mass", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT("<link name='a'><inertial><mass value='-1'/>" INERTIA "</inertial></link>"),
     {"\"a\"", "mass", "line 2"}},
    {"NaN mass", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT("<link name='a'><inertial><mass value='nan'/>" INERTIA "</inertial></link>"),
     {"mass", "line 2", "nan"}},
    {"infinite mass", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT("<link name='a'><inertial><mass value='1e999'/>" INERTIA "</inertial></link>"),
     {"mass", "line 2", "1e999"}},
    {"word for a mass", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT("<link name='a'><inertial><mass value='heavy'/>" INERTIA "</inertial></link>"),
     {"mass", "line 2", "heavy"}},
    {"negative inertia", DS_FORMAT_URDF, DS_ERR_INVALID_ARGUMENT,
     ROBOT(LINK("a") "<link name='b'><inertial><mass value='1'/><inertia ixx='-1' ixy='0' ixz='0' "
           "iyy='1' iyz='0' izz='1'/></inertial></link>\n" JOINT("j", "a", "b", "")),
     {"\"b\"", "moments of inertia"}},
    {"zero axis", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<axis xyz='0 0 0'/>")), {"\"j\"", "axis", "line 4"}},
    {"axis of two numbers", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT(LINK("a") LINK("b") JOINT("j", "a", "b", "<axis xyz='0 1'/>")), {"axis", "line 4"}},
    {"unknown joint type", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT(LINK("a") LINK("b")
           "<joint name='j' type='screw'><parent link='a'/><child link='b'/></joint>"),
     {"\"j\"", "screw", "line 4"}},
    {"mimic of no joint", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT(LINK("a") LINK("b") JOINT("k", "a", "b", "<mimic joint='j'/>")),
     {"\"j\"", "mimic = DS_MIMIC_INDEPENDENT", "line 4"}},
    {"missing mesh", DS_FORMAT_URDF, DS_ERR_IO,
     ROBOT("<link name='a'><collision><geometry><mesh filename='package://p/none.stl'/></geometry>"
           "</collision></link>"),
     {"none.stl", "mesh_dirs", "missing_mesh = DS_MISSING_MESH_SKIP"}},
    {"no such mesh", DS_FORMAT_URDF, DS_ERR_IO,
     ROBOT("<link name='a'><collision><geometry><mesh filename='none.stl'/></geometry></collision></link>"),
     {"none.stl", "line 2", "missing_mesh = DS_MISSING_MESH_SKIP"}},
    {"negative radius", DS_FORMAT_URDF, DS_ERR_PARSE,
     ROBOT("<link name='a'><collision><geometry><sphere radius='-1'/></geometry></collision></link>"),
     {"line 2"}},
    {"billion laughs", DS_FORMAT_URDF, DS_ERR_PARSE,
     "<?xml version='1.0'?>\n<!DOCTYPE robot [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>\n"
     "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>\n<robot name='&c;'/>",
     {"line", "DTD"}},
    {"truncated", DS_FORMAT_MJCF, DS_ERR_PARSE, "<mujoco><worldbody>", {"line 1"}},
    {"wrong root", DS_FORMAT_MJCF, DS_ERR_PARSE, "<robot name='r'/>", {"robot"}},
    {"unknown element", DS_FORMAT_MJCF, DS_ERR_PARSE, WORLD("<bode name='a'/>"), {"bode", "line 3"}},
    {"unknown attribute", DS_FORMAT_MJCF, DS_ERR_PARSE, WORLD("<body nme='a'>" BALL "</body>\n"),
     {"nme", "line 3"}},
    {"body twice", DS_FORMAT_MJCF, DS_ERR_PARSE,
     WORLD("<body name='a'/>\n<body name='a'/>\n"), {"\"a\"", "line 4"}},
    {"geom twice", DS_FORMAT_MJCF, DS_ERR_PARSE, WORLD(BALL "\n" BALL), {"\"g\"", "line 4"}},
    {"zero axis", DS_FORMAT_MJCF, DS_ERR_PARSE,
     WORLD("<body name='a'>" BALL "<joint name='j' axis='0 0 0'/></body>\n"), {"\"j\"", "axis", "line 3"}},
    {"negative mass", DS_FORMAT_MJCF, DS_ERR_PARSE,
     WORLD("<body name='a'><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body>\n"),
     {"mass", "line 3"}},
    {"missing mesh", DS_FORMAT_MJCF, DS_ERR_IO,
     MUJOCO("<asset>\n<mesh name='m' file='none.stl'/>\n</asset>\n"), {"none.stl", "line 3", "mesh_dirs"}},
    {"no such joint", DS_FORMAT_MJCF, DS_ERR_PARSE,
     MUJOCO("<actuator>\n<motor name='m' joint='elbow'/>\n</actuator>\n"), {"elbow", "line 3"}},
    {"mesh with NaN", DS_FORMAT_MJCF, DS_ERR_PARSE, MESH("0 0 0 nan 0 0 0 1 0 0 0 1", CLOSED),
     {"vertex", "nan", "line"}},
    {"mesh without a vertex", DS_FORMAT_MJCF, DS_ERR_PARSE, MESH(CORNERS, "0 2 4"), {"face", "4", "line"}},
    {"height field with a hole", DS_FORMAT_MJCF, DS_ERR_PARSE,
     MUJOCO("<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 nan 0'/></asset>"
            "<worldbody><geom name='g' type='hfield' hfield='h'/></worldbody>\n"),
     {"elevation", "nan", "line"}},
    {"actuator on a tendon that is not there", DS_FORMAT_MJCF, DS_ERR_PARSE,
     MUJOCO("<actuator>\n<motor name='m' tendon='t'/>\n</actuator>\n"), {"tendon", "line 3"}},
    {"billion laughs", DS_FORMAT_MJCF, DS_ERR_PARSE,
     "<!DOCTYPE mujoco [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>\n<mujoco model='&b;'/>",
     {"line 1"}},
};

static ds_model *const poison = (ds_model *)(uintptr_t)0xA5A5A5A0u;

static void texts(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ds_model *model = poison;
        const ds_status status = ds_model_load_string(cases[i].text, strlen(cases[i].text),
                                                      cases[i].format, NULL, &model);
        int ok = status == cases[i].status && model == poison;
        for (int k = 0; k < 3 && cases[i].culprits[k]; k++)
            ok = ok && strstr(ds_last_error(), cases[i].culprits[k]) != NULL;
        ++checks_made;
        if (!ok) {
            ++checks_failed;
            fprintf(stderr, "%s, %s: %s, \"%s\"; expected %s naming \"%s\"\n",
                    cases[i].format == DS_FORMAT_URDF ? "URDF" : "MJCF", cases[i].what,
                    ds_status_name(status), status == DS_OK ? "" : ds_last_error(),
                    ds_status_name(cases[i].status), cases[i].culprits[0]);
            if (status == DS_OK) ds_model_free(model);
        }
    }
}

static void refused(ds_status status, const ds_model *model, ds_status want, const char *culprit) {
    CHECK(status == want);
    CHECK(model == poison);
    CHECK(strstr(ds_last_error(), culprit) != NULL);
}

static void arguments(const char *folder) {
    ds_model *model = poison;
    const char *text = ROBOT(LINK("a"));
    const size_t n = strlen(text);
    refused(ds_model_load(NULL, NULL, &model), model, DS_ERR_INVALID_ARGUMENT, "path");
    refused(ds_model_load("none.urdf", NULL, &model), model, DS_ERR_IO, "none.urdf");
    refused(ds_model_load("n\xf6ne.urdf", NULL, &model), model, DS_ERR_IO, ".urdf");
    refused(ds_model_load("robot.sdf", NULL, &model), model, DS_ERR_UNSUPPORTED, "robot.sdf");
    refused(ds_model_load("", NULL, &model), model, DS_ERR_UNSUPPORTED, "path");
    refused(ds_model_load(folder, NULL, &model), model, DS_ERR_UNSUPPORTED, "path");
    refused(ds_model_load("a.urdf", NULL, NULL), model, DS_ERR_INVALID_ARGUMENT, "out");
    refused(ds_model_load_string(NULL, 5, DS_FORMAT_URDF, NULL, &model), model, DS_ERR_INVALID_ARGUMENT, "text");
    refused(ds_model_load_string(text, SIZE_MAX, DS_FORMAT_URDF, NULL, &model), model, DS_ERR_INVALID_ARGUMENT, "text");
    refused(ds_model_load_string(text, n, 9, NULL, &model), model, DS_ERR_INVALID_ARGUMENT, "format");
    refused(ds_model_load_string("\xff\xff", 2, DS_FORMAT_URDF, NULL, &model), model, DS_ERR_INVALID_ARGUMENT, "UTF-8");

    ds_load_options options;
    const char *none[2] = {"here", NULL};
#define REFUSED(change, culprit)                                                                   \
    do {                                                                                           \
        ds_load_options_init(&options);                                                            \
        change;                                                                                    \
        refused(ds_model_load_string(text, n, DS_FORMAT_URDF, &options, &model), model,            \
                DS_ERR_INVALID_ARGUMENT, culprit);                                                 \
    } while (0)
    REFUSED(options.struct_size = 8, "ds_load_options_init");
    REFUSED(options.base = 7, "base");
    REFUSED(options.actuation = -1, "actuation");
    REFUSED(options.ground_plane = 2, "ground_plane");
    REFUSED(options.mimic = 4, "mimic");
    REFUSED(options.self_collision = 2, "self_collision");
    REFUSED(options.exclude_overlapping = 2, "exclude_overlapping");
    REFUSED(options.missing_mesh = 3, "missing_mesh");
    REFUSED(options.mesh_mode = 3, "mesh_mode");
    REFUSED(options.open_mesh = 2, "open_mesh");
    REFUSED(options.keep_inseparable = 2, "keep_inseparable");
    REFUSED(options.effort_limits = 2, "effort_limits");
    REFUSED(options.transmissions = 2, "transmissions");
    REFUSED((options.transmissions = 1, options.actuation = DS_ACTUATION_JOINTS), "DS_ACTUATION_FROM_FILE");
    REFUSED((options.ground_plane = 1, options.ground_friction = -1.0), "ground_friction");
    REFUSED(options.mesh_dir_count = 1, "mesh_dirs");
    REFUSED((options.mesh_dirs = none, options.mesh_dir_count = 2), "mesh_dirs");
}

/* An open mesh collides as its hull, in a file and in a builder, unless the caller refuses it. */
static void open_meshes(void) {
    static const char text[] = MESH(CORNERS, "0 2 1 0 1 3 1 2 3");
    ds_load_options options;
    ds_load_options_init(&options);
    CHECK(options.open_mesh == DS_OPEN_MESH_HULL);
    ds_model *model = poison;
    options.open_mesh = DS_OPEN_MESH_ERROR;
    refused(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &options, &model), model, DS_ERR_PARSE, "\"g\"");
    refused(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &options, &model), model, DS_ERR_PARSE,
            "open_mesh = DS_OPEN_MESH_HULL");
    options.open_mesh = DS_OPEN_MESH_HULL;
    model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &options, &model));
    /* The first is of its inertia. */
    CHECK(ds_model_warning_count(model) == 2 && strstr(ds_model_warning(model, 1), "collides as its hull") != NULL);
    ds_model_free(model);

    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t three[] = {0, 2, 1, 0, 1, 3, 1, 2, 3}, wrong[] = {0, 2, 4};
    ds_builder *builder = NULL;
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    geom.name = "g";
    geom.kind = DS_GEOM_MESH;
    geom.vertices = corners;
    geom.vertex_count = 4;
    geom.triangles = wrong;
    geom.triangle_count = 1;
    CHECK_OK(ds_builder_create(&builder));
    CHECK_INVALID(ds_builder_add_geom(builder, 0, &geom, NULL), "triangle 0");
    geom.triangles = three;
    geom.triangle_count = 3;
    CHECK(geom.open_mesh == DS_OPEN_MESH_HULL);
    geom.open_mesh = 2;
    CHECK_INVALID(ds_builder_add_geom(builder, 0, &geom, NULL), "open_mesh");
    geom.open_mesh = DS_OPEN_MESH_HULL;
    geom.reserved = 1;
    CHECK_INVALID(ds_builder_add_geom(builder, 0, &geom, NULL), "reserved");
    geom.reserved = 0;
    CHECK_OK(ds_builder_add_geom(builder, 0, &geom, NULL));
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK(ds_model_warning_count(model) == 1);
    ds_model_free(model);
    geom.open_mesh = DS_OPEN_MESH_ERROR;
    geom.name = "strict";
    CHECK_OK(ds_builder_add_geom(builder, 0, &geom, NULL));
    model = poison;
    refused(ds_builder_build(builder, &model), model, DS_ERR_PARSE, "\"strict\"");
    ds_builder_free(builder);
}

/* What real files have and the dynamics can bear: a warning that names it. */
static void warnings(void) {
    const char *text =
        ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
              "iyz='0' izz='9'/></inertial></link>");
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_URDF, NULL, &model));
    CHECK(ds_model_warning_count(model) == 1);
    CHECK(strstr(ds_model_warning(model, 0), "\"a\" (line 2)") != NULL);
    CHECK(strstr(ds_model_warning(model, 0), "moments of inertia") != NULL);
    CHECK(ds_model_warning(model, 1) == NULL);
    ds_model_free(model);
}

/* Models at the edge: no dof, and very many. */
static void extremes(void) {
    const char *still = ROBOT(LINK("a"));
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(still, strlen(still), DS_FORMAT_URDF, NULL, &model));
    CHECK(ds_model_nq(model) == 0 && ds_model_nv(model) == 0 && ds_model_nu(model) == 0);
    ds_sim *sim = NULL;
    ds_rollout *rollout = NULL;
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    CHECK_OK(ds_sim_step(sim, NULL, NULL, NULL, NULL, NULL));
    const ds_step_jacobians nothing = {0};
    CHECK_OK(ds_sim_step_jacobians(sim, &nothing));
    CHECK_OK(ds_sim_step_vjp(sim, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_OK(ds_mass_matrix(sim, NULL, NULL));
    CHECK_OK(ds_forward_dynamics_derivatives(sim, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_OK(ds_rollout_create(model, NULL, 3, &rollout));
    CHECK_OK(ds_rollout_run(rollout, NULL, NULL, NULL, 3, NULL, NULL));
    CHECK_OK(ds_rollout_adjoint(rollout, NULL, NULL, NULL, NULL, NULL, NULL));
    double placements[32];
    CHECK_OK(ds_forward_kinematics(sim, NULL, placements));
    CHECK(placements[31] == 1.0);
    ds_rollout_free(rollout);
    ds_sim_free(sim);
    ds_model_free(model);
    model = NULL;

    enum { LINKS = 10000, EACH = 512 };
    char *text = malloc((size_t)LINKS * EACH);
    if (text == NULL) return;
    size_t at = (size_t)sprintf(text, "<robot name='chain'>\n");
    for (int i = 0; i < LINKS; i++) {
        at += (size_t)sprintf(text + at, "<link name='l%d'><inertial><mass value='1'/>" INERTIA
                              "</inertial></link>\n", i);
        if (i > 0)
            at += (size_t)sprintf(text + at, "<joint name='j%d' type='continuous'><parent link='l%d'/>"
                                  "<child link='l%d'/><axis xyz='0 1 0'/></joint>\n", i, i - 1, i);
    }
    at += (size_t)sprintf(text + at, "</robot>\n");
    CHECK_OK(ds_model_load_string(text, at, DS_FORMAT_URDF, NULL, &model));
    CHECK(ds_model_nv(model) == LINKS - 1 && ds_model_body_id(model, "l9999") == LINKS);
    ds_model_free(model);
    model = poison;

    at = (size_t)sprintf(text, "<mujoco><worldbody>\n");
    for (int i = 0; i < LINKS; i++) at += (size_t)sprintf(text + at, "<body><joint/>" BALL "\n");
    for (int i = 0; i < LINKS; i++) at += (size_t)sprintf(text + at, "</body>");
    at += (size_t)sprintf(text + at, "</worldbody></mujoco>");
    const ds_status status = ds_model_load_string(text, at, DS_FORMAT_MJCF, NULL, &model);
    CHECK(status != DS_OK && status != DS_ERR_INTERNAL && model == poison);
    CHECK(strstr(ds_last_error(), "line") != NULL);
    free(text);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    texts();
    warnings();
    open_meshes();
    arguments(argv[1]);
    extremes();
    return report();
}
