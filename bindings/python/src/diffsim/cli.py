"""The command `diffsim`: shows, checks, simulates and records robots.

Exit codes: 0 for success, 1 if `check` finds an error, 2 for wrong arguments, 3 for a file that cannot be used.
"""

import argparse
import difflib
import io
import json
import math
import os
import pathlib
import shutil
import sys
import time
from typing import Any, Dict, Optional

import numpy as np

from . import examine
from ._errors import DiffsimError, FileError
from ._start import start
from .recorder import Recorder
from .recording import Recording, RecordingError
from .sim import Sim

DONE, FOUND, USAGE, UNUSABLE = 0, 1, 2, 3
#: Exit codes of a shell for a program that a signal ended.
INTERRUPTED, CLOSED = 130, 141
MARKS = {"note": "·", "warning": "!", "error": "✗"}


class Misuse(ValueError):
    """Arguments that do not fit each other. Exit code 2."""


class Unfit(ValueError):
    """A file of a kind that the command does not take."""


class Progress:
    """A progress bar on standard error, if it is a terminal. It is no wider than the terminal."""

    def __init__(self, total: Any, words: Any) -> None:
        self.total, self.words, self.shown = max(1, total), words, 0.0
        self.on = sys.stderr.isatty()
        self.width = max(0, min(30, shutil.get_terminal_size().columns - len(words) - 9))

    def __call__(self, done: Any) -> None:
        now = time.monotonic()
        if self.on and (now - self.shown > 0.1 or done == self.total):
            self.shown = now
            filled = self.width * done // self.total
            bar = f" [{'█' * filled}{'·' * (self.width - filled)}]" if self.width else ""
            print(f"\r{self.words}{bar} {100 * done // self.total}%", end="", file=sys.stderr, flush=True)
            if done >= self.total:
                print(file=sys.stderr)


def shown(text: Any) -> Any:
    """Text of a file for a terminal: escapes characters that are not printable."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def plain(value: Any) -> Any:
    """A value for JSON: null for infinities, which JSON does not have."""
    if isinstance(value, dict):
        return {k: plain(x) for k, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    value = float(value)
    return value if math.isfinite(value) else None


#: Terminal colours of lines that begin with a mark, or with the arrow of a cure.
COLORS = {"·": "36", "!": "33", "✗": "31", "    →": "2"}


def painted(line: str) -> str:
    """A line in the colour of its mark."""
    color = next((c for mark, c in COLORS.items() if line.startswith(mark)), None)
    return f"\x1b[{color}m{line}\x1b[0m" if color else line


def colored() -> bool:
    """True if standard output is a terminal with colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(args: Any, facts: Any, *lines: Any) -> None:
    """Prints the facts as JSON, or the lines."""
    if args.json:
        print(json.dumps(plain(facts), indent=2, allow_nan=False))
    else:
        paint = painted if colored() else str
        print("\n".join(paint(shown(line)) for line in lines))


def warn(text: Any) -> None:
    print(shown(text), file=sys.stderr)


#: The load options if the command line has none.
PLAIN = {"base": examine.CHOICES["base"]["file"], "actuation": examine.CHOICES["actuation"]["file"]}


def loading(args: Any) -> Any:
    """The load options of the command line."""
    options = {"base": examine.CHOICES["base"][args.base], "actuation": examine.CHOICES["actuation"][args.actuation]}
    if args.mimic != "couple":
        options["mimic"] = examine.CHOICES["mimic"][args.mimic]
    if args.ground:
        options["ground_plane"] = 1
    if args.exclude_overlapping:
        options["exclude_overlapping"] = 1
    if args.no_self_collision:
        options["self_collision"] = 0
    return options


#: Suffixes of robot files, and of the files to which a recording can be converted.
ROBOTS = (".xml", ".mjcf", ".urdf")
PAGES = (".glb", ".npz", ".html")
#: The argument that is a file, of the commands that take recordings, too.
RECORDINGS = {"info": "ROBOT|RECORDING", "view": "ROBOT|RECORDING", "convert": "RECORDING|ROBOT"}


def fit(args: Any, path: Any) -> None:
    """Refuses a file that by its name is no robot."""
    if pathlib.Path(path).suffix.lower() in ROBOTS:
        return
    both = args.command in RECORDINGS and not getattr(args, "live", False)
    kinds = "a robot .urdf, .xml or .mjcf" + (" or a recording .dsrec" if both else "")
    state = "" if os.path.isfile(path) else " (a folder)" if os.path.isdir(path) else " (no such file)" if not os.path.exists(path) else ""
    if not both and os.path.isfile(path) and is_recording(path):
        state = " (a recording; `diffsim info` and `diffsim view` take it)"
    raise Unfit(f"{RECORDINGS.get(args.command, 'ROBOT')}: expected {kinds}, got {f'{path}{state}' if path else 'nothing'}")


def load(args: Any, path: Any, examined: Any = None) -> Any:
    """Loads the robot. With `examined` the caller reports the findings; without it, lost geometry is a line on
    standard error."""
    fit(args, path)
    model = examine.load(path, examined or examine.Examined(path), mesh_dirs=args.mesh_dir, **loading(args))
    if examined is None and examine.loss(model):
        warn(f"diffsim: {path}: {examine.loss(model)}")
    return model


def stepping(args: Any, model: Any) -> Any:
    return {
        "time_step": args.time_step or model.time_step,
        "contact": examine.CHOICES["contact"][args.contact],
    }


def findings(examined: Any) -> Any:
    lines = []
    for f in examined.findings:
        lines.append(f"{MARKS[f.level]} {f.what}")
        if f.cure:
            lines.append(f"    → {f.cure}")
    return lines


def info_of_recording(args: Any) -> Any:
    r = Recording.read(args.robot)
    contacts = max((len(f.contacts) for f in r.frames), default=0)
    span = [float(r.times[0]), float(r.times[-1])] if r.frames else None
    facts = {
        "path": args.robot, "name": r.name, "frames": len(r.frames), "time": span, "rate": r.rate, "nq": r.nq, "nv": r.nv, "nu": r.nu,
        "bodies": [b.name for b in r.bodies[1:]], "channels": {n: s.stop - s.start for n, s in r.channels.items()},
        "contacts": contacts, "unsolved": sum(not f.converged for f in r.frames), "damage": r.damage,
    }  # fmt: skip
    lines = [
        f"{args.robot}: recording of {r.name or 'a robot without a name'}, {examine.many(len(r.frames), 'frame')}"
        + (f" from {span[0]:g} to {span[1]:g} s" if span else ""),
        f"{examine.many(len(r.bodies) - 1, 'moving body', 'moving bodies')}, nq {r.nq}, nv {r.nv}, nu {r.nu}; {examine.many(contacts, 'contact')} at most; {facts['unsolved']} frames unsolved",
    ]
    if r.channels:
        lines.append("channels: " + ", ".join(f"{n} ({k})" for n, k in facts["channels"].items()))
    if r.damage:
        lines.append(f"{MARKS['warning']} damaged: {r.damage}")
    say(args, facts, *lines)
    return DONE


def info(args: Any) -> Any:
    path = pathlib.Path(args.robot)
    if path.suffix == ".dsrec" or (path.is_file() and is_recording(path)):
        return info_of_recording(args)
    examined = examine.Examined(args.robot)
    model = load(args, args.robot, examined)
    examined.facts.update(examine.describe(model))
    examine.look(model, examined)
    f = examined.facts
    shapes = ", ".join(f"{n} {kind}" for kind, n in f["geoms"].items()) or "none"
    lines = [f"{args.robot}: {f['mass']:.5g} kg, nq {f['nq']}, nv {f['nv']}, nu {f['nu']}; geoms: {shapes}"]
    lines += examine.tree(f) + findings(examined)
    say(args, examined.as_dict(), *lines)
    return DONE


def check(args: Any) -> Any:
    examined = examine.Examined(args.robot)
    try:
        model = load(args, args.robot, examined)
    except (DiffsimError, Unfit) as error:
        if isinstance(error, FileError) or os.path.isdir(args.robot) or not os.path.exists(args.robot):
            raise
        examined.add("error", f"it cannot be loaded: {error}")
    else:
        examined.facts.update({"nq": model.nq, "nv": model.nv, "nu": model.nu})
        progress = Progress(args.steps, "steps")
        examine.check(model, examined, args.steps, progress, **stepping(args, model))
    f = examined.facts
    lines = [args.robot] + findings(examined)
    if "steps" in f:
        s = f["steps"]
        asked = "" if s["labelled"] == s["count"] else f" of {s['labelled']} that were asked for a derivative"
        lines.append(f"{s['count']} steps from home: {s['contacts']} contacts at most, {s['unsolved']} unsolved, {s['one_sided']} one-sided{asked}")
    if f.get("gradient", {}).get("states"):
        g = f["gradient"]
        lines.append(
            f"gradient{' without contact' if g['without_contact'] else ''} at {g['states']} states: within {g['against_differences']:.1e} of central differences, "
            f"reverse within {g['reverse_against_forward']:.1e} of forward"
        )
    if "timing" in f:
        t = f["timing"]
        jacobians = "" if t["jacobians_us"] is None else f", its Jacobians {t['jacobians_us']:.1f} µs"
        lines.append(f"a step takes {t['step_us']:.1f} µs (at worst {t['worst_step_us']:.1f}){jacobians}, from Python")
    lines.append("found errors" if examined.failed else "no errors")
    say(args, examined.as_dict(), *lines)
    return FOUND if examined.failed else DONE


def record(args: Any, model: Any, path: Any, seconds: Any, words: Any = "simulating") -> Any:
    """A recorder with a run from a keyframe or home."""
    options = stepping(args, model)
    sim = Sim(model, derivatives=0, **options)
    steps = round(seconds / options["time_step"])
    if steps == 0 and seconds > 0:
        raise Misuse(f"no step fits: --seconds {seconds:g} is less than half of --time-step {options['time_step']:g}")
    contacts = 0
    recorder = Recorder(model, rate=args.rate, path=path, visuals=args.robot, mesh_dirs=args.mesh_dir)
    for warning in recorder.warnings:
        warn(f"diffsim: not drawn as it is: {warning}")
    q, v, u = start(model, getattr(args, "keyframe", None) or None)
    if steps == 0:
        recorder.state(0.0, q, v)
    progress = Progress(steps, words)
    unsolved = 0
    for k in range(steps):
        q, v = sim.step(q, v, u)
        info = sim.info()
        unsolved += not info.converged
        contacts = max(contacts, info.contacts)
        recorder.step(sim)
        progress(k + 1)
    end = sim.center_of_mass(q) if model.nv else (0.0, np.zeros(3))
    facts = {"steps": steps, "time_step": options["time_step"], "unsolved": unsolved, "contacts": contacts}
    facts.update(q=q.tolist(), v=v.tolist(), com=np.asarray(end[1]).tolist(), top_speed=float(np.abs(v).max(initial=0.0)))
    return recorder, facts


def simulate(args: Any) -> Any:
    model = load(args, args.robot)
    began = time.perf_counter()
    recorder, facts = record(args, model, args.record, args.seconds)
    facts.update(frames=recorder.frames, record=args.record, wall_seconds=time.perf_counter() - began)
    recorder.close()
    lines = [
        f"{examine.many(facts['steps'], 'step')} of {facts['time_step']:g} s in {facts['wall_seconds']:.2f} s, {facts['unsolved']} unsolved"
        + (f"; {examine.many(facts['frames'], 'frame')} in {args.record}" if args.record else ""),
        f"at the end: centre of mass at {' '.join(f'{round(x, 7) + 0.0:.4g}' for x in facts['com'])} m, fastest dof {facts['top_speed']:.3g} rad/s or m/s; "
        f"{examine.many(facts['contacts'], 'contact')} at most",
    ]
    lines += [f"{MARKS['note']} {hint}" for hint in examine.hints(model)]
    say(args, facts, *lines)
    return DONE


def is_recording(path: Any) -> Any:
    """True if a file begins as a recording. An unreadable file counts as one unless it has the suffix of a robot
    file; the loader reports it."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x89DSR"
    except OSError:
        return pathlib.Path(path).suffix.lower() not in ROBOTS


def view(args: Any) -> Any:
    from . import viewer

    if args.live:
        if len(args.what) != 1 or is_recording(args.what[0]):
            raise Misuse(f"--live: expected one robot .urdf, .xml or .mjcf, got {' '.join(args.what)}")
        path = args.robot = args.what[0]
        model = load(args, path)
        from .live import Live, need_websockets

        need_websockets()
        options = {"host": args.host, "port": args.port, "visuals": path, "mesh_dirs": args.mesh_dir}
        Live(model, **options, **stepping(args, model)).run(open_browser=args.open)
        return DONE
    recordings, labels = [], []
    for path in args.what:
        if is_recording(path):
            recordings.append(Recording.read(path))
        else:
            args.robot = path
            model = load(args, path)
            recorder, _ = record(args, model, None, args.seconds)
            recordings.append(recorder.recording())
        labels.append(pathlib.Path(path).stem)
        if recordings[-1].damage:
            warn(f"{path}: damaged, {recordings[-1].damage}")
    out = pathlib.Path(args.output or pathlib.Path(args.what[0]).with_suffix(".html").name)
    page = viewer.page(recordings, title=args.title, labels=labels)
    out.write_text(page, encoding="utf-8")
    if args.open:
        import webbrowser

        webbrowser.open(out.resolve().as_uri())
    facts = {"output": str(out), "bytes": len(page.encode()), "frames": [len(r.frames) for r in recordings]}
    say(args, facts, f"{out}: {len(page.encode()) / 1e6:.2f} MB, open it in a browser")
    return DONE


def bench(args: Any) -> Any:
    model = load(args, args.robot)
    sim = Sim(model, **stepping(args, model))
    states, counts, times, _ = examine.run(model, sim, args.steps, Progress(args.steps, "steps"))
    facts = {
        "path": args.robot,
        "nv": model.nv,
        "contacts": counts["contacts"],
        **examine.timing(model, sim, states, times),
        **examine.peers(args.robot, model, args.steps, loading(args) != PLAIN),
    }
    jacobians = "–" if facts["jacobians_us"] is None else f"{facts['jacobians_us']:.1f} µs"
    lines = [
        f"{args.robot}: {facts['nv']} dofs, {facts['contacts']} contacts at most; median of {args.steps} steps, from Python",
        f"  diffsim  step {facts['step_us']:.1f} µs, Jacobians {jacobians}",
    ]
    if facts["mujoco"]:
        source = "" if facts["own_file"] else ", with the MJCF that diffsim writes"
        lines.append(f"  MuJoCo {facts['version']}  step {facts['mujoco']:.1f} µs, from its own start{source}")
        lines += [f"{MARKS['warning']} MuJoCo's robot: {lost}" for lost in facts["lost"]]
    else:
        lines.append(f"  {facts['why']}")
    say(args, facts, *lines)
    return DONE


def convert(args: Any) -> Any:
    out = pathlib.Path(args.output)
    if out.suffix.lower() in ROBOTS:
        return convert_robot(args, out)
    if not is_recording(args.what):
        fit(args, args.what)
        raise ValueError(f"{args.what}: a robot is converted to {', '.join(ROBOTS)}, not to {out.suffix}; only recordings are")
    recording = Recording.read(args.what)
    if out.suffix.lower() == ".glb":
        from . import gltf

        gltf.write(recording, out, args.shapes)
    elif out.suffix.lower() == ".npz":
        f = recording.frames
        arrays: Dict[str, Any] = {name: np.array([getattr(x, name) for x in f]) for name in ("time", "q", "v", "u", "poses")}
        for name in recording.channels:
            arrays[f"channel {name}"] = recording.channel(name)
        # Contacts of all frames: frame k has contact_start[k] to contact_start[k + 1].
        arrays["contact_start"] = np.concatenate([[0], np.cumsum([len(x.contacts) for x in f])])
        for name in ("geom_a", "geom_b", "mode", "point", "normal", "tangent", "impulse", "gap"):
            arrays[f"contact_{name}"] = np.concatenate([x.contacts[name] for x in f]) if f else np.zeros(0)
        with open(out, "wb") as file:  # A name would get another ending if its own is in capitals.
            np.savez_compressed(file, bodies=[b.name for b in recording.bodies], **arrays)
    else:
        recording.view(out)
    say(args, {"output": str(out), "frames": len(recording.frames), "damage": recording.damage}, f"{out}: {len(recording.frames)} frames")
    return DONE


def convert_robot(args: Any, out: Any) -> Any:
    if not os.path.exists(args.what):
        fit(args, args.what)
    elif is_recording(args.what):
        raise ValueError(f"{args.what}: a recording is converted to .glb, .npz or .html, not to {out.suffix}")
    examined = examine.Examined(args.what)
    model = load(args, args.what, examined)
    lost = model.save(out, strict=args.strict)
    facts = {"output": str(out), "nq": model.nq, "nv": model.nv, "nu": model.nu, "loader": list(model.warnings), "lost": list(lost)}
    if examine.loss(model):
        examined.add("warning", examine.loss(model))
    lines = findings(examined) + [f"{MARKS['warning']} {line}" for line in lost]
    lines.append(f"{out}: nq {model.nq}, nv {model.nv}; not said: {len(lost) or 'nothing'}")
    say(args, facts, *lines)
    return DONE


def completion(args: Any) -> Any:
    commands = sorted(args.all)
    values = "\n".join(f"        {name}) COMPREPLY=($(compgen -W '{' '.join(of)}' -- \"$word\")); return ;;" for name, of in args.choices.items())
    if args.shell == "fish":
        print(f"complete -c diffsim -n __fish_use_subcommand -xa '{' '.join(commands)}'")
        for name in commands:
            for word in args.all[name]:
                of = f" -xa '{' '.join(args.choices[word])}'" if word in args.choices else ""
                print(f"complete -c diffsim -n '__fish_seen_subcommand_from {name}' -l {word[2:]}{of}")
        return DONE
    cases = "\n".join(f"        {name}) words='{' '.join(args.all[name])}' ;;" for name in commands)
    prefix = "autoload -U +X bashcompinit && bashcompinit\n" if args.shell == "zsh" else ""
    print(
        f"""{prefix}_diffsim() {{
    local words="{' '.join(commands)}" word="${{COMP_WORDS[COMP_CWORD]}}"
    if [ "$COMP_CWORD" -gt 1 ]; then
        case "${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
        esac
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
        case "${{COMP_WORDS[COMP_CWORD-1]}} $word" in
        -o*|--output*|--record*) COMPREPLY=($(compgen -f -- "$word")); return ;;
        *\\ -*) ;;
        *) COMPREPLY=($(compgen -d -- "$word") $(compgen -f -- "$word" | grep -E '\\.(urdf|xml|mjcf|dsrec)$')); return ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o filenames -F _diffsim diffsim"""
    )
    return DONE


#: Other words for values, and other names of options: those of other programs, and Python's.
WORDS = {"floating": "free", "float": "free", "welded": "fixed", "all": "full", "off": "none", "coulomb": "ncp"}
OPTIONS = {
    "--timestep": "--time-step", "--dt": "--time-step", "--duration": "--seconds", "--fps": "--rate", "--floating-base": "--base free",
    "--fixed-base": "--base fixed", "--self-collision": "--no-self-collision", "--mesh-dirs": "--mesh-dir", "--law": "--contact",
}  # fmt: skip


def nearest(word: str, of: Any) -> Optional[str]:
    """The one of these words that was probably meant."""
    found = difflib.get_close_matches(word, list(of), 1)
    return found[0] if found else None


class Arguments(argparse.ArgumentParser):
    """A parser whose errors are one line of usage, of the command that was called, and the error with what was
    probably meant."""

    def short(self) -> str:
        """The usage in a line: options that may be left out have no names."""
        words = [self.prog]
        if any(a.option_strings and not a.required for a in self._actions):
            words.append("[OPTIONS]")
        for a in self._actions:
            if a.option_strings and a.required:
                words.append(f"{a.option_strings[0]} {a.metavar or a.dest.upper()}")
            elif not a.option_strings:
                words.append(str(a.metavar or a.dest.upper()) + (" ..." if a.nargs in ("+", argparse.PARSER) else ""))
        return f"usage: {' '.join(words)} ({self.prog} --help says more)"

    def error(self, message: str) -> Any:
        """Prints the usage and the error, and exits."""
        warn(self.short())
        warn(f"{self.prog}: {message}")
        self.exit(USAGE)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuses what it does not know; by default the parser of all commands does, for its commands."""
        known, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(self.unknown(rest))
        return known, rest

    def unknown(self, rest: Any) -> str:
        """Text about arguments that it does not take."""
        option = next((word.partition("=")[0] for word in rest if word.startswith("-")), None)
        if option is None:
            return f"unexpected argument {rest[0]}"
        written = option.lower().replace("_", "-")
        meant = OPTIONS.get(written)
        if meant is None or meant.split()[0] not in self._option_string_actions:
            near = nearest(written.lstrip("-"), [s[2:] for s in self._option_string_actions if s.startswith("--")])
            meant = near and f"--{near}"
        return f"unknown option {option}" + (f", did you mean {meant}?" if meant else "")

    def _check_value(self, action: Any, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        word = str(value).lower().rpartition(".")[2].rpartition("_")[2]
        meant = WORDS.get(word)
        meant = meant if meant in action.choices else nearest(word, action.choices)
        raise argparse.ArgumentError(action, f"expected {', '.join(action.choices)}, got {value}" + (f", did you mean {meant}?" if meant else ""))


def ending(*endings: str, instead: str = "") -> Any:
    """The type of a name that ends so."""

    def name(text: str) -> str:
        if pathlib.Path(text).suffix.lower() not in endings:
            raise argparse.ArgumentTypeError(f"expected a name that ends in {', '.join(endings)}, got {text}{instead}")
        return text

    return name


def parser() -> Any:
    """The arguments of all commands."""
    top = Arguments(prog="diffsim", description="Look at robots, check, simulate and watch them.", epilog="Exit codes: 0 done, 1 check found an error, 2 wrong arguments, 3 a file that cannot be used.")
    top.add_argument("--version", action="version", version=f"diffsim {version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    out = argparse.ArgumentParser(add_help=False)
    out.add_argument("--json", action="store_true", help="write the result as JSON")
    robot = argparse.ArgumentParser(add_help=False, parents=[out])
    robot.add_argument("--base", choices=examine.CHOICES["base"], default="file", help="how it hangs on the world; default: as in the file")
    robot.add_argument("--actuation", choices=examine.CHOICES["actuation"], default="file", help="its inputs: those of the file, one each dof, or each dof but a floating base's")
    robot.add_argument("--mimic", choices=examine.CHOICES["mimic"], default="couple", help="joints that follow others")
    robot.add_argument("--ground", "--ground-plane", action="store_true", help="add the plane z = 0")
    robot.add_argument("--mesh-dir", action="append", default=[], metavar="FOLDER", help="where meshes are; may be given again")
    robot.add_argument("--exclude-overlapping", action="store_true", help="geoms that overlap at neutral never touch")
    robot.add_argument("--no-self-collision", action="store_true", help="bodies of one robot never touch")
    steps = argparse.ArgumentParser(add_help=False)
    steps.add_argument("--time-step", type=positive, metavar="S", help="default: the model's")
    steps.add_argument("--contact", choices=examine.CHOICES["contact"], default="ncp", help="the contact law; default: ncp")
    rate = argparse.ArgumentParser(add_help=False)
    rate.add_argument("--rate", type=float, default=60.0, metavar="HZ", help="frames a second, default 60; 0: every step")
    rate.add_argument("--keyframe", metavar="NAME", help="where it starts; default: home")

    def command(function: Any, words: Any, *parents: Any) -> Any:
        made = commands.add_parser(function.__name__, help=words, description=words, parents=list(parents))
        made.set_defaults(run=function, usage=made.short)
        return made

    command(info, "bodies, joints and masses as a tree, and anything unusual; sizes of a recording", robot).add_argument("robot", metavar=RECORDINGS["info"], help="a robot .urdf, .xml or .mjcf, or a recording .dsrec")
    c = command(check, "load, step, differentiate and time a robot, and explain what is unusual", robot, steps)
    c.add_argument("robot", metavar="ROBOT", help="a file .urdf, .xml or .mjcf")
    c.add_argument("--steps", type=count, default=300, metavar="N", help="how many it takes, default 300")
    v = command(view, "a page that shows robots or recordings", robot, steps, rate)
    v.add_argument("what", nargs="+", metavar=RECORDINGS["view"], help="a robot .urdf, .xml or .mjcf, or a recording .dsrec")
    v.add_argument("-o", "--output", type=ending(".html"), metavar="FILE.html", help="default: the name of the first one, in the current folder")
    v.add_argument("--title", help="default: the robot's name")
    v.add_argument("--seconds", type=not_negative, default=0.0, metavar="S", help="how long a robot falls; default 0: one picture")
    v.add_argument("--live", action="store_true", help="run the robot in real time, to be pulled with the mouse (needs websockets)")
    v.add_argument("--host", default="127.0.0.1", help="of --live: who may reach it; default: this machine only")
    v.add_argument("--port", type=int, default=0, help="of --live; default: any free one")
    v.add_argument("--open", action="store_true", help="open it in the browser")
    s = command(simulate, "let a robot fall, and record it", robot, steps, rate)
    s.add_argument("robot", metavar="ROBOT", help="a file .urdf, .xml or .mjcf")
    s.add_argument("--seconds", type=positive, default=1.0, metavar="S", help="how long it falls, default 1")
    page = "; `diffsim view` makes a page of a recording, `diffsim convert` arrays"
    s.add_argument("-o", "--record", type=ending(".dsrec", instead=page), metavar="FILE.dsrec", help="where the recording goes; default: nowhere")
    b = command(bench, "time its steps, beside MuJoCo's where that is installed", robot, steps)
    b.add_argument("robot", metavar="ROBOT", help="a file .urdf, .xml or .mjcf")
    b.add_argument("--steps", type=count, default=1000, metavar="N", help="how many it takes, default 1000")
    c = command(convert, "a recording as glTF (.glb), arrays (.npz) or a page (.html), a robot as MJCF (.xml) or URDF", robot)
    c.add_argument("what", metavar=RECORDINGS["convert"], help="a robot .urdf, .xml or .mjcf, or a recording .dsrec")
    c.add_argument("-o", "--output", required=True, type=ending(*PAGES, *ROBOTS), metavar="FILE", help="its ending says the format: {}".format(", ".join(PAGES + ROBOTS)))
    c.add_argument("--strict", action="store_true", help="write no robot that the format cannot say as a whole")
    c.add_argument("--shapes", choices=["drawn", "collision", "both"], default="drawn", help="which shapes a .glb has; default: drawn")
    c = command(completion, "what a shell reads to complete: eval \"$(diffsim completion bash)\"")
    c.add_argument("shell", choices=["bash", "zsh", "fish"])
    of = {name: [s for a in made._actions for s in a.option_strings if s.startswith("--")] for name, made in commands.choices.items()}
    choices = {
        s: list(a.choices) for made in commands.choices.values() for a in made._actions if a.choices for s in a.option_strings
    }
    c.set_defaults(all=of, choices=choices)
    return top


def version() -> str:
    """The library's version."""
    from ._native import lib
    from ._native import text as decoded

    return decoded(lib.ds_version_string()) or ""


def positive(text: Any) -> Any:
    value = _number(float, text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text}")
    return value


def not_negative(text: Any) -> Any:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number, 0 or more, got {text}")
    return value


def count(text: Any) -> Any:
    value = _number(int, text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number, 1 or more, got {text}")
    return value


def _number(kind: Any, text: Any) -> Any:
    """0, which no option takes, if it is no number."""
    try:
        return kind(text)
    except ValueError:
        return 0


def drop_output() -> None:
    """Drops the rest of the buffer, whose flush has failed: it would fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Any = None) -> int:
    """Runs a command and returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a replacement.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    args = parser().parse_args(arguments)
    try:
        code: int = args.run(args)
        # None if the caller has closed it.
        if sys.stdout:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader has closed the pipe.
        drop_output()
        return CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except (DiffsimError, RecordingError, OSError, KeyError, ValueError, ImportError) as error:
        words: Any = error.args[0] if isinstance(error, KeyError) else error
        if isinstance(error, OSError) and error.filename is not None:
            words = f"{os.fspath(error.filename)}: {error.strerror}"
        if isinstance(error, Misuse):
            warn(args.usage())
        warn(f"diffsim {args.command}: {words}")
        try:
            if getattr(args, "json", False):
                print(json.dumps({"error": str(words)}))
            if sys.stdout:
                sys.stdout.flush()
        except OSError:
            drop_output()
        return USAGE if isinstance(error, Misuse) else UNUSABLE
