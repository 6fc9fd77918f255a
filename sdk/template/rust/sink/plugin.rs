//! plugin.rs - the sink `@NAME@`: a line of text for each span, "START DURATION LANE NAME" with tabs between
//! them, times in ns.  Put what you write in its place.
use nprof::{options, plugin, raw, Host, Options, Output, Result, Row, Rows, Sink};

const WRITE_BYTES: usize = 256 << 10; // what is handed on at once

struct Lines {
    host: Host,
    output: Output,
    text: String,
    left_out: u64, // rows that are no spans
}

/// Picoseconds as ns, exactly, without zeros at the end.
fn nanoseconds(ps: i64) -> String {
    let (sign, ps) = (if ps < 0 { "-" } else { "" }, ps.unsigned_abs());
    let text = format!("{sign}{}.{:03}", ps / 1000, ps % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Lines {
    fn write(&mut self) -> Result<()> {
        self.output.write(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Text may hold any character: those that would end a field or a line become spaces.
    fn put_field(&mut self, str: u32) {
        self.text += &self.host.string(str).replace(['\t', '\n', '\r'], " ");
    }

    fn put_span(&mut self, row: &Row) {
        self.text += &nanoseconds(row.start);
        self.text.push('\t');
        self.text += &row.duration.map_or("-".to_string(), nanoseconds); // -: the file has no end for it
        self.text.push('\t');
        self.put_field(self.host.track_label(row.track));
        self.text.push('\t');
        self.put_field(row.name);
        self.text.push('\n');
    }
}

impl Sink for Lines {
    const NAME: &'static str = "@NAME@\0";
    const SUMMARY: &'static str = "spans as lines of text with tabs\0";
    const FILE: &'static str = "@NAME@.txt\0";

    fn open(host: Host, options: &Options) -> Result<Self> {
        let title = if options.bool(0) { "start_ns\tduration_ns\tlane\tname\n" } else { "" };
        Ok(Lines { host, output: host.output()?, text: title.to_string(), left_out: 0 })
    }

    fn consume(&mut self, rows: &Rows) -> Result<()> {
        for row in rows.iter() {
            if row.kind == raw::NPROF_SPAN {
                self.put_span(&row);
            } else {
                self.left_out += 1;
            }
        }
        if self.text.len() >= WRITE_BYTES { self.write() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<()> {
        if self.left_out > 0 {
            let text = format!("{} rows that are no spans were not written", self.left_out);
            self.host.log(raw::NPROF_WARNING, &text);
        }
        self.write()
    }
}

options!(OPTIONS, [(raw::NPROF_OPT_BOOL, "title", "yes", "", "a first line that names the columns")]);

plugin!(
    "@NAME@\0",
    concat!(env!("PLUGIN_VERSION"), "\0"),
    "unknown\0",
    raw::nprof_component { options: OPTIONS.0, ..nprof::sink::<Lines>() }
);
