// Views of Eigen's objects and Eigen's maps of views: eigen MODELS.
#define DIFFSIM_EIGEN
#include "check.hpp"

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const auto model = diffsim::Model::load(std::string(argv[1]) + "/quadruped.xml");
    diffsim::Sim sim(model);
    Eigen::VectorXd q(19), v(18), u(12), q_next(19);
    model.keyframe("standing", q, v, u);

    // A column of a matrix is a view; a row of it, or a row-major matrix, is not.
    Eigen::MatrixXd trajectory = Eigen::MatrixXd::Zero(18, 3);
    sim.step(q, v, u, q_next, trajectory.col(1));
    CHECK(trajectory.col(1).norm() > 0.0 && trajectory.col(0).norm() == 0.0);
    Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(18, 18);
    CHECK_THROWS(sim.mass_matrix(q, wide.topLeftCorner(9, 9)), DS_ERR_INVALID_ARGUMENT, "strides");
    CHECK_THROWS(sim.step(q, wide.row(0), u, q_next, v), DS_ERR_INVALID_ARGUMENT, "strides");
    Eigen::Matrix<double, 18, 18, Eigen::RowMajor> rows;
    CHECK_THROWS(sim.mass_matrix(q, rows), DS_ERR_INVALID_ARGUMENT, "strides");

    Eigen::MatrixXd A(18, 18), B(18, 12);
    diffsim::Jacobians out;
    out.dv_dv = A;
    out.dv_du = B;
    sim.step_jacobians(out);
    Eigen::VectorXd du = Eigen::VectorXd::LinSpaced(12, -1.0, 1.0), dq_next(18), dv_next(18);
    sim.step_jvp({}, {}, du, {}, dq_next, dv_next);
    CHECK((B * du - dv_next).norm() < 1e-10 * dv_next.norm());

    const auto map = diffsim::matrix(out.dv_du, 18);
    CHECK(map.data() == B.data() && map.rows() == 18 && map.cols() == 12 && map == B);
    CHECK(diffsim::vector(diffsim::Out(v)).data() == v.data());
    CHECK(diffsim::vector(diffsim::In(v)).size() == 18);
    CHECK(diffsim::matrix(diffsim::In(A), 18) == A);
    return report();
}
