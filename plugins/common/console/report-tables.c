/* SPDX-License-Identifier: Apache-2.0 */
/* report-tables.c - the names of the tables of a report: which are on the page, which a short name
 * means and what engineers call them is said by the NAME.plugin of analyzers. */

#include "console/report-tables.h"
#include "base/suggest.h"
#include "pipeline/core-tables.h"
#include "system/by-text.h"
#include "table/condition.h"

#include <string.h>

/* -- The page --------------------------------------------------------------- */

typedef struct {
  const char *table;
  guint place;
} Placed;

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Placed *x = a, *y = b;
  return x->place != y->place ? (x->place > y->place ? 1 : -1) : strcmp (x->table, y->table);
}

static void
add_placed (GArray *placed, GHashTable *page)
{
  GHashTableIter iter;
  gpointer table, place;
  g_hash_table_iter_init (&iter, page);
  while (g_hash_table_iter_next (&iter, &table, &place)) {
    const Placed one = { table, GPOINTER_TO_UINT (place) };
    g_array_append_val (placed, one);
  }
}

/* Returns the tables that have a place on the page, as Placed, in its order. Those of analyzers
 * that take no part count too, as a stored profile may hold them. */
static GArray *
placed_tables (NpRegistry *registry)
{
  GArray *placed = g_array_new (FALSE, FALSE, sizeof (Placed));
  GPtrArray *all = np_registry_all (registry);
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *module = g_ptr_array_index (all, i);
    if (module->report && !module->problem)
      add_placed (placed, module->report->page);
  }
  g_array_sort (placed, by_place);
  return placed;
}

/* Returns whether the table has a place on the page, or is a detail below it. */
static gboolean
is_on_page (const NpReportPart *part, const char *table)
{
  return part
         && (g_hash_table_contains (part->page, table)
             || (part->details && g_strv_contains ((const char *const *) part->details, table)));
}

/* Appends the tables of the analyzer that have no place on the page and are no details.  One that
 * cannot be opened is an error that the run reports. */
static void
append_other_tables (GString *names, NpRegistry *registry, const NpSpec *analyzer)
{
  const NpRegistryEntry *module = np_registry_get (registry, NPROF_ANALYZER, analyzer->name, NULL);
  const struct nprof_table *const *t = module ? module->component->tables : NULL;
  for (; t && *t; t++)
    if (!is_on_page (module->report, (*t)->name))
      g_string_append_printf (names, "+%s?", (*t)->name);
}

char *
np_report_tables (const NpConfig *config, NpRegistry *registry, gboolean full, gboolean passed_over)
{
  GString *names = g_string_new ("inputs");
  g_autoptr (GArray) placed = placed_tables (registry);
  for (guint i = 0; i < placed->len; i++)
    g_string_append_printf (names, "+%s?", g_array_index (placed, Placed, i).table);
  for (guint i = 0; i < config->analyzers->len; i++)
    append_other_tables (names, registry, g_ptr_array_index (config->analyzers, i));
  g_string_append (names, full ? "+facts?+skipped?+*?" : passed_over ? "+facts?+skipped?" : "");
  return g_string_free (names, FALSE);
}

/* -- All there are --------------------------------------------------------- */

typedef struct {
  const struct nprof_table *table;
  const char *maker;
} Made;

static void
add_made (GArray *all, const struct nprof_table *const *tables, const char *maker)
{
  for (; tables && *tables; tables++) {
    gboolean there = FALSE; /* decoders may share a table */
    for (guint i = 0; i < all->len; i++)
      there = there || g_str_equal (g_array_index (all, Made, i).table->name, (*tables)->name);
    const Made made = { *tables, maker };
    if (!there)
      g_array_append_val (all, made);
  }
}

static void
add_kind (GArray *all, NpRegistry *registry, guint kind)
{
  g_autoptr (GPtrArray) of_kind = np_registry_of_kind (registry, kind);
  for (guint i = 0; i < of_kind->len; i++) {
    const NpRegistryEntry *module = g_ptr_array_index (of_kind, i);
    if (module->component)
      add_made (all, module->component->tables, module->name);
  }
}

/* The array holds Made, transfer full; the tables belong to the plugins. */
static GArray *
all_tables (NpRegistry *registry)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Made));
  add_made (all, np_core_tables_list (), "nprof");
  add_kind (all, registry, NPROF_ANALYZER);
  add_kind (all, registry, NPROF_DECODER);
  return all;
}

void
np_report_list (NpRegistry *registry)
{
  g_autoptr (GArray) all = all_tables (registry);
  int name = 0, maker = 0;
  for (guint i = 0; i < all->len; i++) {
    const Made *made = &g_array_index (all, Made, i);
    name = MAX (name, (int) strlen (made->table->name));
    maker = MAX (maker, (int) strlen (made->maker));
  }
  for (guint i = 0; i < all->len; i++) {
    const Made *made = &g_array_index (all, Made, i);
    g_autofree char *title = np_printable (made->table->title ? made->table->title : "", -1);
    g_print ("%-*s  %-*s  %s\n", name, made->table->name, maker, made->maker, title);
  }
}

/* -- Those that are asked for ---------------------------------------------- */

GPtrArray *
np_report_naming (NpRegistry *registry)
{
  GPtrArray *naming = g_ptr_array_new ();
  const GPtrArray *all = np_registry_all (registry);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < all->len; i++) {
      const NpRegistryEntry *e = all->pdata[i];
      if (e->report && e->bundled == !pass && (e->bundled || !e->problem))
        g_ptr_array_add (naming, all->pdata[i]);
    }
  return naming;
}

static const NpReportPart *
part_at (const GPtrArray *naming, guint i)
{
  return ((const NpRegistryEntry *) naming->pdata[i])->report;
}

/* Returns the tables of a short name; NULL: it is none. */
static const char *const *
tables_of_short (const GPtrArray *naming, const char *name)
{
  gpointer tables = NULL;
  for (guint i = 0; i < naming->len && !tables; i++)
    tables = g_hash_table_lookup (part_at (naming, i)->only, name);
  return tables;
}

/* Returns what a name means; ends in NULL, transfer full. */
static GStrv
tables_behind (NpRegistry *registry, const char *name, gboolean by_shape)
{
  g_autoptr (GPtrArray) naming = np_report_naming (registry);
  g_autofree char *shaped = g_strconcat (name, ".shape", NULL);
  const char *const itself[] = { name, NULL };
  const char *const *tables = by_shape ? tables_of_short (naming, shaped) : NULL;
  if (!tables)
    tables = tables_of_short (naming, name);
  return g_strdupv ((char **) (tables ? tables : itself));
}

char *
np_report_first_table (NpRegistry *registry, const char *name)
{
  g_auto (GStrv) tables = tables_behind (registry, name, FALSE);
  return g_strndup (tables[0], strcspn (tables[0], "?"));
}

/* Adds the short names, in an order of their own: a hash table has none. */
static void
add_short_names (GPtrArray *names, NpRegistry *registry)
{
  g_autoptr (GPtrArray) naming = np_report_naming (registry), found = g_ptr_array_new ();
  for (guint i = 0; i < naming->len; i++) {
    GHashTableIter iter;
    gpointer name;
    g_hash_table_iter_init (&iter, part_at (naming, i)->only);
    while (g_hash_table_iter_next (&iter, &name, NULL))
      if (!strchr (name, '.'))
        g_ptr_array_add (found, name);
  }
  g_ptr_array_sort (found, np_by_text);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (names, found->pdata[i]);
}

/* Returns all names that may be given, those of tables or the short ones too; ends in NULL,
 * transfer container. */
static GPtrArray *
names_there_are (NpRegistry *registry, const GArray *all, gboolean with_short)
{
  GPtrArray *names = g_ptr_array_new ();
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (names, (gpointer) g_array_index (all, Made, i).table->name);
  if (with_short)
    add_short_names (names, registry);
  g_ptr_array_add (names, NULL);
  return names;
}

static gboolean
holds_word (const char *const *words, const char *word)
{
  for (; *words; words++)
    if (!g_ascii_strcasecmp (*words, word))
      return TRUE;
  return FALSE;
}

/* Returns the table that engineers call so; NULL: none. */
static const char *
table_called (NpRegistry *registry, const char *word)
{
  g_autoptr (GPtrArray) naming = np_report_naming (registry);
  for (guint i = 0; i < naming->len; i++) {
    GHashTableIter iter;
    gpointer table, words;
    g_hash_table_iter_init (&iter, part_at (naming, i)->called);
    while (g_hash_table_iter_next (&iter, &table, &words))
      if (holds_word (words, word))
        return table;
  }
  return NULL;
}

static const char *
nearest (NpRegistry *registry, const char *const *names, const char *word)
{
  const char *ours = table_called (registry, word);
  return ours && g_strv_contains (names, ours) ? ours : np_suggest (word, names);
}

const char *
np_report_near_table (NpRegistry *registry, const char *word)
{
  g_autoptr (GArray) all = all_tables (registry);
  g_autoptr (GPtrArray) names = names_there_are (registry, all, FALSE);
  return nearest (registry, (const char *const *) names->pdata, word);
}

gboolean
np_report_check_inputs (NpRegistry *registry, const GPtrArray *inputs, GError **error)
{
  for (guint i = 0; i < inputs->len; i++) {
    const char *word = inputs->pdata[i];
    if (strpbrk (word, "./-*?") || g_file_test (word, G_FILE_TEST_EXISTS))
      continue;
    g_autoptr (GArray) all = all_tables (registry);
    g_autoptr (GPtrArray) names = names_there_are (registry, all, TRUE);
    const char *table = nearest (registry, (const char *const *) names->pdata, word);
    if (!table || (inputs->len == 1 && strcmp (table, word) != 0))
      continue;
    return np_error_set (error, NP_EXIT_INPUT, "%s: there is no such file: did you mean --only %s?",
                         word, table);
  }
  return TRUE;
}

/* Fails for a name that is not there; `asked` is the word before it, "--only". */
static gboolean
check_name (NpRegistry *registry, const GPtrArray *names, const char *asked, const char *name,
            GError **error)
{
  const char *const *list = (const char *const *) names->pdata;
  if (g_strv_contains (list, name))
    return TRUE;
  g_autofree char *hint = np_suggestion (nearest (registry, list, name));
  return np_error_set (error, NP_EXIT_USAGE,
                       "%s %s: no component makes such a table%s; nprof report --tables lists them",
                       asked, name, hint);
}

static const struct nprof_table *
find_table (const struct nprof_table *const *tables, const char *name)
{
  for (; tables && *tables; tables++)
    if (g_str_equal ((*tables)->name, name))
      return *tables;
  return NULL;
}

/* Opens the decoders only for a table that no analyzer makes. */
const NpRegistryEntry *
np_report_maker (NpRegistry *registry, const char *table)
{
  static const guint kinds[] = { NPROF_ANALYZER, NPROF_DECODER };
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (GPtrArray) of_kind = np_registry_of_kind (registry, kinds[k]);
    for (guint i = 0; i < of_kind->len; i++) {
      const NpRegistryEntry *module = g_ptr_array_index (of_kind, i);
      if (module->component && find_table (module->component->tables, table))
        return module;
    }
  }
  return NULL;
}

const struct nprof_table *
np_report_table (NpRegistry *registry, const char *table)
{
  const struct nprof_table *of_core = find_table (np_core_tables_list (), table);
  if (of_core)
    return of_core;
  const NpRegistryEntry *maker = np_report_maker (registry, table);
  return maker ? find_table (maker->component->tables, table) : NULL;
}

gboolean
np_report_check_table (NpRegistry *registry, const char *table, GError **error)
{
  if (np_report_table (registry, table))
    return TRUE;
  g_autoptr (GArray) all = all_tables (registry);
  g_autoptr (GPtrArray) names = names_there_are (registry, all, FALSE);
  return check_name (registry, names, "table", table, error);
}

static void
add_once (GPtrArray *tables, const char *name)
{
  gsize len = strcspn (name, "?");
  for (guint i = 0; i < tables->len; i++) {
    char *other = g_ptr_array_index (tables, i);
    if (strcspn (other, "?") != len || strncmp (other, name, len) != 0)
      continue;
    if (!name[len])
      other[len] = '\0'; /* somebody named it */
    return;
  }
  g_ptr_array_add (tables, g_strdup (name));
}

/* Splits "a, b where CONDITION"; a comma in quotes or in a regular expression parts nothing. */
static GPtrArray *
split_names (const char *names)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  for (const char *from = names;; from++) {
    const char *end = np_filter_end (from, ',');
    g_ptr_array_add (parts, g_strstrip (g_strndup (from, (gsize) (end - from))));
    if (!*end)
      return parts;
    from = end;
  }
}

/* Cuts the condition off "NAME where CONDITION"; NULL: there is none. */
static const char *
cut_condition (char *asked)
{
  char *name_end = asked + strcspn (asked, " \t"), *at = name_end + strspn (name_end, " \t");
  if (!g_str_has_prefix (at, "where") || !strchr (" \t(", at[strlen ("where")]))
    return NULL;
  *name_end = '\0';
  return g_strstrip (at + strlen ("where"));
}

/* Checks the condition by the first declaration of its table; decoders that declare none are asked
 * when they have run. */
static gboolean
check_condition (const GArray *all, const char *table, const char *text, GError **error)
{
  for (guint i = 0; i < all->len; i++) {
    const struct nprof_table *schema = g_array_index (all, Made, i).table;
    g_auto (NpTableCondition) condition = { 0 };
    char why[160];
    guint32 at;
    if (!g_str_equal (schema->name, table))
      continue;
    if (*text && np_table_condition_parse (&condition, schema, NP_BARE_NO_TIME, text, why, &at))
      return TRUE;
    return np_error_set (error, NP_EXIT_USAGE, "--only %s where %s: at character %u: expected %s",
                         table, text, *text ? at + 1 : 1,
                         *text ? why : "a condition on its columns, such as share > 5%");
  }
  return TRUE;
}

GStrv
np_report_only (NpRegistry *registry, const char *names, gboolean by_shape, GHashTable *where,
                GError **error)
{
  g_autoptr (GArray) all = all_tables (registry);
  g_autoptr (GPtrArray) there = names_there_are (registry, all, TRUE);
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) asked = split_names (names);
  for (guint i = 0; i < asked->len; i++) {
    char *name = g_ptr_array_index (asked, i);
    const char *condition = cut_condition (name);
    if (!check_name (registry, there, "--only", name, error))
      return NULL;
    g_auto (GStrv) behind = tables_behind (registry, name, by_shape);
    for (guint k = 0; behind[k] && (k == 0 || !condition); k++)
      add_once (tables, behind[k]);
    if (!condition)
      continue;
    g_autofree char *table = g_strndup (behind[0], strcspn (behind[0], "?"));
    if (!check_condition (all, table, condition, error))
      return NULL;
    g_hash_table_insert (where, g_steal_pointer (&table), g_strdup (condition));
  }
  if (tables->len == 0) {
    np_error_set (error, NP_EXIT_USAGE,
                  "--only needs names of tables; nprof report --tables lists them");
    return NULL;
  }
  g_ptr_array_add (tables, NULL);
  return (GStrv) g_ptr_array_steal (tables, NULL);
}
