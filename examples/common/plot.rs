//! Line plots written as SVG.

use diffsim::error::{Error, Result};
use std::fmt::Write;
use std::path::Path;

/// A polyline with its entry in the legend.
#[derive(Clone, Debug)]
pub struct Series {
    pub label: String,
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Values over their index.
    pub fn of(label: &str, values: &[f64]) -> Series {
        Series {
            label: label.into(),
            points: values
                .iter()
                .enumerate()
                .map(|(k, y)| (k as f64, *y))
                .collect(),
        }
    }
}

/// A plot with a logarithmic vertical axis.
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    pub title: &'a str,
    pub x_label: &'a str,
    pub y_label: &'a str,
    pub series: Vec<Series>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 68.0;
const BOTTOM: f64 = 56.0;
/// Distinct in colour and in dash, so that grey print and colour blindness lose nothing.
const STYLES: [(&str, &str); 4] = [
    ("#0072b2", "none"),
    ("#d55e00", "8 4"),
    ("#009e73", "2 4"),
    ("#555555", "10 3 2 3"),
];
/// Zero has no logarithm: values below are drawn here.
const FLOOR: f64 = 1e-17;

impl Plot<'_> {
    pub fn write(&self, path: &Path) -> Result<()> {
        std::fs::write(path, self.svg()).map_err(|e| Error::io(format!("{}: {e}", path.display())))
    }

    /// First and last decade, widened to whole ones.
    fn decades(&self) -> (i32, i32) {
        let logs = self.points().map(|(_, y)| y.max(FLOOR).log10());
        let (low, high) = logs.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
        if low > high {
            return (-1, 0);
        }
        let low = low.floor() as i32;
        (low, (high.ceil() as i32).max(low + 1))
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.series.iter().flat_map(|s| s.points.iter().copied())
    }

    pub fn svg(&self) -> String {
        let (low, high) = self.decades();
        let x_max = self.points().fold(1.0_f64, |m, (x, _)| m.max(x));
        let to_x = |x: f64| LEFT + (WIDTH - LEFT - RIGHT) * x / x_max;
        let to_y = |y: f64| {
            let share = (y.max(FLOOR).log10() - f64::from(low)) / f64::from(high - low);
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
        };
        let mut s = Svg::new(self.title);
        let every = ((high - low) / 9 + 1).max(1);
        for decade in low..=high {
            let y = to_y(10f64.powi(decade));
            s.line((LEFT, y), (WIDTH - RIGHT, y), "#dddddd");
            if (decade - low) % every == 0 {
                s.text(LEFT - 8.0, y + 4.0, "end", &format!("1e{decade}"));
            }
        }
        let step = tick(x_max);
        for k in 0..=(x_max / step).floor() as usize {
            let x = k as f64 * step;
            s.line((to_x(x), TOP), (to_x(x), HEIGHT - BOTTOM), "#dddddd");
            s.text(to_x(x), HEIGHT - BOTTOM + 18.0, "middle", &x.to_string());
        }
        s.line((LEFT, TOP), (LEFT, HEIGHT - BOTTOM), "#000000");
        s.line(
            (LEFT, HEIGHT - BOTTOM),
            (WIDTH - RIGHT, HEIGHT - BOTTOM),
            "#000000",
        );
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        s.text(middle, HEIGHT - 14.0, "middle", self.x_label);
        s.vertical_text(20.0, (TOP + HEIGHT - BOTTOM) / 2.0, self.y_label);
        for (series, style) in self.series.iter().zip(STYLES.iter().cycle()) {
            let points: Vec<_> = series
                .points
                .iter()
                .map(|(x, y)| (to_x(*x), to_y(*y)))
                .collect();
            s.polyline(&points, *style);
        }
        self.legend(&mut s);
        s.finish()
    }

    /// One row between title and plot.
    fn legend(&self, s: &mut Svg) {
        let width = (WIDTH - LEFT - RIGHT) / self.series.len().max(1) as f64;
        for (i, (series, style)) in self.series.iter().zip(STYLES.iter().cycle()).enumerate() {
            let (x, y) = (LEFT + width * i as f64, TOP - 20.0);
            s.polyline(&[(x, y), (x + 34.0, y)], *style);
            s.text(x + 42.0, y + 4.0, "start", &series.label);
        }
    }
}

/// A round distance between about ten ticks on [0, max].
fn tick(max: f64) -> f64 {
    let raw = max / 10.0;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let step = step.into_iter().find(|s| *s >= raw).unwrap_or(raw);
    step.max(1.0)
}

/// A drawing under construction.
struct Svg(String);

impl Svg {
    fn new(title: &str) -> Svg {
        let mut s = Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        ));
        s.text((LEFT + WIDTH - RIGHT) / 2.0, 24.0, "middle", title);
        s
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = self.0.write_fmt(element);
        self.0.push('\n');
    }

    fn line(&mut self, a: (f64, f64), b: (f64, f64), color: &str) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\"/>",
            a.0, a.1, b.0, b.1
        ));
    }

    fn polyline(&mut self, points: &[(f64, f64)], (color, dash): (&str, &str)) {
        let list: Vec<_> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dash}\"/>",
            list.join(" ")
        ));
        for (x, y) in points {
            self.push(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{color}\"/>"
            ));
        }
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let text = escaped(text);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    fn vertical_text(&mut self, x: f64, y: f64, text: &str) {
        let text = escaped(text);
        self.push(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{text}</text>"
        ));
    }

    fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
