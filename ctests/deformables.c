/* Deformable bodies: made in a builder, stepped with their derivatives, and refused if they are wrong. */
#include <math.h>

#include "check.h"

/* One field of a good description made wrong: refused with a message that names it. */
#define BAD(field, value, culprit)                                              \
    do {                                                                        \
        ds_deformable_desc bad = jelly;                                         \
        bad.field = value;                                                      \
        CHECK_INVALID(ds_builder_add_deformable(builder, &bad), culprit);       \
    } while (0)

int main(void) {
    const double nodes[12] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
    const int32_t tets[4] = {0, 1, 2, 3}, inverted[4] = {1, 0, 2, 3}, far_off[4] = {0, 1, 2, 4};
    const int32_t edges[2] = {0, 3}, attached[3] = {0, 1, 2}, bodies[3] = {0, 0, 0}, unknown[3] = {0, 0, 7};
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    ds_options options;
    ds_deformable_desc jelly;
    CHECK_OK(ds_builder_create(&builder));
    ds_deformable_desc_init(NULL);
    ds_deformable_desc_init(&jelly);
    CHECK(jelly.struct_size == sizeof jelly && jelly.density == 1000.0 && jelly.poisson == 0.3);
    jelly.name = "jelly";
    jelly.node_count = 4;
    jelly.nodes = nodes;
    jelly.edge_count = 1;
    jelly.edges = edges;
    jelly.tet_count = 1;
    jelly.tets = tets;
    jelly.attach_count = 3;
    jelly.attach_nodes = attached;
    jelly.attach_bodies = bodies;
    jelly.young = 1e4;
    jelly.mass = 0.4;
    jelly.radius = 0.01;
    CHECK_INVALID(ds_builder_add_deformable(NULL, &jelly), "builder");
    CHECK_INVALID(ds_builder_add_deformable(builder, NULL), "deformable");
    BAD(struct_size, 8, "struct_size");
    BAD(nodes, NULL, "deformable.nodes");
    BAD(node_count, (size_t)-1, "deformable.node_count");
    BAD(tets, inverted, "tets[0] must have a positive volume");
    BAD(tets, far_off, "deformable.tets");
    const int32_t triangle[3] = {0, 1, 2}, line[3] = {0, 0, 1};
    jelly.triangle_count = 1;
    jelly.triangles = triangle;
    CHECK_INVALID(ds_builder_add_deformable(builder, &jelly), "thickness must be positive");
    jelly.thickness = 1e-3;
    BAD(thickness, NAN, "thickness");
    BAD(triangles, NULL, "deformable.triangles");
    BAD(triangles, line, "triangles[0] names node 0 twice");
    BAD(triangle_count, (size_t)-1, "deformable.triangle_count");
    jelly.triangle_count = 0;
    BAD(attach_bodies, unknown, "attach_bodies[2]");
    BAD(attach_bodies, NULL, "deformable.attach_bodies");
    BAD(material, 2, "deformable.material");
    BAD(young, -1.0, "young");
    BAD(poisson, 0.5, "poisson");
    BAD(damping, -1.0, "damping");
    BAD(mass, -1.0, "deformable.mass");
    BAD(radius, -1.0, "deformable.radius");
    BAD(friction, -1.0, "friction");
    CHECK_OK(ds_builder_add_deformable(builder, &jelly));
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK(ds_model_nv(model) == 3 && ds_model_body_id(model, "jelly_3") == 1);
    ds_options_init(&options);
    options.time_step = 1e-3;
    CHECK(ds_sim_create(model, &options, &sim) == DS_ERR_UNSUPPORTED);
    options.contact = DS_CONTACT_NONE;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    CHECK(ds_sim_integrator(sim) == DS_INTEGRATOR_IMPLICIT_EULER);
    /* The free node has a quarter of the mass. */
    ds_param params[2] = {{DS_PARAM_BODY_INERTIA, 1, 0}, {DS_PARAM_DEFORMABLE, 0, 1}};
    double p[2];
    CHECK_OK(ds_sim_select_params(sim, params, 2));
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(fabs(p[0] - 0.1) < 1e-15 && p[1] == 1e4);
    /* It sags; the derivative by Young's modulus is that of differences. */
    double q[3] = {0, 0, 0}, v[3] = {0, 0, 0}, q_next[3], v_next[3], by_p[6], side[2][3];
    const ds_step_jacobians out = {.dv_dp = by_p};
    for (int i = 0; i < 20; i++) {
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
        memcpy(q, q_next, sizeof q);
        memcpy(v, v_next, sizeof v);
    }
    CHECK(q[2] < 0.0);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    for (int i = 0; i < 2; i++) {
        p[1] = i == 0 ? 1e4 + 1.0 : 1e4 - 1.0;
        CHECK_OK(ds_sim_set_params(sim, p));
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, side[i]));
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(by_p[3 + k], (side[0][k] - side[1][k]) / 2.0, 1e-12);
    params[1].component = 5 + 12;
    CHECK_INVALID(ds_sim_select_params(sim, params, 2), "component");
    ds_sim_free(sim);
    ds_model_free(model);
    ds_builder_free(builder);
    return report();
}
