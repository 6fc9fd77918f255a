/* SPDX-License-Identifier: Apache-2.0 */
/* test-neff-files.c - the decoder neff on the synthetic files of tests/tools/neff-make.py (folder
 * NEFF_SAMPLES), good and damaged, and on those beside NPROF_TEST_DATA. */
#include "testhost.h"

#include <string.h>

static const struct nprof_component *decoder;

typedef struct {
  char *data;
  gsize len;
} File;

static void
file_clear (File *file)
{
  g_free (file->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (File, file_clear)

static File
load (const char *name)
{
  File file;
  g_autofree char *base = g_strdup_printf ("synthetic_%s.neff", name);
  g_autofree char *path = g_build_filename (g_getenv ("NEFF_SAMPLES"), base, NULL);
  g_autoptr (GError) error = NULL;
  g_file_get_contents (path, &file.data, &file.len, &error);
  g_assert_no_error (error);
  return file;
}

static NprofTestRun *
decode (const char *name, const char *options, gboolean keep_going)
{
  g_auto (File) file = load (name);
  return nprof_test_decode (decoder, options, file.data, file.len,
                            &(NprofTestConfig){ .keep_going = keep_going });
}

static NprofTestRun *
decode_good (const char *name)
{
  NprofTestRun *run = decode (name, NULL, FALSE);
  nprof_test_assert_ok (run);
  return run;
}

/* A row of a table as "a|b|?", without the column input; NULL: no such row. */
static char *
row_text (const NprofTestRun *run, const char *name, guint row)
{
  const NprofTestTable *t = nprof_test_table (run, name);
  if (!t || row >= t->n_rows)
    return NULL;
  GString *text = g_string_new (NULL);
  for (guint c = 1; c < t->n_columns; c++) {
    const char *cell = t->cells[row * t->n_columns + c];
    g_string_append_printf (text, "%s%s", c > 1 ? "|" : "", cell ? cell : "?");
  }
  return g_string_free (text, FALSE);
}

static void
assert_rows (const NprofTestRun *run, const char *table, const char *const *rows)
{
  guint i = 0;
  for (; rows[i]; i++) {
    g_autofree char *text = row_text (run, table, i);
    g_assert_cmpstr (text, ==, rows[i]);
  }
  g_autofree char *more = row_text (run, table, i);
  g_assert_cmpstr (more, ==, NULL);
}
#define ROWS(run, table, ...)                                                                      \
  assert_rows ((run), (table), (const char *const[]){ __VA_ARGS__, NULL })

static void
assert_property (const NprofTestRun *run, const char *key, const char *value)
{
  g_assert_cmpstr (nprof_test_property (run, key), ==, value);
}

/* -- What a good file says ---------------------------------------------------------- */

static void
test_header (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("pkg2_gz");
  assert_property (run, "pkg_version", "2");
  assert_property (run, "header_size", "1024");
  assert_property (run, "neff_version", "2.0");
  assert_property (run, "neff_build_version", "1.2.3+synthetic");
  assert_property (run, "num_tpb", "2");
  assert_property (run, "requested_tpb_count", "1");
  assert_property (run, "tpb_per_node", "1,1");
  assert_property (run, "uuid", "000102030405060708090a0b0c0d0e0f");
  assert_property (run, "name", "synthetic");
  assert_property (run, "feature_bits", "0x40038");
  assert_property (run, "features",
                   "coalesced-cc, queue-set-instances, on-chip-functions, 0x40000");
  assert_property (run, "lnc_size", "1");
  assert_property (run, "payload", "tar, gzip");
  assert_property (run, "hash_check", "ok");
  assert_property (run, "compiler_version", "9.8.7-synthetic");
  assert_property (run, "arithmetic_intensity", "0.9965635738831615");
  g_assert_cmpuint (strlen (nprof_test_property (run, "hash")), ==, 32);
  g_assert_nonnull (nprof_test_property (run, "data_size"));
}

static void
test_facts (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("pkg2_gz");
  g_assert_cmpuint (run->n_rows, ==, 2);
  g_assert_cmpuint (nprof_test_count (run, NPROF_FACT), ==, 2);
  g_assert_cmpint (run->origin, ==, NPROF_NO_EPOCH);
  g_assert_cmpstr (nprof_test_fact (run, "synthetic", "model_flops"), ==, "2320");
  g_assert_cmpstr (nprof_test_fact (run, "synthetic", "bytes_accessed"), ==, "2328");
  g_assert_cmpstr (run->rows[0].category, ==, "hlo_stats.json: 2 * MACs");
}

static void
test_tables (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("pkg2_gz");
  ROWS (run, "tensors", "x|input|[2,2]|float16|8|?", "w|input|[2,290]|float16|1160|?",
        "y|output|[2,290]|float16|1160|?", "z|output|[]|int32|?|?", "sb|state-buffer|?|?|4096|?",
        "p|pointer|?|?|?|?");
  ROWS (run, "dma_queues", "qIn|in|2|1168", "qData|data|1|1160", "qDyn|dynamic|?|?",
        "qIdle|out|0|0", "undeclared|?|1|16");
  ROWS (run, "dma_tensors", "qIn|sb|write|2|1168", "qIn|x|read|1|8", "qIn|w|read|1|1160",
        "qData|y|write|1|1160", "qData|sb|read|1|1160", "undeclared|sb|write|1|16",
        "undeclared|x|read|1|16", "undeclared|w|read|1|16");
  ROWS (run, "instructions", "tensor|0x01|LDWEIGHTS|1", "tensor|0x02|MATMUL|3", "tensor|0xee|?|1",
        "scalar|0x21|ACTIVATE|3", "sync|?|?|?");
  g_assert_cmpuint (nprof_test_skips (run, "instruction stream"), ==, 1);
  g_assert_null (nprof_test_table (run, "neff_layers"));
}

/* Whatever the packing, the same tables and rows. */
static void
test_packings (void)
{
  static const char *const others[] = { "pkg1_tar", "pax_dotslash", "trailing" };
  g_autoptr (NprofTestRun) first = decode_good ("pkg2_gz");
  for (guint k = 0; k < G_N_ELEMENTS (others); k++) {
    g_autoptr (NprofTestRun) run = decode_good (others[k]);
    g_assert_cmpuint (run->n_tables, ==, first->n_tables);
    for (guint t = 0; t < run->n_tables; t++)
      for (guint i = 0; i <= first->tables[t].n_rows; i++) {
        g_autofree char *a = row_text (first, first->tables[t].table->name, i);
        g_autofree char *b = row_text (run, first->tables[t].table->name, i);
        g_assert_cmpstr (a, ==, b);
      }
    assert_property (run, "hash_check", "ok");
    g_assert_cmpuint (nprof_test_skips (run, "bytes behind"), ==,
                      strcmp (others[k], "trailing") == 0);
  }
}

static void
test_names_of_members (void)
{
  static const char *const samples[] = { "pax_utf8", "long_name" };
  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    g_autoptr (NprofTestRun) run = decode_good (samples[k]);
    ROWS (run, "instructions", "tensor|0x02|MATMUL|1", "scalar|0x21|ACTIVATE|3", "sync|?|?|?");
  }
}

static void
test_subgraphs (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("subgraphs");
  g_autofree char *second = row_text (run, "tensors", 6), *p = row_text (run, "tensors", 8);
  g_assert_cmpstr (second, ==, "sg01/y|output|?|?|1162|?");
  g_assert_cmpstr (p, ==, "sg01/p|pointer|?|?|?|?");
  g_assert_cmpstr (nprof_test_cell (run, "dma_queues", 0, "queue"), ==, "sg00/qIn");
  /* sg01/sp.json is named, but not there */
  g_assert_cmpstr (nprof_test_cell (run, "dma_queues", 5, "queue"), ==, "sg01/qIn");
  g_assert_cmpstr (nprof_test_cell (run, "dma_queues", 5, "bytes"), ==, NULL);
  g_autofree char *matmul = row_text (run, "instructions", 1);
  g_assert_cmpstr (matmul, ==, "tensor|0x02|MATMUL|4");
  g_assert_true (nprof_test_logged (run, "member ../../etc/passwd is named but not there"));
  g_assert_cmpuint (nprof_test_skips (run, "member that is missing"), ==, 2);
}

static void
test_layers (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("debug");
  const char *file = "debug_info_sg00/debug_info_asm.pe.dbg";
  static const char *const ends[] = {
    "|tensor|70000|I-1|regular|dot.1; add.2|model/layer_0/dense; model/layer_1/bias",
    "|tensor|1|I-2|spill|add.2|model/layer_0/dense; model/layer_1/bias",
    "|tensor|2|I-3|transpose|?|?",
  };
  for (guint i = 0; i < 4; i++) {
    g_autofree char *text = row_text (run, "neff_layers", i);
    g_autofree char *expected = i < 3 ? g_strconcat (file, ends[i], NULL) : NULL;
    g_assert_cmpstr (text, ==, expected);
  }
  g_assert_cmpuint (nprof_test_skips (run, "debug info"), ==, 1);
}

static void
test_older_names (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("kelp"); /* and kelf-0.json is missing */
  g_assert_cmpuint (nprof_test_table (run, "tensors")->n_rows, ==, 6);
  g_assert_cmpuint (nprof_test_table (run, "dma_queues")->n_rows, ==, 5);
  g_autoptr (NprofTestRun) macs = decode_good ("old_macs");
  g_assert_cmpstr (nprof_test_fact (macs, NULL, "model_flops"), ==, "14");
}

static void
test_long_stream (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("long_stream");
  g_assert_cmpstr (nprof_test_cell (run, "instructions", 0, "count"), ==, "2000");
  g_assert_cmpstr (nprof_test_cell (run, "instructions", 1, "count"), ==, "2000");
}

/* -- Unknown is unknown, never 0 ---------------------------------------------------- */

static void
test_no_facts (void)
{
  static const char *const samples[] = { "no_stats", "minus_stats", "huge_macs" };
  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    g_autoptr (NprofTestRun) run = decode_good (samples[k]);
    g_assert_cmpuint (run->n_rows, ==, 0);
    g_assert_null (nprof_test_property (run, "arithmetic_intensity"));
  }
  g_autoptr (NprofTestRun) run = decode_good ("no_stats");
  g_assert_null (nprof_test_property (run, "compiler_version"));
}

static void
test_unknown_sizes (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("unknown_sizes");
  g_autofree char *queue = row_text (run, "dma_queues", 0), *use = row_text (run, "dma_tensors", 0);
  g_assert_cmpstr (queue, ==, "qIn|in|3|?");
  g_assert_cmpstr (use, ==, "qIn|sb|write|3|?");
  g_assert_cmpuint (nprof_test_skips (run, "descriptor without a size"), ==, 2);
}

/* Without an engine's JSON no queue's sum is known, since any engine may feed any queue. */
static void
assert_unknown_queues (const NprofTestRun *run)
{
  ROWS (run, "dma_queues", "qIn|in|?|?", "qData|data|?|?", "qDyn|dynamic|?|?", "qIdle|out|?|?");
}

static void
test_unknown_engines (void)
{
  g_autoptr (NprofTestRun) missing = decode_good ("no_engine_json");
  assert_unknown_queues (missing);
  g_assert_cmpstr (nprof_test_cell (missing, "instructions", 0, "count"), ==, NULL);
  g_assert_true (nprof_test_logged (missing, "member sg00/pe.json is named but not there"));
  g_autoptr (NprofTestRun) queue = decode_good ("no_dma_queue");
  assert_unknown_queues (queue);
  g_assert_cmpuint (nprof_test_skips (queue, "dma without a queue"), ==, 1);
  g_autoptr (NprofTestRun) large = decode ("large_json", "member_limit=4k", FALSE);
  nprof_test_assert_ok (large);
  assert_unknown_queues (large);
  g_assert_true (nprof_test_logged (large, "member sg00/pe.json has 5"));
  g_autoptr (NprofTestRun) fits = decode_good ("large_json");
  g_assert_cmpstr (nprof_test_cell (fits, "dma_queues", 0, "bytes"), ==, "0");
}

static void
test_unknown_streams (void)
{
  static const char *const samples[] = { "odd_stream", "other_stream" };
  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    g_autoptr (NprofTestRun) run = decode_good (samples[k]);
    g_autofree char *row = row_text (run, "instructions", 0);
    g_assert_cmpstr (row, ==, "tensor|?|?|?");
  }
}

static void
test_empty (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("empty_tar");
  g_assert_cmpuint (nprof_test_table (run, "tensors")->n_rows, ==, 0);
  g_assert_cmpuint (run->n_rows, ==, 0);
  g_assert_true (nprof_test_logged (run, "member neff.json is named but not there"));
  g_autoptr (NprofTestRun) odd = decode_good ("odd_types");
  g_assert_cmpuint (nprof_test_table (odd, "tensors")->n_rows, ==, 0);
  g_autofree char *queue = row_text (odd, "dma_queues", 0);
  g_assert_cmpstr (queue, ==, "q|?|?|?");
}

/* -- Doubtful ----------------------------------------------------------------------- */

static void
test_hash (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("bad_hash");
  assert_property (run, "hash_check", "mismatch");
  g_assert_true (nprof_test_logged (run, "warning: the MD5 of the payload, "));
  g_autoptr (NprofTestRun) pkg3 = decode_good ("pkg3");
  assert_property (pkg3, "hash_check", "unknown");
  g_assert_true (nprof_test_logged (pkg3, "pkg_version 3 is not known"));
  /* one byte of the weights: only the hash tells */
  g_auto (File) file = load ("pkg1_tar");
  file.data[file.len - 12000 > 1024 ? file.len - 6000 : file.len - 1] ^= 1;
  g_autoptr (NprofTestRun) sha = nprof_test_decode (decoder, NULL, file.data, file.len, NULL);
  assert_property (sha, "hash_check", "mismatch");
  g_assert_true (nprof_test_logged (sha, "SHA-256"));
}

static void
test_versions (void)
{
  g_autoptr (NprofTestRun) newer = decode_good ("major3");
  g_assert_true (nprof_test_logged (newer, "NEFF version 3.0 is newer"));
  g_autoptr (NprofTestRun) far = decode ("major17", NULL, FALSE);
  nprof_test_assert_fails (far, NPROF_E_UNSUPPORTED, "neff_version_major at byte 24 is 17");
}

static void
test_bad_names (void)
{
  static const char *const samples[] = { "bad_names", "bad_names_tar" };
  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    g_autoptr (NprofTestRun) run = decode_good (samples[k]);
    assert_property (run, "compiler_version", "9.8.7-synthetic");
    g_assert_cmpuint (nprof_test_skips (run, "member that leads out"), ==, 4);
    g_assert_cmpuint (nprof_test_skips (run, "member that is no file"), ==, 1);
    g_assert_true (nprof_test_logged (run, "member \"../info.json\" at byte 0 of the "));
  }
}

static void
test_twice (void)
{
  g_autoptr (NprofTestRun) run = decode_good ("twice");
  assert_property (run, "compiler_version", "9.8.7-synthetic");
  g_assert_cmpuint (nprof_test_skips (run, "member that is replaced"), ==, 1);
}

/* -- Damaged ------------------------------------------------------------------------ */

typedef struct {
  const char *sample, *error;
} Damage;

static void
test_damage (void)
{
  static const Damage list[] = {
    { "header_size", "header_size at byte 8 is 512, expected is 1024" },
    { "beyond", "data_size at byte 16 is 1000000000000000, but only " },
    { "not_packed", "the payload at byte 1024 is neither gzip nor tar (600 bytes)" },
    { "no_payload", "the payload at byte 1024 is neither gzip nor tar (0 bytes)" },
    { "bad_json", "member sg00/def.json, near its byte 29: no JSON: unexpected identifier" },
    { "bad_json_tar", "member sg00/def.json, near its byte 15: no JSON: unexpected" },
    { "cut_json",
      "member sg00/pe.json, near its byte 28: no JSON: an object or array without an end" },
    { "cut_string", "member hlo_stats.json, near its byte 8: no JSON: a string without an end" },
    { "empty_json", "member neff.json, near its byte 0: no JSON: an object is expected" },
    { "array_json", "member neff.json, near its byte 0: no JSON: an object is expected" },
    { "nul_json", "member info.json, near its byte 21: no JSON: a NUL byte" },
    { "latin_json", "member info.json, near its byte 18: no JSON: it is no UTF-8" },
    { "deep_json", "member neff.json, near its byte 100: no JSON: values are nested too deep" },
    { "gzip_garbage", "the payload cannot be read on" },
    { "gzip_cut", "truncated gzip input; behind byte " },
    { "tar_cut", "of the payload; copy the file again" },
    { "tar_junk", "byte 4096: the payload cannot be read on: Damaged tar archive" },
    { "bomb", "the payload inflates to more than " },
    { "bomb_json", "if it is right, set inflate_limit" },
  };
  for (guint k = 0; k < G_N_ELEMENTS (list); k++) {
    g_autoptr (NprofTestRun) run = decode (list[k].sample, NULL, FALSE);
    nprof_test_assert_fails (run, NPROF_E_FORMAT, list[k].error);
  }
}

/* With keep_going what is left is read, and what was lost is unknown. */
static void
test_keep_going (void)
{
  static const char *const samples[]
      = { "bad_json", "cut_json", "deep_json", "gzip_cut", "tar_cut", "tar_junk", "beyond" };
  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    g_autoptr (NprofTestRun) run = decode (samples[k], NULL, TRUE);
    nprof_test_assert_ok (run);
    g_assert_cmpuint (run->n_damage, >, 0);
    g_assert_cmpuint (nprof_test_count (run, NPROF_GAP), ==, 1);
  }
  g_autoptr (NprofTestRun) run = decode ("cut_json", NULL, TRUE);
  assert_unknown_queues (run);
  g_assert_cmpstr (nprof_test_fact (run, NULL, "model_flops"), ==, "2320");
  g_autoptr (NprofTestRun) cut = decode ("beyond", NULL, TRUE);
  assert_property (cut, "hash_check", "unknown");
}

static void
test_bomb_limits (void)
{
  g_autoptr (NprofTestRun) wide = decode ("bomb", "inflate_limit=1G", FALSE);
  nprof_test_assert_ok (wide);
  g_assert_cmpstr (nprof_test_fact (wide, NULL, "model_flops"), ==, "2320");
  g_autoptr (NprofTestRun) narrow = decode ("long_stream", "inflate_limit=100k", FALSE);
  nprof_test_assert_fails (narrow, NPROF_E_FORMAT,
                           "the payload inflates to more than 102400 bytes after ");
}

/* Wherever it is cut: an error that says where, and no crash; keep_going ends well. */
static void
test_cut (void)
{
  static const char *const samples[] = { "debug", "pkg1_tar" };
  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    g_auto (File) file = load (samples[k]);
    for (gsize len = 0; len < file.len; len += k && len > 1100 ? 1 + len % 61 : 1) {
      g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, NULL, file.data, len, NULL);
      g_autofree char *byte = g_strdup_printf ("at byte %" G_GSIZE_FORMAT, len);
      nprof_test_assert_fails (run, NPROF_E_FORMAT, byte);
      g_autoptr (NprofTestRun) on = nprof_test_decode (decoder, NULL, file.data, len,
                                                       &(NprofTestConfig){ .keep_going = TRUE });
      g_assert_cmpuint (on->n_broken, ==, 0);
      g_assert_true (on->status == NPROF_E_FORMAT || (on->status == NPROF_OK && on->n_damage > 0));
    }
  }
}

static void
test_torture (void)
{
  static const char *const samples[] = { "debug", "pkg1_tar", "bad_names" };
  for (guint k = 0; k < G_N_ELEMENTS (samples); k++) {
    g_auto (File) file = load (samples[k]);
    nprof_test_torture (decoder, NULL, file.data, file.len);
  }
}

/* -- Probing ------------------------------------------------------------------------ */

static void
test_probe (void)
{
  static const struct {
    const char *sample;
    int bid;
  } list[] = {
    { "pkg2_gz", 90 },  { "pkg1_tar", 90 }, { "pax_dotslash", 90 }, { "major3", 90 },
    { "trailing", 90 }, { "beyond", 60 },   { "header_size", 0 },   { "not_packed", 0 },
    { "major17", 0 },   { "pkg3", 0 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (list); k++) {
    g_auto (File) file = load (list[k].sample);
    g_assert_cmpint (nprof_test_probe (decoder, file.data, file.len, "x"), ==, list[k].bid);
  }
  g_auto (File) file = load ("pkg2_gz");
  g_assert_cmpint (nprof_test_probe (decoder, file.data, 1024, "x"), ==, 0);
  g_assert_cmpint (nprof_test_probe (decoder, file.data, 0, "x"), ==, 0);
  g_assert_cmpint (nprof_test_probe (decoder, file.data, 10, "a.neff"), ==, 20);
}

/* -- Files that another program made ------------------------------------------------ */

static void
test_others (void)
{
  static const char *const names[]
      = { "synthetic_pkg2_gz.neff", "synthetic_pkg1_gz_pax_dotslash.neff",
          "synthetic_pkg1_tar.neff" };
  if (!g_getenv ("NPROF_TEST_DATA")) {
    g_test_skip ("NPROF_TEST_DATA does not name the folder of samples");
    return;
  }
  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    g_auto (File) file = { NULL, 0 };
    g_autofree char *path
        = g_build_filename (g_getenv ("NPROF_TEST_DATA"), "..", "tools", names[k], NULL);
    g_assert_true (g_file_get_contents (path, &file.data, &file.len, NULL));
    g_assert_cmpint (nprof_test_probe (decoder, file.data, file.len, path), ==, 90);
    g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, NULL, file.data, file.len, NULL);
    nprof_test_assert_ok (run);
    assert_property (run, "hash_check", "ok");
    g_assert_cmpstr (nprof_test_fact (run, NULL, "model_flops"), ==, "2320");
    ROWS (run, "tensors", "input0|input|[2,2]|float16|8|?", "input1|input|[2,290]|float16|1160|?",
          "output0|output|[2,290]|float16|1160|?");
    ROWS (run, "dma_queues", "qIn|in|0|0");
    ROWS (run, "instructions", "tensor|0x01|LDWEIGHTS|1", "tensor|0x02|MATMUL|1");
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  decoder = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "neff");
  g_test_add_func ("/neff/header", test_header);
  g_test_add_func ("/neff/facts", test_facts);
  g_test_add_func ("/neff/tables", test_tables);
  g_test_add_func ("/neff/packings", test_packings);
  g_test_add_func ("/neff/names-of-members", test_names_of_members);
  g_test_add_func ("/neff/subgraphs", test_subgraphs);
  g_test_add_func ("/neff/layers", test_layers);
  g_test_add_func ("/neff/older-names", test_older_names);
  g_test_add_func ("/neff/long-stream", test_long_stream);
  g_test_add_func ("/neff/no-facts", test_no_facts);
  g_test_add_func ("/neff/unknown-sizes", test_unknown_sizes);
  g_test_add_func ("/neff/unknown-engines", test_unknown_engines);
  g_test_add_func ("/neff/unknown-streams", test_unknown_streams);
  g_test_add_func ("/neff/empty", test_empty);
  g_test_add_func ("/neff/hash", test_hash);
  g_test_add_func ("/neff/versions", test_versions);
  g_test_add_func ("/neff/bad-names", test_bad_names);
  g_test_add_func ("/neff/twice", test_twice);
  g_test_add_func ("/neff/damage", test_damage);
  g_test_add_func ("/neff/keep-going", test_keep_going);
  g_test_add_func ("/neff/bomb-limits", test_bomb_limits);
  g_test_add_func ("/neff/cut", test_cut);
  g_test_add_func ("/neff/torture", test_torture);
  g_test_add_func ("/neff/probe", test_probe);
  g_test_add_func ("/neff/others", test_others);
  return g_test_run ();
}
