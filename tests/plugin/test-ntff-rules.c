/* SPDX-License-Identifier: Apache-2.0 */
/* test-ntff-rules.c - what the decoder ntff says and refuses: its first words, files that are no
 * NTFF, files that are cut, the NEFF beside a file, gaps.  Rows over many seeds against an
 * independent reader: tests/cli/neuron.py. */
#include "testhost.h"

#include <glib/gstdio.h>

static const struct nprof_component *decoder;

typedef struct {
  char *data;
  gsize len;
} Bytes;

static void
bytes_clear (Bytes *b)
{
  g_clear_pointer (&b->data, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bytes, bytes_clear)

/* Returns a file of that version. */
static Bytes
make (const char *version, const char *option)
{
  GError *error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("nprof-ntff-XXXXXX", &error);
  const char *argv[]
      = { g_getenv ("PYTHON"), g_getenv ("NTFF_MAKE"), folder, "--version", version, option, NULL };
  int status = -1;
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                               &status, &error));
  g_assert_cmpint (status, ==, 0);
  g_autofree char *path = g_build_filename (folder, "synthetic_1.ntff", NULL);
  Bytes b = { NULL, 0 };
  g_assert_true (g_file_get_contents (path, &b.data, &b.len, NULL));
  g_remove (path);
  g_rmdir (folder);
  return b;
}

static NprofTestRun *
decode (const Bytes *b, const NprofTestConfig *config)
{
  NprofTestRun *run = nprof_test_decode (decoder, NULL, b->data, b->len, config);
  nprof_test_assert_ok (run);
  return run;
}

/* -- What is said -------------------------------------------------------------------------- */

static void
test_first_words (gconstpointer data)
{
  const char *version = data;
  g_auto (Bytes) b = make (version, NULL);
  g_autoptr (NprofTestRun) run = decode (&b, NULL);
  g_autofree char *first = g_strdup_printf ("info: NTFF version %s, read by its fields", version);
  g_assert_cmpstr (run->log[0], ==, first);
  g_assert_true (nprof_test_logged (run, "no NEFF was found beside it"));
  g_assert_cmpstr (nprof_test_property (run, "version"), ==, version);
  g_assert_cmpstr (nprof_test_property (run, "certainty"), ==, "checked");
  g_assert_cmpint (nprof_test_probe (decoder, b.data, b.len, "x"), ==, 60);
  for (gsize seen = 200; seen < 2200; seen++) /* of a file whose message goes on behind that */
    g_assert_cmpint (decoder->probe (b.data, seen, b.len, "x"), ==, 60);
}

static void
test_tracks (void)
{
  g_auto (Bytes) b = make ("5", NULL);
  g_autoptr (NprofTestRun) run = decode (&b, NULL);
  const NprofTestRow *whole = nprof_test_row (run, "execution"), *row = NULL;
  g_assert_cmpint (whole->start, ==, 0); /* time counts from the start of the execution */
  g_assert_cmpstr (whole->path, ==, "Neuron device 0/NeuronCore 0");
  for (guint i = 0; i < run->n_rows && !row; i++)
    if (run->rows[i].kind == NPROF_SPAN && strcmp (run->rows[i].category, "instruction") == 0
        && g_str_has_suffix (run->rows[i].path, "/PE"))
      row = &run->rows[i];
  g_assert_nonnull (row);
  g_assert_cmpstr (row->path, ==, "Neuron device 0/NeuronCore 0/PE");
  g_assert_cmpstr (nprof_test_attr (row, "engine"), ==, "tensor");
  g_assert_nonnull (nprof_test_attr (row, "opcode"));
}

/* What is asked for, and how rows come in batches, is no matter of which rows there are. */
static void
test_less (void)
{
  static const char *const none[] = { NULL };
  g_auto (Bytes) b = make ("6", NULL);
  g_autoptr (NprofTestRun) plain = decode (&b, &(NprofTestConfig){ .wanted = none, .rows = 7 });
  g_autoptr (NprofTestRun) usual = decode (&b, NULL);
  g_assert_cmpuint (plain->n_rows, ==, usual->n_rows);
}

static void
test_losses (void)
{
  g_auto (Bytes) b = make ("5", "--lost");
  g_autoptr (NprofTestRun) run = decode (&b, NULL);
  g_assert_cmpuint (nprof_test_skips (run, "start of an instruction"), ==, 1);
  g_assert_cmpuint (nprof_test_skips (run, "place where notifications were lost"), ==, 1);
  g_assert_true (nprof_test_logged (run, "1 records say that notifications before them were lost"));
  g_assert_cmpuint (nprof_test_count (run, NPROF_GAP), ==, 1);
}

/* -- What is refused -------------------------------------------------------------------------- */

static void
assert_refused (const void *data, gsize len, const char *why)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (decoder, NULL, data, len, NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, why);
  g_assert_nonnull (strstr (run->failure, "neuron-profile view --output-format json"));
  g_assert_cmpuint (run->n_rows, ==, 0);
}

static void
test_version (void)
{
  static const guint8 others[] = { 0, 1, 2, 3, 7, 15, 130, 255 };
  g_auto (Bytes) b = make ("5", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autofree char *said = g_strdup_printf ("NTFF version %u", others[i]);
    b.data[0] = (char) others[i];
    assert_refused (b.data, b.len, said);
  }
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint i = 0; i < 40; i++) {
    gsize len = (gsize) g_rand_int_range (rand, 0, 60000);
    g_autofree guint8 *data = g_malloc (len + 1);
    for (gsize k = 0; k < len; k++)
      data[k] = (guint8) (i & 1 ? g_rand_int (rand) : g_rand_int (rand) & 31);
    assert_refused (data, len, "NTFF");
    g_assert_cmpint (nprof_test_probe (decoder, data, len, "a.bin"), ==, 0);
    g_assert_cmpint (nprof_test_probe (decoder, data, len, "a.ntff"), ==, 20);
  }
}

static void
test_other_files (void)
{
  static const char gzip[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";
  char neff[4096] = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 4 };
  g_autoptr (GString) text = g_string_new (NULL), proto = g_string_new (NULL);
  memcpy (neff + 1024, gzip, sizeof gzip);
  for (guint i = 0; i < 500; i++) {
    g_string_append_printf (text, "{\"name\":\"op %u\",\"ts\":%u},\n", i, i * 1000);
    g_string_append_len (proto, "\x0a\x06\x08\x01\x12\x02op", 8);
  }
  g_string_append_len (g_string_insert (text, 0, "["), "]", 1);
  assert_refused (neff, sizeof neff, "NTFF");
  assert_refused (gzip, sizeof gzip, "NTFF");
  assert_refused (text->str, text->len, "NTFF");
  assert_refused (proto->str, proto->len, "NTFF");
  assert_refused ("", 0, "NTFF version unknown");
  g_assert_cmpint (nprof_test_probe (decoder, neff, sizeof neff, "a.neff"), ==, 0);
  g_assert_cmpint (nprof_test_probe (decoder, text->str, text->len, "a.json"), ==, 0);
  g_assert_cmpint (nprof_test_probe (decoder, proto->str, proto->len, "a.pb"), ==, 0);
}

/* -- Damage ------------------------------------------------------------------------------------ */

/* At every seventh byte, which meets each byte of a record, with NPROF_TEST_ALL at every one.
 * Quick: a host for each of thousands of files costs more than the decoding. */
static void
test_cut (gconstpointer version)
{
  g_auto (Bytes) b = make (version, NULL);
  for (gsize len = 0; len < b.len; len += g_getenv ("NPROF_TEST_ALL") ? 1 : 7) {
    g_autoptr (NprofTestRun) run
        = nprof_test_decode (decoder, NULL, b.data, len, &(NprofTestConfig){ .log_level = -1 });
    g_assert_cmpuint (run->n_broken, ==, 0);
    g_assert_cmpint (run->status, ==, NPROF_E_FORMAT);
    g_assert_cmpuint (run->n_rows, ==, 0);
  }
}

static void
test_changed (gconstpointer version)
{
  g_auto (Bytes) b = make (version, "--lost");
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (guint i = 0; i < 600; i++) {
    g_autofree guint8 *data = g_memdup2 (b.data, b.len);
    for (gint k = g_rand_int_range (rand, 1, 20); k > 0; k--)
      data[g_rand_int_range (rand, 0, k & 1 ? (gint32) b.len : 1000)] = (guint8) g_rand_int (rand);
    g_autoptr (NprofTestRun) run
        = nprof_test_decode (decoder, NULL, data, b.len, &(NprofTestConfig){ .log_level = -1 });
    g_assert_cmpuint (run->n_broken, ==, 0);
    g_assert_true (run->status == NPROF_OK || run->status == NPROF_E_FORMAT);
  }
}

static void
test_torture (void)
{
  g_auto (Bytes) b = make ("5", "--outside");
  nprof_test_torture (decoder, NULL, b.data, b.len);
}

/* -- The NEFF ---------------------------------------------------------------------------------- */

/* An uncompressed one with hlo_stats.json, as neuron-packager writes; returns its size.  stats are
 * at most 65535 * 256 - 1536 bytes. */
static gsize
make_neff (char *neff, const char *stats)
{
  char *tar = neff + 1024;
  guint sum = 0, size = 512 * (3 + (guint) (strlen (stats) + 511) / 512);
  memset (neff, 0, 1024 + size);
  neff[0] = 2;
  neff[9] = 4; /* header_size 1024 */
  for (guint k = 0; k < 3; k++)
    neff[0x10 + k] = (char) (size >> 8 * k); /* data_size */
  neff[0x18] = 2;
  strcpy (neff + 0xdc, "resnet");
  strcpy (tar, "./hlo_stats.json");
  strcpy (tar + 100, "0000644");
  strcpy (tar + 108, "0000000");
  strcpy (tar + 116, "0000000");
  g_snprintf (tar + 124, 12, "%011o", (guint) strlen (stats));
  strcpy (tar + 136, "00000000000");
  tar[156] = '0';
  memcpy (tar + 257,
          "ustar\0"
          "00",
          8);
  memset (tar + 148, ' ', 8);
  for (guint i = 0; i < 512; i++)
    sum += (guchar) tar[i];
  g_snprintf (tar + 148, 8, "%06o", sum);
  memcpy (tar + 512, stats, strlen (stats));
  return 1024 + size;
}

static void
test_neff (void)
{
  char neff[4096];
  gsize len = make_neff (neff, "{\"HloMacCount\":1160,\"Traffic\":2328}");
  g_auto (Bytes) b = make ("5", NULL);
  NprofTestFile files[]
      = { { "neff_77.neff", neff, len }, { "other.neff", neff, len }, { NULL, NULL, 0 } };
  NprofTestConfig config = { .label = "a/77_instid_0_vnc_0.ntff", .siblings = files };
  g_autoptr (NprofTestRun) run = decode (&b, &config);
  g_assert_true (nprof_test_logged (run, "its NEFF is neff_77.neff: its name has the same number"));
  g_assert_cmpstr (nprof_test_property (run, "model"), ==, "resnet");
  g_assert_cmpstr (nprof_test_property (run, "neff"), ==, "neff_77.neff");
  const char *flops = nprof_test_fact (run, "Neuron device 0", "model_flops");
  g_assert_true (!flops || strcmp (flops, "2320") == 0); /* without libarchive: unknown */
  config.label = "p.ntff";
  g_autoptr (NprofTestRun) none = decode (&b, &config);
  g_assert_true (nprof_test_logged (none, "no NEFF was found beside it"));
  files[1].name = NULL;
  g_autoptr (NprofTestRun) only = decode (&b, &config);
  g_assert_true (nprof_test_logged (only, "the only NEFF in the folder"));
  g_autoptr (NprofTestRun) named
      = nprof_test_decode (decoder, "neff=neff_77.neff", b.data, b.len, &config);
  nprof_test_assert_ok (named);
  g_assert_true (nprof_test_logged (named, "neff= names it"));
}

/* json-glib calls itself for each level, and this many ended the process. */
static void
test_neff_of_many_levels (void)
{
  enum { LEVELS = 900000 };
  g_autofree char *stats = g_strnfill (LEVELS, '['), *neff = g_malloc (1024 + 4 * 512 + LEVELS);
  gsize len = make_neff (neff, stats);
  g_auto (Bytes) b = make ("5", NULL);
  NprofTestFile files[] = { { "x.neff", neff, len }, { NULL, NULL, 0 } };
  NprofTestConfig config = { .siblings = files };
  g_autoptr (NprofTestRun) run = decode (&b, &config);
  g_assert_cmpstr (nprof_test_property (run, "model"), ==, "resnet");
  g_assert_null (nprof_test_fact (run, "Neuron device 0", "model_flops"));
}

static void
test_no_neff (void)
{
  g_auto (Bytes) b = make ("5", NULL);
  NprofTestFile files[] = { { "x.neff", "text", 4 }, { NULL, NULL, 0 } };
  NprofTestConfig config = { .siblings = files };
  g_autoptr (NprofTestRun) run = decode (&b, &config);
  g_assert_true (nprof_test_logged (run, "x.neff is no NEFF, though its name says so: not used"));
  g_autoptr (NprofTestRun) named
      = nprof_test_decode (decoder, "neff=x.neff", b.data, b.len, &config);
  nprof_test_assert_fails (named, NPROF_E_OPTION, "neff=x.neff: this is no NEFF");
  g_autoptr (NprofTestRun) missing
      = nprof_test_decode (decoder, "neff=y.neff", b.data, b.len, &config);
  nprof_test_assert_fails (missing, NPROF_E_IO, "y.neff");
}

int
main (int argc, char **argv)
{
  static const char *const versions[] = { "4", "5", "6" };
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PYTHONDONTWRITEBYTECODE", "1", TRUE);
  decoder = nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "ntff");
  for (guint i = 0; i < G_N_ELEMENTS (versions); i++) {
    g_autofree char *words = g_strconcat ("/ntff/first-words/", versions[i], NULL),
                    *cut = g_strconcat ("/ntff/cut/", versions[i], NULL),
                    *changed = g_strconcat ("/ntff/changed/", versions[i], NULL);
    g_test_add_data_func (words, versions[i], test_first_words);
    g_test_add_data_func (cut, versions[i], test_cut);
    g_test_add_data_func (changed, versions[i], test_changed);
  }
  g_test_add_func ("/ntff/tracks", test_tracks);
  g_test_add_func ("/ntff/less", test_less);
  g_test_add_func ("/ntff/losses", test_losses);
  g_test_add_func ("/ntff/refused/version", test_version);
  g_test_add_func ("/ntff/refused/random", test_random);
  g_test_add_func ("/ntff/refused/other-files", test_other_files);
  g_test_add_func ("/ntff/torture", test_torture);
  g_test_add_func ("/ntff/neff", test_neff);
  g_test_add_func ("/ntff/no-neff", test_no_neff);
  g_test_add_func ("/ntff/neff-of-many-levels", test_neff_of_many_levels);
  return g_test_run ();
}
