//! plugin.rs - the analyzer `@NAME@`: how many spans of each name an input has, and how long they are
//! together, in the table `@TABLE@`.  Put your question in its place.
use nprof::{options, plugin, raw, table, Analyzer, Cell, Host, Options, Result, Rows, Shared};
use std::collections::HashMap;

table!(TABLE, "@TABLE@", "Spans by name", "Spans that the file does not end are counted, and in no sum.", [
    (NPROF_STRING, NPROF_ROLE_KEY, "name", "", "name of the spans"),
    (NPROF_INT64, NPROF_ROLE_VALUE, "spans", "", "how many"),
    (NPROF_INT64, NPROF_ROLE_VALUE, "unclosed", "", "how many of them have no end"),
    (NPROF_INT64, NPROF_ROLE_VALUE, "total_ns", "ps", "their durations together"),
]);
static TABLES: Shared<[*const raw::nprof_table; 2]> = Shared([&TABLE.0, std::ptr::null()]);

/// This is known of one name in one input.
#[derive(Default)]
struct Total {
    spans: i64,
    unclosed: i64,  // without an end in the file: in no sum
    ps: i64,        // the sum
    overflow: bool, // it does not fit
}

struct Totals {
    host: Host,
    least: i64,            // spans that a name must have to get a row
    order: Vec<(u32, u32)>, // input and name in order of first appearance; handles have no order
    totals: HashMap<(u32, u32), Total>,
}

impl Total {
    fn add(&mut self, duration: Option<i64>) {
        self.spans += 1;
        match duration.map(|ps| self.ps.checked_add(ps)) {
            Some(Some(sum)) => self.ps = sum,
            Some(None) => self.overflow = true,
            None => self.unclosed += 1,
        }
    }

    /// An unknown total is Unknown, never 0.
    fn cell(&self) -> Cell<'_> {
        if self.overflow || self.unclosed == self.spans { Cell::Unknown } else { Cell::Int(self.ps) }
    }
}

impl Analyzer for Totals {
    const NAME: &'static str = "@NAME@\0";
    const SUMMARY: &'static str = "how many spans of each name there are, and how long they are together\0";

    fn open(host: Host, options: &Options) -> Result<Self> {
        host.table(&TABLE)?; // it exists, even when no row comes
        Ok(Totals { host, least: options.int(0), order: Vec::new(), totals: HashMap::new() })
    }

    fn consume(&mut self, rows: &Rows) -> Result<()> {
        for row in rows.iter().filter(|row| row.kind == raw::NPROF_SPAN) {
            let key = (rows.input(), row.name);
            let order = &mut self.order;
            self.totals
                .entry(key)
                .or_insert_with(|| {
                    order.push(key);
                    Total::default()
                })
                .add(row.duration);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        for (input, name) in &self.order {
            let total = &self.totals[&(*input, *name)];
            if total.spans >= self.least {
                let label = self.host.input_label(*input);
                let counts = (Cell::Int(total.spans), Cell::Int(total.unclosed));
                self.host.row(&TABLE, &[Cell::Str(label), Cell::Str(*name), counts.0, counts.1, total.cell()])?;
            }
        }
        Ok(())
    }
}

options!(OPTIONS, [(raw::NPROF_OPT_INT, "least", "1", "1..1000000000", "spans that a name must have to get a row")]);

plugin!(
    "@NAME@\0",
    concat!(env!("PLUGIN_VERSION"), "\0"),
    "unknown\0",
    raw::nprof_component { options: OPTIONS.0, ..nprof::analyzer::<Totals, 2>(&TABLES) }
);
