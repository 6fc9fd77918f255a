/* SPDX-License-Identifier: Apache-2.0 */
/* answers.c - gathers what reasons of empty tables need from rows of tables as they come; memory
 * does not grow with the number of steps. */

#include "answers-row.h"
#include "pairs.h"
#include "producers/recorders.h"

#include <nprof/sdk.h>
#include <string.h>

/* -- Other tables ----------------------------------------------------------------------------- */

static void
take_step (Answers *a, const Reader *r)
{
  if (!a->device)
    a->device = word (r, "device");
}

static void
take_launches (Answers *a, const Reader *r)
{
  a->launches += MAX (number (r, "launches"), 0);
}

/* -- The file --------------------------------------------------------------------------------- */

/* An option that was on in one input of several is not advised: which of them lacks it is not told
 * here. */
static void
take_property (Answers *a, const char *key, const char *value)
{
  if (strcmp (value, "1") == 0 || strcmp (value, "true") == 0)
    g_hash_table_add (a->options, g_strdup (key));
}

static void
take_input (Answers *a, const Reader *r)
{
  g_autofree char *json = text (r, "properties");
  g_autoptr (GPtrArray) pairs = json ? pairs_read (json, strlen (json)) : NULL;
  g_free (a->decoder);
  a->decoder = text (r, "decoder");
  for (guint k = 0; pairs && k + 1 < pairs->len; k += 2)
    take_property (a, pairs->pdata[k], pairs->pdata[k + 1]);
}

static void
take_track (Answers *a, const Reader *r)
{
  const char *thread = nprof_text (a->host, word (r, "thread")),
             *process = nprof_text (a->host, word (r, "process"));
  a->others = a->others || recorder_is_rpd (thread) || recorder_is_unitrace (process);
  a->tensorflow = a->tensorflow || recorder_is_tensorflow (thread);
  a->xla = a->xla || recorder_is_xla (process);
}

static void
take_verdict (Answers *a, const Reader *r)
{
  g_autofree char *code = text (r, "code");
  a->launched = a->launched || g_strcmp0 (code, "undetermined.no_kernels") == 0;
}

static const struct {
  const char *table;
  void (*take) (Answers *a, const Reader *r);
} takers[] = {
  { "step_breakdown", take_step },
  { "launches", take_launches },
  { "verdict", take_verdict },
  { "inputs", take_input },
  { "tracks", take_track },
};

gboolean
answers_have (const Answers *a, const char *table)
{
  return g_ptr_array_find_with_equal_func (a->tables, table, g_str_equal, NULL);
}

void
answers_add (Answers *a, const struct nprof_table *table, const struct nprof_cell *cells,
             guint n_rows)
{
  const guint n = nprof_count_columns (table);
  guint i = 0;
  if (n_rows && !answers_have (a, table->name))
    g_ptr_array_add (a->tables, g_strdup (table->name));
  while (i < G_N_ELEMENTS (takers) && strcmp (takers[i].table, table->name))
    i++;
  for (guint row = 0; i < G_N_ELEMENTS (takers) && row < n_rows; row++) {
    const Reader r = { a, table, cells + (gsize) row * n };
    takers[i].take (a, &r);
  }
}

/* -- Life ------------------------------------------------------------------------------------- */

Answers *
answers_new (const struct nprof_host *host)
{
  Answers *a = g_new0 (Answers, 1);
  a->host = host;
  a->options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  a->tables = g_ptr_array_new_with_free_func (g_free);
  return a;
}

void
answers_free (Answers *a)
{
  if (!a)
    return;
  g_hash_table_unref (a->options);
  g_ptr_array_unref (a->tables);
  g_free (a->decoder);
  g_free (a);
}
