/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - the files of a component under test: what a sink writes is kept in memory,
 * what a decoder finds beside its input comes from the test. */

#include "test-run.h"

#include <stdlib.h>
#include <string.h>

static void
output_free (gpointer p)
{
  Output *output = p;
  g_free (output->name);
  g_string_free (output->data, TRUE);
  g_free (output);
}

static guint
target_kind (const NprofTestState *test)
{
  guint flags = test->component.flags;
  if (test->component.kind != NPROF_SINK)
    return NPROF_TARGET_NONE;
  if (test->config.target)
    return test->config.target;
  return flags & NPROF_SINK_FOLDER   ? NPROF_TARGET_FOLDER
         : flags & NPROF_SINK_FILE   ? NPROF_TARGET_FILE
         : flags & NPROF_SINK_STDOUT ? NPROF_TARGET_STDOUT
                                     : NPROF_TARGET_NONE;
}

void
files_init (NprofTestState *test)
{
  test->outputs = g_ptr_array_new_with_free_func (output_free);
  test->siblings = g_ptr_array_new_with_free_func (free);
  const NprofTestConfig *config = &test->config;
  test->target = (struct nprof_target){
    .size = sizeof test->target,
    .kind = target_kind (test),
    .is_terminal = (uint32_t) config->is_terminal,
    .columns = config->columns,
  };
  if (test->target.kind == NPROF_TARGET_FILE)
    test->target.name = config->target_name ? config->target_name : test->component.default_name;
}

void
files_free (NprofTestState *test)
{
  g_ptr_array_unref (test->outputs);
  g_ptr_array_unref (test->siblings);
}

const struct nprof_target *
files_target (const struct nprof_host *host)
{
  return &HOST (host)->test->target;
}

static nprof_status
output_write (struct nprof_output *out, const void *data, size_t len)
{
  Output *self = (Output *) out;
  NprofTestState *test = self->test;
  if (self->closed)
    state_broke (test, "output \"%s\" was written after it was closed", self->name);
  guint64 limit = test->config.write_limit;
  test->written += len;
  if (test->config.no_room || (limit && test->written > limit)) {
    if (!test->run.failure)
      test->run.failure = "the disk of the test is full";
    return host_refuse (test->host, NPROF_E_IO);
  }
  g_string_append_len (self->data, data, (gssize) len);
  return NPROF_OK;
}

static nprof_status
output_close (struct nprof_output *out)
{
  Output *self = (Output *) out;
  if (self->closed)
    state_broke (self->test, "output \"%s\" was closed twice", self->name);
  self->closed = TRUE;
  return self->test->host->refused == NPROF_E_IO ? NPROF_E_IO : NPROF_OK;
}

static Output *
output_new (NprofTestState *test, const char *name)
{
  Output *output = g_new0 (Output, 1);
  output->output = (struct nprof_output){ .size = sizeof output->output,
                                          .write = output_write,
                                          .close = output_close };
  output->test = test;
  output->name = g_strdup (name);
  output->data = g_string_new (NULL);
  g_ptr_array_add (test->outputs, output);
  return output;
}

struct nprof_output *
files_state (NprofTestState *test)
{
  return &output_new (test, "state")->output;
}

static Output *
find_output (const NprofTestState *test, const char *name)
{
  for (guint i = 0; i < test->outputs->len; i++) {
    Output *output = g_ptr_array_index (test->outputs, i);
    if (g_strcmp0 (output->name, name) == 0)
      return output;
  }
  return NULL;
}

/* Returns whether a part of the path leads up, as the core sees it; "a..b" is a name like any
 * other. */
static bool
leads_up (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  return g_strv_contains ((const char *const *) parts, "..");
}

static const char *
name_problem (const NprofTestState *test, const char *name)
{
  guint kind = test->target.kind;
  if (test->component.kind != NPROF_SINK)
    return "only a sink of this test has outputs";
  if (kind == NPROF_TARGET_NONE)
    return "this sink has no target";
  if (!name)
    return kind == NPROF_TARGET_FOLDER ? "a folder needs a name" : NULL;
  if (kind == NPROF_TARGET_STDOUT)
    return "stdout has no name (NULL)";
  if (!*name || *name == '/' || strcmp (name, ".") == 0 || leads_up (name))
    return "a name begins with no / and has no ..";
  return find_output (test, name) ? "it exists already" : NULL;
}

struct nprof_output *
files_output (const struct nprof_host *host, const char *name)
{
  NprofTestState *test = HOST (host)->test;
  call_check (HOST (host), "output");
  if (test->config.no_output) {
    host_refuse (HOST (host),
                 host->fail (host, NPROF_E_IO, "no output can be opened in this test"));
    return NULL;
  }
  const char *problem = name_problem (test, name);
  if (problem) {
    state_broke (test, "output \"%s\": %s", name ? name : "", problem);
    host->fail (host, NPROF_E_CONTRACT, problem);
    HOST (host)->refused = NPROF_E_CONTRACT;
    return NULL;
  }
  Output *one = name ? NULL : find_output (test, NULL);
  if (one)
    return &one->output;
  return &output_new (test, name)->output;
}

const char *
nprof_test_output (NprofTestRun *run, const char *name)
{
  const Output *output = find_output (run->test, name);
  return output ? output->data->str : NULL;
}

gsize
nprof_test_output_size (NprofTestRun *run, const char *name)
{
  const Output *output = find_output (run->test, name);
  return output ? output->data->len : 0;
}

/* -- Siblings -------------------------------------------------------------- */

nprof_status
files_siblings (const struct nprof_host *host, int (*fn) (void *, const char *), void *user)
{
  const NprofTestFile *file = HOST (host)->test->config.siblings;
  call_check (HOST (host), "siblings");
  for (; file && file->name; file++)
    if (fn (user, file->name))
      break;
  return NPROF_OK;
}

const void *
files_sibling (const struct nprof_host *host, const char *name, uint64_t *len)
{
  NprofTestState *test = HOST (host)->test;
  call_check (HOST (host), "sibling");
  for (const NprofTestFile *file = test->config.siblings; file && file->name; file++) {
    if (strcmp (file->name, name) != 0)
      continue;
    void *copy = malloc (file->len ? file->len : 1);
    if (file->len)
      memcpy (copy, file->data, file->len);
    g_ptr_array_add (test->siblings, copy);
    *len = file->len;
    return copy;
  }
  g_autofree char *why = g_strdup_printf ("%s: no such sibling", name);
  HOST (host)->refused = host->fail (host, NPROF_E_IO, why);
  return NULL;
}
