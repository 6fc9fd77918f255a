/* SPDX-License-Identifier: Apache-2.0 */
/* test-fusion.c - groups of fusions, their members, times and derived spans; times against a
 * quadratic reference on random rows. */
#include "testhost.h"

#include <nprof/keys.h>

static const struct nprof_component *fusion;

static const struct nprof_attribute *const attributes[] = {
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_OP, "", ""),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_MODULE, "", ""),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_CATEGORY, "", ""),
  NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_PROGRAM_ID, "", ""),
  NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEDUPLICATED, "", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_DEVICE_OFFSET, "ps", ""),
  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_DEVICE_DURATION, "ps", ""),
  NPROF_ATTRIBUTE (NPROF_JSON, "args", "", ""),
  NULL,
};

static NprofTestRun *
open_run (guint rows)
{
  return nprof_test_open (fusion, NULL,
                          &(NprofTestConfig){ .attributes = attributes, .rows = rows });
}

static nprof_track
track_of (NprofTestRun *run, guint kind, const char *device, const char *key)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track parent
      = h->track (h, 0, kind == NPROF_TRACK_THREAD ? NPROF_TRACK_PROCESS : NPROF_TRACK_DEVICE,
                  nprof_intern (h, device), 0, 0);
  return h->track (h, parent, kind, nprof_intern (h, key), 0, 0);
}

static struct nprof_writer *
span (NprofTestRun *run, nprof_track track, const char *name, gint64 start, gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = h->writer (h);
  g_assert_cmpint (nprof_span (w, track, nprof_intern (h, name), start, duration), ==, NPROF_OK);
  return w;
}

static void
text (NprofTestRun *run, const char *key, const char *value)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_attr_str (h->writer (h), nprof_intern (h, key), nprof_intern (h, value));
}

static void
number (NprofTestRun *run, const char *key, gint64 value)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_attr_int (h->writer (h), nprof_intern (h, key), value);
}

/* An operator of a TPU. */
static void
tpu (NprofTestRun *run, nprof_track track, const char *name, const char *category, guint64 program,
     gint64 start, gint64 duration)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = span (run, track, name, start, duration);
  nprof_attr_uint (w, nprof_intern (h, NPROF_KEY_PROGRAM_ID), program);
  text (run, NPROF_KEY_HLO_CATEGORY, category);
}

static void
kernel (NprofTestRun *run, nprof_track track, const char *name, const char *op, gint64 start)
{
  const struct nprof_host *h = nprof_test_host (run);
  struct nprof_writer *w = span (run, track, name, start, 10);
  nprof_attr_uint (w, nprof_intern (h, NPROF_KEY_PROGRAM_ID), 7);
  text (run, NPROF_KEY_HLO_OP, op);
  text (run, NPROF_KEY_HLO_MODULE, "jit_f");
}

/* -- Tables of decoders ------------------------------------------------------------------- */

static const struct nprof_table hlo = {
  .size = sizeof hlo,
  .name = "hlo_instructions",
  .title = "HLO",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "program", "", ""),
                            NPROF_KEY_COLUMN (NPROF_UINT64, "program_id", "", ""),
                            NPROF_KEY_COLUMN (NPROF_STRING, "fusion", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "fusion_kind", "", ""),
                            NPROF_KEY_COLUMN (NPROF_TEXT, "instruction", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "opcode", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "framework_op", "", "")),
};

static const struct nprof_table layers = {
  .size = sizeof layers,
  .name = "neff_layers",
  .title = "Layers",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_TEXT, "hlo", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "layer", "", "")),
};

static void
instruction (NprofTestRun *run, guint64 program, const char *in, const char *kind, const char *name,
             const char *opcode)
{
  const struct nprof_host *h = nprof_test_host (run);
  const struct nprof_cell cells[]
      = { nprof_cell_str (h->input (h, 0)->label),
          nprof_cell_str (nprof_intern (h, "prog")),
          nprof_cell_uint (program),
          in ? nprof_cell_str (nprof_intern (h, in)) : nprof_cell_null (),
          nprof_cell_text (kind),
          nprof_cell_text (name),
          nprof_cell_str (nprof_intern (h, opcode)),
          nprof_cell_text ("path") };
  g_assert_cmpint (h->row (h, &hlo, cells), ==, NPROF_OK);
}

static void
add_program (NprofTestRun *run)
{
  const struct nprof_host *h = nprof_test_host (run);
  h->table (h, &hlo);
  instruction (run, 7, NULL, "kLoop", "fusion.1", "fusion");
  instruction (run, 7, "fusion.1", NULL, "param_0", "parameter");
  instruction (run, 7, "fusion.1", NULL, "add.1", "add");
  instruction (run, 7, "fusion.1", NULL, "mul.1", "multiply");
  instruction (run, 7, NULL, "kInput", "reduce.x", "fusion");
  instruction (run, 7, "reduce.x", NULL, "add.9", "reduce");
  instruction (run, 7, NULL, NULL, "dot_fusion_like", "dot");
  instruction (run, 7, NULL, "kLoop", "fusion.2", "fusion"); /* never runs */
  instruction (run, 8, NULL, "kLoop", "fusion.8", "fusion"); /* of a program that does not */
}

#define CELL(table, row, column, expected)                                                         \
  g_assert_cmpstr (nprof_test_cell (run, table, row, column), ==, expected)

/* -- Tests -------------------------------------------------------------------------------- */

static void
test_clones (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  nprof_track ops = track_of (run, NPROF_TRACK_ENGINE, "/device:TPU:0", "XLA Ops");
  add_program (run);
  tpu (run, ops, "fusion.9", "loop fusion", 7, 0, 100);
  text (run, NPROF_KEY_DEDUPLICATED, "fusion.1");
  tpu (run, ops, "add.1", "add", 7, 10, 30); /* within, and a member */
  tpu (run, ops, "fusion.1", "loop fusion", 7, 100, 50);
  tpu (run, ops, "fusion.1", "loop fusion", 7, 160, 50);
  tpu (run, ops, "fusion.1", "loop fusion", 9, 300, 5); /* another program's */
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  CELL ("fusions", 0, "fusion", "fusion.1");
  CELL ("fusions", 0, "program", "prog");
  CELL ("fusions", 0, "category", "loop fusion");
  CELL ("fusions", 0, "calls", "3");
  CELL ("fusions", 0, "total_ns", "200");
  CELL ("fusions", 0, "self_ns", "170");
  CELL ("fusions", 0, "members", "2");
  CELL ("fusions", 1, "total_ns", "5");
  CELL ("fusions", 1, "members", NULL);
  CELL ("fusions", 2, "fusion", "fusion.2");
  CELL ("fusions", 2, "calls", "0");
  CELL ("fusions", 3, "fusion", "reduce.x");
  CELL ("fusions", 3, "category", "input fusion");
  g_assert_cmpuint (nprof_test_table (run, "fusions")->n_rows, ==, 4);
  CELL ("fusion_members", 0, "member", "add.1");
  CELL ("fusion_members", 0, "seen", "yes");
  CELL ("fusion_members", 1, "member", "mul.1");
  CELL ("fusion_members", 1, "opcode", "multiply");
  CELL ("fusion_members", 1, "framework_op", "path");
  CELL ("fusion_members", 1, "seen", "no");
}

/* Shared attributes are read once; a row's own ones override them. */
static void
test_sets (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  nprof_track ops = track_of (run, NPROF_TRACK_ENGINE, "/device:TPU:0", "XLA Ops");
  const struct nprof_host *h = nprof_test_host (run);
  const nprof_str key[]
      = { nprof_intern (h, NPROF_KEY_HLO_CATEGORY), nprof_intern (h, NPROF_KEY_DEVICE_OFFSET),
          nprof_intern (h, NPROF_KEY_DEVICE_DURATION) };
  const uint8_t type[] = { NPROF_STRING, NPROF_INT64, NPROF_INT64 };
  const nprof_value value[]
      = { { .s = nprof_intern (h, "loop fusion") }, { .i = 9000 }, { .i = 3 } };
  struct nprof_attrs attrs
      = { .size = sizeof attrs, .n = 1, .key = key, .type = type, .value = value };
  nprof_set plain = h->attrs (h, &attrs);
  attrs.n = 3;
  nprof_set timed = h->attrs (h, &attrs);
  for (int i = 0; i < 4; i++) {
    nprof_set_shared (span (run, ops, "fusion.2", i * 100, 10), plain);
    if (i == 1)
      text (run, NPROF_KEY_DEDUPLICATED, "fusion.1");
    if (i == 2) {
      number (run, NPROF_KEY_DEVICE_OFFSET, 200);
      number (run, NPROF_KEY_DEVICE_DURATION, 4);
    }
  }
  nprof_set_shared (span (run, ops, "fusion.3", 900, 10), timed);
  nprof_set_shared (span (run, ops, "fusion.3", 910, 10), timed);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  CELL ("fusions", 0, "fusion", "fusion.2");
  CELL ("fusions", 0, "total_ns", "24");
  CELL ("fusions", 1, "fusion", "fusion.1");
  CELL ("fusions", 1, "total_ns", "10");
  CELL ("fusions", 2, "fusion", "fusion.3");
  CELL ("fusions", 2, "total_ns", "6");
}

static void
test_gpu (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  nprof_track stream = track_of (run, NPROF_TRACK_QUEUE, "/device:GPU:0", "Stream #1");
  add_program (run);
  kernel (run, stream, "k1", "while::body::reduce.x", 0);
  kernel (run, stream, "k2", "while::body::reduce.x", 10); /* the same occurrence */
  kernel (run, stream, "k1", "reduce.x", 50);
  kernel (run, stream, "k3", "dot_fusion_like", 60); /* the program says that it is none */
  kernel (run, stream, "k1", "reduce.x", 70);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  CELL ("fusions", 0, "fusion", "reduce.x");
  CELL ("fusions", 0, "calls", "3");
  CELL ("fusions", 0, "total_ns", "40");
  CELL ("fusions", 0, "members", "1");
  g_assert_cmpuint (run->n_rows, ==, 3);
  g_assert_cmpint (run->rows[0].start, ==, 0);
  g_assert_cmpint (run->rows[0].duration, ==, 20);
  g_assert_cmpstr (run->rows[0].name, ==, "reduce.x");
  g_assert_cmpstr (run->rows[0].category, ==, "input fusion");
  g_assert_cmpstr (run->rows[0].path, ==, "/device:GPU:0/Fusions");
}

static void
test_by_name (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  nprof_track stream = track_of (run, NPROF_TRACK_QUEUE, "/device:GPU:0", "Stream #1");
  kernel (run, stream, "k1", "loop_fusion_3", 0);
  kernel (run, stream, "k1", "confusion", 10);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "fusions")->n_rows, ==, 1);
  CELL ("fusions", 0, "category", "fusion (by name)");
  CELL ("fusions", 0, "program", "jit_f(7)");
  CELL ("fusions", 0, "members", NULL);
}

static void
args (NprofTestRun *run, const char *json)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_attr_bytes (h->writer (h), nprof_intern (h, "args"), NPROF_JSON, json,
                    (uint32_t) strlen (json));
}

/* The guide's example: fused_3, of an operator that is on the timeline and one that is not. */
static void
test_neuron_args (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  nprof_track ops = track_of (run, NPROF_TRACK_THREAD, "HLO Ops", "ops");
  span (run, ops, "NN[model]/input", 0, 5);
  span (run, ops, "fused_3", 10, 100);
  args (run, "{\"fused\": \"NN[model]/input, NN[model]/ReLU[nl1]/aten__relu, NN[model]/input\"}");
  span (run, ops, "inner", 20, 30);
  span (run, ops, "fused_4", 200, 1);
  args (run, "{\"fused\": [1, 2]}");
  span (run, ops, "fused_5", 300, 1);
  args (run, "{\"fused\": \"cut");
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "fusions")->n_rows, ==, 1);
  CELL ("fusions", 0, "fusion", "fused_3");
  CELL ("fusions", 0, "self_ns", "70");
  CELL ("fusions", 0, "members", "2");
  CELL ("fusion_members", 0, "seen", "yes");
  CELL ("fusion_members", 1, "member", "NN[model]/ReLU[nl1]/aten__relu");
  CELL ("fusion_members", 1, "seen", "no");
  g_assert_cmpstr (run->rows[0].path, ==, "HLO Ops/Fusions");
}

/* Sets, as they are printed, and names that only begin and end with a bracket. */
static void
test_brackets (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  nprof_track ops = track_of (run, NPROF_TRACK_THREAD, "HLO Ops", "ops");
  span (run, ops, "fused_3", 0, 100);
  args (run, "{\"fused\": \"{a.1, NN[model]/b[nl1]}\"}");
  span (run, ops, "fused_16", 200, 100);
  args (run, "{\"fused\": \"[c]/d, e[nl1]\"}");
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  static const char *const members[] = { "[c]/d", "e[nl1]", "a.1", "NN[model]/b[nl1]" };
  g_assert_cmpuint (nprof_test_table (run, "fusion_members")->n_rows, ==, G_N_ELEMENTS (members));
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    CELL ("fusion_members", i, "member", members[i]);
  CELL ("fusions", 0, "fusion", "fused_16");
  CELL ("fusions", 1, "fusion", "fused_3");
}

static void
test_neff (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  const struct nprof_host *h = nprof_test_host (run);
  h->table (h, &layers);
  for (guint i = 0; i < 3; i++) {
    const struct nprof_cell cells[]
        = { nprof_cell_str (h->input (h, 0)->label),
            nprof_cell_text (i < 2 ? "add.1; dot.2" : "dot.2"), nprof_cell_text ("Linear[0]") };
    h->row (h, &layers, cells);
  }
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (nprof_test_table (run, "fusions")->n_rows, ==, 1);
  CELL ("fusions", 0, "fusion", "add.1; dot.2");
  CELL ("fusions", 0, "total_ns", NULL); /* no event: unknown, not 0 */
  CELL ("fusion_members", 1, "member", "dot.2");
  CELL ("fusion_members", 1, "framework_op", "Linear[0]");
}

/* Sums that no longer fit are unknown. */
static void
test_overflow (void)
{
  g_autoptr (NprofTestRun) run = open_run (0);
  nprof_track ops = track_of (run, NPROF_TRACK_ENGINE, "d", "XLA Ops");
  for (guint i = 0; i < 3; i++)
    tpu (run, ops, "f", "loop fusion", 7, 0, G_MAXINT64 / 2);
  tpu (run, ops, "f", "loop fusion", 7, 5, -1);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  CELL ("fusions", 0, "total_ns", NULL);
  CELL ("fusions", 0, "calls", "3");
  g_assert_true (nprof_test_logged (run, "spans without an end in the file: 1"));
}

/* -- Random rows against a quadratic reference ---------------------------------------------- */

typedef struct {
  gint64 start, end;
  guint name; /* 0, 1: fusions; 2: none */
} Row;

static int
by_place (const void *pa, const void *pb)
{
  const Row *a = pa, *b = pb;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->end < b->end) - (a->end > b->end);
}

/* Self time: what is left of a row without those rows whose nearest row around them it is. */
static gint64
own_time (const Row *rows, guint n, guint at)
{
  gint64 own = rows[at].end - rows[at].start;
  for (guint i = at + 1; i < n; i++) {
    guint around = n;
    for (guint k = 0; k < i; k++) {
      bool holds = rows[k].start <= rows[i].start && rows[k].end >= rows[i].end;
      bool open = true; /* nothing that began later has closed it */
      for (guint j = k + 1; j <= i; j++)
        open &= rows[j].end <= rows[k].end;
      if (holds && open)
        around = k;
    }
    own -= around == at ? rows[i].end - rows[i].start : 0;
  }
  return own;
}

static void
random_run (GRand *rand, guint batch)
{
  static const char *const names[] = { "fusion.1", "fusion.2", "copy" };
  Row rows[12];
  guint n = (guint) g_rand_int_range (rand, 1, 12);
  gint64 total[2] = { 0 }, own[2] = { 0 };
  guint count[2] = { 0 };
  for (guint i = 0; i < n; i++) {
    rows[i].start = g_rand_int_range (rand, 0, 20);
    rows[i].end = rows[i].start + g_rand_int_range (rand, 0, 12);
  }
  qsort (rows, n, sizeof *rows, by_place);
  for (guint i = 0; i < n; i++)
    rows[i].name = (guint) g_rand_int_range (rand, 0, 3);
  g_autoptr (NprofTestRun) run = open_run (batch);
  nprof_track ops = track_of (run, NPROF_TRACK_ENGINE, "d", "XLA Ops");
  bool device = g_rand_boolean (rand);
  for (guint i = 0; i < n; i++) {
    const Row *r = rows + i;
    tpu (run, ops, names[r->name], r->name < 2 ? "loop fusion" : "copy", 7,
         device ? (gint64) i : r->start, device ? 0 : r->end - r->start);
    if (device) {
      number (run, NPROF_KEY_DEVICE_OFFSET, r->start);
      number (run, NPROF_KEY_DEVICE_DURATION, r->end - r->start);
    }
    if (r->name < 2) {
      total[r->name] += r->end - r->start;
      own[r->name] += own_time (rows, n, i);
      count[r->name]++;
    }
  }
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  const NprofTestTable *t = nprof_test_table (run, "fusions");
  g_assert_cmpuint (t->n_rows, ==, (count[0] > 0) + (count[1] > 0));
  for (guint row = 0; row < t->n_rows; row++) {
    guint f = g_str_equal (nprof_test_cell (run, "fusions", row, "fusion"), "fusion.2");
    g_assert_cmpint (g_ascii_strtoll (nprof_test_cell (run, "fusions", row, "total_ns"), NULL, 10),
                     ==, total[f]);
    g_assert_cmpint (g_ascii_strtoll (nprof_test_cell (run, "fusions", row, "self_ns"), NULL, 10),
                     ==, own[f]);
    g_assert_cmpint (g_ascii_strtoll (nprof_test_cell (run, "fusions", row, "calls"), NULL, 10), ==,
                     count[f]);
  }
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  for (guint round = 0; round < 2000; round++)
    random_run (rand, 1 + round % 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fusion = nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "fusion");
  g_test_add_func ("/fusion/clones", test_clones);
  g_test_add_func ("/fusion/sets", test_sets);
  g_test_add_func ("/fusion/gpu", test_gpu);
  g_test_add_func ("/fusion/by-name", test_by_name);
  g_test_add_func ("/fusion/neuron-args", test_neuron_args);
  g_test_add_func ("/fusion/brackets", test_brackets);
  g_test_add_func ("/fusion/neff", test_neff);
  g_test_add_func ("/fusion/overflow", test_overflow);
  g_test_add_func ("/fusion/random", test_random);
  return g_test_run ();
}
