"""The package against the header: every function is used, every enumeration is whole."""

import pathlib
import re

import pytest

import diffsim
from diffsim._declarations import ffi

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "include"
HEADERS = "".join(path.read_text(encoding="utf-8") for path in sorted(INCLUDE.glob("*.h")))
#: The same with the comments behind members in front of them.
IN_FRONT = re.sub(r"^( +\S.*?[;,]) */\*\*<(.*?\*/)$", r"  /**\2\n\1", HEADERS, flags=re.M)

ENUMERATIONS = {
    "ds_status": (diffsim.Status, "DS_(ERR_)?"),
    "ds_gradient": (diffsim.Gradient, "DS_GRADIENT_"),
    "ds_contact_mode": (diffsim.ContactMode, "DS_MODE_"),
    "ds_format": (diffsim.Format, "DS_FORMAT_"),
    "ds_base": (diffsim.Base, "DS_BASE_"),
    "ds_activation": (diffsim.Activation, "DS_ACTIVATION_"),
    "ds_actuation": (diffsim.Actuation, "DS_ACTUATION_"),
    "ds_mimic": (diffsim.Mimic, "DS_MIMIC_"),
    "ds_missing_mesh": (diffsim.MissingMesh, "DS_MISSING_MESH_"),
    "ds_mesh_mode": (diffsim.MeshMode, "DS_MESH_"),
    "ds_open_mesh": (diffsim.OpenMesh, "DS_OPEN_MESH_"),
    "ds_joint_kind": (diffsim.JointKind, "DS_JOINT_"),
    "ds_geom_kind": (diffsim.GeomKind, "DS_GEOM_"),
    "ds_hydroelastic": (diffsim.Hydroelastic, "DS_HYDROELASTIC_"),
    "ds_contact_law": (diffsim.ContactLaw, "DS_CONTACT_"),
    "ds_integrator": (diffsim.Integrator, "DS_INTEGRATOR_"),
    "ds_friction_rule": (diffsim.FrictionRule, "DS_FRICTION_"),
    "ds_convex_variant": (diffsim.ConvexVariant, "DS_CONVEX_"),
    "ds_param_kind": (diffsim.ParamKind, "DS_PARAM_"),
    "ds_equality_kind": (diffsim.EqualityKind, "DS_EQUALITY_"),
    "ds_tendon_kind": (diffsim.TendonKind, "DS_TENDON_"),
    "ds_material": (diffsim.Material, "DS_MATERIAL_"),
    "ds_path_kind": (diffsim.PathKind, "DS_PATH_"),
    "ds_quantity": (diffsim.Quantity, "DS_QUANTITY_"),
    "ds_force_kind": (diffsim.ForceKind, "DS_FORCE_"),
    "ds_reference_frame": (diffsim.ReferenceFrame, "DS_FRAME_"),
    "ds_ik_kind": (diffsim.IkKind, "DS_IK_"),
    "ds_ik_outcome": (diffsim.IkOutcome, "DS_IK_"),
    "ds_ilqr_outcome": (diffsim.IlqrOutcome, "DS_ILQR_"),
    "ds_sensor_kind": (diffsim.SensorKind, "DS_SENSOR_"),
    "ds_zone_kind": (diffsim.ZoneKind, "DS_ZONE_"),
    "ds_smoothing_method": (diffsim.SmoothingMethod, "DS_SMOOTHING_"),
}


def test_every_function_of_the_header_is_called():
    code = re.sub(r"/\*.*?\*/", "", HEADERS, flags=re.S)
    declared = set(re.findall(r"\b(ds_\w+)\(", code))
    package = pathlib.Path(diffsim.__file__).parent
    text = "".join(f.read_text() for f in package.glob("*.py") if f.name != "_declarations.py")
    # Names of statuses are those of `Status`; a part's numbers one by one are those of its struct.
    whole = {
        "body": "parent placement inertia gravity_compensation mocap",
        "joint": "type limits effort_velocity",
        "geom": "type size placement friction restitution",
    }
    in_structs = {f"ds_model_{part}_{field}" for part, fields in whole.items() for field in fields.split()}
    filled = {f"{kind}_init" for kind in re.findall(r'"(ds_\w+_desc)"', text)}
    used = set(re.findall(r"lib\.(ds_\w+)", text)) | {"ds_status_name"} | in_structs | filled
    assert len(declared) > 100
    assert used == declared
    assert in_structs <= declared


def test_every_enumeration_of_the_header_is_there():
    assert set(re.findall(r"^DS_ENUM\((ds_\w+)\)", HEADERS, flags=re.M)) == set(ENUMERATIONS)


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_enumerations_have_the_header_s_names_and_numbers(name):
    enumeration, prefix = ENUMERATIONS[name]
    elements = ffi.typeof(f"enum {name}").elements.items()
    assert {re.sub(f"^{prefix}", "", text): number for number, text in elements} == {
        member.name: member.value for member in enumeration
    }


def test_names_of_enumerations_are_typed_whole():
    """The literals that type checkers know."""
    from typing import get_args

    from diffsim import enums

    literals = {name: get_args(x) for name, x in vars(enums).items() if name.endswith("Name")}
    assert len(literals) > 12
    for name, known in literals.items():
        assert list(known) == [member.lower() for member in getattr(enums, name[:-4]).__members__], name


def test_fields_that_are_enumerations_take_names():
    """As the header's comments have them."""
    from diffsim.enums import CHOICES

    found = {}
    for struct, body in re.findall(r"typedef struct (ds_\w+) \{(.*?)\n\} \1;", IN_FRONT, flags=re.S):
        for comment, field in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*int32_t (\w+);", body, flags=re.S):
            kind = re.search(r"\b(?:A|An) (ds_\w+)", comment)
            if kind and kind[1] in ENUMERATIONS:
                found[struct, field] = ENUMERATIONS[kind[1]][0]
    listed = {(struct, field): kind for struct, fields in CHOICES.items() for field, kind in fields.items()}
    assert len(found) > 12 and found.items() <= listed.items()


def test_versions():
    assert f'#define DS_VERSION_STRING "{diffsim.__version__}"' in HEADERS
    assert f"#define DS_ABI_VERSION {diffsim.abi_version}\n" in HEADERS


def test_everything_public_says_what_it_is():
    public = {name: thing for name, thing in vars(diffsim).items() if not name.startswith("_")}
    ours = {name for name, thing in public.items() if getattr(thing, "__module__", "").startswith("diffsim")}
    assert ours <= set(diffsim.__all__)
    for name in diffsim.__all__:
        thing = getattr(diffsim, name)
        if isinstance(thing, type):
            assert thing.__doc__, name
            for attribute, value in vars(thing).items():
                if callable(value) and not attribute.startswith("_"):
                    assert value.__doc__, f"{name}.{attribute}"
