// SPDX-License-Identifier: Apache-2.0
// histogram.rs - example in Rust: a sink that writes how many spans took how long, by powers of two, for each name.
use nprof::{plugin, raw, Host, Options, Output, Result, Rows, Sink};
use std::collections::HashMap;
use std::fmt::Write;

struct Histogram {
    host: Host,
    output: Output,
    names: Vec<u32>,                        // in order of first appearance: handles have no order
    counts: HashMap<u32, (u64, [u64; 64])>, // without an end; [k]: 2^(k-1) ns up to 2^k, [0]: below 1 ns
}

impl Sink for Histogram {
    const NAME: &'static str = "histogram\0";
    const SUMMARY: &'static str = "how many spans took how long, by name and power of two\0";
    const FILE: &'static str = "histogram.txt\0";

    fn open(host: Host, _: &Options) -> Result<Self> {
        Ok(Histogram { host, output: host.output()?, names: Vec::new(), counts: HashMap::new() })
    }

    fn consume(&mut self, rows: &Rows) -> Result<()> {
        for row in rows.iter().filter(|row| row.kind == raw::NPROF_SPAN) {
            let names = &mut self.names;
            let (unclosed, by_power) = self.counts.entry(row.name).or_insert_with(|| {
                names.push(row.name);
                (0, [0; 64])
            });
            match row.duration {
                Some(ps) => by_power[64 - (ps as u64 / 1000).leading_zeros() as usize] += 1,
                None => *unclosed += 1,
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let mut text = String::from("name\tfrom_ns\tto_ns\tspans\n");
        for name in &self.names {
            let label = self.host.string(*name).replace(['\t', '\n', '\r'], " ");
            let (unclosed, by_power) = &self.counts[name];
            for (power, count) in by_power.iter().enumerate().filter(|(_, n)| **n > 0) {
                let from = if power == 0 { 0 } else { 1u64 << (power - 1) };
                let _ = writeln!(text, "{}\t{}\t{}\t{}", label, from, 1u64 << power, count);
            }
            if *unclosed > 0 {
                let _ = writeln!(text, "{}\t-\t-\t{}", label, unclosed);
            }
        }
        self.output.write(text.as_bytes())
    }
}

plugin!("histogram\0", "1.0\0", "Apache-2.0\0", nprof::sink::<Histogram>());
