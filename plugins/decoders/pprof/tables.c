/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - sums samples up by type, place and label, and writes each stack. */
#include "pprof.h"

#include <string.h>

NPROF_TABLE (sample_types, "What was sampled", NULL, SAMPLE_TYPES)
NPROF_TABLE (sample_places, "Functions of sampled stacks", "by self, the largest first.",
             SAMPLE_PLACES)
NPROF_TABLE (sample_labels, "Labels of sampled stacks", NULL, SAMPLE_LABELS)
NPROF_TABLE (sample_stacks, "Sampled stacks", "values of 0 are left out.", SAMPLE_STACKS)

/* Sums of values, which are signed, and which a file can make too large. */
typedef struct {
  PpLine at;
  nprof_str name, file;
  gint64 self[MOST_TYPES], total[MOST_TYPES];
  guint64 sample; /* the last that added to total, from 1 */
} Place;

typedef struct {
  nprof_str key, is;
  gint64 total[MOST_TYPES];
  guint64 samples;
} Label;

typedef struct {
  Pprof *p;
  PpSample sample;
  GPtrArray *places, *labels; /* of Place, Label */
  GHashTable *place_of, *label_of;
  gint64 total[MOST_TYPES];
  GString *text;
} Sums;

static void
add (gint64 *to, gint64 value)
{
  if (__builtin_add_overflow (*to, value, to))
    *to = value > 0 ? G_MAXINT64 : G_MININT64;
}

/* -- Places ------------------------------------------------------------------------------------ */

static guint
line_hash (gconstpointer key)
{
  const PpLine *l = key;
  return (guint) (l->function * 31 + (guint64) l->line);
}

static gboolean
line_equal (gconstpointer a, gconstpointer b)
{
  const PpLine *x = a, *y = b;
  return x->function == y->function && x->line == y->line;
}

static nprof_str
name_of (const Pprof *p, const PpLine *line, nprof_str *file)
{
  const guint at = GPOINTER_TO_UINT (g_hash_table_lookup (p->function_of, &line->function));
  const PpFunction *f = at ? &g_array_index (p->functions, PpFunction, at - 1) : NULL;
  gsize len;
  const char *text = f ? pp_text_of (p, f->name, &len) : NULL;
  *file = f ? pp_str (p, f->file) : 0;
  if (!f || !len)
    return nprof_intern (p->host, "(unnamed)");
  if (line->line <= 0)
    return p->host->intern (p->host, text, len);
  g_autofree char *both = g_strdup_printf ("%.*s:%" G_GINT64_FORMAT, (int) MIN (len, 65536), text,
                                           line->line);
  return nprof_intern (p->host, both);
}

static Place *
place_of (Sums *s, const PpLine *line)
{
  Place *place = g_hash_table_lookup (s->place_of, line);
  if (place)
    return place;
  place = g_new0 (Place, 1);
  place->at = *line;
  place->name = name_of (s->p, line, &place->file);
  g_ptr_array_add (s->places, place);
  g_hash_table_insert (s->place_of, &place->at, place);
  return place;
}

static void
add_places (Sums *s, guint64 number)
{
  const PpSample *x = &s->sample;
  for (guint i = 0; i < x->n_frames; i++) {
    Place *place = place_of (s, &x->frame[i]);
    for (guint k = 0; k < x->n_values; k++) {
      if (i == 0)
        add (&place->self[k], x->value[k]);
      if (place->sample != number)
        add (&place->total[k], x->value[k]);
    }
    place->sample = number;
  }
}

/* -- Labels ------------------------------------------------------------------------------------ */

static void
add_label (Sums *s, const PpLabel *l)
{
  const nprof_str key = pp_str (s->p, l->key);
  nprof_str is = pp_str (s->p, l->text);
  if (!is) {
    g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, l->number);
    is = nprof_intern (s->p->host, number);
  }
  const gpointer at = GSIZE_TO_POINTER ((gsize) key << 32 | is);
  Label *label = g_hash_table_lookup (s->label_of, at);
  if (!label) {
    label = g_new0 (Label, 1);
    label->key = key;
    label->is = is;
    g_ptr_array_add (s->labels, label);
    g_hash_table_insert (s->label_of, at, label);
  }
  label->samples++;
  for (guint k = 0; k < s->sample.n_values; k++)
    add (&label->total[k], s->sample.value[k]);
}

/* -- Stacks ------------------------------------------------------------------------------------ */

static nprof_str
type_name (const Pprof *p, guint k)
{
  return pp_str (p, g_array_index (p->types, PpType, k).type);
}

static nprof_str
unit_of (const Pprof *p, guint k)
{
  return pp_str (p, g_array_index (p->types, PpType, k).unit);
}

static nprof_status
put_stack (Sums *s)
{
  Pprof *p = s->p;
  const PpSample *x = &s->sample;
  nprof_status status = NPROF_OK;
  g_string_truncate (s->text, 0);
  for (guint i = x->n_frames; i-- > 0;) {
    const char *name = nprof_text (p->host, place_of (s, &x->frame[i])->name);
    g_string_append (s->text, s->text->len ? ";" : "");
    g_string_append_len (s->text, name, (gssize) MIN (strlen (name), 4096));
  }
  for (guint k = 0; k < x->n_values && !status; k++)
    if (x->value[k])
      status = p->host->row (
          p->host, &sample_stacks_table,
          sample_stacks_cells (nprof_cell_own_input (p->host),
                               &(struct sample_stacks_row){
                                   .type = nprof_some_str (type_name (p, k)),
                                   .unit = nprof_some_str (unit_of (p, k)),
                                   .stack = nprof_text_of_len (s->text->str, s->text->len),
                                   .value = nprof_some_int (x->value[k]),
                               })
              .cells);
  return status;
}

static nprof_status
add_samples (Sums *s)
{
  Pprof *p = s->p;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < p->samples->len && !status; i++) {
    const PbSpan span = g_array_index (p->samples, PbSpan, i);
    status = pp_sample (p, span, &s->sample);
    if (status)
      return status;
    for (guint k = 0; k < s->sample.n_values; k++)
      add (&s->total[k], s->sample.value[k]);
    add_places (s, i + 1);
    for (guint k = 0; k < s->sample.labels->len; k++)
      add_label (s, &g_array_index (s->sample.labels, PpLabel, k));
    status = put_stack (s);
    if (!status && i % 4096 == 0)
      status = p->host->progress (p->host, 0, (guint64) (span.p - p->data));
  }
  return status;
}

/* -- Sums -------------------------------------------------------------------------------------- */

typedef struct {
  const struct nprof_host *host;
  guint type;
} Order;

static gint
by_self (gconstpointer a, gconstpointer b, gpointer user)
{
  const Order *o = user;
  const Place *x = *(const Place *const *) a, *y = *(const Place *const *) b;
  if (x->self[o->type] != y->self[o->type])
    return x->self[o->type] > y->self[o->type] ? -1 : 1;
  if (x->total[o->type] != y->total[o->type])
    return x->total[o->type] > y->total[o->type] ? -1 : 1;
  return strcmp (nprof_text (o->host, x->name), nprof_text (o->host, y->name));
}

static nprof_status
put_places (const Sums *s, guint k)
{
  const Pprof *p = s->p;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < s->places->len && !status; i++) {
    const Place *place = g_ptr_array_index (s->places, i);
    status = p->host->row (p->host, &sample_places_table,
                           sample_places_cells (nprof_cell_own_input (p->host),
                                                &(struct sample_places_row){
                                                    .type = nprof_some_str (type_name (p, k)),
                                                    .unit = nprof_some_str (unit_of (p, k)),
                                                    .function = nprof_some_str (place->name),
                                                    .file = nprof_some_str (place->file),
                                                    .self = nprof_some_int (place->self[k]),
                                                    .total = nprof_some_int (place->total[k]),
                                                })
                               .cells);
  }
  return status;
}

static nprof_status
put_labels (const Sums *s, guint k)
{
  const Pprof *p = s->p;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < s->labels->len && !status; i++) {
    const Label *l = g_ptr_array_index (s->labels, i);
    status = p->host->row (p->host, &sample_labels_table,
                           sample_labels_cells (nprof_cell_own_input (p->host),
                                                &(struct sample_labels_row){
                                                    .type = nprof_some_str (type_name (p, k)),
                                                    .unit = nprof_some_str (unit_of (p, k)),
                                                    .label = nprof_some_str (l->key),
                                                    .is = nprof_any_str (l->is),
                                                    .samples = nprof_some_int ((gint64) l->samples),
                                                    .total = nprof_some_int (l->total[k]),
                                                })
                               .cells);
  }
  return status;
}

static nprof_status
put_type (const Sums *s, guint k)
{
  const Pprof *p = s->p;
  Order order = { p->host, k };
  g_ptr_array_sort_with_data (s->places, by_self, &order);
  const Place *largest = s->places->len ? g_ptr_array_index (s->places, 0) : NULL;
  const struct sample_types_row row = {
    .type = nprof_some_str (type_name (p, k)),
    .unit = nprof_some_str (unit_of (p, k)),
    .samples = nprof_some_int (p->samples->len),
    .total = nprof_some_int (s->total[k]),
    .largest = nprof_text_if (largest != NULL, largest ? nprof_text (p->host, largest->name) : ""),
    .largest_value = nprof_int_if (largest != NULL, largest ? largest->self[k] : 0),
  };
  nprof_status status
      = p->host->row (p->host, &sample_types_table,
                      sample_types_cells (nprof_cell_own_input (p->host), &row).cells);
  if (!status)
    status = put_places (s, k);
  return status ? status : put_labels (s, k);
}

static nprof_status
announce (const Pprof *p)
{
  const struct nprof_table *const all[]
      = { &sample_types_table, &sample_places_table, &sample_labels_table, &sample_stacks_table };
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < G_N_ELEMENTS (all) && !status; i++)
    status = p->host->table (p->host, all[i]);
  return status;
}

nprof_status
pp_tables (Pprof *p)
{
  g_autofree Sums *s = g_new0 (Sums, 1); /* a stack of 4096 frames is large */
  s->p = p;
  s->places = g_ptr_array_new_with_free_func (g_free);
  s->labels = g_ptr_array_new_with_free_func (g_free);
  s->place_of = g_hash_table_new (line_hash, line_equal);
  s->label_of = g_hash_table_new (NULL, NULL);
  s->sample.labels = g_array_new (FALSE, FALSE, sizeof (PpLabel));
  s->text = g_string_new (NULL);
  nprof_status status = announce (p);
  if (!status)
    status = add_samples (s);
  for (guint k = 0; k < p->types->len && !status; k++)
    status = put_type (s, k);
  g_hash_table_unref (s->place_of);
  g_hash_table_unref (s->label_of);
  g_ptr_array_unref (s->places);
  g_ptr_array_unref (s->labels);
  g_array_unref (s->sample.labels);
  g_string_free (s->text, TRUE);
  return status;
}
