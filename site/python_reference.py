"""The Python reference: a page for each module that the package takes its public names from, by mkdocstrings."""

import ast

FOLDER = "reference/python"
#: Modules that are imported by their own name.
MODULES = ("adapters", "planning", "c_model", "casadi", "acados", "crocoddyl", "aligator")


def public(package):
    """The package's public names by module, in the order of its imports; those of its own under ""."""
    tree = ast.parse((package / "__init__.py").read_text())
    listed, modules = [], {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            listed = [e.value for e in node.value.elts]
        elif isinstance(node, ast.ImportFrom):
            modules[node.module] = [a.name for a in node.names]
    # The class that gives a module its name comes first.
    found = {
        module: sorted((n for n in names if n in listed), key=lambda n, module=module: n.lower() != module)
        for module, names in modules.items()
    }
    found[""] = sorted(set(listed) - {n for names in found.values() for n in names})
    return found


def title(package, module):
    """The first sentence of a module."""
    doc = ast.get_docstring(ast.parse((package / f"{module}.py").read_text()))
    return doc.split("\n\n")[0].replace("\n", " ").split(". ")[0].split(": ")[0].split(";")[0].rstrip(".")


def options(module, made):
    """Differences from mkdocs.yml: show values of an enumeration (its numbers), but not those of other attributes."""
    given = {"show_attribute_values": module == "enums", "merge_init_into_class": not made}
    return "    options:\n" + "".join(f"      {name}: {str(value).lower()}\n" for name, value in given.items())


def made_by_others(package, module):
    """Classes whose constructor is not for users, because its arguments are the library's."""
    for node in ast.parse((package / f"{module}.py").read_text()).body:
        for member in getattr(node, "body", []):
            if getattr(member, "name", "") == "__init__" and "create" in [a.arg for a in member.args.args]:
                yield node.name


def write(root):
    """Pages by path, and those of the navigation."""
    package = root / "bindings/python/src/diffsim"
    pages, navigation = {}, []
    index = ["# Python\n", "::: diffsim\n    options:\n      members: false\n"]
    found = public(package)
    for module, names in [*found.items(), *((m, None) for m in MODULES)]:
        if not module or names == []:
            continue
        path = f"{FOLDER}/{module.strip('_')}.md"
        heading = "Errors" if module == "_errors" else title(package, module)
        if names is None:
            blocks = [f"::: diffsim.{module}\n    options:\n      show_root_heading: false\n"]
            listed = f"`diffsim.{module}`"
        else:
            others = list(made_by_others(package, module))
            blocks = [f"::: diffsim.{n}\n{options(module, n in others)}" for n in names]
            listed = ", ".join(f"[`{n}`]({module.strip('_')}.md#diffsim.{n})" for n in names)
        pages[path] = "\n".join([f"# {heading}\n", *blocks])
        index += [f"**[{heading}]({module.strip('_')}.md)**\n", f"{listed}\n{{ .names }}\n"]
        navigation.append({module.strip("_").replace("_", " ").capitalize(): path})
    navigation.sort(key=lambda entry: next(iter(entry)))
    index += [f"::: diffsim.{name}\n" for name in found[""]]
    pages[f"{FOLDER}/index.md"] = "\n".join(index)
    return pages, [f"{FOLDER}/index.md", *navigation]
