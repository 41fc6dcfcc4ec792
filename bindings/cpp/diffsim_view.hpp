/**
 * @file
 * Basis of diffsim.hpp: exceptions, views with a length, options with their defaults, owned handles,
 * and Eigen maps of views.
 */
#ifndef DIFFSIM_VIEW_HPP
#define DIFFSIM_VIEW_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "diffsim.h"
#include "diffsim_save.h"

#ifdef DIFFSIM_EIGEN
#include <Eigen/Core>
#endif

namespace diffsim {

/** A call that failed. what() names the argument, the expected value and the given value. */
class Error : public std::runtime_error {
public:
    Error(ds_status status, const std::string &message)
        : std::runtime_error(message), status_(status) {}
    ds_status status() const noexcept { return status_; }

private:
    ds_status status_;
};

/** Throws for any status but DS_OK. */
inline void check(ds_status status) {
    if (status != DS_OK) throw Error(status, ds_last_error());
}

namespace detail {

template <class C, class = void>
struct has_strides : std::false_type {};
template <class C>
struct has_strides<C, std::void_t<decltype(std::declval<const C &>().outerStride())>>
    : std::true_type {};

/** True if the elements of a container are contiguous, column by column. Only Eigen's may be otherwise. */
template <class C>
bool without_gaps(const C &c) {
    if constexpr (has_strides<C>::value) {
        if (c.rows() <= 1 || c.cols() <= 1) return c.size() <= 1 || c.innerStride() == 1;
        return !C::IsRowMajor && c.innerStride() == 1 && c.outerStride() == c.rows();
    } else {
        (void)c;
        return true;
    }
}

/** True if an array of From may be read as one of To: the same type, or with const. */
template <class From, class To>
constexpr bool as_array = std::is_convertible_v<From (*)[], To (*)[]>;

template <class C>
using element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

}  // namespace detail

/** Contiguous elements that somebody else owns. */
template <class T>
class View {
public:
    constexpr View() noexcept = default;
    constexpr View(std::nullptr_t) noexcept {}
    constexpr View(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    /** Of a container or an array; one of Eigen's must be column-major without gaps. */
    template <class C, class E = detail::element<std::remove_reference_t<C>>,
              std::enable_if_t<detail::as_array<E, T>, int> = 0>
    View(C &&c) : data_(std::data(c)), size_(static_cast<std::size_t>(std::size(c))) {
        if (!detail::without_gaps(c))
            throw Error(DS_ERR_INVALID_ARGUMENT,
                        "a view: expected a column-major array without gaps, got one with strides");
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

    /** The address if the length is right, or NULL for a default View. */
    T *expect(std::size_t count, const char *name) const {
        if (data_ != nullptr && size_ != count)
            throw Error(DS_ERR_INVALID_ARGUMENT, std::string(name) + ": expected " + std::to_string(count) +
                                                     " numbers, got " + std::to_string(size_));
        return data_;
    }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** Contacts of a sim: `stride` bytes apart, which is more than sizeof(ds_contact) where the library is newer.
 * */
class Contacts {
public:
    class iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = ds_contact;
        using difference_type = std::ptrdiff_t;
        using pointer = const ds_contact *;
        using reference = const ds_contact &;

        iterator() noexcept = default;
        iterator(pointer at, std::size_t stride) noexcept : at_(at), stride_(stride) {}
        reference operator*() const noexcept { return *at_; }
        pointer operator->() const noexcept { return at_; }
        iterator &operator++() noexcept {
            at_ = after(at_, stride_);
            return *this;
        }
        iterator operator++(int) noexcept {
            const iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const iterator &other) const noexcept { return at_ == other.at_; }
        bool operator!=(const iterator &other) const noexcept { return at_ != other.at_; }

    private:
        pointer at_ = nullptr;
        std::size_t stride_ = 0;
    };

    Contacts(const ds_contact *first, std::size_t size, std::size_t stride) noexcept
        : first_(first), size_(size), stride_(stride) {}
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    iterator begin() const noexcept { return {first_, stride_}; }
    iterator end() const noexcept { return {after(first_, size_ * stride_), stride_}; }
    const ds_contact &operator[](std::size_t i) const noexcept { return *after(first_, i * stride_); }

private:
    static const ds_contact *after(const ds_contact *contact, std::size_t bytes) noexcept {
        return reinterpret_cast<const ds_contact *>(reinterpret_cast<const char *>(contact) + bytes);
    }

    const ds_contact *first_;
    std::size_t size_;
    std::size_t stride_;
};

using In = View<const double>;
using Out = View<double>;
/** Three coordinates, a 4×4 placement, an inertia, a wrench. */
using Vector3 = std::array<double, 3>;
using Placement = std::array<double, 16>;
using InertiaVector = std::array<double, 10>;
using Wrench = std::array<double, 6>;

// Structs of options and descriptions: as in C, with the defaults filled in.

struct LoadOptions : ds_load_options {
    LoadOptions() : ds_load_options{} { ds_load_options_init(this); }
};
struct SaveOptions : ds_save_options {
    SaveOptions() : ds_save_options{} { ds_save_options_init(this); }
};
struct Options : ds_options {
    Options() : ds_options{} { ds_options_init(this); }
};
struct BodyDesc : ds_body_desc {
    BodyDesc() : ds_body_desc{} { ds_body_desc_init(this); }
};
struct JointDesc : ds_joint_desc {
    JointDesc() : ds_joint_desc{} { ds_joint_desc_init(this); }
};
struct GeomDesc : ds_geom_desc {
    GeomDesc() : ds_geom_desc{} { ds_geom_desc_init(this); }
};
struct ActuatorDesc : ds_actuator_desc {
    ActuatorDesc() : ds_actuator_desc{} { ds_actuator_desc_init(this); }
    /** A servo on a one-dof joint; u is its target: gain = kp, bias = (0, -kp, -kd). */
    static ActuatorDesc servo(const char *joint, double kp, double kd) {
        ActuatorDesc made;
        made.joint = joint;
        check(ds_actuator_desc_set_servo(&made, kp, kd));
        return made;
    }
};
struct EqualityDesc : ds_equality_desc {
    EqualityDesc() : ds_equality_desc{} { ds_equality_desc_init(this); }
};
/** The dofs of several joints as offset + matrix · y. */
struct ReductionDesc : ds_reduction_desc {
    ReductionDesc() : ds_reduction_desc{} { ds_reduction_desc_init(this); }
};
struct SpringDesc : ds_spring_desc {
    SpringDesc() : ds_spring_desc{} { ds_spring_desc_init(this); }
};
struct DeformableDesc : ds_deformable_desc {
    DeformableDesc() : ds_deformable_desc{} { ds_deformable_desc_init(this); }
};
struct SensorDesc : ds_sensor_desc {
    SensorDesc() : ds_sensor_desc{} { ds_sensor_desc_init(this); }
};
struct TendonDesc : ds_tendon_desc {
    TendonDesc() : ds_tendon_desc{} { ds_tendon_desc_init(this); }
};
struct Smoothing : ds_smoothing {
    Smoothing() : ds_smoothing{} { ds_smoothing_init(this); }
};
struct DistanceSmoothing : ds_distance_smoothing {
    DistanceSmoothing() : ds_distance_smoothing{} { ds_distance_smoothing_init(this); }
};

namespace detail {

/** Owns an object of the library. */
template <class T, void (*Free)(T *)>
class Handle {
public:
    /** For the C functions; NULL after a move. */
    T *get() const noexcept { return object_.get(); }
    explicit operator bool() const noexcept { return object_ != nullptr; }

protected:
    explicit Handle(T *object) noexcept : object_(object) {}

    /** The handle that `create` writes to its last argument. */
    template <class F, class... A>
    static T *made(F create, A... arguments) {
        T *out = nullptr;
        check(create(arguments..., &out));
        return out;
    }

    /** Passes the result of a call without a status; throws if the handle is empty. */
    template <class V>
    V value(V given) const {
        if (!object_) throw Error(DS_ERR_INVALID_ARGUMENT, ds_last_error());
        return given;
    }

    /** Passes a string; throws if it is NULL, which means an index out of range. */
    std::string_view name(const char *given) const {
        if (given == nullptr) throw Error(DS_ERR_INVALID_ARGUMENT, ds_last_error());
        return given;
    }

private:
    struct Release {
        void operator()(T *object) const noexcept { Free(object); }
    };
    std::unique_ptr<T, Release> object_;
};

}  // namespace detail

#ifdef EIGEN_WORLD_VERSION
/** Memory as Eigen's vector or matrix of `rows` rows, in place. */
inline Eigen::Map<Eigen::VectorXd> vector(Out x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline Eigen::Map<const Eigen::VectorXd> vector(In x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
}
inline Eigen::Map<Eigen::MatrixXd> matrix(Out x, std::size_t rows) {
    return {x.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(x.size() / rows)};
}
inline Eigen::Map<const Eigen::MatrixXd> matrix(In x, std::size_t rows) {
    return {x.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(x.size() / rows)};
}
#endif

}  // namespace diffsim

#endif  // DIFFSIM_VIEW_HPP
