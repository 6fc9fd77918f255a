/* SPDX-License-Identifier: Apache-2.0 */
/* run-options.c - tells the outputs of a run which inputs and options they come from. */

#include "run/run-options.h"

#include "rows/text-limit.h"
#include "run/run-inputs.h"
#include "system/by-text.h"

#include <stdlib.h>
#include <string.h>

/* Lengths keep ("ab", "c") and ("a", "bc") apart. */
static void
put_member (GString *to, const char *what, const char *value)
{
  g_string_append_printf (to, "%s %zu %s\n", what, strlen (value), value);
}

static void
put_spec (GString *to, const char *kind, const NpSpec *spec)
{
  put_member (to, kind, spec->name);
  for (guint i = 0; i < spec->keys->len; i++) {
    put_member (to, "option", g_ptr_array_index (spec->keys, i));
    put_member (to, "value", g_ptr_array_index (spec->values, i));
  }
}

static void
put_specs (GString *to, const char *kind, const GPtrArray *specs)
{
  for (guint i = 0; i < specs->len; i++)
    put_spec (to, kind, g_ptr_array_index (specs, i));
}

static void
put_list (GString *to, const char *what, const GPtrArray *list)
{
  for (guint i = 0; list && i < list->len; i++)
    put_member (to, what, g_ptr_array_index (list, i));
}

static void
put_number (GString *to, const char *what, gboolean given, gint64 number)
{
  if (given)
    g_string_append_printf (to, "%s %" G_GINT64_FORMAT "\n", what, number);
}

static void
put_double (GString *to, const char *what, double value)
{
  gint64 bits;
  memcpy (&bits, &value, sizeof bits);
  put_number (to, what, TRUE, bits);
}

/* Clocks correct all times. */
static void
put_clocks (GString *to, GHashTable *clocks)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, clocks);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);
  g_ptr_array_sort (names, np_by_text);
  for (guint i = 0; i < names->len; i++) {
    const NpClock *clock = g_hash_table_lookup (clocks, names->pdata[i]);
    put_member (to, "clock", names->pdata[i]);
    put_number (to, "at", clock->known, clock->at_unix_ns);
    put_double (to, "offset", clock->known ? clock->offset : 0);
    put_double (to, "drift", clock->known ? clock->drift : 0);
  }
}

static void
put_alternative (GString *to, const NpSelection *s)
{
  put_number (to, "first step", s->has_step, s->step_first);
  put_number (to, "last step", s->has_step, s->step_last);
  put_list (to, "track", s->tracks);
  put_list (to, "name", s->names);
  put_list (to, "where", s->where);
}

/* Returns what the user asked for, but for what changes no output (threads, where it goes), as text
 * that only equal requests share; transfer full. */
static char *
config_text (const NpConfig *config)
{
  const NpSelection *s = &config->selection, *one;
  GString *to = g_string_new (NULL);
  if (config->decoder)
    put_spec (to, "decoder", config->decoder);
  if (config->hints)
    put_spec (to, "hints", config->hints);
  if (config->clocks)
    put_clocks (to, config->clocks);
  put_specs (to, "analyzer", config->analyzers);
  put_specs (to, "sink", config->sinks);
  put_number (to, "from", s->has_from, s->from);
  put_number (to, "to", s->has_to, s->to);
  put_number (to, "clip", s->clip, 1);
  put_alternative (to, s);
  for (guint i = 1; (one = np_selection_alternative (s, i)); i++) {
    put_number (to, "or", TRUE, i);
    put_alternative (to, one);
  }
  put_number (to, "keep going", config->keep_going, 1);
  put_number (to, "meaning", config->meaning, 1);
  put_number (to, "text max", config->text_most != NP_TEXT_MOST, (gint64) config->text_most);
  return g_string_free (to, FALSE);
}

static NpRunInput *
input_at (NpRun *run, const char *path)
{
  for (guint i = 0; i < run->inputs->len; i++) {
    NpRunInput *input = g_ptr_array_index (run->inputs, i);
    if (!strcmp (input->path, path))
      return input;
  }
  return NULL;
}

/* Returns the identity of an input.  A folder counts by its own path, whatever files come and go in
 * it.  NULL with error. */
static char *
identity_of (NpRun *run, const char *path, GError **error)
{
  NpRunInput *piped = np_input_once (path) ? input_at (run, path) : NULL;
  if (piped) {
    char *hex = g_malloc0 (NP_DIGEST_HEX + 1);
    if (!np_run_digest_input (run, piped, hex, error))
      g_clear_pointer (&hex, g_free);
    return hex;
  }
  char *real = realpath (path, NULL), *copy = g_strdup (real ? real : path);
  free (real);
  return copy;
}

gboolean
np_run_identify_outputs (NpRun *run, GError **error)
{
  g_autofree char *options = config_text (run->config);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < run->config->inputs->len; i++) {
    char *identity = identity_of (run, g_ptr_array_index (run->config->inputs, i), error);
    if (!identity)
      return FALSE;
    g_ptr_array_add (inputs, identity);
  }
  np_outputs_set_run (run->outputs, options, inputs);
  for (guint i = 0; i < run->inputs->len; i++)
    np_read_files_add (run->config->read, ((NpRunInput *) run->inputs->pdata[i])->path);
  return !run->config->output
         || np_read_files_spare (run->config->read, run->config->output, error);
}
