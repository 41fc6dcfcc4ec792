// Calls of XLA into the library: steps, rollouts and their derivatives, for any number of elements.
//
// The functions of the library come as pointers, so that nothing is linked. A simulator is known by a number,
// which compiled programs hold: a call with the number of a closed one is an error. Every call begins without
// a warm start, so that its results depend on its arguments alone.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

using In = const double *;
using Out = double *;

// In the order of diffsim.jax.
struct Library {
    int32_t (*create)(const void *model, const void *options, std::size_t count,
                      std::size_t threads, void **batch);
    void (*free)(void *batch);
    int32_t (*select)(void *batch, const void *params, std::size_t count);
    int32_t (*set_params)(void *batch, std::size_t element, In p);
    int32_t (*reset)(void *batch);
    int32_t (*step)(void *batch, In q, In v, In u, Out q_next, Out v_next, int32_t *each);
    int32_t (*jacobians)(void *batch, const Out *eight, int32_t *each);
    int32_t (*info)(const void *batch, std::size_t element, void *info);
    int32_t (*rollout)(void *batch, std::size_t steps, In q0, In v0, In u, Out q, Out v,
                       int32_t *each);
    int32_t (*adjoint)(void *batch, In q_bar, In v_bar, Out q0, Out v0, Out u, Out p,
                       int32_t *each);
    int32_t (*labels)(const void *batch, int32_t *labels);
    int32_t (*sim_create)(const void *model, const void *options, void **sim);
    void (*sim_free)(void *sim);
    int32_t (*sim_select)(void *sim, const void *params, std::size_t count);
    int32_t (*sim_set_params)(void *sim, In p);
    int32_t (*sim_reset)(void *sim);
    int32_t (*sim_step)(void *sim, In q, In v, In u, Out q_next, Out v_next);
    int32_t (*smoothed)(void *sim, const void *smoothing, const Out *eight, void *info);
    const char *(*last_error)();
};

struct Setting {
    const void *model;
    const void *options;
    std::size_t options_size;
    const void *params;
    std::size_t params_size;
    std::size_t nq, nv, nu, np;
    std::size_t threads;
    std::size_t info_size, label_at;
    // The entries of a refused derivative: NaN or 0.
    double refused;
    // A ds_smoothing, or null for exact derivatives of steps; where it has its seed.
    const void *smoothing;
    std::size_t smoothing_size, seed_at;
};

constexpr int32_t kSmoothed = 2, kRefused = 3;
// Statuses of the library: the others say that a call can never succeed.
constexpr int32_t kNotConverged = 6, kNumerical = 7, kNoStep = 8;
const double kNan = std::numeric_limits<double>::quiet_NaN();

// A batch of one size, and the arguments of its last rollout.
struct Batch {
    void *handle = nullptr;
    std::size_t count = 0;
    std::vector<int32_t> each;
    std::vector<double> p, q0, v0, u, scratch;
    std::size_t steps = 0;
    // False if all elements failed: the library then has no rollout to differentiate.
    bool has_run = false;

    bool any_solved() const { return std::find(each.begin(), each.end(), 0) != each.end(); }
};

struct Simulator {
    Library library;
    Setting of;
    std::vector<char> options, params, smoothing;
    std::mutex mutex;
    std::map<std::size_t, Batch> batches;
    // Of all elements in turn, for smoothed derivatives.
    void *sim = nullptr;

    ~Simulator() {
        for (auto &entry : batches) library.free(entry.second.handle);
        library.sim_free(sim);
    }

    std::string message() const { return library.last_error(); }

    // The batch of a size with these parameters; null, and a message, on failure.
    Batch *batch(std::size_t count, In p) {
        Batch &b = batches[count];
        if (b.handle == nullptr) {
            b.count = count;
            b.each.assign(count, 0);
            void *handle = nullptr;
            if (library.create(of.model, options.data(), count, of.threads, &handle) != 0)
                return nullptr;
            b.handle = handle;
            if (of.np > 0 && library.select(handle, params.data(), of.np) != 0) {
                library.free(handle);
                b.handle = nullptr;
                return nullptr;
            }
        }
        const std::size_t np = of.np;
        for (std::size_t i = 0; np > 0 && i < count; i++) {
            const bool known = b.p.size() == np * count;
            if (known && std::memcmp(&b.p[i * np], p + i * np, np * sizeof *p) == 0) continue;
            b.has_run = false;
            if (library.set_params(b.handle, i, p + i * np) != 0) {
                b.p.clear();
                return nullptr;
            }
        }
        if (np > 0) b.p.assign(p, p + np * count);
        return &b;
    }

    // Fills the columns of elements that failed.
    void blank(const Batch &b, Out x, std::size_t rows, double value) const {
        for (std::size_t i = 0; x != nullptr && i < b.count; i++)
            if (b.each[i] != 0) std::fill_n(x + i * rows, rows, value);
    }

    bool step(Batch &b, In q, In v, In u, Out q_next, Out v_next) const {
        std::fill_n(q_next, of.nq * b.count, kNan);
        std::fill_n(v_next, of.nv * b.count, kNan);
        b.has_run = false;
        std::fill(b.each.begin(), b.each.end(), -1);
        return library.step(b.handle, q, v, u, q_next, v_next, b.each.data()) == 0;
    }

    // Smoothed Jacobians of the step of every element. The random numbers of an element follow from the seed
    // and its arguments: elements have different ones, and a call gives the same result again.
    bool smooth(Batch &b, In q, In v, In u, In p, const Out *eight) {
        if (sim == nullptr) {
            if (library.sim_create(of.model, options.data(), &sim) != 0) return false;
            if (of.np > 0 && library.sim_select(sim, params.data(), of.np) != 0) return false;
        }
        std::vector<double> next(of.nq + of.nv);
        std::vector<char> own = smoothing;
        const std::size_t columns[4] = {of.nv, of.nv, of.nu, of.np};
        for (std::size_t i = 0; i < b.count; i++) {
            const In at[4] = {q + i * of.nq, v + i * of.nv, u + i * of.nu, p + i * of.np};
            const std::size_t size[4] = {of.nq, of.nv, of.nu, of.np};
            uint64_t seed;
            std::memcpy(&seed, &smoothing[of.seed_at], sizeof seed);
            for (std::size_t k = 0; k < 4; k++)
                for (std::size_t n = 0; n < size[k]; n++) {
                    uint64_t bits;
                    std::memcpy(&bits, at[k] + n, sizeof bits);
                    seed = (seed ^ bits) * 0x9e3779b97f4a7c15u;
                    seed ^= seed >> 29;
                }
            std::memcpy(&own[of.seed_at], &seed, sizeof seed);
            Out block[8];
            for (std::size_t k = 0; k < 8; k++)
                block[k] = eight[k] ? eight[k] + i * of.nv * columns[k % 4] : nullptr;
            int32_t status = of.np > 0 ? library.sim_set_params(sim, at[3]) : 0;
            if (status == 0) status = library.sim_reset(sim);
            if (status == 0)
                status = library.sim_step(sim, at[0], at[1], at[2], &next[0], &next[of.nq]);
            if (status == 0) status = library.smoothed(sim, own.data(), block, nullptr);
            b.each[i] = status;
        }
        return reached(b);
    }

    // True if the call did its work or failed on the numbers of elements; false is a wrong call.
    static bool reached(const Batch &b) {
        return std::all_of(b.each.begin(), b.each.end(), [](int32_t x) {
            return x == 0 || x == kNotConverged || x == kNumerical || x == kNoStep;
        });
    }
};

std::mutex registry_mutex;
std::map<int64_t, std::shared_ptr<Simulator>> registry;
int64_t last_number = 0;

std::shared_ptr<Simulator> find(int64_t number) {
    const std::lock_guard<std::mutex> lock(registry_mutex);
    const auto found = registry.find(number);
    return found == registry.end() ? nullptr : found->second;
}

ffi::Error closed() {
    return ffi::Error::InvalidArgument("diffsim.jax: the simulator is closed; keep it as long as its functions are used");
}

// Arguments and results of a call.
struct Call {
    ffi::RemainingArgs args;
    ffi::RemainingRets rets;
    std::string wrong;

    In in(std::size_t i) {
        const auto x = args.get<ffi::Buffer<ffi::F64>>(i);
        if (!x.has_value()) {
            wrong = "an argument of another type than float64";
            return nullptr;
        }
        return x->typed_data();
    }
    Out out(std::size_t i) {
        auto x = rets.get<ffi::Buffer<ffi::F64>>(i);
        if (!x.has_value()) {
            wrong = "a result of another type than float64";
            return nullptr;
        }
        return (*x)->element_count() > 0 ? (*x)->typed_data() : nullptr;
    }
    int32_t *labels(std::size_t i) {
        auto x = rets.get<ffi::Buffer<ffi::S32>>(i);
        if (!x.has_value()) {
            wrong = "labels of another type than int32";
            return nullptr;
        }
        return (*x)->typed_data();
    }
    // Product of the leading dimensions of an argument, but for the last `own`.
    std::size_t count(std::size_t i, std::size_t own) {
        const auto x = args.get<ffi::AnyBuffer>(i);
        if (!x.has_value()) return 0;
        const auto d = x->dimensions();
        std::size_t n = 1;
        for (std::size_t k = 0; k + own < d.size(); k++) n *= static_cast<std::size_t>(d[k]);
        return n;
    }
    std::size_t length(std::size_t i, std::size_t from_end) {
        const auto x = args.get<ffi::AnyBuffer>(i);
        if (!x.has_value()) return 0;
        const auto d = x->dimensions();
        return d.size() < from_end ? 0 : static_cast<std::size_t>(d[d.size() - from_end]);
    }
};

ffi::Error failed(const Simulator &s) { return ffi::Error::InvalidArgument(s.message()); }

// q, v, u, p -> q+, v+.
ffi::Error step(int64_t number, int64_t strict, ffi::RemainingArgs args, ffi::RemainingRets rets) {
    const auto s = find(number);
    if (s == nullptr) return closed();
    const std::lock_guard<std::mutex> lock(s->mutex);
    Call call{args, rets, {}};
    const std::size_t n = call.count(0, 1);
    const In q = call.in(0), v = call.in(1), u = call.in(2), p = call.in(3);
    const Out q_next = call.out(0), v_next = call.out(1);
    if (!call.wrong.empty()) return ffi::Error::InvalidArgument(call.wrong);
    if (n == 0) return ffi::Error::Success();
    Batch *b = s->batch(n, p);
    if (b == nullptr || s->library.reset(b->handle) != 0) return failed(*s);
    if (!s->step(*b, q, v, u, q_next, v_next) && (strict != 0 || !Simulator::reached(*b)))
        return failed(*s);
    return ffi::Error::Success();
}

// q, v, u, p -> q+, v+, eight Jacobians, label.
ffi::Error jacobians(int64_t number, int64_t strict, ffi::RemainingArgs args,
                     ffi::RemainingRets rets) {
    const auto s = find(number);
    if (s == nullptr) return closed();
    const std::lock_guard<std::mutex> lock(s->mutex);
    Call call{args, rets, {}};
    const std::size_t n = call.count(0, 1), nv = s->of.nv;
    const In q = call.in(0), v = call.in(1), u = call.in(2), p = call.in(3);
    const Out q_next = call.out(0), v_next = call.out(1);
    Out eight[8];
    for (std::size_t k = 0; k < 8; k++) eight[k] = call.out(2 + k);
    int32_t *labels = call.labels(10);
    if (!call.wrong.empty()) return ffi::Error::InvalidArgument(call.wrong);
    if (n == 0) return ffi::Error::Success();
    Batch *b = s->batch(n, p);
    if (b == nullptr || s->library.reset(b->handle) != 0) return failed(*s);
    if (!s->step(*b, q, v, u, q_next, v_next) && (strict != 0 || !Simulator::reached(*b)))
        return failed(*s);
    const std::vector<int32_t> stepped = b->each;
    std::fill(b->each.begin(), b->each.end(), -1);
    const bool smooth = !s->smoothing.empty();
    if (smooth ? !s->smooth(*b, q, v, u, p, eight)
               : s->library.jacobians(b->handle, eight, b->each.data()) != 0 &&
                     !Simulator::reached(*b))
        return failed(*s);
    const std::size_t columns[4] = {nv, nv, s->of.nu, s->of.np};
    std::vector<char> info(s->of.info_size);
    for (std::size_t i = 0; i < n; i++) {
        labels[i] = smooth && b->each[i] == 0 ? kSmoothed : kRefused;
        if (!smooth && b->each[i] == 0 && s->library.info(b->handle, i, info.data()) == 0)
            std::memcpy(&labels[i], &info[s->of.label_at], sizeof labels[i]);
    }
    for (std::size_t k = 0; k < 8; k++) s->blank(*b, eight[k], nv * columns[k % 4], s->of.refused);
    // The state after a failed step is NaN, and so is its derivative.
    b->each = stepped;
    for (std::size_t k = 0; k < 8; k++) s->blank(*b, eight[k], nv * columns[k % 4], kNan);
    return ffi::Error::Success();
}

// q0, v0, u, p -> q, v.
ffi::Error rollout(int64_t number, int64_t strict, ffi::RemainingArgs args,
                   ffi::RemainingRets rets) {
    const auto s = find(number);
    if (s == nullptr) return closed();
    const std::lock_guard<std::mutex> lock(s->mutex);
    Call call{args, rets, {}};
    const std::size_t n = call.count(0, 1), steps = call.length(2, 2);
    const In q0 = call.in(0), v0 = call.in(1), u = call.in(2), p = call.in(3);
    const Out q = call.out(0), v = call.out(1);
    if (!call.wrong.empty()) return ffi::Error::InvalidArgument(call.wrong);
    if (n == 0) return ffi::Error::Success();
    Batch *b = s->batch(n, p);
    if (b == nullptr) return failed(*s);
    const Setting &of = s->of;
    std::fill_n(q, of.nq * (steps + 1) * n, kNan);
    std::fill_n(v, of.nv * (steps + 1) * n, kNan);
    b->has_run = false;
    std::fill(b->each.begin(), b->each.end(), -1);
    const int32_t status = s->library.rollout(b->handle, steps, q0, v0, u, q, v, b->each.data());
    if (status != 0 && (strict != 0 || !Simulator::reached(*b))) return failed(*s);
    b->q0.assign(q0, q0 + of.nq * n);
    b->v0.assign(v0, v0 + of.nv * n);
    b->u.assign(u, u + of.nu * steps * n);
    b->steps = steps;
    b->has_run = b->any_solved();
    return ffi::Error::Success();
}

bool same(const std::vector<double> &a, In b, std::size_t n) {
    return a.size() == n && (n == 0 || std::memcmp(a.data(), b, n * sizeof *b) == 0);
}

// q0, v0, u, p, q_bar, v_bar -> q0_bar, v0_bar, u_bar, p_bar, labels. The last rollout is repeated unless it
// is this one.
ffi::Error adjoint(int64_t number, int64_t, ffi::RemainingArgs args, ffi::RemainingRets rets) {
    const auto s = find(number);
    if (s == nullptr) return closed();
    const std::lock_guard<std::mutex> lock(s->mutex);
    Call call{args, rets, {}};
    const std::size_t n = call.count(0, 1), steps = call.length(2, 2);
    const In q0 = call.in(0), v0 = call.in(1), u = call.in(2), p = call.in(3);
    const In q_bar = call.in(4), v_bar = call.in(5);
    Out bars[4];
    for (std::size_t k = 0; k < 4; k++) bars[k] = call.out(k);
    int32_t *labels = call.labels(4);
    if (!call.wrong.empty()) return ffi::Error::InvalidArgument(call.wrong);
    if (n == 0) return ffi::Error::Success();
    Batch *b = s->batch(n, p);
    if (b == nullptr) return failed(*s);
    const Setting &of = s->of;
    const bool again = !b->has_run || b->steps != steps || !same(b->q0, q0, of.nq * n) ||
                       !same(b->v0, v0, of.nv * n) || !same(b->u, u, of.nu * steps * n);
    const std::size_t rows[4] = {of.nv, of.nv, of.nu * steps, of.np};
    if (again) {
        b->has_run = false;
        std::fill(b->each.begin(), b->each.end(), -1);
        s->library.rollout(b->handle, steps, q0, v0, u, nullptr, nullptr, b->each.data());
        if (!Simulator::reached(*b)) return failed(*s);
        b->q0.assign(q0, q0 + of.nq * n);
        b->v0.assign(v0, v0 + of.nv * n);
        b->u.assign(u, u + of.nu * steps * n);
        b->steps = steps;
        b->has_run = b->any_solved();
    }
    if (!b->has_run) {
        std::fill_n(labels, steps * n, kRefused);
        for (std::size_t k = 0; k < 4; k++) s->blank(*b, bars[k], rows[k], of.refused);
        return ffi::Error::Success();
    }
    std::fill(b->each.begin(), b->each.end(), -1);
    s->library.adjoint(b->handle, q_bar, v_bar, bars[0], bars[1], bars[2], bars[3],
                       b->each.data());
    if (!Simulator::reached(*b)) return failed(*s);
    for (std::size_t k = 0; k < 4; k++) s->blank(*b, bars[k], rows[k], of.refused);
    if (s->library.labels(b->handle, labels) != 0) return failed(*s);
    return ffi::Error::Success();
}

// q0, v0, u, p, dq0, dv0, du, dp -> dq, dv: the tangents of a rollout, step by step.
ffi::Error tangent(int64_t number, int64_t, ffi::RemainingArgs args, ffi::RemainingRets rets) {
    const auto s = find(number);
    if (s == nullptr) return closed();
    const std::lock_guard<std::mutex> lock(s->mutex);
    Call call{args, rets, {}};
    const std::size_t n = call.count(0, 1), steps = call.length(2, 2);
    In in[8];
    for (std::size_t k = 0; k < 8; k++) in[k] = call.in(k);
    const Out dq = call.out(0), dv = call.out(1);
    if (!call.wrong.empty()) return ffi::Error::InvalidArgument(call.wrong);
    if (n == 0) return ffi::Error::Success();
    Batch *b = s->batch(n, in[3]);
    if (b == nullptr || s->library.reset(b->handle) != 0) return failed(*s);
    const std::size_t nq = s->of.nq, nv = s->of.nv, nu = s->of.nu, np = s->of.np;
    const std::size_t columns[4] = {nv, nv, nu, np};
    std::vector<double> q(in[0], in[0] + nq * n), v(in[1], in[1] + nv * n), q_next(nq * n),
        v_next(nv * n), inputs(nu * n);
    const std::size_t path = nv * (steps + 1);
    for (std::size_t i = 0; i < n; i++) {
        std::copy_n(in[4] + i * nv, nv, dq + i * path);
        std::copy_n(in[5] + i * nv, nv, dv + i * path);
    }
    std::size_t size = 0;
    for (const std::size_t c : columns) size += 2 * nv * c * n;
    b->scratch.resize(size);
    Out eight[8];
    Out at = b->scratch.data();
    for (std::size_t k = 0; k < 8; k++) {
        eight[k] = columns[k % 4] > 0 ? at : nullptr;
        at += nv * columns[k % 4] * n;
    }
    std::vector<bool> lost(n, false);
    for (std::size_t k = 0; k < steps; k++) {
        for (std::size_t i = 0; i < n; i++)
            std::copy_n(in[2] + (i * steps + k) * nu, nu, inputs.data() + i * nu);
        s->step(*b, q.data(), v.data(), inputs.data(), q_next.data(), v_next.data());
        if (!Simulator::reached(*b)) return failed(*s);
        for (std::size_t i = 0; i < n; i++)
            if (b->each[i] != 0) lost[i] = true;
        std::fill(b->each.begin(), b->each.end(), -1);
        s->library.jacobians(b->handle, eight, b->each.data());
        if (!Simulator::reached(*b)) return failed(*s);
        for (std::size_t i = 0; i < n; i++) {
            const Out to[2] = {dq + i * path + (k + 1) * nv, dv + i * path + (k + 1) * nv};
            const In from[4] = {dq + i * path + k * nv, dv + i * path + k * nv,
                                in[6] + (i * steps + k) * nu, in[7] + i * np};
            if (b->each[i] != 0) lost[i] = true;
            for (std::size_t half = 0; half < 2; half++) {
                std::fill_n(to[half], nv, lost[i] ? s->of.refused : 0.0);
                if (lost[i]) continue;
                for (std::size_t block = 0; block < 4; block++) {
                    const std::size_t wide = columns[block];
                    const In J = eight[4 * half + block];
                    for (std::size_t c = 0; c < wide; c++)
                        for (std::size_t r = 0; r < nv; r++)
                            to[half][r] += J[i * nv * wide + c * nv + r] * from[block][c];
                }
            }
            // A lost element goes on from a state that is one.
            if (!lost[i]) {
                std::copy_n(q_next.data() + i * nq, nq, q.data() + i * nq);
                std::copy_n(v_next.data() + i * nv, nv, v.data() + i * nv);
            }
        }
    }
    return ffi::Error::Success();
}

#define DIFFSIM_BINDING          \
    ffi::Ffi::Bind()             \
        .Attr<int64_t>("simulator") \
        .Attr<int64_t>("strict") \
        .RemainingArgs()         \
        .RemainingRets()

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(diffsim_xla_step, step, DIFFSIM_BINDING);
XLA_FFI_DEFINE_HANDLER_SYMBOL(diffsim_xla_jacobians, jacobians, DIFFSIM_BINDING);
XLA_FFI_DEFINE_HANDLER_SYMBOL(diffsim_xla_rollout, rollout, DIFFSIM_BINDING);
XLA_FFI_DEFINE_HANDLER_SYMBOL(diffsim_xla_adjoint, adjoint, DIFFSIM_BINDING);
XLA_FFI_DEFINE_HANDLER_SYMBOL(diffsim_xla_tangent, tangent, DIFFSIM_BINDING);

// Copies its arguments: for measuring the cost of a call.
namespace {
ffi::Error nothing(int64_t, int64_t, ffi::RemainingArgs args, ffi::RemainingRets rets) {
    Call call{args, rets, {}};
    for (std::size_t k = 0; k < rets.size(); k++) {
        const auto x = args.get<ffi::Buffer<ffi::F64>>(k);
        const Out to = call.out(k);
        if (x.has_value() && to != nullptr) std::copy_n(x->typed_data(), x->element_count(), to);
    }
    return ffi::Error::Success();
}
}  // namespace
XLA_FFI_DEFINE_HANDLER_SYMBOL(diffsim_xla_nothing, nothing, DIFFSIM_BINDING);

extern "C" int64_t diffsim_xla_open(const void *library, const void *setting) {
    auto s = std::make_shared<Simulator>();
    s->library = *static_cast<const Library *>(library);
    s->of = *static_cast<const Setting *>(setting);
    const auto options = static_cast<const char *>(s->of.options);
    s->options.assign(options, options + s->of.options_size);
    const auto params = static_cast<const char *>(s->of.params);
    if (params != nullptr) s->params.assign(params, params + s->of.params_size);
    const auto smoothing = static_cast<const char *>(s->of.smoothing);
    if (smoothing != nullptr) s->smoothing.assign(smoothing, smoothing + s->of.smoothing_size);
    const std::lock_guard<std::mutex> lock(registry_mutex);
    registry.emplace(++last_number, std::move(s));
    return last_number;
}

extern "C" void diffsim_xla_close(int64_t number) {
    const std::lock_guard<std::mutex> lock(registry_mutex);
    registry.erase(number);
}
