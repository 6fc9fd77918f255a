//! plugin.rs - the decoder `@NAME@`.  Its format is a line of text for each span, below a first line that
//! says what it is; put yours in its place:
//!
//!   #@NAME@
//!   START DURATION LANE NAME     times in ns with up to 3 decimals; DURATION - is not known
use nprof::{attributes, options, plugin, raw, Decoder, Host, Options, Result, Writer};

const MAGIC: &[u8] = b"#@NAME@\n"; // in hex also in @NAME@.plugin: other files do not open this plugin
const PROGRESS_BYTES: usize = 1 << 20; // nprof wants to hear of us at least every 8 MB

struct Lines {
    host: Host,
    line_key: u32,
    wants_line: bool, // somebody reads it
    digits: u32, // decimals of a time down to picoseconds
    line: i64,   // number of the line, from 1
    last: i64,   // ps: where the last span began
}

struct Span<'a> {
    start: i64,
    duration: Option<i64>, // None: the file has no end for it
    lane: &'a [u8],
    name: &'a [u8],
}

/// A decimal number as units of 10^-digits, exactly: times never pass through a double.
fn read_time(text: &[u8], digits: u32) -> Option<i64> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mut parts = text.splitn(2, |c| *c == b'.');
    let (whole, rest) = (parts.next()?, parts.next().unwrap_or(b""));
    if whole.is_empty() || rest.iter().skip(digits as usize).any(|c| *c != b'0') {
        return None; // no number, or finer than a picosecond
    }
    let zeros = std::iter::repeat(&b'0');
    let mut value = 0i64;
    for c in whole.iter().chain(rest.iter().chain(zeros).take(digits as usize)) {
        let digit = c.is_ascii_digit().then(|| i64::from(*c - b'0'))?;
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    Some(if negative { -value } else { value })
}

fn read_span(line: &[u8], digits: u32) -> Option<Span<'_>> {
    let mut words = line.splitn(4, |c| *c == b' ');
    let start = read_time(words.next()?, digits)?;
    let duration = match words.next()? {
        b"-" => None,
        text => Some(read_time(text, digits).filter(|ps| *ps >= 0)?),
    };
    let (lane, name) = (words.next()?, words.next()?);
    (!lane.is_empty() && !name.is_empty()).then_some(Span { start, duration, lane, name })
}

impl Lines {
    fn add_span(&mut self, writer: &mut Writer, span: &Span) -> Result<()> {
        let lane = self.host.intern_bytes(span.lane);
        let track = self.host.track_of(0, raw::NPROF_TRACK_THREAD, lane, 0)?;
        self.last = span.start;
        writer.span(track, self.host.intern_bytes(span.name), span.start, span.duration)?;
        if self.wants_line {
            writer.attr_int(self.line_key, self.line)?;
        }
        Ok(())
    }

    /// nprof stops here, or counts it and goes on (--keep-going): then a gap shows where it was.
    fn add_damage(&mut self, writer: &mut Writer, at: usize) -> Result<()> {
        self.host.damage(at as u64, "expected START DURATION LANE NAME")?;
        let name = self.host.intern("damaged line");
        writer.row(raw::NPROF_GAP, self.host.root(), name, self.last, Some(0))
    }
}

impl Decoder for Lines {
    const NAME: &'static str = "@NAME@\0";
    const SUMMARY: &'static str = "spans written down as lines of text\0";
    const FORMATS: &'static str = "text that begins with #@NAME@\0";

    fn probe(head: &[u8]) -> i32 {
        if head.starts_with(MAGIC) { 90 } else { 0 }
    }

    fn open(host: Host, options: &Options) -> Result<Self> {
        let digits = [3, 6, 9][options.choice(0)]; // of ns, us, ms
        let (line_key, wants_line) = (host.intern("line"), host.wanted("line"));
        Ok(Lines { host, line_key, wants_line, digits, line: 1, last: 0 })
    }

    fn decode(&mut self, data: &[u8]) -> Result<()> {
        if Self::probe(data) == 0 {
            return Err(self.host.fail(raw::NPROF_E_FORMAT, "byte 0: expected the line #@NAME@"));
        }
        let mut writer = self.host.writer()?;
        let (mut at, mut told) = (MAGIC.len(), 0);
        for line in data[MAGIC.len()..].split(|c| *c == b'\n') {
            self.line += 1;
            match read_span(line, self.digits) {
                Some(span) => self.add_span(&mut writer, &span)?,
                None if line.is_empty() => (),
                None => self.add_damage(&mut writer, at)?,
            }
            at = data.len().min(at + line.len() + 1);
            if at - told >= PROGRESS_BYTES {
                self.host.progress(told as u64, at as u64)?;
                told = at;
            }
        }
        self.host.progress(told as u64, data.len() as u64)
    }
}

options!(OPTIONS, [(raw::NPROF_OPT_CHOICE, "unit", "ns", "ns|us|ms", "what times are counted in")]);
attributes!(ATTRIBUTES, [(raw::NPROF_INT64, "line", "", "number of its line, from 1")]);

plugin!(
    "@NAME@\0",
    concat!(env!("PLUGIN_VERSION"), "\0"),
    "unknown\0",
    raw::nprof_component { options: OPTIONS.0, attributes: ATTRIBUTES.0, ..nprof::decoder::<Lines>() }
);
