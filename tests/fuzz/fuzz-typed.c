/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-typed.c - what people type on the command line, as any text: components with options, values
 * of options, times, steps, gates, selections.  The first byte says which; what was accepted must
 * mean the same when it is written anew.  Built with libFuzzer, or with replay.c. */
#include "base/parse-time.h"
#include "base/error.h"
#include "gate/expr.h"
#include "gate/values.h"
#include "plugin/option-value.h"
#include "plugin/option.h"
#include "rows/attribute-sets.h"
#include "select/row-filter.h"

#include <math.h>
#include <nprof/format.h>
#include <nprof/sdk.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

typedef struct {
  int64_t level, any;
  double share, real;
  bool excel;
  const char *note;
  int32_t codec;
  uint64_t block, bytes;
} Self;

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_SINK,
  .name = "demo",
  .instance_size = sizeof (Self),
  .options
  = NPROF_OPTIONS (NPROF_INT_OPTION (Self, level, "level", "3", "1..64", "how hard"),
                   NPROF_INT_OPTION (Self, any, "any", "-1", NULL, "any number"),
                   NPROF_DOUBLE_OPTION (Self, share, "share", "0.5", "0.0..1", "how much"),
                   NPROF_DOUBLE_OPTION (Self, real, "real", "0", NULL, "any number"),
                   NPROF_BOOL_OPTION (Self, excel, "excel", "no", "for Excel"),
                   NPROF_STRING_OPTION (Self, note, "note", "none", "any text"),
                   NPROF_CHOICE_OPTION (Self, codec, "codec", "zstd", "snappy|zstd|none",
                                        "packing"),
                   NPROF_SIZE_OPTION (Self, block, "block", "64k", "4k..1G", "bytes a block"),
                   NPROF_SIZE_OPTION (Self, bytes, "bytes", "0", NULL, "any number of bytes")),
};

/* A text is accepted, or refused as bad usage. */
static gboolean
accepted (gboolean ok, GError *const *error)
{
  g_assert_true (ok == !*error);
  if (*error)
    g_assert_error (*error, NP_ERROR, NP_EXIT_USAGE);
  return ok;
}

/* -- Components ------------------------------------------------------------ */

static void
add_quoted (GString *text, const char *value)
{
  g_string_append_c (text, '"');
  for (; *value; value++) {
    if (strchr (",\"\\", *value))
      g_string_append_c (text, '\\');
    g_string_append_c (text, *value);
  }
  g_string_append_c (text, '"');
}

static void
check_written_anew (const NpSpec *spec)
{
  g_autoptr (GString) text = g_string_new (spec->name);
  for (guint i = 0; i < spec->keys->len; i++) {
    g_string_append_printf (text, "%c%s=", i ? ',' : ':', (char *) spec->keys->pdata[i]);
    add_quoted (text, spec->values->pdata[i]);
  }
  g_autoptr (GError) error = NULL;
  g_autoptr (NpSpec) again = np_spec_parse (text->str, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (again->name, ==, spec->name);
  g_assert_cmpuint (again->keys->len, ==, spec->keys->len);
  for (guint i = 0; i < spec->keys->len; i++) {
    g_assert_cmpstr (again->keys->pdata[i], ==, spec->keys->pdata[i]);
    g_assert_cmpstr (again->values->pdata[i], ==, spec->values->pdata[i]);
  }
}

static void
check_ranges (const Self *self)
{
  g_assert_cmpint (self->level, >=, 1);
  g_assert_cmpint (self->level, <=, 64);
  g_assert_true (self->share >= 0 && self->share <= 1);
  g_assert_cmpint (self->codec, >=, 0);
  g_assert_cmpint (self->codec, <=, 2);
  g_assert_cmpuint (self->block, >=, 4u << 10);
  g_assert_cmpuint (self->block, <=, 1u << 30);
  g_assert_nonnull (self->note);
}

static void
try_spec (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpSpec) spec = np_spec_parse (text, &error);
  if (!accepted (spec != NULL, &error))
    return;
  g_assert_true (*spec->name);
  g_assert_cmpuint (spec->keys->len, ==, spec->values->len);
  check_written_anew (spec);
  GStringChunk *strings = g_string_chunk_new (64);
  Self self = { 0 };
  if (accepted (np_options_apply (&component, spec, &self, strings, &error), &error))
    check_ranges (&self);
  g_string_chunk_free (strings);
}

/* -- Values ---------------------------------------------------------------- */

typedef union {
  gint64 i;
  guint64 u;
  double f;
} Value;

/* Numbers as outputs print them; NULL: no number. */
static char *
print (const struct nprof_option *option, Value value)
{
  char buffer[NPROF_MAX_NUMBER];
  switch (option->type) {
  case NPROF_OPT_INT:
    return g_strdup_printf ("%" G_GINT64_FORMAT, value.i);
  case NPROF_OPT_SIZE:
    return g_strdup_printf ("%" G_GUINT64_FORMAT, value.u);
  case NPROF_OPT_DOUBLE:
    return isfinite (value.f)
               ? g_strndup (buffer, (gsize) (nprof_format_double (buffer, value.f) - buffer))
               : NULL;
  default:
    return NULL;
  }
}

static void
try_value (const char *text)
{
  for (guint k = 0; component.options[k]; k++) {
    const struct nprof_option *option = component.options[k];
    Value value = { 0 }, again = { 0 };
    g_autofree char *wanted = np_option_expected (option);
    g_assert_true (*wanted);
    if (!np_option_store (option, text, &value, NULL))
      continue;
    g_autofree char *printed = print (option, value);
    if (!printed)
      continue;
    g_assert_true (np_option_store (option, printed, &again, NULL));
    g_assert_cmpmem (&again, sizeof again, &value, sizeof value);
  }
}

static void
try_time (const char *text)
{
  g_autoptr (GError) error = NULL;
  gint64 ps, again;
  if (!accepted (np_parse_time (text, &ps, &error), &error))
    return;
  g_autofree char *printed = g_strdup_printf ("%" G_GINT64_FORMAT "ps", ps);
  g_assert_true (np_parse_time (printed, &again, NULL));
  g_assert_cmpint (again, ==, ps);
}

static void
try_steps (const char *text)
{
  g_autoptr (GError) error = NULL;
  NpSelection s = { 0 };
  if (accepted (np_parse_steps (text, &s, &error), &error))
    g_assert_cmpint (s.step_first, <=, s.step_last);
}

static void
try_gate (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) values = np_gate_values_new ();
  const char *const parts[] = { "phases", "a-b/c+d", "mean", "phase=decode", NULL };
  np_gate_values_add (values, "x.plugin", "idle.host", parts);
  g_autoptr (NpGateExpr) gate = np_gate_parse (text, values, &error);
  if (!accepted (gate != NULL, &error))
    return;
  g_assert_cmpstr (gate->text, ==, text);
  g_assert_true (gate->table && *gate->table && gate->column && *gate->column);
  g_assert_true (isfinite (gate->limit));
  g_assert_true (np_gate_unit_size (gate->limit_unit) > 0);
  for (guint k = 0; k < gate->matches->len; k++) {
    NpGateMatch *match = gate->matches->pdata[k];
    g_assert_true ((!match->key || *match->key) && match->glob);
  }
}

/* -- Selections ------------------------------------------------------------ */

typedef struct {
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  NpPool *pool;
  NpBatch *batch;
} World;

static nprof_str
intern (World *w, const char *text)
{
  return np_strings_intern (w->strings, text, strlen (text));
}

/* Four rows with an attribute of each type that texts are compared with. */
static World
world_new (void)
{
  World w = { np_strings_new (), np_tracks_new (), np_attrsets_new (), np_pool_new (64, 2), NULL };
  nprof_track root = np_tracks_root (w.tracks, 0, intern (&w, "a.json"));
  nprof_track device = np_tracks_add (w.tracks, root, NPROF_TRACK_DEVICE, intern (&w, "0"),
                                      intern (&w, "TPU:0"), 0);
  nprof_track line = np_tracks_add (w.tracks, device, NPROF_TRACK_THREAD, intern (&w, "1"),
                                    intern (&w, "Ops"), 0);
  nprof_str key = intern (&w, "k");
  w.batch = np_pool_take (w.pool);
  struct nprof_writer *writer = &w.batch->writer;
  nprof_row (writer, NPROF_SPAN, line, intern (&w, "dot"), 0, 10);
  nprof_attr_int (writer, key, -7);
  nprof_row (writer, NPROF_SPAN, device, intern (&w, "fusion.1"), 5, 10);
  nprof_attr_double (writer, key, 0.1);
  nprof_row (writer, NPROF_COUNTER, line, intern (&w, "memory"), 20, 0);
  nprof_set_value (writer, 3);
  nprof_attr_bytes (writer, key, NPROF_ID128, "0123456789abcdef", 16);
  nprof_row (writer, NPROF_INSTANT, line, intern (&w, "\xff"), 20, 0);
  nprof_attr_bytes (writer, key, NPROF_TEXT, "x=y", 3);
  np_batch_seal (w.batch, 0);
  return w;
}

static void
world_clear (World *w)
{
  np_batch_unref (w->batch);
  np_pool_free (w->pool);
  np_attrsets_free (w->sets);
  np_tracks_free (w->tracks);
  np_strings_free (w->strings);
}

/* A condition, globs of names, of tracks: one a line. */
static NpSelection
selection_of (char **lines)
{
  NpSelection s = { 0 };
  GPtrArray **to[] = { &s.where, &s.names, &s.tracks };
  for (guint k = 0; k < G_N_ELEMENTS (to) && lines[k]; k++) {
    if (!*lines[k])
      continue;
    *to[k] = g_ptr_array_new ();
    g_ptr_array_add (*to[k], lines[k]);
  }
  return s;
}

static void
try_selection (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = g_strsplit (text, "\n", 3);
  NpSelection s = selection_of (lines);
  if (accepted (np_selection_check (&s, &error), &error)) {
    World w = world_new ();
    NpRowFilter *select = np_row_filter_new (&s, w.strings, w.tracks, w.sets, w.pool);
    NpBatch *batch = np_row_filter_apply (select, np_batch_ref (w.batch), NULL);
    guint n = batch ? batch->view.n_rows : 0;
    g_assert_cmpuint (n + np_row_filter_left_out (select), ==, w.batch->view.n_rows);
    np_batch_unref (batch);
    np_row_filter_free (select);
    world_clear (&w);
  }
  np_selection_clear (&s);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static void (*const tries[]) (const char *)
      = { try_spec, try_value, try_time, try_steps, try_gate, try_selection };
  if (size == 0)
    return 0;
  g_autofree char *text = g_strndup ((const char *) data + 1, size - 1);
  tries[data[0] % G_N_ELEMENTS (tries)](text);
  return 0;
}
