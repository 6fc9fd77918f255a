/* SPDX-License-Identifier: Apache-2.0 */
/* steps-seen.c - collects the numbers of steps; their texts are parse-steps.c's. */

#include "select/steps-seen.h"

#include "base/error.h"
#include "select/where.h"

#include <nprof/keys.h>
#include <string.h>

#define PARTS 8 /* of a list of steps, before it only counts */

struct NpStepsSeen {
  NpAttrSets *sets;
  nprof_str key;
  GPtrArray *inputs;   /* of GHashTable: set of gint64; NULL: no rows */
  guint input;         /* that `answers` is of */
  GByteArray *answers; /* by shared set: it has been looked at */
  gint64 newest;       /* so that equal ones in a row are looked up once */
  gboolean any;
};

NpStepsSeen *
np_steps_seen_new (NpStrings *strings, NpAttrSets *sets)
{
  NpStepsSeen *seen = g_new0 (NpStepsSeen, 1);
  seen->sets = sets;
  seen->key = np_strings_intern (strings, NPROF_KEY_STEP, strlen (NPROF_KEY_STEP));
  seen->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  seen->answers = g_byte_array_new ();
  return seen;
}

void
np_steps_seen_free (NpStepsSeen *seen)
{
  if (!seen)
    return;
  g_ptr_array_unref (seen->inputs);
  g_byte_array_unref (seen->answers);
  g_free (seen);
}

static void
begin_input (NpStepsSeen *seen, guint input)
{
  while (seen->inputs->len <= input)
    g_ptr_array_add (seen->inputs,
                     g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL));
  if (seen->input != input)
    g_byte_array_set_size (seen->answers, 0);
  seen->any = seen->any && seen->input == input;
  seen->input = input;
}

static void
add (NpStepsSeen *seen, gint64 step)
{
  if (seen->any && seen->newest == step)
    return;
  seen->any = TRUE;
  seen->newest = step;
  g_hash_table_add (seen->inputs->pdata[seen->input], g_memdup2 (&step, sizeof step));
}

static void
add_value (NpStepsSeen *seen, guint8 type, const nprof_value *v)
{
  if (type == NPROF_INT64 || (type == NPROF_UINT64 && v->u <= G_MAXINT64))
    add (seen, v->i);
  else if (type == NPROF_DOUBLE && v->f >= -0x1p53 && v->f <= 0x1p53
           && v->f == (double) (gint64) v->f)
    add (seen, (gint64) v->f);
}

static void
see_set (NpStepsSeen *seen, nprof_set set)
{
  guint8 *answer = np_memo_at (seen->answers, set);
  if (*answer)
    return;
  *answer = NP_MEMO_YES;
  const struct nprof_attrs *attrs = np_attrsets_get (seen->sets, set);
  gint64 j = np_set_attr (attrs, seen->key);
  if (j >= 0)
    add_value (seen, attrs->type[j], &attrs->value[j]);
}

void
np_steps_see (NpStepsSeen *seen, const struct nprof_batch *rows, guint input)
{
  begin_input (seen, input);
  for (guint i = 0; i < rows->n_rows; i++) {
    gint64 j = np_row_attr (rows, i, seen->key);
    if (j >= 0)
      add_value (seen, rows->attr_type[j], &rows->attr_value[j]);
    else if (rows->shared && rows->shared[i])
      see_set (seen, rows->shared[i]);
  }
}

/* -- What was seen ------------------------------------------------------------ */

static gint
by_number (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static void
append (GArray *to, GHashTable *set)
{
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_array_append_val (to, *(gint64 *) key);
}

/* Collects the numbers of inputs from..to - 1, each once. */
static GArray *
steps_of (const NpStepsSeen *seen, guint from, guint to)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint n = 0;
  for (guint i = from; i < to && i < seen->inputs->len; i++)
    append (steps, seen->inputs->pdata[i]);
  g_array_sort (steps, by_number);
  for (guint i = 0; i < steps->len; i++)
    if (!i || g_array_index (steps, gint64, i) != g_array_index (steps, gint64, n - 1))
      g_array_index (steps, gint64, n++) = g_array_index (steps, gint64, i);
  g_array_set_size (steps, n);
  return steps;
}

GArray *
np_steps_of_input (const NpStepsSeen *seen, guint input)
{
  return steps_of (seen, input, input + 1);
}

GArray *
np_steps_of_all (const NpStepsSeen *seen)
{
  return steps_of (seen, 0, seen->inputs->len);
}

guint
np_steps_run (const GArray *steps, guint from)
{
  guint n = 1;
  while (from + n < steps->len
         && g_array_index (steps, gint64, from + n) == g_array_index (steps, gint64, from) + n)
    n++;
  return n;
}

/* Returns "101..105, 107"; behind eight parts: how many more steps there are.  Transfer full. */
static char *
text_of (const GArray *steps)
{
  GString *text = g_string_new (NULL);
  guint parts = 0;
  for (guint i = 0, n; i < steps->len; i += n) {
    if (parts++ == PARTS) {
      g_string_append_printf (text, " and %u more", steps->len - i);
      break;
    }
    n = np_steps_run (steps, i);
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? ", " : "",
                            g_array_index (steps, gint64, i));
    if (n > 1)
      g_string_append_printf (text, "..%" G_GINT64_FORMAT,
                              g_array_index (steps, gint64, i + n - 1));
  }
  return g_string_free (text, FALSE);
}

/* -- Selections --------------------------------------------------------------- */

static gboolean
no_such_step (const GArray *steps, const char *what, GError **error)
{
  g_autofree char *text = text_of (steps);
  return np_error_set (error, NP_EXIT_USAGE, "--step: %s: %s%s", what,
                       steps->len
                           ? "steps in this file: "
                           : "there are no steps in this file: no row has the attribute step",
                       text);
}

static gboolean
count (gint64 nth, gint64 *number, const GArray *steps, GError **error)
{
  if (!nth)
    return TRUE;
  guint at = nth > 0 ? (guint) nth - 1 : steps->len - 1;
  if (at < steps->len) {
    *number = g_array_index (steps, gint64, at);
    return TRUE;
  }
  g_autofree char *what = g_strdup_printf ("there are only %u steps", steps->len);
  return no_such_step (steps, steps->len ? what : "none is selected", error);
}

gboolean
np_selection_count_steps (NpSelection *s, const GArray *steps, GError **error)
{
  if (!count (s->step_first_nth, &s->step_first, steps, error)
      || !count (s->step_last_nth, &s->step_last, steps, error))
    return FALSE;
  s->step_first_nth = s->step_last_nth = 0;
  if (s->has_step && s->step_first > s->step_last)
    return no_such_step (steps, "the first step is behind the last", error);
  for (guint i = 0; s->others && i < s->others->len; i++)
    if (!np_selection_count_steps (g_ptr_array_index (s->others, i), steps, error))
      return FALSE;
  return TRUE;
}

static gboolean
has_one (const NpSelection *s, const GArray *steps)
{
  for (guint i = 0; i < steps->len; i++) {
    gint64 step = g_array_index (steps, gint64, i);
    if (step >= s->step_first && step <= s->step_last)
      return TRUE;
  }
  return FALSE;
}

gboolean
np_selection_has_steps (const NpSelection *s, const GArray *steps, GError **error)
{
  const NpSelection *one;
  for (guint i = 0; (one = np_selection_alternative (s, i)); i++)
    if (one->has_step && !has_one (one, steps))
      return no_such_step (steps, "none is selected", error);
  return TRUE;
}
