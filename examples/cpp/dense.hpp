// As much dense linear algebra as the examples need: column-major matrices and Cholesky's method.
#ifndef DENSE_HPP
#define DENSE_HPP

#include <cmath>
#include <cstddef>
#include <vector>

class Matrix {
public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), x_(rows * columns) {}

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    std::size_t size() const { return x_.size(); }
    double *data() { return x_.data(); }
    const double *data() const { return x_.data(); }
    double &operator()(std::size_t i, std::size_t j) { return x_[i + rows_ * j]; }
    double operator()(std::size_t i, std::size_t j) const { return x_[i + rows_ * j]; }

    /** Puts a block with its corner at (i, j). */
    void put(std::size_t i, std::size_t j, const Matrix &block) {
        for (std::size_t c = 0; c < block.columns(); c++)
            for (std::size_t r = 0; r < block.rows(); r++) (*this)(i + r, j + c) = block(r, c);
    }

private:
    std::size_t rows_ = 0, columns_ = 0;
    std::vector<double> x_;
};

/** A B. */
inline Matrix times(const Matrix &A, const Matrix &B) {
    Matrix C(A.rows(), B.columns());
    for (std::size_t j = 0; j < B.columns(); j++)
        for (std::size_t k = 0; k < A.columns(); k++) {
            const double b = B(k, j);
            for (std::size_t i = 0; i < A.rows(); i++) C(i, j) += A(i, k) * b;
        }
    return C;
}

/** Aᵀ B. */
inline Matrix transposed_times(const Matrix &A, const Matrix &B) {
    Matrix C(A.columns(), B.columns());
    for (std::size_t j = 0; j < B.columns(); j++)
        for (std::size_t i = 0; i < A.columns(); i++) {
            double sum = 0.0;
            for (std::size_t k = 0; k < A.rows(); k++) sum += A(k, i) * B(k, j);
            C(i, j) = sum;
        }
    return C;
}

/** A += factor B. */
inline void add(Matrix &A, double factor, const Matrix &B) {
    for (std::size_t i = 0; i < A.size(); i++) A.data()[i] += factor * B.data()[i];
}

/** S⁻¹ B of a symmetric positive definite S; false where it is not. */
inline bool solve(Matrix S, Matrix &B) {
    const std::size_t n = S.rows();
    for (std::size_t j = 0; j < n; j++) {
        for (std::size_t k = 0; k < j; k++) S(j, j) -= S(j, k) * S(j, k);
        if (!(S(j, j) > 0.0)) return false;
        S(j, j) = std::sqrt(S(j, j));
        for (std::size_t i = j + 1; i < n; i++) {
            for (std::size_t k = 0; k < j; k++) S(i, j) -= S(i, k) * S(j, k);
            S(i, j) /= S(j, j);
        }
    }
    for (std::size_t c = 0; c < B.columns(); c++) {
        for (std::size_t i = 0; i < n; i++) {
            for (std::size_t k = 0; k < i; k++) B(i, c) -= S(i, k) * B(k, c);
            B(i, c) /= S(i, i);
        }
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t k = i + 1; k < n; k++) B(i, c) -= S(k, i) * B(k, c);
            B(i, c) /= S(i, i);
        }
    }
    return true;
}

#endif
