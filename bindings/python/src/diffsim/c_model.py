"""C code for a model's step and its Jacobian, with the interface of CasADi's `external` or acados's generic dynamics.

At its first call the code loads diffsim's library and the robot's file. Each thread has its own simulation. The code
needs neither Python nor this package.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Any, List, Optional, Sequence, Union

from . import _native
from ._errors import InvalidArgumentError, UnsupportedError
from ._native import ffi, lib
from ._origin import File, Text
from .model import _load_options
from .planning import Transition

_FOLDERS: List[Any] = []


def _folder(given: Union[str, pathlib.Path, None]) -> pathlib.Path:
    if given is None:
        _FOLDERS.append(tempfile.TemporaryDirectory(prefix="diffsim"))
        return pathlib.Path(_FOLDERS[-1].name)
    path = pathlib.Path(given)
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


def write(transition: Transition, name: str, folder: Union[str, pathlib.Path, None] = None, for_: str = "casadi") -> pathlib.Path:
    """Writes `name`.c for "casadi" or "acados" and returns its path.

    casadi: name(x, u) and jac_name. acados: name_fun and name_fun_jac. The model must come unchanged from a file or a
    text. Save a changed model (`Model.save`) and load the saved file. Raises `UnsupportedError` for other models.
    """
    if not name.isidentifier() or not name.isascii():
        raise InvalidArgumentError(f"name: expected a name as C has them, got {name!r}")
    if for_ not in _TAILS:
        raise InvalidArgumentError(f"for_: expected one of {sorted(_TAILS)}, got {for_!r}")
    origin = transition.model._origin
    if not isinstance(origin, (File, Text)):
        raise UnsupportedError("model: it was built or changed in Python; save it (Model.save) and load the saved file")
    load, dirs, _keep = _load_options(origin.mesh_dirs, origin.options)
    options, _kept = _native.struct("ds_options", lib.ds_options_init, dict(transition.sim.options))
    at = {
        "library": _string(str(pathlib.Path(_native.__file__).with_name(_native._NAME).resolve())),
        "abi": int(lib.DS_ABI_VERSION),
        "load_options": _bytes(load, ("mesh_dirs", "mesh_dir_count")),
        "options": _bytes(options, ()),
        "mesh_dirs": ", ".join(_string(d) for d in dirs) or "0",
        "mesh_dir_count": len(dirs),
        "mesh_dirs_at": ffi.offsetof("ds_load_options", "mesh_dirs"),
        "mesh_dir_count_at": ffi.offsetof("ds_load_options", "mesh_dir_count"),
        "jacobians": ffi.sizeof("ds_step_jacobians") // ffi.sizeof("double *"),
        "model": _loads(origin),
        "nq": transition.nq,
        "nv": transition.nv,
        "nu": transition.nu,
        "steps": transition.steps,
        "quaternions": ", ".join(f"{{{a.q}, {a.v}, {a.position[0]}, {a.position[1]}}}" for a in transition.quaternions) or "{0}",
        "quaternion_count": len(transition.quaternions),
        "plain": ", ".join(
            f"{{{j.q_index}, {j.v_index}, {j.nv}}}" for j in transition.model.joints if j.nq == j.nv and j.nv
        ) or "{0}",
        "plain_count": sum(j.nq == j.nv and j.nv > 0 for j in transition.model.joints),
        "name": name,
        "increment": repr(float(transition.differences or 0.0)),
    }  # fmt: skip
    for i, field in enumerate(("dq_dq", "dq_dv", "dq_du", "dv_dq", "dv_dv", "dv_du")):
        at[field] = ffi.offsetof("ds_step_jacobians", field) // ffi.sizeof("double *")
    code = _HEAD + _TAILS[for_]
    for key, value in at.items():
        code = code.replace(f"@{key}@", str(value))
    path = _folder(folder) / f"{name}.c"
    path.write_text(code, encoding="utf-8")
    return path


def build(source: Union[str, pathlib.Path], compiler: Optional[str] = None, flags: Sequence[str] = ("-O2",)) -> pathlib.Path:
    """Compiles a file of `write` for CasADi to a shared library beside it and returns its path."""
    compiler = compiler or os.environ.get("CC") or next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is None:
        raise UnsupportedError("compiler: there is no cc, gcc or clang; name one, or use diffsim.casadi.function")
    out = pathlib.Path(source).with_suffix(".dylib" if sys.platform == "darwin" else ".so")
    command = [compiler, "-shared", "-fPIC", *flags, str(source), "-o", str(out), "-ldl", "-lpthread", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InvalidArgumentError(f"source: {compiler} does not compile it: {done.stderr.strip()[:2000]}")
    return out


def _loads(origin: Any) -> str:
    if isinstance(origin, File):
        return f"ds.load({_string(origin.path)}, options, &model)"
    data = origin.text.encode()
    listed = ", ".join(map(str, data))
    return f"ds.load_string((const char[]){{{listed}}}, {len(data)}, {int(origin.format)}, options, &model)"


def _string(text: str) -> str:
    """A C string."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in os.fsencode(text)) + '"'


def _bytes(made: Any, but: Sequence[str]) -> str:
    """The bytes of a struct without pointers; fields in `but` are zero."""
    kind = ffi.typeof(made).item
    data = bytearray(ffi.buffer(made))
    for name, field in kind.fields:
        if name in but:
            data[field.offset : field.offset + ffi.sizeof(field.type)] = bytes(ffi.sizeof(field.type))
        elif field.type.kind == "pointer" and getattr(made, name) != ffi.NULL:
            raise UnsupportedError(f"{name}: the C code cannot have this option, which is an address")
    return ", ".join(map(str, data))


_HEAD = r"""/* One transition of a robot, x+ = f(x, u) with x = (q, v), and its Jacobian. Written by diffsim.c_model. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NQ = @nq@, NV = @nv@, NU = @nu@, NX = NQ + NV, NT = 2 * NV, STEPS = @steps@, QUATERNIONS = @quaternion_count@, PLAIN = @plain_count@ };
/* Of central differences that stand for exact derivatives; 0 for exact ones. */
static const double INCREMENT = @increment@;

/* Rotations: first entry in q, first dof, and both of a free joint's position. Then joints with nq = nv. */
static const int quaternions[][4] = { @quaternions@ };
static const int plain[][3] = { @plain@ };

typedef struct ds_model ds_model;
typedef struct ds_sim ds_sim;
static struct {
    uint32_t (*abi_version)(void);
    const char *(*last_error)(void);
    int32_t (*load)(const char *, const void *, ds_model **);
    int32_t (*load_string)(const char *, size_t, int32_t, const void *, ds_model **);
    int32_t (*create)(const ds_model *, const void *, ds_sim **);
    int32_t (*reset)(ds_sim *);
    int32_t (*step)(ds_sim *, const double *, const double *, const double *, double *, double *);
    int32_t (*jacobians)(ds_sim *, void *);
    void (*free)(ds_sim *);
} ds;
static ds_model *model;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t mine;

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "@name@: diffsim's library has no %s\n", name);
    return found;
}

typedef struct {
    ds_sim *sim;
    double q[NQ + 1], v[NV + 1], A[NT * NT + 1], B[NT * NU + 1], one[NT * NT + 1], in[NT * NU + 1], next[NT * (NT + NU) + 1];
    double dq_dq[NV * NV + 1], dq_dv[NV * NV + 1], dq_du[NV * NU + 1], dv_dq[NV * NV + 1], dv_dv[NV * NV + 1], dv_du[NV * NU + 1];
    double right[NT * NX + 1], left[NX * NT + 1], turned[NT * NX + 1];
} worker;

static void leave(void *x)
{
    ds.free(((worker *)x)->sim);
    free(x);
}

static void begin(void)
{
    static union { unsigned char bytes[sizeof((unsigned char[]){ @load_options@ })]; double aligned; } load = { { @load_options@ } };
    static const char *mesh_dirs[] = { @mesh_dirs@ };
    const char *const *dirs = mesh_dirs;
    const size_t count = @mesh_dir_count@;
    const void *options = &load;
    void *library = dlopen(@library@, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "@name@: %s\n", dlerror());
        return;
    }
    *(void **)&ds.abi_version = symbol(library, "ds_abi_version");
    *(void **)&ds.last_error = symbol(library, "ds_last_error");
    *(void **)&ds.load = symbol(library, "ds_model_load");
    *(void **)&ds.load_string = symbol(library, "ds_model_load_string");
    *(void **)&ds.create = symbol(library, "ds_sim_create");
    *(void **)&ds.reset = symbol(library, "ds_sim_reset");
    *(void **)&ds.step = symbol(library, "ds_sim_step");
    *(void **)&ds.jacobians = symbol(library, "ds_sim_step_jacobians");
    *(void **)&ds.free = symbol(library, "ds_sim_free");
    if (!ds.abi_version || ds.abi_version() != @abi@) {
        fprintf(stderr, "@name@: diffsim's library has another binary interface; write this file again\n");
        return;
    }
    if (count) {
        memcpy(load.bytes + @mesh_dirs_at@, &dirs, sizeof dirs);
        memcpy(load.bytes + @mesh_dir_count_at@, &count, sizeof count);
    }
    if (pthread_key_create(&mine, leave)) return;
    if (@model@) {
        fprintf(stderr, "@name@: %s\n", ds.last_error());
        model = NULL;
    }
}

/* What this thread works with; NULL where that cannot be made. */
static worker *work(void)
{
    static union { unsigned char bytes[sizeof((unsigned char[]){ @options@ })]; double aligned; } options = { { @options@ } };
    worker *w;
    pthread_once(&once, begin);
    if (!model) return NULL;
    w = pthread_getspecific(mine);
    if (w) return w;
    w = calloc(1, sizeof *w);
    if (!w) return NULL;
    if (ds.create(model, &options, &w->sim)) {
        fprintf(stderr, "@name@: %s\n", ds.last_error());
        free(w);
        return NULL;
    }
    pthread_setspecific(mine, w);
    return w;
}

/* c = a b, a rows*inner, b inner*columns, column-major. */
static void times(const double *a, const double *b, double *c, int rows, int inner, int columns)
{
    for (int j = 0; j < columns; j++) {
        double *out = c + (size_t)j * rows;
        memset(out, 0, (size_t)rows * sizeof *out);
        for (int k = 0; k < inner; k++) {
            const double factor = b[(size_t)j * inner + k];
            if (factor != 0.0)
                for (int i = 0; i < rows; i++) out[i] += a[(size_t)k * rows + i] * factor;
        }
    }
}

static void rotation(const double *p, double *r)
{
    const double a = p[0], b = p[1], c = p[2], d = p[3];
    const double m[9] = { 1 - 2 * (b * b + c * c), 2 * (a * b + c * d), 2 * (a * c - b * d), 2 * (a * b - c * d), 1 - 2 * (a * a + c * c),
                          2 * (b * c + a * d), 2 * (a * c + b * d), 2 * (b * c - a * d), 1 - 2 * (a * a + b * b) };
    memcpy(r, m, sizeof m);
}

/* d(tangent)/d(entries) at x, NT*NX, and d(entries)/d(tangent) at y, NX*NT. */
static void maps(worker *w, const double *x, const double *y)
{
    memset(w->right, 0, sizeof w->right);
    memset(w->left, 0, sizeof w->left);
    for (int k = 0; k < NV; k++) w->right[(size_t)(NQ + k) * NT + NV + k] = w->left[(size_t)(NV + k) * NX + NQ + k] = 1.0;
    for (int j = 0; j < PLAIN; j++)
        for (int k = 0; k < plain[j][2]; k++)
            w->right[(size_t)(plain[j][0] + k) * NT + plain[j][1] + k] = w->left[(size_t)(plain[j][1] + k) * NX + plain[j][0] + k] = 1.0;
    for (int j = 0; j < QUATERNIONS; j++) {
        const int iq = quaternions[j][0], iv = quaternions[j][1], ip = quaternions[j][2], it = quaternions[j][3];
        double length = 0.0, p[4], r[9];
        for (int k = 0; k < 4; k++) length += x[iq + k] * x[iq + k];
        length = sqrt(length);
        for (int k = 0; k < 4; k++) p[k] = x[iq + k] / length;
        const double s = 2.0 / length, a = p[0], b = p[1], c = p[2], d = p[3];
        const double to[3][4] = { { d, c, -b, -a }, { -c, d, a, -b }, { b, -a, d, -c } };
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++) w->right[(size_t)(iq + k) * NT + iv + i] = s * to[i][k];
        const double e = y[iq], f = y[iq + 1], g = y[iq + 2], h = y[iq + 3];
        const double from[4][3] = { { h, -g, f }, { g, h, -e }, { -f, e, h }, { -e, -f, -g } };
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 4; i++) w->left[(size_t)(iv + k) * NX + iq + i] = 0.5 * from[i][k];
        if (ip < 0) continue;
        rotation(p, r);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) w->right[(size_t)(ip + k) * NT + it + i] = r[3 * i + k];
        rotation(y + iq, r);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) w->left[(size_t)(it + k) * NX + ip + i] = r[3 * k + i];
    }
}

static int transition(const double *x, const double *u, double *y, double *by_x, double *by_u);

/* The same with Jacobians by central differences. */
static int differenced(const double *x, const double *u, double *y, double *by_x, double *by_u)
{
    double z[NX + NU + 1], more[NX + 1], less[NX + 1];
    memcpy(z, x, NX * sizeof *z);
    memcpy(z + NX, u, NU * sizeof *z);
    for (int j = 0; j < NX + NU; j++) {
        double *column = j < NX ? by_x : by_u;
        const double at = z[j];
        if (!column) continue;
        column += (size_t)(j < NX ? j : j - NX) * NX;
        z[j] = at + INCREMENT;
        if (transition(z, z + NX, more, NULL, NULL)) return 1;
        z[j] = at - INCREMENT;
        if (transition(z, z + NX, less, NULL, NULL)) return 1;
        z[j] = at;
        for (int k = 0; k < NX; k++) column[k] = (more[k] - less[k]) / (2.0 * INCREMENT);
    }
    return transition(x, u, y, NULL, NULL);
}

/* y = f(x, u), and the Jacobians by x, NX*NX, and by u, NX*NU, column-major; NULL for those not wanted.
 * Nonzero: it failed. */
static int transition(const double *x, const double *u, double *y, double *by_x, double *by_u)
{
    worker *w = work();
    void *wanted[@jacobians@] = { 0 };
    if (!w) return 1;
    if (INCREMENT > 0.0 && (by_x || by_u)) return differenced(x, u, y, by_x, by_u);
    memcpy(w->q, x, NQ * sizeof *x);
    memcpy(w->v, x + NQ, NV * sizeof *x);
    for (int j = 0; j < QUATERNIONS; j++) {
        double *p = w->q + quaternions[j][0];
        const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        if (!(length > 0.0)) return 1;
        for (int k = 0; k < 4; k++) p[k] /= length;
    }
    wanted[@dq_dq@] = w->dq_dq, wanted[@dq_dv@] = w->dq_dv, wanted[@dv_dq@] = w->dv_dq, wanted[@dv_dv@] = w->dv_dv;
    if (NU) wanted[@dq_du@] = w->dq_du, wanted[@dv_du@] = w->dv_du;
    memset(w->B, 0, sizeof w->B);
    memset(w->A, 0, sizeof w->A);
    for (int k = 0; k < NT; k++) w->A[(size_t)k * NT + k] = 1.0;
    if (ds.reset(w->sim)) return 1;
    for (int s = 0; s < STEPS; s++) {
        double q[NQ + 1], v[NV + 1];
        if (ds.step(w->sim, w->q, w->v, u, q, v)) return 1;
        memcpy(w->q, q, NQ * sizeof *q);
        memcpy(w->v, v, NV * sizeof *v);
        if (!by_x && !by_u) continue;
        if (ds.jacobians(w->sim, wanted)) return 1;
        for (int j = 0; j < NV; j++) {
            memcpy(w->one + (size_t)j * NT, w->dq_dq + (size_t)j * NV, NV * sizeof *q);
            memcpy(w->one + (size_t)j * NT + NV, w->dv_dq + (size_t)j * NV, NV * sizeof *q);
            memcpy(w->one + (size_t)(NV + j) * NT, w->dq_dv + (size_t)j * NV, NV * sizeof *q);
            memcpy(w->one + (size_t)(NV + j) * NT + NV, w->dv_dv + (size_t)j * NV, NV * sizeof *q);
        }
        for (int j = 0; j < NU; j++) {
            memcpy(w->in + (size_t)j * NT, w->dq_du + (size_t)j * NV, NV * sizeof *q);
            memcpy(w->in + (size_t)j * NT + NV, w->dv_du + (size_t)j * NV, NV * sizeof *q);
        }
        if (s == 0) {
            memcpy(w->A, w->one, NT * NT * sizeof *q);
            memcpy(w->B, w->in, NT * NU * sizeof *q);
            continue;
        }
        times(w->one, w->A, w->next, NT, NT, NT);
        memcpy(w->A, w->next, NT * NT * sizeof *q);
        times(w->one, w->B, w->next, NT, NT, NU);
        for (int k = 0; k < NT * NU; k++) w->B[k] = w->next[k] + w->in[k];
    }
    if (y) {
        memcpy(y, w->q, NQ * sizeof *y);
        memcpy(y + NQ, w->v, NV * sizeof *y);
    }
    if (!by_x && !by_u) return 0;
    if (!QUATERNIONS) {
        if (by_x) memcpy(by_x, w->A, NT * NT * sizeof *y);
        if (by_u) memcpy(by_u, w->B, NT * NU * sizeof *y);
        return 0;
    }
    {
        double all[NX + 1];
        memcpy(all, w->q, NQ * sizeof *all);
        maps(w, x, all);
    }
    if (by_x) {
        times(w->A, w->right, w->turned, NT, NT, NX);
        times(w->left, w->turned, by_x, NX, NT, NX);
    }
    if (by_u) times(w->left, w->B, by_u, NX, NT, NU);
    return 0;
}
"""

_CASADI = r"""
#ifndef casadi_int
#define casadi_int long long int
#endif

/* Dense columns, and an empty one for the input of the Jacobian that it does not need. */
static const casadi_int of_x[] = { NX, 1, 1 }, of_u[] = { NU, 1, 1 }, of_nothing[] = { NX, 1, 0, 0 };
static const casadi_int of_xx[] = { NX, NX, 1 }, of_xu[] = { NX, NU, 1 };

casadi_int @name@_n_in(void) { return 2; }
casadi_int @name@_n_out(void) { return 1; }
const char *@name@_name_in(casadi_int i) { return i == 0 ? "x" : i == 1 ? "u" : 0; }
const char *@name@_name_out(casadi_int i) { return i == 0 ? "x_next" : 0; }
const casadi_int *@name@_sparsity_in(casadi_int i) { return i == 0 ? of_x : i == 1 ? of_u : 0; }
const casadi_int *@name@_sparsity_out(casadi_int i) { return i == 0 ? of_x : 0; }
int @name@_work(casadi_int *arg, casadi_int *res, casadi_int *iw, casadi_int *w)
{
    if (arg) *arg = 2;
    if (res) *res = 1;
    if (iw) *iw = 0;
    if (w) *w = NX + NU;
    return 0;
}
/* An argument that is zero comes as NULL. */
static const double *given(const double *x, double *w, int count)
{
    if (x) return x;
    memset(w, 0, (size_t)count * sizeof *w);
    return w;
}
int @name@(const double **arg, double **res, casadi_int *iw, double *w, int mem)
{
    (void)iw, (void)mem;
    return transition(given(arg[0], w, NX), given(arg[1], w + NX, NU), res[0], NULL, NULL);
}

casadi_int jac_@name@_n_in(void) { return 3; }
casadi_int jac_@name@_n_out(void) { return 2; }
const char *jac_@name@_name_in(casadi_int i) { return i == 0 ? "x" : i == 1 ? "u" : i == 2 ? "out_x_next" : 0; }
const char *jac_@name@_name_out(casadi_int i) { return i == 0 ? "jac_x_next_x" : i == 1 ? "jac_x_next_u" : 0; }
const casadi_int *jac_@name@_sparsity_in(casadi_int i) { return i == 0 ? of_x : i == 1 ? of_u : i == 2 ? of_nothing : 0; }
const casadi_int *jac_@name@_sparsity_out(casadi_int i) { return i == 0 ? of_xx : i == 1 ? of_xu : 0; }
int jac_@name@_work(casadi_int *arg, casadi_int *res, casadi_int *iw, casadi_int *w)
{
    if (arg) *arg = 3;
    if (res) *res = 2;
    if (iw) *iw = 0;
    if (w) *w = NX + NU;
    return 0;
}
int jac_@name@(const double **arg, double **res, casadi_int *iw, double *w, int mem)
{
    (void)iw, (void)mem;
    return transition(given(arg[0], w, NX), given(arg[1], w + NX, NU), NULL, res[0], res[1]);
}
"""

_ACADOS = r"""
/* Of BLASFEO and acados: vectors and matrices with the place at which the argument begins in them. */
struct blasfeo_dvec;
struct blasfeo_dmat;
struct vector_argument { struct blasfeo_dvec *x; int xi; };
struct matrix_argument { struct blasfeo_dmat *A; int ai, aj; };
void blasfeo_unpack_dvec(int m, struct blasfeo_dvec *x, int xi, double *y, int yi);
void blasfeo_pack_dvec(int m, double *x, int xi, struct blasfeo_dvec *y, int yi);
void blasfeo_pack_tran_dmat(int m, int n, double *A, int lda, struct blasfeo_dmat *B, int bi, int bj);

static int evaluate(void **in, void **out, int differentiate)
{
    const struct vector_argument *x_in = in[0], *u_in = in[1], *y_out = out[0];
    double x[NX + 1], u[NU + 1], y[NX + 1];
    static __thread double by_x[NX * NX + 1], by_u[NX * NU + 1];
    blasfeo_unpack_dvec(NX, x_in->x, x_in->xi, x, 1);
    blasfeo_unpack_dvec(NU, u_in->x, u_in->xi, u, 1);
    if (transition(x, u, y, differentiate ? by_x : NULL, differentiate ? by_u : NULL)) {
        /* acados looks for these. */
        for (int k = 0; k < NX; k++) y[k] = NAN;
        for (int k = 0; k < NX * NX; k++) by_x[k] = NAN;
        for (int k = 0; k < NX * NU; k++) by_u[k] = NAN;
    }
    blasfeo_pack_dvec(NX, y, 1, y_out->x, y_out->xi);
    if (differentiate) {
        /* (B A) transposed. */
        const struct matrix_argument *j = out[1];
        blasfeo_pack_tran_dmat(NX, NU, by_u, NX, j->A, j->ai, j->aj);
        blasfeo_pack_tran_dmat(NX, NX, by_x, NX, j->A, j->ai + NU, j->aj);
    }
    return 0;
}

int @name@_fun(void **in, void **out, void *params)
{
    (void)params;
    return evaluate(in, out, 0);
}

int @name@_fun_jac(void **in, void **out, void *params)
{
    (void)params;
    return evaluate(in, out, 1);
}

/* There is no second derivative: NaN, which acados refuses, where a solver asks for one. */
int @name@_fun_jac_hess(void **in, void **out, void *params)
{
    const struct vector_argument *y_out = out[0];
    double y[NX + 1];
    (void)in, (void)params;
    for (int k = 0; k < NX; k++) y[k] = NAN;
    blasfeo_pack_dvec(NX, y, 1, y_out->x, y_out->xi);
    fprintf(stderr, "@name@: there is no second derivative; set hessian_approx to GAUSS_NEWTON\n");
    return 1;
}
"""

_TAILS = {"casadi": _CASADI, "acados": _ACADOS}
