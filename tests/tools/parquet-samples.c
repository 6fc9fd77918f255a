/* SPDX-License-Identifier: Apache-2.0 */
/* parquet-samples.c - rows for the sink parquet, and the file that it makes of them. */
#include "parquet-samples.h"

#include "testhost.h"

static const struct nprof_attribute *const declared[]
    = { NPROF_ATTRIBUTE (NPROF_INT64, "flops", "flop", ""),
        NPROF_ATTRIBUTE (NPROF_ID128, "trace_id", "", ""), NULL };

static void
write_row (const struct nprof_host *h, nprof_track track, gint64 i)
{
  struct nprof_writer *w = h->writer (h);
  nprof_span (w, track, nprof_intern (h, i % 3 ? "dot" : "copy"), i * 1000, 10 * i);
  nprof_attr_int (w, nprof_intern (h, "flops"), i * i);
  if (i % 2)
    nprof_attr_bytes (w, nprof_intern (h, "trace_id"), NPROF_ID128, "0123456789abcdef", 16);
  if (i % 5 == 0)
    nprof_attr_int (w, nprof_intern (h, "other"), i);
}

GBytes *
parquet_sample (const char *sink, const char *options, guint n_rows)
{
  static const NprofTestConfig config = { .attributes = declared, .origin = 1700000000000000000 };
  g_autoptr (NprofTestRun) run
      = nprof_test_open (nprof_test_component (sink, NPROF_SINK, "parquet"), options, &config);
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track track = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "d"), 0, 0);
  for (guint i = 0; i < n_rows; i++)
    write_row (h, track, i);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  gsize len = nprof_test_output_size (run, "events.parquet");
  return g_bytes_new (nprof_test_output (run, "events.parquet"), len);
}
