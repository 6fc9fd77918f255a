// SPDX-License-Identifier: Apache-2.0
//! spans.rs - the decoder of spans.c by the crate nprof.

use nprof::{plugin, raw, Decoder, Host, Options, Result};

struct Spans {
    host: Host,
}

fn ps(bytes: &[u8]) -> i64 {
    i64::from(u16::from_le_bytes(bytes.try_into().unwrap_or_default())) * 1000
}

impl Decoder for Spans {
    const NAME: &'static str = "bench.spans-rust\0";
    const SUMMARY: &'static str = "two numbers a span\0";
    const FORMATS: &'static str = "spans\0";

    fn probe(head: &[u8]) -> i32 {
        if head.starts_with(b"spans\0\0\0") { 90 } else { 0 }
    }

    fn open(host: Host, _options: &Options) -> Result<Self> {
        Ok(Spans { host })
    }

    fn decode(&mut self, data: &[u8]) -> Result<()> {
        if Self::probe(data) == 0 {
            return Err(self.host.fail(raw::NPROF_E_FORMAT, "byte 0: expected `spans`"));
        }
        let mut writer = self.host.writer()?;
        let (name, lane) = (self.host.intern("span"), self.host.intern("lane"));
        let track = self.host.track_of(0, raw::NPROF_TRACK_THREAD, lane, 0)?;
        let (mut at, mut told, mut start) = (8, 0, 0);
        for span in data[8..].chunks_exact(4) {
            start += ps(&span[..2]);
            writer.span(track, name, start, Some(ps(&span[2..])))?;
            if at - told >= 1 << 20 {
                self.host.progress(told as u64, at as u64)?;
                told = at;
            }
            at += 4;
        }
        self.host.progress(told as u64, data.len() as u64)
    }
}

plugin!("spans-rust\0", "1\0", "Apache-2.0\0", nprof::decoder::<Spans>());
