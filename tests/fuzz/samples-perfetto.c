/* SPDX-License-Identifier: Apache-2.0 */
/* samples-perfetto.c - small traces of Perfetto, one for each way of writing them, for replay.c. */
#include "replay.h"

#include "../../plugins/sinks/perfetto/wire.h"

#include <zlib.h>

const char replay_likely[] = "\n\x08\x10\x50\x58\x0b\x12\x1a\x22\x01\x02\x03\x04\x05";

static void
text (struct nprof_buf *b, unsigned message, unsigned iid, const char *name)
{
  size_t from = wire_begin (b, message);
  wire_uint (b, 1, iid);
  wire_text (b, 2, name);
  wire_end (b, from);
}

/* Begins a packet of sequence 1 with a time; the caller ends it. */
static size_t
packet (struct nprof_buf *b, guint64 time, guint flags)
{
  size_t from = wire_begin (b, 1);
  wire_uint (b, 8, time);
  wire_uint (b, 10, 1);
  if (flags)
    wire_uint (b, 13, flags);
  return from;
}

static void
track (struct nprof_buf *b, guint64 uuid, guint64 parent, unsigned what, const char *name)
{
  size_t from = wire_begin (b, 1), body = wire_begin (b, 60);
  wire_uint (b, 1, uuid);
  if (parent)
    wire_uint (b, 5, parent);
  if (what == 2) {
    wire_text (b, 2, name);
  } else {
    size_t inner = wire_begin (b, what);
    wire_uint (b, what == 8 ? 4 : 1, 7);
    wire_uint (b, what == 8 ? 5 : 2, what == 8);
    if (what != 8)
      wire_text (b, what == 3 ? 6 : 5, name);
    wire_end (b, inner);
  }
  wire_end (b, body);
  wire_end (b, from);
}

static void
arg (struct nprof_buf *b, const char *name, guint64 value)
{
  size_t from = wire_begin (b, 4);
  wire_text (b, 10, name);
  wire_uint (b, 4, value);
  wire_end (b, from);
}

static void
nested (struct nprof_buf *b)
{
  size_t from = wire_begin (b, 4);
  wire_text (b, 10, "d");
  for (unsigned i = 0; i < 2; i++) {
    size_t in = wire_begin (b, 11 + i);
    wire_text (b, 10, "k");
    wire_double (b, 5, 1.5);
    wire_end (b, in);
  }
  wire_end (b, from);
  from = wire_begin (b, 4);
  wire_uint (b, 1, 1);
  wire_uint (b, 17, 1);
  wire_text (b, 9, "{\"a\":[1]}");
  size_t old = wire_begin (b, 8);
  wire_text (b, 2, "k");
  size_t value = wire_begin (b, 3);
  wire_uint (b, 5, 9);
  wire_end (b, value);
  wire_end (b, old);
  wire_end (b, from);
}

static void
event (struct nprof_buf *b, guint64 time, unsigned type, guint64 on, const char *name)
{
  size_t from = packet (b, time, 0), body = wire_begin (b, 11);
  wire_uint (b, 9, type);
  wire_uint (b, 11, on);
  if (name) {
    wire_text (b, 23, name);
    wire_uint (b, 3, 1);
    wire_fixed64 (b, type == 3 ? 48 : 47, 5);
    arg (b, "correlation", 3);
    arg (b, "device", 0);
    arg (b, "stream", 7);
    nested (b);
  }
  if (type == 4)
    wire_uint (b, 30, 9);
  wire_uint (b, 12, 4);
  wire_uint (b, 31, 4);
  wire_end (b, body);
  wire_end (b, from);
}

static void
intern_all (struct nprof_buf *b)
{
  size_t from = packet (b, 0, 1), body = wire_begin (b, 12);
  text (b, 1, 1, "kernel_dispatch");
  text (b, 2, 1, "name");
  text (b, 3, 1, "agent");
  text (b, 24, 100, "[07] stream 7");
  text (b, 24, 1, "Kernel");
  text (b, 29, 1, "GPU-0");
  text (b, 1000, 1, "kernel(int)");
  size_t counters = wire_begin (b, 47);
  wire_uint (b, 1, 1);
  size_t descriptor = wire_begin (b, 2), spec = wire_begin (b, 1);
  wire_uint (b, 1, 5);
  wire_text (b, 2, "busy");
  wire_uint (b, 7, 37);
  wire_end (b, spec);
  wire_end (b, descriptor);
  wire_end (b, counters);
  wire_end (b, body);
  wire_end (b, from);
}

static void
clocks (struct nprof_buf *b, guint64 now)
{
  size_t from = packet (b, 0, 1), defaults = wire_begin (b, 59);
  wire_uint (b, 58, 64);
  wire_end (b, defaults);
  size_t body = wire_begin (b, 6);
  for (unsigned i = 0; i < 3; i++) {
    size_t clock = wire_begin (b, 1);
    wire_uint (b, 1, (unsigned[]){ 6, 1, 64 }[i]);
    wire_uint (b, 2, now);
    if (i == 2)
      wire_uint (b, 3, 1);
    wire_end (b, clock);
  }
  wire_end (b, body);
  wire_end (b, from);
}

static void
tracks (struct nprof_buf *b)
{
  track (b, 1, 0, 3, "python");
  track (b, 2, 1, 4, "main");
  track (b, 3, 1, 2, "STREAM [ 1 ]");
  track (b, 4, 1, 8, NULL);
}

static void
spans (struct nprof_buf *b)
{
  tracks (b);
  intern_all (b);
  event (b, 100, 1, 2, "a");
  event (b, 110, 1, 2, "b");
  event (b, 120, 2, 2, NULL);
  event (b, 110, 2, 2, NULL);
  event (b, 130, 3, 3, "i");
  event (b, 140, 4, 4, NULL);
  event (b, 150, 5, 3, "state");
  event (b, 160, 2, 3, "none");
}

static void
deltas (struct nprof_buf *b)
{
  clocks (b, 1000);
  spans (b);
  clocks (b, 5000);
  spans (b);
}

static void
stages (struct nprof_buf *b)
{
  intern_all (b);
  for (unsigned i = 1; i < 4; i++) {
    size_t from = packet (b, 100 * i, 2), body = wire_begin (b, 53);
    wire_uint (b, 1, i);
    wire_uint (b, 2, 50);
    wire_uint (b, 13, 100);
    wire_uint (b, 14, 1);
    wire_uint (b, 18, i - 1);
    wire_uint (b, 19, 1);
    wire_uint (b, 20, 1);
    size_t data = wire_begin (b, 6);
    wire_text (b, 1, i == 2 ? "stream id" : "correlation");
    wire_text (b, 2, "7");
    wire_end (b, data);
    wire_end (b, body);
    wire_end (b, from);
    from = packet (b, 100 * i, 2);
    body = wire_begin (b, 52);
    wire_uint (b, 4, 1);
    size_t sample = wire_begin (b, 2);
    wire_uint (b, 1, 5);
    wire_double (b, 3, i);
    wire_end (b, sample);
    wire_end (b, body);
    wire_end (b, from);
  }
}

static void
packed (struct nprof_buf *b)
{
  struct nprof_buf inner = { 0 };
  guint8 out[8192];
  uLongf len = sizeof out;
  spans (&inner);
  compress (out, &len, (const Bytef *) inner.data, inner.len);
  size_t from = wire_begin (b, 1);
  wire_bytes (b, 50, out, len);
  wire_end (b, from);
  nprof_buf_clear (&inner);
}

/* Phases of trace-event JSON, on threads that a descriptor numbers. */
static void
phases (struct nprof_buf *b)
{
  size_t from = packet (b, 1, 1), body = wire_begin (b, 44);
  wire_uint (b, 1, 5);
  wire_uint (b, 2, 6);
  wire_uint (b, 6, 100);
  wire_end (b, body);
  wire_end (b, from);
  for (const char *phase = "XBEibestfM"; *phase; phase++) {
    from = packet (b, 1, 0);
    body = wire_begin (b, 11);
    wire_uint (b, 1, 10);
    wire_text (b, 22, "net");
    wire_text (b, 23, "get");
    wire_uint (b, 2, 3);
    size_t legacy = wire_begin (b, 6);
    wire_uint (b, 2, (guint8) *phase);
    wire_uint (b, 3, 4);
    wire_uint (b, 6, 9);
    wire_uint (b, 8, 4);
    wire_uint (b, 13, 3);
    wire_end (b, legacy);
    wire_end (b, body);
    wire_end (b, from);
  }
}

static void
member (struct nprof_buf *b, unsigned field, const char *name, const char *value, guint64 number)
{
  size_t from = wire_begin (b, field);
  wire_text (b, 10, name);
  if (value)
    wire_text (b, 6, value);
  else
    wire_uint (b, 3, number);
  wire_end (b, from);
}

/* What nprof writes: an instant says of what the trace was made. */
static void
own (struct nprof_buf *b)
{
  track (b, 1, 0, 3, "GPU 0");
  track (b, 2, 1, 4, "stream 7");
  event (b, 100, 1, 2, "a");
  event (b, 120, 2, 2, NULL);
  size_t from = packet (b, 0, 0), body = wire_begin (b, 11);
  wire_uint (b, 9, 3);
  wire_uint (b, 11, 9);
  wire_text (b, 23, "nprof");
  member (b, 4, "generator", "nprof 0.1", 0);
  member (b, 4, "origin_unix_ns", NULL, 5);
  for (unsigned list = 0; list < 2; list++) {
    size_t arg = wire_begin (b, 4);
    wire_text (b, 10, list ? "facts" : "tracks");
    for (unsigned i = 0; i < 3; i++) {
      size_t element = wire_begin (b, 12);
      member (b, 11, i == 2 ? "uuid" : "track", NULL, 2);
      member (b, 11, i == 2 ? "is" : "parent", NULL, i + 1);
      member (b, 11, "kind", i ? "queue" : "device", 0);
      member (b, 11, "key", "device_type", 0);
      member (b, 11, "label", "GPU 0", 0);
      member (b, 11, "process", "GPU 0", 0);
      member (b, 11, "value", NULL, 3);
      wire_end (b, element);
    }
    wire_end (b, arg);
  }
  wire_end (b, body);
  wire_end (b, from);
}

GByteArray *
replay_sample (guint number)
{
  static void (*const makers[]) (struct nprof_buf *)
      = { spans, deltas, stages, packed, phases, own };
  struct nprof_buf b = { 0 };
  if (number >= G_N_ELEMENTS (makers))
    return NULL;
  makers[number](&b);
  GByteArray *bytes
      = g_byte_array_append (g_byte_array_new (), (const guint8 *) b.data, (guint) b.len);
  nprof_buf_clear (&b);
  return bytes;
}
