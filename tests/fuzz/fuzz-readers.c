/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-readers.c - any bytes for the readers of the SDK, which the first byte chooses: what they
 * give lies within the input, a failure stays one, and each ends. Built with libFuzzer, or with
 * replay.c. */
#include <glib.h>
#include <nprof/csv.h>
#include <nprof/decimal.h>
#include <nprof/json-pull.h>
#include <nprof/protobuf.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
demand (bool holds)
{
  if (!holds)
    abort ();
}

static void
read_json (const char *data, size_t size)
{
  struct nprof_buf text = { 0 };
  struct nprof_pull whole = nprof_pull (data, size), p = whole;
  const bool good = nprof_pull_end (&whole);
  for (unsigned turn = 0; !p.why && (p.depth || p.first || p.waiting); turn++) {
    if (!nprof_pull_next (&p))
      continue;
    demand (p.text.at >= data && p.text.at + p.text.len <= data + size);
    if (p.kind == NPROF_PULL_STRING)
      nprof_pull_put (&text, &p.text);
    if (turn % 3)
      nprof_pull_enter (&p, p.kind);
  }
  demand (nprof_pull_end (&p) == good && nprof_pull_at (&p) <= size && !nprof_pull_next (&p));
  nprof_buf_clear (&text);
}

static void
read_message (struct nprof_cursor c, unsigned depth)
{
  struct nprof_pb_field f;
  while (nprof_take_field (&c, &f))
    if ((f.tag & 7) == 2) {
      demand (f.span.end <= c.end && f.span.p + f.value == f.span.end);
      if (depth)
        read_message (nprof_cursor (f.span.p, f.value), depth - 1);
    }
  demand (c.cut || c.at == c.end);
}

static void
read_records (const char *data, size_t size)
{
  struct nprof_csv r, passed;
  for (const char *at = data, *end = data + size; at < end;) {
    const char *next = nprof_csv_record (&r, at, end);
    demand (next > at && next <= end && nprof_csv_pass (&passed, at, end) == next);
    demand (r.why || r.n > 0);
    for (unsigned i = 0; !r.why && i < MIN (r.n, NPROF_CSV_FIELDS); i++)
      demand (r.field[i].p >= at && r.field[i].p + r.field[i].len <= next);
    at = next;
  }
}

/* The strict reader and the one of any spelling agree where both read. */
static void
read_number (const char *data, size_t size)
{
  int64_t strict, any;
  const int what = nprof_read_scaled (data, size, 6, &any);
  if (nprof_read_decimal (data, size, 1000000, &strict))
    demand (what == NPROF_DECIMAL_EXACT && strict == any);
  demand (what <= NPROF_DECIMAL_ROUNDED || any == 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (!size)
    return 0;
  g_autofree char *own = g_memdup2 (data, size); /* so that a sanitizer sees its end */
  const char *text = own + 1;
  switch (data[0] % 4) {
  case 0:
    read_json (text, size - 1);
    break;
  case 1:
    read_message (nprof_cursor (text, size - 1), 8);
    break;
  case 2:
    read_records (text, size - 1);
    break;
  default:
    read_number (text, size - 1);
  }
  return 0;
}
