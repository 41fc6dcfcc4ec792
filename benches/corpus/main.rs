//! The corpus: a fixed list of scenes, stepped with each rigid law and the convex one. Prints the number of
//! solved steps, their work, and the methods that found the solutions; and the differences from
//! `benches/corpus/baseline.json`. Counts are the same in every run, times are not.
//!
//! `cargo bench --bench corpus -- [--law LAW] [--scene WORD] [--list FILE] [--write] [FILE or FOLDER ...]`
//!
//! Files replace the scenes of the list; `--list` takes the lines of `files.py`. `--write` writes the
//! baseline.

mod run;
mod scenes;
mod sources;

use diffsim::contact::tally::Stage;
use run::{LAWS, Run};
use scenes::Scene;
use sources::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Numbers by names, as in the baseline.
type Table = BTreeMap<String, Vec<f64>>;

#[derive(Default)]
struct Arguments {
    law: Option<String>,
    scene: Option<String>,
    sources: Vec<Source>,
    writes: bool,
}

impl Arguments {
    fn read() -> Arguments {
        let mut given = Arguments::default();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .unwrap_or_else(|| panic!("{word} needs a value"))
            };
            match word.as_str() {
                // Cargo's.
                "--bench" => {}
                "--law" => given.law = Some(value()),
                "--scene" => given.scene = Some(value()),
                "--list" => {
                    let text = std::fs::read_to_string(value()).expect("a readable list");
                    given.sources.extend(Source::read(&text));
                }
                "--write" => given.writes = true,
                path => Source::below(Path::new(path), &mut given.sources),
            }
        }
        given
    }

    fn wants(&self, scene: &str) -> bool {
        self.scene.as_ref().is_none_or(|word| scene.contains(word))
    }

    /// Calls `see` with each scene. Files are loaded one at a time.
    fn each(&self, mut see: impl FnMut(&Scene)) {
        if self.sources.is_empty() {
            scenes::own()
                .iter()
                .filter(|s| self.wants(&s.name))
                .for_each(see);
            return;
        }
        for source in self.sources.iter().filter(|s| self.wants(&s.name)) {
            match source.scenes() {
                Ok(scenes) => scenes.iter().for_each(&mut see),
                Err(message) => println!("| {} | refused: {message} |", source.name),
            }
        }
    }
}

fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/corpus/baseline.json")
}

/// The digits of numbers that are printed and kept.
fn told<const N: usize>(numbers: [f64; N], digits: [usize; N]) -> Vec<f64> {
    let told = numbers
        .iter()
        .zip(digits)
        .map(|(x, digits)| format!("{x:.digits$}"));
    told.map(|x| x.parse().expect("a number")).collect()
}

fn told_figures(run: &Run) -> Vec<f64> {
    told(run.figures(), [0, 0, 0, 0, 2, 0, 0])
}

/// One name and its numbers a line.
fn write(table: &Table) {
    let line = |(name, numbers): (&String, &Vec<f64>)| {
        let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
        format!("  \"{name}\": [{}]", numbers.join(", "))
    };
    let lines: Vec<String> = table.iter().map(line).collect();
    std::fs::write(place(), format!("{{\n{}\n}}\n", lines.join(",\n")))
        .expect("a writable baseline");
}

fn read() -> Table {
    let text = std::fs::read_to_string(place()).unwrap_or_default();
    let entry = |line: &str| {
        let (name, numbers) = line.trim().split_once(": [")?;
        let numbers = numbers.split(']').next()?.split(", ");
        let numbers = numbers
            .map(|x| x.parse().expect("a number of the baseline"))
            .collect();
        Some((name.trim_matches('"').to_string(), numbers))
    };
    text.lines().filter_map(entry).collect()
}

fn percent(part: f64, of: f64) -> String {
    match part {
        0.0 => "0".into(),
        _ => format!("{:.1} %", 100.0 * part / of),
    }
}

/// A row of figures, and those of the baseline.
fn row(name: &str, run: &Run, before: Option<&Vec<f64>>) -> String {
    let now = told_figures(run);
    let change = match before {
        None => "new".to_string(),
        Some(before) if *before == now => String::new(),
        Some(b) => format!(
            "was {} unsolved, {} yielded, {} one-sided; {}, {}, {}",
            b[1], b[2], b[3], b[4], b[5], b[6]
        ),
    };
    let failure = match &run.failure {
        Some(message) => format!("ended: {message}"),
        None => String::new(),
    };
    let us = 1e6 * run.seconds / now[0].max(1.0);
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {us:.1} | {change} {failure} |",
        now[0],
        now[1],
        percent(now[2], now[0]),
        percent(now[3], now[0]),
        now[4],
        now[5],
        now[6]
    )
}

const HEAD: &str = "| scene, law | steps | unsolved | yielded | one-sided | work: mean | 99 % | worst | µs a step | before |\n\
                    |---|---|---|---|---|---|---|---|---|---|";

fn called(stage: Stage) -> String {
    match stage {
        Stage::Rigid(method) => format!("{method:?}"),
        other => format!("{other:?}"),
    }
}

fn main() {
    let given = Arguments::read();
    let before = read();
    let (mut now, mut all) = (Table::new(), LAWS.map(|_| Run::new()));
    println!("{HEAD}");
    given.each(|scene| {
        let laws = LAWS.iter().zip(&mut all);
        for ((law, contact), all) in laws {
            if given.law.as_ref().is_some_and(|word| word != law) {
                continue;
            }
            let run = Run::of(scene, *contact, usize::MAX);
            let name = format!("{}, {law}", scene.name);
            println!("{}", row(&name, &run, before.get(&name)));
            all.add(&run);
            now.insert(name, told_figures(&run));
        }
    });
    let is_whole = given.sources.is_empty() && given.scene.is_none() && given.law.is_none();
    // Sums are compared only with those of the same scenes.
    let known = |name: &str| before.get(name).filter(|_| is_whole);
    for ((law, _), all) in LAWS.iter().zip(&all).filter(|(_, all)| all.steps > 0) {
        let name = format!("all, {law}");
        println!("{}", row(&name, all, known(&name)));
        now.insert(name, told_figures(all));
    }
    println!(
        "\n| method, law | tried | found | work | share of work | before |\n|---|---|---|---|---|---|"
    );
    for ((law, _), all) in LAWS.iter().zip(&all) {
        let sum: f64 = all.uses.iter().map(|(_, own)| own[2]).sum();
        for (stage, own) in all.uses.iter().filter(|(_, own)| own[0] > 0.0) {
            let numbers = told(*own, [0; 3]);
            let name = format!("method {}, {law}", called(*stage));
            let change = match known(&name) {
                Some(before) if *before != numbers => {
                    format!("was {}, {}, {}", before[0], before[1], before[2])
                }
                _ => String::new(),
            };
            let (called, share) = (called(*stage), percent(own[2], sum));
            let [tried, found, work] = [numbers[0], numbers[1], numbers[2]];
            println!("| {called}, {law} | {tried} | {found} | {work} | {share} | {change} |");
            now.insert(name, numbers);
        }
    }
    if given.writes {
        assert!(is_whole, "--write takes no choice of scenes, laws or files");
        write(&now);
    }
}
