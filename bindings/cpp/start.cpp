#include <diffsim.hpp>
#include <cstdio>
#include <vector>

int main() {
    const auto model = diffsim::Model::load("examples/models/quadruped.xml");
    std::vector<double> q(model.nq()), v(model.nv()), u(model.nu()), B(v.size() * u.size());
    model.keyframe("standing", q, v, u);

    diffsim::Sim sim(model);
    sim.step(q, v, u, q, v);
    diffsim::Jacobians out;
    out.dv_du = B;
    sim.step_jacobians(out);
    std::printf("dv[2]/du[1] = %g\n", B[2 + v.size() * 1]);
}
