//! Invalid URDF texts, and their messages.

use super::*;

/// Each text with the start of its message, which contains element, name and line, and a word of it.
#[test]
fn malformed_files_are_refused_with_the_place() {
    let revolute = |inner: &str| pair("revolute", inner, "");
    let link = |inner: &str| pair("fixed", "", inner);
    let shape = |s: &str| link(&format!("<collision><geometry>{s}</geometry></collision>"));
    let j = "line 4: <joint> \"j\"";
    let b = "line 3: <link> \"b\"";
    let cases: Vec<(String, &str, &str)> = vec![
        (
            "<mujoco/>".into(),
            "line 1: <mujoco>",
            "expected the root element <robot>",
        ),
        (robot(""), "line 1: <robot> \"r\"", "at least one <link>"),
        (
            robot("<xacro:include filename=\"parts.xacro\"/>"),
            "line 1: <robot> \"r\"",
            "expand it first",
        ),
        (robot("<link/>"), "line 2: <link>", "name is missing"),
        (
            robot("<link name=\" \"/>"),
            "line 2: <link>",
            "expected a value",
        ),
        (
            robot(&links(&["a", "a"])),
            "line 3: <link> \"a\"",
            "first is at line 2",
        ),
        (
            robot(&links(&["a", "b"])),
            "line 3: <link> \"b\"",
            "a second root",
        ),
        (
            robot(&(links(&["a", "b"]) + &fixed(&[("a", "b")]) + &fixed(&[("a", "b")]))),
            "line 5: <joint> \"j0\"",
            "a second joint",
        ),
        (
            robot(&(links(&["a"]) + &fixed(&[("a", "z")]))),
            "line 3: <joint> \"j0\"",
            "\"z\" is not a link",
        ),
        (
            robot(&(links(&["a"]) + &fixed(&[("z", "a")]))),
            "line 3: <joint> \"j0\"",
            "parent \"z\"",
        ),
        (
            robot(&(links(&["a"]) + &fixed(&[("a", "a")]))),
            "line 3: <joint> \"j0\"",
            "cycle",
        ),
        (
            robot(&(links(&["a", "b", "c"]) + &fixed(&[("b", "c"), ("c", "b")]))),
            "line 6: <joint> \"j1\"",
            "cycle",
        ),
        (
            robot(&(links(&["a", "b", "c"]) + &fixed(&[("a", "c"), ("b", "c")]))),
            "line 6: <joint> \"j1\"",
            "already the child of joint \"j0\" at line 5",
        ),
        (pair("", "", ""), j, "type: expected a value"),
        (pair("screw", "", ""), j, "got \"screw\""),
        (
            revolute(&LIMIT.replace("-1", "nan")),
            j,
            "expected a number, got NaN",
        ),
        (
            revolute(&(LIMIT.to_owned() + "<axis xyz=\"0 0 0\"/>")),
            j,
            "expected a direction",
        ),
        (
            revolute(&(LIMIT.to_owned() + "<axis/>")),
            j,
            "xyz is missing",
        ),
        (
            pair("planar", "<axis xyz=\"0 0 0\"/>", ""),
            j,
            "expected a direction",
        ),
        (
            pair(
                "prismatic",
                &(LIMIT.to_owned() + "<axis xyz=\"nan 0 0\"/>"),
                "",
            ),
            j,
            "finite",
        ),
        (
            pair("continuous", "<dynamics damping=\"-1\"/>", ""),
            j,
            "not below 0",
        ),
        (
            pair("continuous", "<dynamics friction=\"x\"/>", ""),
            j,
            "expected a number, got \"x\"",
        ),
        (pair("continuous", "<mimic/>", ""), j, "joint is missing"),
        (
            pair("fixed", "<origin xyz=\"1 2\"/>", ""),
            j,
            "expected 3 numbers, got 2",
        ),
        (
            pair("fixed", "<origin xyz=\"1 2 3 4\"/>", ""),
            j,
            "expected 3 numbers, got 4",
        ),
        (
            pair("fixed", "<origin rpy=\"0 1e999 0\"/>", ""),
            j,
            "finite",
        ),
        (
            pair("fixed", "<origin quat_xyzw=\"0 0 0 0\"/>", ""),
            j,
            "length of 1",
        ),
        (
            pair("fixed", "<origin quat_xyzw=\"0 0 0 1\" rpy=\"0 0 0\"/>", ""),
            j,
            "both",
        ),
        (
            link(&INERTIAL.replace("\"2\"", "\"-2\"")),
            b,
            "not below 0, got -2",
        ),
        (
            link(&INERTIAL.replace("value=\"2\"", "")),
            b,
            "value is missing",
        ),
        (
            link(&INERTIAL.replace("value=\"2\"", "value=\"NaN\"")),
            b,
            "finite",
        ),
        (shape("<sphere/>"), b, "radius is missing"),
        (shape("<sphere radius=\"-1\"/>"), b, "above 0"),
        (shape("<box/>"), b, "size is missing"),
        (shape("<box size=\"1 -1 1\"/>"), b, "above 0"),
        (shape("<cylinder radius=\"1\"/>"), b, "length is missing"),
        (shape("<mesh/>"), b, "filename is missing"),
    ];
    for (text, place, word) in cases {
        let e = error_of(&text);
        assert_eq!(e.status, Status::Parse, "{}", e.message);
        assert!(e.message.starts_with(place), "{place}: {}", e.message);
        assert!(e.message.contains(word), "{word}: {}", e.message);
    }
    let e = error_of(&link(&INERTIAL.replace("iyy=\"2\"", "")));
    assert!(
        e.message
            .starts_with("line 4: <link> \"b\", <inertia>: attribute iyy is missing")
    );
    let e = error_of(&shape("<torus/>"));
    assert_eq!(e.status, Status::Unsupported);
    assert!(e.message.starts_with(b), "{}", e.message);
}

#[test]
fn hostile_texts_are_refused() {
    let entities: String = (1..10)
        .map(|k| format!("<!ENTITY e{k} \"{}\">", format!("&e{};", k - 1).repeat(10)))
        .collect();
    let laughs = format!(
        "<!DOCTYPE robot [<!ENTITY e0 \"lol\">{entities}]><robot name=\"r\"><link name=\"&e9;\"/></robot>"
    );
    let whole = pair("revolute", LIMIT, INERTIAL);
    let mut texts = vec![laughs, String::new(), "no xml".into()];
    texts.extend([1, 2, 3].map(|k| whole[..whole.len() * k / 4].to_owned()));
    texts.push(whole.replace("</joint>", ""));
    texts.push(whole.replace("<link name=\"a\"/>", "<link name=\"a\" name=\"a\"/>"));
    for text in texts {
        let e = error_of(&text);
        assert!(e.message.starts_with("line "), "{}", e.message);
    }
    let deep = error_of(&"<a>".repeat(1_000_000));
    assert_eq!(deep.status, Status::Capacity);
    assert!(deep.message.contains("1000000 deep"), "{}", deep.message);
}
