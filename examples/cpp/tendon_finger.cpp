// A finger of three phalanges closes around a box that stands on the floor, presses it against the palm and lifts
// it. Two flexor cables drive it, and an elastic cable on its back opens it. The program finds the smallest
// tensions that hold the box with a given force. Each iteration computes this force, and its derivative by both
// tensions, from one grasp. The derivative is carried from step to step through closing, touching, sliding and
// lifting, and through the contact impulses at the end. The problem with the force linearized in the tensions
// gives the next tensions.
//
// usage: tendon_finger [FOLDER]      writes a recording of the grasp found there (default: target)
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "diffsim.hpp"
#include "diffsim_recorder.hpp"

namespace {

using Numbers = std::vector<double>;

constexpr double h = 2e-3;
constexpr std::size_t steps = 700, closed = 200, firm = 300, lifted = 550, last = 50;
constexpr double closing = 4.0; // tension of both cables until the finger touches [N]
constexpr double half = 0.025, lift = 0.1; // of the box's edge, and the hand's way [m]
constexpr double wanted = 3.0;                   // force of the palm on the box [N]
constexpr double softest = 0.5, farthest = 2.0;  // least tension, and its largest change in an iteration [N]

constexpr diffsim::Placement at(double x, double y, double z) {
    return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1};
}

/// A rod along x from its joint: of a capsule as heavy as lightweight metal.
diffsim::InertiaVector rod(double mass, double length) {
    const double i = mass * length * length / 12.0, thin = mass * 1e-4;
    return diffsim::inertia_from_com(mass, {0.5 * length, 0.0, 0.0}, {thin, 0.0, i, 0.0, 0.0, i});
}

/// Points of a cable, one after the other.
struct Path {
    std::vector<std::int32_t> bodies;
    Numbers anchors;

    void add(std::int32_t body, double x, double y) {
        bodies.push_back(body);
        anchors.insert(anchors.end(), {x, y, 0.0});
    }
    void describe(diffsim::TendonDesc &tendon) const {
        tendon.kind = DS_TENDON_SPATIAL;
        tendon.count = bodies.size();
        tendon.bodies = bodies.data();
        tendon.anchors = anchors.data();
    }
};

/// A hand that slides up and down: the palm is its wall at x = 0, the finger's knuckle on the palm's edge; the box on the floor.
diffsim::Model build() {
    diffsim::Builder builder;
    diffsim::GeomDesc floor;
    floor.name = "floor", floor.kind = DS_GEOM_PLANE, floor.size[0] = floor.size[1] = 0.0;
    builder.add_geom(0, floor);

    const auto hand = builder.add_body(0, "hand", at(0.0, 0.0, half),
                                       diffsim::inertia_from_com(0.5, {}, {1e-3, 0.0, 1e-3, 0.0, 0.0, 1e-3}));
    diffsim::JointDesc slide;
    slide.name = "lift", slide.kind = DS_JOINT_PRISMATIC;
    slide.damping = 5.0;
    builder.add_joint(hand, slide);
    diffsim::GeomDesc palm;
    palm.name = "palm", palm.kind = DS_GEOM_BOX;
    palm.size[0] = 0.01, palm.size[1] = 0.06, palm.size[2] = 0.02;
    const auto wall = at(-0.01, 0.0, 0.0);
    std::copy(wall.begin(), wall.end(), palm.placement);
    builder.add_geom(hand, palm);

    constexpr double thickness = 0.007, arm = 0.012;
    constexpr std::array<double, 3> lengths{0.065, 0.045, 0.035};
    constexpr std::array<double, 3> masses{0.03, 0.02, 0.015};
    const std::array<std::string, 3> names{"proximal", "middle", "distal"};
    std::array<std::int32_t, 3> phalanges{};
    for (std::size_t i = 0; i < 3; i++) {
        const auto place = i == 0 ? at(0.0, -0.05, 0.0) : at(lengths[i - 1], 0.0, 0.0);
        phalanges[i] = builder.add_body(i == 0 ? hand : phalanges[i - 1], names[i], place, rod(masses[i], lengths[i]));
        diffsim::JointDesc knuckle;
        knuckle.name = names[i].c_str();
        knuckle.damping = 2e-3, knuckle.armature = 1e-5;
        knuckle.lower = 0.0, knuckle.upper = 1.9;
        builder.add_joint(phalanges[i], knuckle);
        diffsim::GeomDesc capsule;
        capsule.name = names[i].c_str(), capsule.kind = DS_GEOM_CAPSULE;
        capsule.size[0] = thickness, capsule.size[1] = 0.5 * lengths[i] - thickness;
        capsule.friction[0] = 0.8;
        // Its axis is z; the phalanx is along x.
        const diffsim::Placement along{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0.5 * lengths[i], 0, 0, 1};
        std::copy(along.begin(), along.end(), capsule.placement);
        builder.add_geom(phalanges[i], capsule);
    }

    // The superficial flexor ends on the middle phalanx, the deep one on the distal; the extensor runs along the back.
    for (const auto &[name, count, side] : {std::tuple{"superficial", 2, arm}, std::tuple{"deep", 3, 0.8 * arm},
                                            std::tuple{"extensor", 3, -arm}}) {
        Path path;
        path.add(hand, -0.01, -0.05 + side);
        for (int i = 0; i < count; i++)
            for (const double share : {0.3, 0.7})
                path.add(phalanges[static_cast<std::size_t>(i)], share * lengths[static_cast<std::size_t>(i)], side);
        diffsim::TendonDesc cable;
        cable.name = name;
        path.describe(cable);
        if (side < 0.0) cable.stiffness = 40.0, cable.damping = 0.5, cable.pull_only = 1;
        builder.add_tendon(cable);
    }
    for (const char *name : {"superficial", "deep"}) {
        diffsim::ActuatorDesc motor;
        motor.name = motor.tendon = name;
        motor.gear[0] = -1.0; // u is the tension
        motor.control_lower = 0.0;
        builder.add_actuator(motor);
    }
    diffsim::ActuatorDesc servo;
    servo.name = servo.joint = "lift";
    servo.gain = 4000.0, servo.bias[1] = -4000.0, servo.bias[2] = -100.0;
    builder.add_actuator(servo);

    const double mass = 0.1, i = mass * half * half / 1.5;
    const auto box = builder.add_body(0, "box", at(half, 0.0, half), diffsim::inertia_from_com(mass, {}, {i, 0, i, 0, 0, i}));
    diffsim::JointDesc free;
    free.name = "box", free.kind = DS_JOINT_FREE;
    builder.add_joint(box, free);
    diffsim::GeomDesc cube;
    cube.name = "box", cube.kind = DS_GEOM_BOX;
    cube.size[0] = cube.size[1] = cube.size[2] = half;
    cube.friction[0] = 0.8;
    builder.add_geom(box, cube);
    return builder.build();
}

/// From 0 to 1 between two steps, without a jump of speed.
double passed(std::size_t t, std::size_t from, std::size_t to) {
    const double x = std::clamp((static_cast<double>(t) - static_cast<double>(from)) / static_cast<double>(to - from), 0.0, 1.0);
    return x * x * (3.0 - 2.0 * x);
}

struct Grasp {
    /// Mean force of the palm on the box over the last steps [N], and by the tensions.
    double force = 0.0;
    std::array<double, 2> slope{};
    double height = 0.0, slip = 0.0; // height of the box; its slip in the hand
    bool on_floor = false;
    std::size_t one_sided = 0; // steps with a one-sided derivative, since the tensions count
};

class Hand {
public:
    Hand() : model_(build()), sim_(model_, options()), nq_(model_.nq()), nv_(model_.nv()) {}

    /// The whole motion with these tensions.
    Grasp grasp(const std::array<double, 2> &tension, diffsim::Recorder *recorder = nullptr) {
        Numbers q(nq_), v(nv_), u(3), next_q(nq_), next_v(nv_);
        model_.neutral(q);
        std::array<Numbers, 2> dq{Numbers(nv_), Numbers(nv_)}, dv = dq;
        const auto height = static_cast<std::size_t>(model_.joint_q_index(model_.joint_id("box"))) + 2;
        const auto slide = static_cast<std::size_t>(model_.joint_q_index(model_.joint_id("lift")));
        double held_at = 0.0;
        Grasp out;
        sim_.reset();
        for (std::size_t t = 0; t < steps; t++) {
            // The finger closes, its tensions become those of the grasp, then the hand goes up.
            const double touching = std::min(1.0, static_cast<double>(t + 1) / closed) * closing;
            const double firmness = passed(t, closed, firm);
            for (std::size_t k = 0; k < 2; k++) u[k] = touching + firmness * (tension[k] - closing);
            u[2] = lift * passed(t, firm, lifted);
            sim_.step(q, v, u, next_q, next_v);
            const auto contacts = sim_.contacts();
            const double share = t + last >= steps ? 1.0 / (last * h) : 0.0;
            for (std::size_t k = 0; k < 2; k++) {
                const Numbers du{k == 0 ? firmness : 0.0, k == 1 ? firmness : 0.0, 0.0};
                if (share > 0.0) {
                    Numbers change(3 * contacts.size());
                    sim_.impulse_jvp(dq[k], dv[k], du, {}, change);
                    for (std::size_t c = 0; c < contacts.size(); c++)
                        if (touch(contacts[c], "palm", "box")) out.slope[k] += share * change[3 * c + 2];
                }
                Numbers q_change(nv_), v_change(nv_);
                sim_.step_jvp(dq[k], dv[k], du, {}, q_change, v_change);
                dq[k] = q_change, dv[k] = v_change;
            }
            for (const auto &c : contacts)
                if (touch(c, "palm", "box")) out.force += share * c.impulse[2];
            if (recorder) recorder->step(sim_);
            out.one_sided += static_cast<std::size_t>(t > closed && sim_.step_info().gradient != DS_GRADIENT_EXACT);
            q = next_q, v = next_v;
            if (t == firm) held_at = q[height] - q[slide];
        }
        for (const auto &c : sim_.contacts()) out.on_floor = out.on_floor || touch(c, "floor", "box");
        out.height = q[height];
        out.slip = held_at - (q[height] - q[slide]);
        return out;
    }

    const diffsim::Model &model() const { return model_; }

private:
    static diffsim::Options options() {
        diffsim::Options o;
        o.time_step = h;
        return o;
    }

    bool touch(const ds_contact &c, const char *one, const char *other) const {
        const auto a = model_.geom_id(one), b = model_.geom_id(other);
        return (c.geom_a == a && c.geom_b == b) || (c.geom_a == b && c.geom_b == a);
    }

    diffsim::Model model_;
    diffsim::Sim sim_;
    std::size_t nq_, nv_;
};

/// The smallest tensions with the wanted linearized force, within the largest change.
std::array<double, 2> next(const std::array<double, 2> &tension, const Grasp &grasp) {
    const auto &s = grasp.slope;
    const double there = wanted - grasp.force + s[0] * tension[0] + s[1] * tension[1];
    const double scale = there / (s[0] * s[0] + s[1] * s[1]);
    std::array<double, 2> out{};
    for (std::size_t k = 0; k < 2; k++) {
        const double change = std::clamp(scale * s[k] - tension[k], -farthest, farthest);
        out[k] = std::max(softest, tension[k] + change);
    }
    return out;
}

int run(const std::string &folder) {
    Hand hand;
    std::array<double, 2> tension{closing, closing};
    Grasp now = hand.grasp(tension);
    double change = 1.0;
    std::printf("    tensions [N]    palm [N]   by the tensions    height [m]\n");
    for (int iteration = 0;; iteration++) {
        std::printf("%8.4f %8.4f %10.6f %9.4f %8.4f %11.4f\n", tension[0], tension[1], now.force, now.slope[0], now.slope[1],
                    now.height);
        if (change < 1e-6 || iteration == 20) break;
        const auto there = next(tension, now);
        change = std::hypot(there[0] - tension[0], there[1] - tension[1]);
        tension = there;
        now = hand.grasp(tension);
    }

    // The slopes against differences of whole grasps. Where flat faces meet in more points than hold them, steps call their
    // derivative one-sided.
    double worst = 0.0;
    for (std::size_t k = 0; k < 2; k++) {
        constexpr double e = 1e-3;
        auto more = tension, less = tension;
        more[k] += e, less[k] -= e;
        const double slope = (hand.grasp(more).force - hand.grasp(less).force) / (2 * e);
        worst = std::max(worst, std::abs(slope / now.slope[k] - 1.0));
    }
    diffsim::Recorder recorder(hand.model());
    hand.grasp(tension, &recorder);
    recorder.save(folder + "/tendon_finger.dsrec");
    std::printf("the box is held at %.4f m by %.6f N, %.1e m lower in the hand than when it left the floor\n", now.height, now.force,
                now.slip);
    std::printf("the slopes of the force by the tensions agree with differences to %.1e; %zu of %zu steps are one-sided\n", worst,
                now.one_sided, steps - closed - 1);
    const bool held = !now.on_floor && now.height > half + 0.9 * lift && std::abs(now.slip) < 2e-3;
    return held && std::abs(now.force - wanted) < 1e-5 && worst < 1e-3 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "target");
    } catch (const diffsim::Error &e) {
        std::fprintf(stderr, "%s: %s\n", std::string(diffsim::status_name(e.status())).c_str(), e.what());
        return 1;
    }
}
