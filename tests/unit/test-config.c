/* SPDX-License-Identifier: Apache-2.0 */
/* test-config.c - what a JSON file adds to the command line, and what in it is wrong. */

#include "cli/config-file.h"
#include "pipeline/run.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct {
  char *path;
  NpConfig *config;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  int fd = g_file_open_tmp ("nprof-config-XXXXXX", &f->path, NULL);
  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  f->config = np_config_new ();
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_config_free (f->config);
  g_remove (f->path);
  g_free (f->path);
}

static gboolean
load_text (Fixture *f, const char *text, GError **error)
{
  g_assert_true (g_file_set_contents (f->path, text, -1, NULL));
  return np_config_load (f->config, f->path, error);
}

static void
load (Fixture *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  load_text (f, text, &error);
  g_assert_no_error (error);
}

/* The error is PATH: WHERE: EXPECTED... */
static void
refuse (Fixture *f, const char *text, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (load_text (f, text, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_autofree char *whole = g_strdup_printf ("%s: %s", f->path, expected);
  if (!g_str_has_prefix (error->message, whole))
    g_error ("\"%s\" was expected in \"%s\"", whole, error->message);
}

/* NAME key=value key=value; transfer full */
static char *
spec_text (const NpSpec *spec)
{
  GString *text = g_string_new (spec->name);
  for (guint i = 0; i < spec->keys->len; i++)
    g_string_append_printf (text, " %s=%s", (char *) spec->keys->pdata[i],
                            (char *) spec->values->pdata[i]);
  return g_string_free (text, FALSE);
}

static void
check_specs (GPtrArray *specs, const char *expected)
{
  GString *all = g_string_new (NULL);
  for (guint i = 0; i < specs->len; i++) {
    g_autofree char *text = spec_text (specs->pdata[i]);
    g_string_append_printf (all, "%s\n", text);
  }
  g_assert_cmpstr (all->str, ==, expected);
  g_string_free (all, TRUE);
}

#define EVERYTHING                                                                                 \
  "{\"inputs\": [\"a\", \"-\"], \"decoder\": {\"name\": \"xplane\", \"options\": {\"x\": 1}}, "    \
  "\"analyzers\": [\"latency:by=op\", {\"name\": \"mfu\"}], "                                      \
  "\"sinks\": [{\"name\": \"csv\", \"options\": {\"excel\": true, \"fast\": false, \"n\": -3, "    \
  "\"ratio\": 0.1, \"big\": 1e6, \"text\": \"a, b\", \"none\": \"\"}}], "                          \
  "\"output\": \"out/\", \"jobs\": 3}"

static void
test_everything (Fixture *f, gconstpointer data)
{
  (void) data;
  load (f, EVERYTHING);
  g_assert_cmpuint (f->config->inputs->len, ==, 2);
  g_assert_cmpstr (f->config->inputs->pdata[0], ==, "a");
  g_assert_cmpstr (f->config->inputs->pdata[1], ==, "-");
  g_autofree char *decoder = spec_text (f->config->decoder);
  g_assert_cmpstr (decoder, ==, "xplane x=1");
  check_specs (f->config->analyzers, "latency by=op\nmfu\n");
  check_specs (f->config->sinks,
               "csv excel=yes fast=no n=-3 ratio=0.1 big=1000000 text=a, b none=\n");
  g_assert_cmpstr (f->config->output, ==, "out/");
  g_assert_cmpuint (f->config->jobs, ==, 3);
}

static void
test_the_command_line_wins (Fixture *f, gconstpointer data)
{
  (void) data;
  g_ptr_array_add (f->config->inputs, g_strdup ("mine"));
  f->config->decoder = np_spec_new ("chrome");
  g_ptr_array_add (f->config->analyzers, np_spec_new ("steps"));
  g_ptr_array_add (f->config->sinks, np_spec_new ("null"));
  f->config->output = g_strdup ("here");
  f->config->jobs = 7;
  load (f, EVERYTHING);
  g_assert_cmpuint (f->config->inputs->len, ==, 1);
  g_assert_cmpstr (f->config->inputs->pdata[0], ==, "mine");
  g_assert_cmpstr (f->config->decoder->name, ==, "chrome");
  check_specs (f->config->analyzers, "steps\n");
  check_specs (f->config->sinks, "null\n");
  g_assert_cmpstr (f->config->output, ==, "here");
  g_assert_cmpuint (f->config->jobs, ==, 7);
}

/* Values that the command line overrides are checked all the same. */
static void
test_the_command_line_hides_no_mistake (Fixture *f, gconstpointer data)
{
  (void) data;
  f->config->decoder = np_spec_new ("chrome");
  g_ptr_array_add (f->config->sinks, np_spec_new ("null"));
  refuse (f, "{\"decoder\": 3}", "decoder: expected a name or {");
  refuse (f, "{\"sinks\": [3]}", "sinks: expected a name or {");
  g_assert_cmpstr (f->config->decoder->name, ==, "chrome");
  check_specs (f->config->sinks, "null\n");
}

static void
test_nothing (Fixture *f, gconstpointer data)
{
  (void) data;
  load (f, "{}");
  load (f, "{\"inputs\": [], \"analyzers\": [], \"sinks\": []}");
  g_assert_cmpuint (f->config->inputs->len, ==, 0);
  g_assert_null (f->config->decoder);
  g_assert_cmpuint (f->config->batch_rows, ==, NP_BATCH_ROWS);
  np_config_free (NULL);
}

static void
test_wrong_types (Fixture *f, gconstpointer data)
{
  (void) data;
  static const char *const wrong[] = { "3", "3.5", "null", "true", "{}", "[]", "\"\"" };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    const char *value = wrong[i];
    g_autofree char *output = g_strdup_printf ("{\"output\": %s}", value);
    refuse (f, output, "output: expected a path");
    g_autofree char *item = g_strdup_printf ("{\"inputs\": [\"a\", %s]}", value);
    refuse (f, item, "inputs: expected an array of paths");
    g_autofree char *name = g_strdup_printf ("{\"sinks\": [{\"name\": %s}]}", value);
    refuse (f, name, "sinks: expected {\"name\": \"...\", \"options\": {...}}");
    if (strcmp (value, "{}") == 0)
      continue;
    g_autofree char *decoder = g_strdup_printf ("{\"decoder\": %s}", value);
    refuse (f, decoder, "decoder: expected a name or {\"name\"");
    g_autofree char *sink = g_strdup_printf ("{\"sinks\": [%s]}", value);
    refuse (f, sink, "sinks: expected a name or {\"name\"");
    g_autofree char *options
        = g_strdup_printf ("{\"analyzers\": [{\"name\": \"a\", \"options\": %s}]}", value);
    refuse (f, options, "analyzers: expected \"options\" to be an object");
    if (strcmp (value, "[]") == 0)
      continue;
    g_autofree char *list = g_strdup_printf ("{\"inputs\": %s}", value);
    refuse (f, list, "inputs: expected an array of paths");
    g_autofree char *sinks = g_strdup_printf ("{\"sinks\": %s}", value);
    refuse (f, sinks, "sinks: expected an array of components");
  }
}

static void
test_wrong_values_of_options (Fixture *f, gconstpointer data)
{
  (void) data;
  static const char *const wrong[] = { "null", "[1]", "{\"a\": 1}" };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *text
        = g_strdup_printf ("{\"sinks\": [{\"name\": \"csv\", \"options\": {\"k\": %s}}]}",
                           wrong[i]);
    refuse (f, text, "sinks: csv: k: expected a string, a number, true or false");
  }
}

static void
test_jobs (Fixture *f, gconstpointer data)
{
  (void) data;
  static const char *const wrong[]
      = { "0", "-1", "1025", "2.5", "2.0", "true", "null", "\"2\"", "[2]", "{}", "1e300" };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *text = g_strdup_printf ("{\"jobs\": %s}", wrong[i]);
    refuse (f, text, "jobs: expected a whole number from 1 to 1024");
  }
  load (f, "{\"jobs\": 1024}");
  g_assert_cmpuint (f->config->jobs, ==, 1024);
}

static void
test_unknown_members (Fixture *f, gconstpointer data)
{
  (void) data;
  refuse (f, "{\"sinkz\": []}",
          "sinkz: expected one of inputs, decoder, analyzers, sinks, output, jobs");
  refuse (f, "{\"sinks\": [{\"name\": \"csv\", \"option\": {}}]}", "sinks: expected {\"name\"");
  refuse (f, "{\"sinks\": [{}]}", "sinks: expected {\"name\"");
  refuse (f, "{\"sinks\": [\"csv:a=1,a=2\"]}", "sinks: ");
  refuse (f, "[]", "the file: expected a JSON object");
  refuse (f, "\"csv\"", "the file: expected a JSON object");
}

static void
test_no_file (Fixture *f, gconstpointer data)
{
  (void) data;
  g_remove (f->path);
  g_autoptr (GError) error = NULL;
  g_assert_false (np_config_load (f->config, f->path, &error));
  g_autofree char *text = g_strdup_printf ("%s: No such file or directory", f->path);
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_cmpstr (error->message, ==, text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, fn) g_test_add (path, Fixture, NULL, set_up, fn, tear_down)
  TEST ("/config/everything", test_everything);
  TEST ("/config/the-command-line-wins", test_the_command_line_wins);
  TEST ("/config/the-command-line-hides-no-mistake", test_the_command_line_hides_no_mistake);
  TEST ("/config/nothing", test_nothing);
  TEST ("/config/wrong-types", test_wrong_types);
  TEST ("/config/wrong-values-of-options", test_wrong_values_of_options);
  TEST ("/config/jobs", test_jobs);
  TEST ("/config/unknown-members", test_unknown_members);
  TEST ("/config/no-file", test_no_file);
  return g_test_run ();
}
