// The installed header of C++: a wrong length throws.
#include <diffsim.hpp>
#include <vector>

int main() {
    const auto model = diffsim::Model::load_string(
        "<mujoco><worldbody><body><joint type='slide' axis='0 0 1'/>"
        "<geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>",
        DS_FORMAT_MJCF);
    diffsim::Sim sim(model);
    std::vector<double> q(1), v(1), wrong(2);
    sim.step(q, v, {}, q, v);
    try {
        sim.step(wrong, v, {}, q, v);
    } catch (const diffsim::Error &e) {
        return e.status() == DS_ERR_INVALID_ARGUMENT && v[0] < 0.0 ? 0 : 1;
    }
    return 1;
}
