/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder parquet: the rows of Parquet files.  It decides first what a file is and what
 * its columns mean (own.c, neuron.c, any.c); then each row group is a part of its own (rows.c). */
#include "parquet.h"
#include "producers/say-meaning.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>
#include <string.h>

static int
parquet_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size;
  (void) path;
  return len >= 4 && memcmp (head, "PAR1", 4) == 0 ? 90 : 0;
}

static nprof_status
parquet_open (void *self, const struct nprof_host *host)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  Parquet *p = self;
  p->host = host;
  p->origin = NPROF_NO_EPOCH;
  p->owned = g_ptr_array_new_with_free_func ((GDestroyNotify) source_free);
  p->sources = g_ptr_array_new ();
  p->tables = g_ptr_array_new ();
  p->others = g_ptr_array_new ();
  p->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  p->attributes = g_ptr_array_new_with_free_func (g_free);
  p->profiles = g_ptr_array_new_with_free_func (g_free);
  p->table_list = g_ptr_array_new ();
  p->text = g_string_chunk_new (256);
  p->unknown = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (p->profiles, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (p->kinds); k++)
    p->kinds[k] = nprof_intern (host, kinds[k]);
  if (*p->unit && !any_unit (p->unit))
    return nprof_fail (host, NPROF_E_OPTION, "option unit: \"%s\" is none of ps, ns, us, ms, s",
                       p->unit);
  return meaning_say (host);
}

static void
parquet_close (void *self)
{
  Parquet *p = self;
  g_ptr_array_unref (p->sources);
  g_ptr_array_unref (p->tables);
  g_ptr_array_unref (p->others);
  g_ptr_array_unref (p->owned);
  g_ptr_array_unref (p->unknown);
  g_array_unref (p->parts);
  g_ptr_array_unref (p->attributes);
  g_ptr_array_unref (p->profiles);
  g_ptr_array_unref (p->table_list);
  g_string_chunk_free (p->text);
  g_clear_pointer (&p->numbers, g_hash_table_unref);
  g_clear_pointer (&p->texts, g_hash_table_unref);
  g_clear_pointer (&p->flows, g_array_unref);
}

/* -- For its files --------------------------------------------------------- */

const char *
parquet_keep (Parquet *p, const char *text)
{
  return text ? g_string_chunk_insert_const (p->text, text) : NULL;
}

nprof_status
parquet_fail (Parquet *p, const Source *s, const char *column, PqFail *fail)
{
  g_autofree char *why = g_steal_pointer (&fail->why);
  return nprof_fail (p->host, fail->no_memory ? NPROF_E_NOMEM : NPROF_E_FORMAT,
                     "%s%sbyte %" G_GUINT64_FORMAT ": column %s: %s", s->main ? "" : s->file,
                     s->main ? "" : ": ", fail->at, column, why);
}

static int
add_name (void *user, const char *name)
{
  g_ptr_array_add (user, g_strdup (name));
  return 0;
}

GPtrArray *
parquet_siblings (Parquet *p)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  p->host->siblings (p->host, add_name, names);
  return names;
}

Source *
parquet_sibling (Parquet *p, const char *name)
{
  uint64_t len;
  guint64 at;
  g_autofree char *why = NULL;
  const void *data = p->host->sibling (p->host, name, &len);
  Source *s = data ? source_new (data, len, name, &at, &why) : NULL;
  if (data && !s && !p->declaring)
    nprof_log (p->host, NPROF_WARNING, "%s beside it is not read: byte %" G_GUINT64_FORMAT ": %s",
               name, at, why);
  return s;
}

/* -- Planning -------------------------------------------------------------- */

static void
add_attribute (Parquet *p, Field *f)
{
  struct nprof_attribute *a;
  f->handle = nprof_intern (p->host, f->key);
  if (f->role != FIELD_ATTRIBUTE)
    return;
  for (guint k = 0; k < p->attributes->len; k++)
    if (!strcmp (((struct nprof_attribute *) p->attributes->pdata[k])->key, f->key)
        && ((struct nprof_attribute *) p->attributes->pdata[k])->type == f->type)
      return;
  a = g_new0 (struct nprof_attribute, 1);
  *a = (struct nprof_attribute){
    .size = sizeof *a, .type = f->type, .key = f->key, .unit = f->unit, .help = f->help
  };
  g_ptr_array_add (p->attributes, a);
}

/* Declares what rows mean, unless the file has a column of that key. */
static void
add_meaning (Parquet *p)
{
  for (guint k = 0; k < p->attributes->len; k++)
    if (!strcmp (((struct nprof_attribute *) p->attributes->pdata[k])->key, NPROF_KEY_WORK))
      return;
  g_ptr_array_add (p->attributes, g_memdup2 (&meaning_attribute, sizeof meaning_attribute));
}

/* Makes lists for the declaration, and the parts. */
static void
conclude (Parquet *p)
{
  for (guint k = 0; k < p->sources->len; k++) {
    Source *s = p->sources->pdata[k];
    for (guint f = 0; f < s->fields->len; f++)
      add_attribute (p, source_field (s, f));
    for (guint g = 0; g < s->footer->groups->len; g++) {
      Part part = { s, g };
      g_array_append_val (p->parts, part);
    }
  }
  for (guint k = 0; k < p->tables->len; k++)
    g_ptr_array_add (p->table_list, &((Source *) p->tables->pdata[k])->table);
  add_meaning (p);
  g_ptr_array_add (p->attributes, NULL);
  g_ptr_array_add (p->table_list, NULL);
}

nprof_status
parquet_plan (Parquet *p, const void *data, uint64_t len)
{
  guint64 at = 0;
  g_autofree char *why = NULL;
  if (p->planned)
    return NPROF_OK;
  const struct nprof_input_info *input = p->host->input (p->host, p->host->own_input);
  const char *file = input && NPROF_KNOWS (input, file) ? input->file : "file";
  Source *s = source_new (data, len, file, &at, &why);
  if (!s)
    return nprof_fail (p->host, NPROF_E_FORMAT, "byte %" G_GUINT64_FORMAT ": %s", at, why);
  s->main = TRUE;
  p->planned = TRUE;
  g_ptr_array_add (p->owned, s);
  nprof_status status = own_is (s)         ? own_plan (p, s)
                        : neuron_is (p, s) ? neuron_plan (p, s)
                                           : any_plan (p, s);
  conclude (p);
  return status;
}

static nprof_status
parquet_declare (void *self, const void *data, uint64_t len, struct nprof_declaration *out)
{
  Parquet *p = self;
  p->declaring = TRUE;
  nprof_status status = parquet_plan (p, data, len);
  out->is_part = (uint32_t) p->is_part;
  if (!status) {
    out->attributes = (const struct nprof_attribute *const *) p->attributes->pdata;
    out->tables = (const struct nprof_table *const *) p->table_list->pdata;
    out->profiles = (const struct nprof_profile *const *) p->profiles->pdata;
  }
  return status;
}

/* -- Decoding -------------------------------------------------------------- */

static nprof_status
put_properties (Parquet *p, const PqFooter *footer)
{
  g_autofree char *rows = g_strdup_printf ("%" G_GINT64_FORMAT, footer->n_rows);
  g_autofree char *version = g_strdup_printf ("%" G_GINT64_FORMAT, footer->version);
  nprof_status status = p->host->property (p->host, "version", version);
  if (!status && footer->created_by)
    status = p->host->property (p->host, "created_by", footer->created_by);
  return status ? status : p->host->property (p->host, "rows_in_file", rows);
}

/* Returns whether nprof info asks about the file; a run asks about what is in it. */
static gboolean
is_inspected (const Parquet *p)
{
  const struct nprof_run_info *run = p->host->run (p->host);
  return NPROF_KNOWS (run, inspect) && run->inspect;
}

/* Sets properties and the origin, which come before the first row, of a table too. */
static nprof_status
begin_rows (Parquet *p, const Source *s)
{
  if (own_is (s))
    return own_begin (p);
  nprof_status status = any_strings (p);
  if (!status)
    status = any_origin (p);
  return status ? status : neuron_begin (p);
}

static nprof_status
begin (Parquet *p, const Source *s)
{
  gboolean about = p->file || is_inspected (p);
  nprof_status status = about || !own_is (s) ? put_properties (p, s->footer) : NPROF_OK;
  if (!status)
    status = begin_rows (p, s);
  return !status && about ? file_tables (p, s) : status;
}

static nprof_status
parquet_plan_parts (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  Parquet *p = self;
  nprof_status status = parquet_plan (p, data, len);
  if (!status)
    status = begin (p, p->owned->pdata[0]);
  /* These are whole tables, of which nprof info would print each row. */
  for (guint k = 0; k < p->tables->len && !status && !is_inspected (p); k++)
    status = table_decode (p, p->tables->pdata[k]);
  *n_parts = p->parts->len;
  return status;
}

static nprof_status
parquet_decode_part (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  Parquet *p = self;
  (void) part;
  return rows_decode (p, host, &g_array_index (p->parts, Part, number));
}

static const struct nprof_component parquet = {
  .size = sizeof parquet,
  .kind = NPROF_DECODER,
  .name = "parquet",
  .summary = "Parquet files: what nprof wrote, Neuron Explorer's folders, any table with times",
  .formats = "Apache Parquet",
  .options = NPROF_OPTIONS (
      NPROF_STRING_OPTION (Parquet, start, "start", "", "column of the start times"),
      NPROF_STRING_OPTION (Parquet, end, "end", "", "column of the end times"),
      NPROF_STRING_OPTION (Parquet, duration, "duration", "", "column of the durations"),
      NPROF_STRING_OPTION (Parquet, unit, "unit", "", "unit of these times: ps, ns, us, ms or s"),
      NPROF_STRING_OPTION (Parquet, name, "name", "", "column of the names"),
      NPROF_STRING_OPTION (Parquet, category, "category", "", "column of the categories"),
      NPROF_STRING_OPTION (Parquet, track, "track", "",
                           "columns of the track, outermost first: A/B"),
      NPROF_STRING_OPTION (Parquet, kind, "kind", "",
                           "column that says span, instant, counter or gap"),
      NPROF_STRING_OPTION (Parquet, value, "value", "", "column of the values of counters"),
      NPROF_STRING_OPTION (Parquet, id, "id", "", "column of the ids"),
      NPROF_STRING_OPTION (Parquet, parent, "parent", "", "column of the parents' ids"),
      NPROF_STRING_OPTION (Parquet, strings, "strings", "",
                           "texts for names that are numbers: FILE:ID:TEXT"),
      NPROF_BOOL_OPTION (Parquet, file, "file", "no",
                         "tables about the file itself, after a check of all its pages")),
  .tables = (const struct nprof_table *const[]){ &parquet_columns_table, &parquet_groups_table,
                                                 &parquet_metadata_table, NULL },
  .flags = NPROF_DECODER_FOLDER,
  .instance_size = sizeof (Parquet),
  .probe = parquet_probe,
  .open = parquet_open,
  .plan = parquet_plan_parts,
  .decode_part = parquet_decode_part,
  .close = parquet_close,
  .declare = parquet_declare,
};

NPROF_PLUGIN ("parquet-info", NPROF_VERSION, "Apache-2.0", &parquet)
