/* Visual shapes of files: shapes, meshes with their files, and colours. */
#include <math.h>

#include "check.h"
#include "diffsim_visuals.h"

static int write(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return 0;
    const size_t n = strlen(text);
    const int whole = fwrite(text, 1, n, file) == n;
    return fclose(file) == 0 && whole;
}

static const char robot[] =
    "<robot name='r'><link name='a'>"
    "<visual name='box'><origin xyz='1 2 3'/><geometry><box size='.2 .4 .6'/></geometry>"
    "<material name='red'><color rgba='1 0 .5 1'/></material></visual>"
    "<visual><geometry><mesh filename='c_visual.obj' scale='2 1 1'/></geometry></visual>"
    "<visual name='lost'><geometry><mesh filename='c_nowhere.stl'/></geometry></visual></link></robot>";
static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";
static const char scene[] =
    "<mujoco><worldbody><geom name='solid' size='.1'/><body name='b'><joint/><geom size='.1'/>"
    "<geom name='drawn' type='capsule' size='.1 .2' contype='0' conaffinity='0' rgba='0 1 0 .5'/>"
    "</body></worldbody></mujoco>";

static void urdf(void) {
    ds_model *model = NULL;
    ds_visuals *visuals = NULL;
    CHECK(write("c_visual.urdf", robot) && write("c_visual.obj", triangle));
    CHECK_OK(ds_model_load("c_visual.urdf", NULL, &model));
    CHECK_OK(ds_visuals_load(model, "c_visual.urdf", NULL, &visuals));
    const int32_t body = ds_model_body_id(model, "a");
    ds_model_free(model);
    CHECK(ds_visuals_count(visuals) == 2 && ds_visuals_left_out(visuals) == 1);
    CHECK(ds_visuals_warning_count(visuals) == 1 && strstr(ds_visuals_warning(visuals, 0), "c_nowhere.stl") != NULL);
    CHECK(ds_visuals_warning(visuals, 1) == NULL && ds_visuals_at(visuals, 2) == NULL);
    const ds_visual *box = ds_visuals_at(visuals, 0), *mesh = ds_visuals_at(visuals, 1);
    CHECK(strcmp(box->name, "box") == 0 && box->file == NULL && box->body == body && box->kind == DS_GEOM_BOX);
    CHECK(box->size[0] == 0.1 && box->size[1] == 0.2 && box->size[2] == 0.3);
    CHECK(box->placement[12] == 1.0 && box->placement[14] == 3.0 && box->placement[0] == 1.0);
    CHECK(box->rgba[0] == 1.0 && box->rgba[1] == 0.0 && box->rgba[2] == 0.5 && box->rgba[3] == 1.0);
    CHECK(box->vertices == NULL && box->triangles == NULL && box->vertex_count == 0 && box->triangle_count == 0);
    CHECK(mesh->kind == DS_GEOM_MESH && mesh->name[0] == '\0' && isnan(mesh->rgba[0]));
    CHECK(mesh->file != NULL && strstr(mesh->file, "c_visual.obj") != NULL);
    CHECK(mesh->vertex_count == 4 && mesh->triangle_count == 2);
    double widest = 0.0;
    for (size_t i = 0; i < mesh->vertex_count; i++) widest = fmax(widest, mesh->vertices[3 * i]);
    CHECK(widest == 2.0);
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) CHECK(mesh->triangles[i] < mesh->vertex_count);
    ds_visuals_free(visuals);
}

static void mjcf(void) {
    ds_model *model = NULL;
    ds_visuals *visuals = NULL;
    CHECK(write("c_visual.xml", scene));
    CHECK_OK(ds_model_load("c_visual.xml", NULL, &model));
    CHECK_OK(ds_visuals_load(model, "c_visual.xml", NULL, &visuals));
    CHECK(ds_visuals_count(visuals) == 1 && ds_visuals_left_out(visuals) == 0 && ds_visuals_warning_count(visuals) == 0);
    const ds_visual *drawn = ds_visuals_at(visuals, 0);
    CHECK(strcmp(drawn->name, "drawn") == 0 && drawn->kind == DS_GEOM_CAPSULE && drawn->size[1] == 0.2);
    CHECK(drawn->rgba[1] == 1.0 && drawn->rgba[3] == 0.5 && drawn->body == ds_model_body_id(model, "b"));
    ds_visuals_free(visuals);

    ds_load_options options;
    ds_load_options_init(&options);
    ds_visuals *const poison = visuals;
    CHECK_WRONG(ds_visuals_load(model, "c_none.urdf", NULL, &visuals), DS_ERR_IO, "c_none.urdf");
    CHECK_WRONG(ds_visuals_load(model, "c_visual.obj", NULL, &visuals), DS_ERR_UNSUPPORTED, "path");
    CHECK_INVALID(ds_visuals_load(model, NULL, NULL, &visuals), "path");
    CHECK_INVALID(ds_visuals_load(NULL, "c_visual.xml", NULL, &visuals), "model");
    CHECK_INVALID(ds_visuals_load(model, "c_visual.xml", NULL, NULL), "out");
    options.mesh_dir_count = 1;
    CHECK_INVALID(ds_visuals_load(model, "c_visual.xml", &options, &visuals), "mesh_dirs");
    CHECK(write("c_visual.urdf", "<robot"));
    CHECK_WRONG(ds_visuals_load(model, "c_visual.urdf", NULL, &visuals), DS_ERR_PARSE, "c_visual.urdf");
    CHECK(visuals == poison);
    ds_model_free(model);
    ds_visuals_free(NULL);
    CHECK(ds_visuals_count(NULL) == 0 && ds_visuals_left_out(NULL) == 0 && ds_visuals_warning_count(NULL) == 0);
    CHECK(ds_visuals_at(NULL, 0) == NULL && ds_visuals_warning(NULL, 0) == NULL);
}

int main(void) {
    urdf();
    mjcf();
    return report();
}
