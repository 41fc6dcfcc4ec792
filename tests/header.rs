//! The committed headers: their contract, their version, their sections, and a comment on every item; and the
//! program in the README.

use std::fmt::Write;

const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");

/// The header that every program includes.
fn core() -> String {
    std::fs::read_to_string(format!("{INCLUDE}/diffsim.h")).unwrap()
}

/// The names of the headers beside it.
fn others() -> Vec<String> {
    let names = std::fs::read_dir(INCLUDE).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "diffsim.h").collect()
}

/// All headers.
fn header() -> String {
    let mut text = core();
    for name in others() {
        text += &std::fs::read_to_string(format!("{INCLUDE}/{name}")).unwrap();
    }
    text
}

/// Declarations of functions, white space folded, names of arguments kept.
fn functions(header: &str) -> Vec<String> {
    let code: String = header
        .split("/*")
        .map(|part| part.split_once("*/").map_or(part, |(_, after)| after))
        .collect::<String>()
        .replace("extern \"C\" {", "");
    code.split(';')
        .filter(|d| d.contains("ds_") && d.contains('(') && !d.contains('{'))
        .map(|d| {
            let lines = d.lines().filter(|l| !l.starts_with('#'));
            let words = lines.flat_map(str::split_whitespace).collect::<Vec<_>>();
            words.join(" ")
        })
        .collect()
}

/// What controllers are written against; it never changes.
const CONTRACT: &str = "
uint32_t ds_abi_version(void)
const char *ds_version_string(void)
const char *ds_status_name(int32_t status)
const char *ds_last_error(void)
void ds_load_options_init(struct ds_load_options *options)
ds_status ds_model_load(const char *path, const struct ds_load_options *options, struct ds_model **out)
ds_status ds_model_load_string(const char *text, size_t length, int32_t format, const struct ds_load_options *options, struct ds_model **out)
void ds_model_free(struct ds_model *model)
size_t ds_model_nq(const struct ds_model *model)
size_t ds_model_nv(const struct ds_model *model)
size_t ds_model_nu(const struct ds_model *model)
size_t ds_model_nbody(const struct ds_model *model)
size_t ds_model_njoint(const struct ds_model *model)
size_t ds_model_ngeom(const struct ds_model *model)
int32_t ds_model_body_id(const struct ds_model *model, const char *name)
int32_t ds_model_joint_id(const struct ds_model *model, const char *name)
int32_t ds_model_geom_id(const struct ds_model *model, const char *name)
const char *ds_model_body_name(const struct ds_model *model, int32_t body)
const char *ds_model_joint_name(const struct ds_model *model, int32_t joint)
const char *ds_model_geom_name(const struct ds_model *model, int32_t geom)
size_t ds_model_warning_count(const struct ds_model *model)
const char *ds_model_warning(const struct ds_model *model, size_t index)
ds_status ds_model_neutral(const struct ds_model *model, double *q)
ds_status ds_model_keyframe(const struct ds_model *model, const char *name, double *q, double *v, double *u)
ds_status ds_model_integrate(const struct ds_model *model, const double *q, const double *dv, double *q_out)
ds_status ds_model_difference(const struct ds_model *model, const double *q0, const double *q1, double *dv_out)
void ds_options_init(struct ds_options *options)
ds_status ds_sim_create(const struct ds_model *model, const struct ds_options *options, struct ds_sim **out)
void ds_sim_free(struct ds_sim *sim)
ds_status ds_sim_step(struct ds_sim *sim, const double *q, const double *v, const double *u, double *q_next, double *v_next)
ds_status ds_sim_step_jacobians(struct ds_sim *sim, const struct ds_step_jacobians *out)
ds_status ds_sim_step_jvp(struct ds_sim *sim, const double *dq, const double *dv, const double *du, const double *dp, double *dq_next, double *dv_next)
ds_status ds_sim_step_vjp(struct ds_sim *sim, const double *q_next_bar, const double *v_next_bar, double *q_bar, double *v_bar, double *u_bar, double *p_bar)
ds_status ds_sim_step_vjp_aware(struct ds_sim *sim, const double *q_next_bar, const double *v_next_bar, double *q_bar, double *v_bar, double *u_bar, double *p_bar, int32_t *which)
ds_status ds_sim_contacts(const struct ds_sim *sim, const struct ds_contact **contacts, size_t *count)
ds_status ds_sim_step_info(const struct ds_sim *sim, struct ds_step_info *out)
size_t ds_sim_memory_size(const struct ds_sim *sim)
ds_status ds_sim_get_memory(const struct ds_sim *sim, double *warm)
ds_status ds_sim_set_memory(struct ds_sim *sim, const double *warm)
ds_status ds_sim_select_params(struct ds_sim *sim, const struct ds_param *params, size_t count)
ds_status ds_sim_get_params(const struct ds_sim *sim, double *p)
ds_status ds_sim_set_params(struct ds_sim *sim, const double *p)
ds_status ds_sim_set_external_wrench(struct ds_sim *sim, int32_t body, const double *wrench)
ds_status ds_sim_reset(struct ds_sim *sim)
ds_status ds_forward_kinematics(struct ds_sim *sim, const double *q, double *placements)
ds_status ds_inverse_dynamics(struct ds_sim *sim, const double *q, const double *v, const double *a, double *tau)
ds_status ds_forward_dynamics(struct ds_sim *sim, const double *q, const double *v, const double *tau, double *a)
ds_status ds_mass_matrix(struct ds_sim *sim, const double *q, double *M)
ds_status ds_inverse_dynamics_derivatives(struct ds_sim *sim, const double *q, const double *v, const double *a, double *dtau_dq, double *dtau_dv)
ds_status ds_forward_dynamics_derivatives(struct ds_sim *sim, const double *q, const double *v, const double *tau, double *da_dq, double *da_dv, double *da_dtau)
ds_status ds_body_jacobian(struct ds_sim *sim, const double *q, int32_t body, const double *point, double *J)
ds_status ds_energy(struct ds_sim *sim, const double *q, const double *v, double *kinetic, double *potential)
ds_status ds_rollout_create(const struct ds_model *model, const struct ds_options *options, size_t max_steps, struct ds_rollout **out)
void ds_rollout_free(struct ds_rollout *rollout)
ds_status ds_rollout_run(struct ds_rollout *rollout, const double *q0, const double *v0, const double *u, size_t steps, double *q, double *v)
ds_status ds_rollout_adjoint(struct ds_rollout *rollout, const double *q_bar, const double *v_bar, double *q0_bar, double *v0_bar, double *u_bar, double *p_bar)
ds_status ds_batch_create(const struct ds_model *model, const struct ds_options *options, size_t count, size_t threads, struct ds_batch **out)
void ds_batch_free(struct ds_batch *batch)
ds_status ds_batch_step(struct ds_batch *batch, const double *q, const double *v, const double *u, double *q_next, double *v_next, ds_status *each)
ds_status ds_batch_step_jacobians(struct ds_batch *batch, const struct ds_step_jacobians *out, ds_status *each)
ds_status ds_batch_step_vjp(struct ds_batch *batch, const double *q_next_bar, const double *v_next_bar, double *q_bar, double *v_bar, double *u_bar, double *p_bar, ds_status *each)
ds_status ds_batch_rollout(struct ds_batch *batch, size_t steps, const double *q0, const double *v0, const double *u, double *q, double *v, ds_status *each)
ds_status ds_batch_rollout_adjoint(struct ds_batch *batch, const double *q_bar, const double *v_bar, double *q0_bar, double *v0_bar, double *u_bar, double *p_bar, ds_status *each)
";

#[test]
fn the_contract_is_kept() {
    let there = functions(&core());
    let mut missing = String::new();
    for wanted in CONTRACT.lines().filter(|l| !l.is_empty()) {
        if !there.iter().any(|d| d == wanted) {
            let _ = writeln!(missing, "{wanted}");
        }
    }
    assert!(missing.is_empty(), "not in the header:\n{missing}");
}

#[test]
fn every_declaration_has_a_comment() {
    let header = header();
    let lines: Vec<&str> = header.lines().collect();
    let is_function = |l: &&str| l.contains(" ds_") || l.contains("*ds_");
    let mut count = 0;
    for (i, line) in lines.iter().enumerate() {
        let starts = line.starts_with(|c: char| c.is_ascii_lowercase());
        let function = starts && is_function(line) && line.contains('(');
        let kind = line.starts_with("DS_ENUM(ds_") || line.starts_with("typedef struct ds_");
        if function || kind {
            count += 1;
            assert!(lines[i - 1].ends_with(" */"), "no comment above: {line}");
        }
    }
    assert!(count > 90, "only {count} declarations found");
}

/// A function has at most ten lines of comment. The rest of its story is on a page of docs/.
#[test]
fn comments_of_functions_are_short() {
    let header = header();
    let lines: Vec<&str> = header.lines().collect();
    let mut long = String::new();
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with(|c: char| c.is_ascii_lowercase()) && line.contains('(') {
            let start = (0..i).rfind(|&j| lines[j].starts_with("/**"));
            let count = i - start.unwrap_or(0);
            if count > 10 {
                let _ = writeln!(long, "{count} lines above: {line}");
            }
        }
    }
    assert!(long.is_empty(), "{long}");
}

/// Messages that name a member of these enumerations write the header's name of it.
#[test]
fn messages_know_the_names_of_enumerations() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/capi/words.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let known: Vec<&str> = source
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let header = header();
    let mut count = 0;
    for prefix in [
        "DS_CONTACT_",
        "DS_INTEGRATOR_",
        "DS_PARAM_",
        "DS_SMOOTHING_",
        "DS_SENSOR_",
        "DS_CONVEX_",
    ] {
        let members = header.lines().map(str::trim_start);
        for line in members.filter(|l| l.starts_with(prefix) && l.contains(" = ")) {
            let name = line.split(' ').next().unwrap();
            assert!(
                name == "DS_INTEGRATOR_FROM_MODEL" || known.contains(&name),
                "{name}"
            );
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

/// Every section has a banner, the table of contents names every header, and diffsim.h stays short.
#[test]
fn the_headers_have_sections() {
    let banners = |text: &str| text.lines().filter(|l| l.starts_with("/* ---")).count();
    let core = core();
    assert!(banners(&core) >= 30 && core.lines().count() <= 3500);
    assert!(others().len() >= 5);
    for name in others() {
        let text = std::fs::read_to_string(format!("{INCLUDE}/{name}")).unwrap();
        assert!(
            banners(&text) >= 1 && text.contains("#include \"diffsim.h\""),
            "{name}"
        );
        assert!(!core.contains(&format!("#include \"{name}\"")), "{name}");
        assert!(
            core.contains(&name),
            "{name} is not in the table of contents"
        );
    }
    let long = header()
        .lines()
        .find(|l| l.chars().count() > 112)
        .map(str::to_owned);
    assert_eq!(long, None, "a line of more than 110 columns");
}

/// A C header shares one name space with its user's program.
#[test]
fn every_name_has_the_prefix() {
    let header = header();
    let mut count = 0;
    for line in header.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = match words[..] {
            ["typedef", "struct" | "enum", name, ..] | ["typedef", "int32_t", name] => name,
            ["struct" | "enum", name, ..] if line.starts_with(['s', 'e']) => name,
            ["#define", name, ..] => name,
            [name, "{"] if line.starts_with("DS_ENUM(") => &name["DS_ENUM(".len()..],
            _ => continue,
        };
        count += 1;
        let prefixed = ["ds_", "DS_", "DIFFSIM_"];
        assert!(prefixed.iter().any(|p| name.starts_with(p)), "{line}");
    }
    assert!(count > 40, "only {count} names found");
}

#[test]
fn the_version_is_the_crate_s() {
    let header = header();
    let value = |name: &str| {
        let line = header
            .lines()
            .find(|l| l.starts_with(&format!("#define {name} ")));
        line.and_then(|l| l.split_whitespace().nth(2)).unwrap_or("")
    };
    let parts = ["DS_VERSION_MAJOR", "DS_VERSION_MINOR", "DS_VERSION_PATCH"].map(value);
    assert_eq!(parts.join("."), env!("CARGO_PKG_VERSION"));
    assert_eq!(
        value("DS_VERSION_STRING").trim_matches('"'),
        env!("CARGO_PKG_VERSION")
    );
    let abi = diffsim::capi::status::ds_abi_version().to_string();
    assert_eq!(value("DS_ABI_VERSION"), abi);
}

#[test]
fn the_readme_shows_the_program_that_is_tested() {
    let read = |file: &str| {
        let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    assert!(read("README.md").contains(&format!("```c\n{}```", read("examples/minimal.c"))));
}
