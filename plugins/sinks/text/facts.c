/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - joins equal facts and scales them; plain.c and markdown.c print them. */

#include "facts.h"

#include "number.h"

#include <nprof/sdk.h>
#include <stdlib.h>
#include <string.h>

#define RUN_LEAST 3 /* tracks in a row that are named by the first and the last of them */

static const struct nprof_table facts_table = {
  .size = sizeof facts_table,
  .name = "facts",
  .title = "Facts",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "key", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "value", "", ""),
                            NPROF_KEY_COLUMN (NPROF_TEXT, "track", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "source", "", "")),
};

/* This table is used when all facts hold for the same tracks: the title says for which. */
static const struct nprof_table titled_table = {
  .size = sizeof titled_table,
  .name = "facts",
  .title = "Facts of",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "key", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "value", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "source", "", "")),
};

enum { TRACK, KEY, VALUE, UNIT, SOURCE, NEEDED };
static const struct {
  const char *name;
  guint type;
} needed[NEEDED] = { { "track", NPROF_UINT64 },
                     { "key", NPROF_STRING },
                     { "value", NPROF_TEXT },
                     { "unit", NPROF_TEXT },
                     { "source", NPROF_STRING } };

typedef struct {
  const Row *first; /* that says so */
  GArray *numbers;  /* of its tracks, guint64, as they came */
  char *tracks;     /* their names                          */
} Fact;

typedef struct {
  const Table *facts;
  GHashTable *labels;
  int column[NEEDED];
} Facts;

static const struct nprof_cell *
cell (const Facts *f, const Row *row, guint what)
{
  return &row->cells[f->column[what]];
}

static gboolean
find_columns (Facts *f)
{
  for (guint i = 0; i < NEEDED; i++) {
    f->column[i] = table_column (f->facts, needed[i].name);
    if (f->column[i] < 0 || f->facts->columns[f->column[i]].type != needed[i].type)
      return FALSE;
  }
  return TRUE;
}

static char *
text_of (const Facts *f, const struct nprof_cell *c)
{
  gsize len;
  if (c->type == NPROF_NULL)
    return g_strdup ("");
  const char *text = cell_text (f->facts->host, c, &len);
  return g_strndup (text, len);
}

/* Returns a text that is equal for rows that say the same of different tracks of an input; transfer
 * full. */
static char *
sense (const Facts *f, const Row *row)
{
  g_autofree char *value = text_of (f, cell (f, row, VALUE));
  g_autofree char *unit = text_of (f, cell (f, row, UNIT));
  return g_strdup_printf ("%u %u %u %d %s %s", row->cells[0].v.s, cell (f, row, KEY)->v.s,
                          cell (f, row, SOURCE)->v.s, cell (f, row, VALUE)->type == NPROF_NULL,
                          unit, value);
}

static void
fact_free (gpointer data)
{
  Fact *fact = data;
  g_array_unref (fact->numbers);
  g_free (fact->tracks);
  g_free (fact);
}

static GPtrArray *
join (const Facts *f)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (fact_free);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint r = 0; r < f->facts->rows->len; r++) {
    const Row *row = g_ptr_array_index (f->facts->rows, r);
    char *same = sense (f, row);
    Fact *fact = g_hash_table_lookup (seen, same);
    if (!fact) {
      fact = g_new0 (Fact, 1);
      fact->first = row;
      fact->numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_ptr_array_add (list, fact);
    }
    g_hash_table_insert (seen, same, fact);
    g_array_append_val (fact->numbers, cell (f, row, TRACK)->v.u);
  }
  return list;
}

static void
append_label (const Facts *f, guint64 number, GString *out)
{
  gpointer str;
  if (g_hash_table_lookup_extended (f->labels, GSIZE_TO_POINTER (number), NULL, &str))
    g_string_append (out, nprof_text (f->facts->host, GPOINTER_TO_UINT (str)));
  else
    g_string_append_printf (out, "track %" G_GUINT64_FORMAT, number);
}

/* Returns "a, b, e to h (4 tracks)": numbers that follow each other are one run. */
static char *
name_tracks (const Facts *f, const GArray *numbers)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0, n; i < numbers->len; i += n) {
    guint64 first = g_array_index (numbers, guint64, i);
    for (n = 1; i + n < numbers->len && g_array_index (numbers, guint64, i + n) == first + n;)
      n++;
    if (n < RUN_LEAST)
      n = 1;
    g_string_append (out, i > 0 ? ", " : "");
    append_label (f, first, out);
    if (n > 1) {
      g_string_append (out, " to ");
      append_label (f, first + n - 1, out);
      g_string_append_printf (out, " (%u tracks)", n);
    }
  }
  return g_string_free (out, FALSE);
}

/* Returns the value; one with a unit that has larger ones is scaled, all others stay as they
 * are. */
static char *
value_text (const Facts *f, const Row *row, gboolean *rounded)
{
  g_autofree char *text = text_of (f, cell (f, row, VALUE));
  g_autofree char *unit = text_of (f, cell (f, row, UNIT));
  char *end;
  double number = g_ascii_strtod (text, &end);
  if (end == text || *end || !*unit)
    return g_strdup (text);
  if (!nprof_unit_steps (unit) && !g_str_equal (unit, "1"))
    return g_strconcat (text, " ", unit, NULL);
  return number_text (nprof_figure (number, unit), rounded);
}

static nprof_status
add_fact (const Facts *f, const Fact *fact, gboolean titled, Table *to)
{
  const Row *row = fact->first;
  g_autofree char *value = value_text (f, row, &to->rounded);
  gboolean known = cell (f, row, VALUE)->type != NPROF_NULL;
  struct nprof_cell cells[5];
  guint n = 0;
  cells[n++] = row->cells[0];
  cells[n++] = *cell (f, row, KEY);
  cells[n++] = known ? nprof_cell_text (value) : nprof_cell_null ();
  if (!titled)
    cells[n++] = nprof_cell_text (fact->tracks);
  cells[n++] = *cell (f, row, SOURCE);
  return table_add (to, cells);
}

static gboolean
all_alike (const GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    const Fact *first = g_ptr_array_index (list, 0), *fact = g_ptr_array_index (list, i);
    if (strcmp (fact->tracks, first->tracks) != 0)
      return FALSE;
  }
  return list->len > 0;
}

Table *
facts_new (const Table *facts, GHashTable *labels, guint64 top)
{
  Facts f = { .facts = facts, .labels = labels };
  if (!find_columns (&f))
    return NULL;
  g_autoptr (GPtrArray) list = join (&f);
  for (guint i = 0; i < list->len; i++) {
    Fact *fact = g_ptr_array_index (list, i);
    fact->tracks = name_tracks (&f, fact->numbers);
  }
  gboolean titled = all_alike (list);
  Table *to = table_new (facts->host, titled ? &titled_table : &facts_table, top, NULL);
  if (titled) {
    g_free (to->title);
    to->title = g_strconcat ("Facts of ", ((Fact *) g_ptr_array_index (list, 0))->tracks, NULL);
  }
  for (guint i = 0; i < list->len; i++)
    if (add_fact (&f, g_ptr_array_index (list, i), titled, to)) {
      table_free (to);
      return NULL; /* no memory: the table as it is will do */
    }
  return to;
}
