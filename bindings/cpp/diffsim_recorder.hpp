/** @file Recordings: part of diffsim.hpp. */
#ifndef DIFFSIM_RECORDER_HPP
#define DIFFSIM_RECORDER_HPP

#include <array>
#include <vector>

#include "diffsim.hpp"
#include "diffsim_record.h"

namespace diffsim {

struct RecorderOptions : ds_recorder_options {
    RecorderOptions() : ds_recorder_options{} { ds_recorder_options_init(this); }
};

/** Records frames of sims, rollouts and batches of a model, and writes the recording. */
class Recorder : public detail::Handle<ds_recorder, ds_recorder_free> {
public:
    explicit Recorder(const Model &model, const RecorderOptions &options = {})
        : Handle(made(ds_recorder_create, static_cast<const ds_model *>(model.get()), &options)),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()) {}

    /** Returns the number of the new channel. */
    std::int32_t add_channel(const std::string &name, std::size_t size = 1) {
        std::int32_t out{};
        check(ds_recorder_add_channel(get(), name.c_str(), size, &out));
        sizes_.push_back(size);
        return out;
    }
    void set_channel(std::int32_t channel, In values) {
        const auto i = static_cast<std::size_t>(channel);
        const std::size_t size = i < sizes_.size() ? sizes_[i] : 0;
        check(ds_recorder_set_channel(get(), channel, values.expect(size, "values")));
    }
    /** Returns the number of shapes that were left out; the warnings say why. */
    std::size_t add_visuals(const std::string &path, const LoadOptions &options = {}) {
        std::size_t out{};
        check(ds_recorder_add_visuals(get(), path.c_str(), &options, &out));
        return out;
    }
    std::size_t warning_count() const { return ds_recorder_warning_count(get()); }
    /** Empty for an index out of range. */
    std::string_view warning(std::size_t i) const {
        const char *text = ds_recorder_warning(get(), i);
        return text ? text : "";
    }

    void open(const std::string &path) { check(ds_recorder_open(get(), path.c_str())); }
    void flush() { check(ds_recorder_flush(get())); }
    void save(const std::string &path) { check(ds_recorder_save(get(), path.c_str())); }
    /** The bytes of the recording's file; valid until the next call. */
    std::string_view bytes() {
        const std::uint8_t *at = nullptr;
        std::size_t size = 0;
        check(ds_recorder_bytes(get(), &at, &size));
        return {reinterpret_cast<const char *>(at), size};
    }

    /** Records a frame of the last step if one is due. */
    void step(const Sim &sim) {
        check(ds_recorder_step(get(), static_cast<const ds_sim *>(sim.get())));
    }
    void step(const Batch &batch, std::size_t element) {
        check(ds_recorder_batch_step(get(), static_cast<const ds_batch *>(batch.get()), element));
    }
    /** u_bar: nu×steps of the rollout's last run. */
    void rollout(Rollout &rollout, std::size_t steps, In q0_bar = {}, In v0_bar = {},
                 In u_bar = {}) {
        check(ds_recorder_rollout(get(), rollout.get(), q0_bar.expect(nv_, "q0_bar"),
                                  v0_bar.expect(nv_, "v0_bar"),
                                  u_bar.expect(nu_ * steps, "u_bar")));
    }
    void state(double time, In q, In v) {
        check(ds_recorder_state(get(), time, q.expect(nq_, "q"), v.expect(nv_, "v")));
    }
    void set_gradient(ds_quantity quantity, In values) {
        const std::size_t size = quantity == DS_QUANTITY_CONTROL ? nu_ : nv_;
        check(ds_recorder_set_gradient(get(), static_cast<std::int32_t>(quantity),
                                       values.expect(size, "values")));
    }
    void add_arrow(std::int32_t body, const Vector3 &point, const Vector3 &vector) {
        check(ds_recorder_add_arrow(get(), body, point.data(), vector.data()));
    }

    /** Shows a surface from the next frame on, until you set the name again; no points remove it. Points in
     *  world axes [m], triangles of their numbers from 0, red, green, blue and opacity from 0 to 1. */
    void surface(const std::string &name, const std::vector<Vector3> &points,
                 const std::vector<std::array<std::uint32_t, 3>> &triangles,
                 const std::array<float, 4> &rgba = {0.6F, 0.6F, 0.6F, 1.0F}) {
        check(ds_recorder_surface(get(), name.c_str(),
                                  points.empty() ? nullptr : points.front().data(), points.size(),
                                  triangles.empty() ? nullptr : triangles.front().data(),
                                  triangles.size(), rgba.data()));
    }

    std::uint64_t frames() const { return value(ds_recorder_frames(get())); }
    std::uint64_t dropped() const { return value(ds_recorder_dropped(get())); }

private:
    std::size_t nq_, nv_, nu_;
    std::vector<std::size_t> sizes_;
};

}  // namespace diffsim

#endif  // DIFFSIM_RECORDER_HPP
