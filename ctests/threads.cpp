// Two threads with one model and two sims give the bits of one thread, also while a third thread
// makes and frees sims and fails calls; and each thread has its own last error.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

using Numbers = std::vector<double>;

Numbers simulate(const ds_model *model, double push) {
    ds_sim *sim = nullptr;
    if (ds_sim_create(model, nullptr, &sim) != DS_OK) return {};
    const std::size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    Numbers q(nq), v(nv), u(nu, push), jacobian(nv * nv), all;
    ds_model_neutral(model, q.data());
    ds_step_jacobians out{};
    out.dv_dq = jacobian.data();
    for (int i = 0; i < 400; i++) {
        if (ds_sim_step(sim, q.data(), v.data(), u.data(), q.data(), v.data()) != DS_OK ||
            ds_sim_step_jacobians(sim, &out) != DS_OK) {
            ds_sim_free(sim);
            return {};
        }
        all.insert(all.end(), v.begin(), v.end());
        all.insert(all.end(), jacobian.begin(), jacobian.end());
    }
    ds_sim_free(sim);
    return all;
}

bool same_bits(const Numbers &a, const Numbers &b) {
    return !a.empty() && a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    ds_load_options load;
    ds_load_options_init(&load);
    load.actuation = DS_ACTUATION_FULL;
    ds_model *model = nullptr;
    CHECK_OK(ds_model_load(model_path(argv, "arm7.urdf"), &load, &model));
    if (model == nullptr) return report();

    const Numbers alone[2] = {simulate(model, 0.5), simulate(model, -1.5)};
    CHECK(!same_bits(alone[0], alone[1]));
    Numbers together[2];
    std::string messages[2];
    std::thread first([&] {
        ds_sim_create(nullptr, nullptr, nullptr);
        together[0] = simulate(model, 0.5);
        messages[0] = ds_last_error();
    });
    std::thread second([&] {
        ds_model_keyframe(model, "nowhere", nullptr, nullptr, nullptr);
        together[1] = simulate(model, -1.5);
        messages[1] = ds_last_error();
    });
    std::thread third([&] {
        for (int i = 0; i < 200; i++) {
            ds_sim *sim = nullptr;
            ds_sim_create(model, nullptr, &sim);
            ds_sim_step(sim, nullptr, nullptr, nullptr, nullptr, nullptr);
            ds_sim_free(sim);
        }
    });
    first.join();
    second.join();
    third.join();
    CHECK(same_bits(alone[0], together[0]));
    CHECK(same_bits(alone[1], together[1]));
    CHECK(messages[0].find("model") != std::string::npos);
    CHECK(messages[1].find("nowhere") != std::string::npos);
    ds_model_free(model);
    return report();
}
