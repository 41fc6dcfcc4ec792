// The numbers of ctests/reference.c, where they are described, bit for bit: same_bits MODELS FILE.
#include <cstring>
#include <fstream>
#include <vector>

#include "check.hpp"

namespace {

using Numbers = std::vector<double>;

constexpr int steps = 60, every = 10, in_rollout = 30;
constexpr ds_param mass{DS_PARAM_BODY_INERTIA, 1, 0};

Numbers wanted;
std::size_t at = 0;

void compare(const Numbers &got) {
    CHECK(at + got.size() <= wanted.size() &&
          std::memcmp(got.data(), wanted.data() + at, got.size() * sizeof(double)) == 0);
    at += got.size();
}

Numbers pattern(std::size_t n, std::size_t factor, std::size_t modulus, double shift, double scale) {
    Numbers x(n);
    for (std::size_t i = 0; i < n; i++)
        x[i] = (static_cast<double>(factor * i % modulus) + shift) / scale;
    return x;
}

Numbers repeated(const Numbers &x, std::size_t times) {
    Numbers all;
    for (std::size_t i = 0; i < times; i++) all.insert(all.end(), x.begin(), x.end());
    return all;
}

void repeat(const diffsim::Model &model) {
    const std::size_t nq = model.nq(), nv = model.nv(), nu = model.nu();
    diffsim::Options options;
    options.time_step = 1.0 / 512.0;
    diffsim::Sim sim(model, options);
    sim.select_params({&mass, 1});

    Numbers q0(nq), u0(nu), inputs;
    model.neutral(q0);
    if (model.nkeyframe() > 0)
        model.keyframe(std::string(model.keyframe_name(0)), q0, {}, u0);
    const Numbers v0 = pattern(nv, 5, 7, -3.0, 8.0), q_bar = pattern(nv, 3, 5, -2.0, 1.0),
                  v_bar = pattern(nv, 2, 3, -1.0, 1.0);

    Numbers q = q0, v = v0, dq_out(nv), dv_out(nv), du_out(nu), dp_out(1);
    for (std::size_t t = 0; t < steps; t++) {
        Numbers u = u0;
        for (std::size_t i = 0; i < nu; i++)
            u[i] += (static_cast<double>((7 * i + 3 * t) % 11) - 5.0) / 32.0;
        if (t < in_rollout) inputs.insert(inputs.end(), u.begin(), u.end());
        sim.step(q, v, u, q, v);
        compare(q);
        compare(v);
        if (t % every != every - 1) continue;
        std::vector<Numbers> J;
        for (std::size_t columns : {nv, nv, nu, std::size_t{1}, nv, nv, nu, std::size_t{1}})
            J.emplace_back(nv * columns);
        sim.step_jacobians({J[0], J[1], J[2], J[3], J[4], J[5], J[6], J[7]});
        for (const Numbers &x : J) compare(x);
        sim.step_vjp(q_bar, v_bar, dq_out, dv_out, du_out, dp_out);
        for (const Numbers *x : {&dq_out, &dv_out, &du_out, &dp_out}) compare(*x);
    }

    diffsim::Rollout rollout(model, in_rollout, options);
    rollout.select_params({&mass, 1});
    Numbers all_q(nq * (in_rollout + 1)), all_v(nv * (in_rollout + 1)), u_bar(nu * in_rollout);
    rollout.run(q0, v0, inputs, in_rollout, all_q, all_v);
    compare(all_q);
    compare(all_v);
    rollout.adjoint(repeated(q_bar, in_rollout + 1), repeated(v_bar, in_rollout + 1), dq_out, dv_out,
                    u_bar, dp_out);
    for (const Numbers *x : {&dq_out, &dv_out, &u_bar, &dp_out}) compare(*x);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    std::ifstream file(argv[2], std::ios::binary | std::ios::ate);
    wanted.resize(static_cast<std::size_t>(file.tellg()) / sizeof(double));
    file.seekg(0);
    file.read(reinterpret_cast<char *>(wanted.data()),
              static_cast<std::streamsize>(wanted.size() * sizeof(double)));
    CHECK(file.good() && wanted.size() > 10000);

    for (const std::string name : {"cartpole.xml", "arm7.urdf", "quadruped.xml", "humanoid.xml"}) {
        diffsim::LoadOptions load;
        if (name == "arm7.urdf") load.actuation = DS_ACTUATION_FULL;
        repeat(diffsim::Model::load(std::string(argv[1]) + "/" + name, load));
    }
    CHECK(at == wanted.size());
    return report();
}
