/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h - rows for the tests of analyzers: devices, work with numbers, facts. */
#pragma once

#include "say-work.h"
#include "testhost.h"

static const struct nprof_attribute *const work_attributes[] = {
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_FLOPS, "flop", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MODEL_FLOPS, "flop", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_ACCESSED, "byte", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", ""),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_CATEGORY, "", ""),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FRAMEWORK_OP, "", ""),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_COLLECTIVE, "", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", ""),
  NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "hardware_flops", "flop", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "transpose_flops", "flop", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "flops_transpose", "flop", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "hbm_read_bytes", "byte", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, "hbm_write_bytes", "byte", ""),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEVICE_TYPE, "", ""),
  NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_FLOPS, "flop/s", ""),
  NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_BANDWIDTH, "byte/s", ""),
  NPROF_ATTRIBUTE (NPROF_JSON, "args", "", ""),
  NPROF_ATTRIBUTE (NPROF_BOOL, NPROF_KEY_CROSSES_EDGE, "", ""),
  NULL,
};

static inline NprofTestRun *
analysis_open (const struct nprof_component *analyzer, const char *options, guint rows)
{
  return nprof_test_open (analyzer, options,
                          &(NprofTestConfig){ .attributes = work_attributes,
                                              .rows = rows,
                                              .run_bytes = 1024,
                                              .data_folder = g_getenv ("NPROF_SHARE") });
}

static inline nprof_track
track_of (NprofTestRun *run, nprof_track parent, guint kind, const char *key)
{
  const struct nprof_host *h = nprof_test_host (run);
  return h->track (h, parent, kind, nprof_intern (h, key), 0, 0);
}

/* A span of some category; attributes of it may follow. */
static inline struct nprof_writer *
add_span (NprofTestRun *run, nprof_track track, const char *category, const char *name,
          gint64 start, gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  g_assert_cmpint (nprof_span (w, track, nprof_intern (h, name), start, duration), ==, NPROF_OK);
  nprof_set_category (w, nprof_intern (h, category));
  say_work (h, w);
  return w;
}

/* The selection leaves the row out that was added last. */
static inline void
hide (NprofTestRun *run)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  w->kind[w->n_rows - 1] = (uint8_t) (w->kind[w->n_rows - 1] | 0x80);
}

static inline void
add_int (NprofTestRun *run, const char *key, gint64 value)
{
  const struct nprof_host *h = nprof_test_host (run);
  g_assert_cmpint (nprof_attr_int (h->writer (h), nprof_intern (h, key), value), ==, NPROF_OK);
}

static inline void
add_correlation (NprofTestRun *run, guint64 id)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_attr_uint (h->writer (h), nprof_intern (h, NPROF_KEY_CORRELATION_ID), id);
}

static inline void
add_text (NprofTestRun *run, const char *key, const char *value)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_attr_str (h->writer (h), nprof_intern (h, key), nprof_intern (h, value));
}

static inline void
add_fact (NprofTestRun *run, nprof_track track, const char *key)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  g_assert_cmpint (nprof_row (w, NPROF_FACT, track, nprof_intern (h, key), 0, 0), ==, NPROF_OK);
  nprof_set_category (w, nprof_intern (h, "test"));
}

static inline void
add_rate (NprofTestRun *run, nprof_track track, const char *key, double rate)
{
  const struct nprof_host *h = nprof_test_host (run);
  add_fact (run, track, key);
  nprof_attr_double (h->writer (h), nprof_intern (h, key), rate);
}

/* The cell of the first row in which the columns have these values: name, value, ..., NULL. */
static inline const char *
cell_where (const NprofTestRun *run, const char *table, const char *column, ...)
{
  const NprofTestTable *t = nprof_test_table (run, table);
  for (guint row = 0; t && row < t->n_rows; row++) {
    gboolean same = TRUE;
    va_list args;
    va_start (args, column);
    for (const char *name; (name = va_arg (args, const char *));)
      same &= g_strcmp0 (nprof_test_cell (run, table, row, name), va_arg (args, const char *)) == 0;
    va_end (args);
    if (same)
      return nprof_test_cell (run, table, row, column);
  }
  return NULL;
}

static inline double
double_where_operator (const NprofTestRun *run, const char *operator, const char * column)
{
  const char *text = cell_where (run, "mfu", column, "operator", operator, NULL);
  g_assert_nonnull (text);
  return g_ascii_strtod (text, NULL);
}
