/* SPDX-License-Identifier: Apache-2.0 */
/* own.c - reads the files that nprof itself wrote: events.parquet with all that its metadata says,
 * and beside it the tables.  Each profile of the run that wrote them becomes an input again, by its
 * label. */
#include "own.h"
#include "system/json-guard.h"
#include "system/type-name.h"

#include <nprof/sdk.h>
#include <stdlib.h>
#include <string.h>

#define ENDING ".parquet"

gboolean
own_is (const Source *s)
{
  return pq_pair (s->footer, "nprof.table") && pq_pair (s->footer, "nprof.schema");
}

static gboolean
has_rows (const Source *s)
{
  return g_strcmp0 (pq_pair (s->footer, "nprof.table"), "events") == 0;
}

#define DEEPEST 8 /* levels of what nprof itself writes into a footer */

/* Returns what the text says; NULL: nothing that can be read. */
static JsonNode *
parse (const char *text)
{
  return text && !json_guard (text, strlen (text), DEEPEST, NULL) ? json_from_string (text, NULL)
                                                                  : NULL;
}

JsonNode *
own_list (const Source *s, const char *key)
{
  JsonNode *node = parse (pq_pair (s->footer, key));
  gboolean good = node && JSON_NODE_HOLDS_ARRAY (node);
  for (guint k = 0; good && k < json_array_get_length (json_node_get_array (node)); k++)
    good = JSON_NODE_HOLDS_OBJECT (json_array_get_element (json_node_get_array (node), k));
  if (node && !good)
    g_clear_pointer (&node, json_node_unref);
  return node;
}

const char *
own_member (JsonObject *o, const char *name)
{
  JsonNode *node = json_object_get_member (o, name);
  return node && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* -- Columns --------------------------------------------------------------- */

static guint
type_named (const char *name)
{
  for (guint k = NPROF_INT64; name && k <= NPROF_ID128; k++)
    if (!strcmp (np_type_name (k), name))
      return k;
  return NPROF_NULL;
}

/* Returns whether the type goes with the values of the column, because metadata may say
 * anything. */
static gboolean
goes_with (guint type, const PqNode *node)
{
  ValueAs as = value_as (node);
  gboolean text = type == NPROF_STRING || type == NPROF_TEXT || type == NPROF_JSON;
  return text ? value_type (as) == NPROF_STRING : type == value_type (as);
}

static void
describe (Source *s, Field *f, JsonArray *schema)
{
  const PqNode *node = pq_node (s->footer, f->node);
  for (guint k = 0; schema && k < json_array_get_length (schema); k++) {
    JsonObject *o = json_array_get_object_element (schema, k);
    if (g_strcmp0 (own_member (o, "name"), node->name))
      continue;
    guint type = type_named (own_member (o, "nprof_type"));
    const char *name = own_member (o, "nprof_name"), *unit = own_member (o, "unit"),
               *help = own_member (o, "help");
    if (type != NPROF_NULL && !f->nested && goes_with (type, node)) {
      f->type = type;
      f->interned = type == NPROF_STRING;
    }
    if (name && *name) {
      g_free (f->key);
      f->key = g_strdup (name);
    }
    g_free (f->unit);
    g_free (f->help);
    f->unit = g_strdup (unit ? unit : "");
    f->help = g_strdup (help ? help : "");
    f->is_key = g_strcmp0 (own_member (o, "role"), "key") == 0;
    return;
  }
}

static const struct {
  const char *name;
  FieldRole role;
  int type; /* Type */
} base[] = { { "input", FIELD_INPUT, PQ_BYTE_ARRAY },
             { "start_ps", FIELD_START, PQ_INT64 },
             { "duration_ps", FIELD_DURATION, PQ_INT64 },
             { "track", FIELD_NUMBER, PQ_INT32 },
             { "process", FIELD_TRACK, PQ_BYTE_ARRAY },
             { "thread", FIELD_TRACK, PQ_BYTE_ARRAY },
             { "kind", FIELD_KIND, PQ_BYTE_ARRAY },
             { "category", FIELD_CATEGORY, PQ_BYTE_ARRAY },
             { "name", FIELD_NAME, PQ_BYTE_ARRAY },
             { "value", FIELD_VALUE, PQ_DOUBLE },
             { "id", FIELD_ID, PQ_INT64 },
             { "parent", FIELD_PARENT, PQ_INT64 },
             { "flow", FIELD_FLOW, PQ_INT64 } };

/* Finds a column among those that all rows have; -1: it is none.  `time` is the start once more. */
static int
base_column (const PqNode *node)
{
  for (guint k = 0; k < G_N_ELEMENTS (base); k++)
    if (!strcmp (base[k].name, node->name))
      return (int) k;
  return -1;
}

static nprof_status
add_row_columns (Parquet *p, Source *s, JsonArray *schema)
{
  guint needed = 0, key, value;
  for (guint k = 1; k < pq_node (s->footer, 0)->next; k = pq_node (s->footer, k)->next) {
    const PqNode *node = pq_node (s->footer, k);
    int b = base_column (node);
    if (b >= 0
        && (node->n_children || node->type != base[b].type || node->repetition == PQ_REPEATED))
      return nprof_fail (p->host, NPROF_E_FORMAT,
                         "%s: byte %" G_GUINT64_FORMAT
                         ": column %s is not of the type that nprof writes: the file was changed",
                         s->file, s->end, node->name);
    if (b >= 0) {
      source_add (s, k, base[b].role);
      needed |= 1u << base[b].role;
    } else if (!strcmp (node->name, "attributes") && nested_is_map (s->footer, k, &key, &value)
               && value && pq_node (s->footer, value)->type == PQ_BYTE_ARRAY)
      source_add (s, k, FIELD_REST);
    else if (strcmp (node->name, "time"))
      describe (s, source_add (s, k, FIELD_ATTRIBUTE), schema);
  }
  const guint all = 1u << FIELD_START | 1u << FIELD_NUMBER | 1u << FIELD_KIND | 1u << FIELD_NAME;
  return (needed & all) == all
             ? NPROF_OK
             : nprof_fail (p->host, NPROF_E_FORMAT,
                           "%s: byte %" G_GUINT64_FORMAT
                           ": columns start_ps, track, kind and name are not all there, but its "
                           "metadata says that nprof wrote it: it was changed",
                           s->file, s->end);
}

/* Renames times: those in ps of a table are called _ns in nprof; files from before nprof_name do
 * not say so. */
static void
rename_times (Field *f)
{
  if (g_str_has_suffix (f->key, "_ps") && !strcmp (f->unit, "ps"))
    memcpy (f->key + strlen (f->key) - 3, "_ns", 3);
}

static void
add_table_columns (Source *s, JsonArray *schema)
{
  for (guint k = 1; k < pq_node (s->footer, 0)->next; k = pq_node (s->footer, k)->next) {
    const PqNode *node = pq_node (s->footer, k);
    gboolean input = !strcmp (node->name, "input") && !node->n_children
                     && node->type == PQ_BYTE_ARRAY && node->repetition != PQ_REPEATED;
    Field *f = source_add (s, k, input ? FIELD_INPUT : FIELD_ATTRIBUTE);
    f->type = input ? NPROF_STRING : f->type;
    if (!input)
      describe (s, f, schema);
    if (!input)
      rename_times (f);
  }
}

/* -- Other files of the folder ---------------------------------------------- */

static gboolean
is_core_table (const char *name)
{
  static const char *const names[] = { "inputs", "tracks", "skipped", "facts", NULL };
  return g_strv_contains (names, name);
}

static gboolean
is_table_name (const char *name)
{
  return *name && !name[strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* Returns labels of the inputs that a file says it has. */
static GPtrArray *
labels_of (const Source *s)
{
  g_autoptr (JsonNode) list = own_list (s, "nprof.inputs");
  JsonArray *inputs = list ? json_node_get_array (list) : NULL;
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; inputs && k < json_array_get_length (inputs); k++)
    g_ptr_array_add (labels,
                     g_strdup (own_member (json_array_get_object_element (inputs, k), "input")));
  return labels;
}

/* Returns whether both come from one run: tables name all inputs of their run, files of rows those
 * that have some. */
static gboolean
is_of_same_run (const Source *table, const Source *rows)
{
  g_autoptr (GPtrArray) all = labels_of (table), some = labels_of (rows);
  for (guint k = 0; k < some->len; k++)
    if (!some->pdata[k]
        || !g_ptr_array_find_with_equal_func (all, some->pdata[k], g_str_equal, NULL))
      return FALSE;
  return own_is (table)
         && !g_strcmp0 (pq_pair (table->footer, "nprof.generator"),
                        pq_pair (rows->footer, "nprof.generator"));
}

/* Adds a table of the same run; others that lie there are left alone, which is said. */
static void
add_table (Parquet *p, const Source *main, const char *file)
{
  Source *s = parquet_sibling (p, file);
  if (!s)
    return;
  const char *name = pq_pair (s->footer, "nprof.table");
  gboolean same = name && is_table_name (name) && is_of_same_run (s, main);
  if (!same || is_core_table (name) || has_rows (s)) {
    if (!same && !p->declaring)
      nprof_log (p->host, NPROF_INFO, "%s beside it is of another run, and is not read with it",
                 file);
    source_free (s);
    return;
  }
  g_autoptr (JsonNode) schema = own_list (s, "nprof.schema");
  add_table_columns (s, schema ? json_node_get_array (schema) : NULL);
  source_make_table (s, g_strdup (name), g_strdup (pq_pair (s->footer, "nprof.title")),
                     g_strdup (pq_pair (s->footer, "nprof.note")));
  g_ptr_array_add (p->owned, s);
  g_ptr_array_add (p->tables, s);
}

/* Returns the way to the tables of events/KEY=VALUE/part-N.parquet, which lie two folders above. */
static const char *
way_up (const Source *s)
{
  return g_str_has_prefix (s->file, "part-") ? "../../" : "";
}

Source *
own_open_table (Parquet *p, const Source *main, const char *name, const char *const *columns,
                const int *types)
{
  g_autofree char *file = g_strconcat (way_up (main), name, ENDING, NULL);
  g_autoptr (GPtrArray) names = parquet_siblings (p);
  gboolean there = *way_up (main) != '\0';
  for (guint k = 0; k < names->len; k++)
    there |= !strcmp (names->pdata[k], file);
  g_autoptr (Source) s = there ? parquet_sibling (p, file) : NULL;
  if (!s || g_strcmp0 (pq_pair (s->footer, "nprof.table"), name) || !is_of_same_run (s, main))
    return NULL;
  for (guint k = 0; columns[k]; k++) {
    guint node = source_find (s, columns[k]);
    const PqNode *n = pq_node (s->footer, node);
    if (!node || n->n_children || n->repetition == PQ_REPEATED || n->type != types[k])
      return NULL;
    source_add (s, node, FIELD_ATTRIBUTE);
  }
  return g_steal_pointer (&s);
}

/* Returns the names of the folder two above, which cannot be listed, from the manifest there. */
static GPtrArray *
names_in_manifest (Parquet *p, const char *folder)
{
  uint64_t len;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *file = g_strconcat (folder, "manifest.json", NULL);
  const char *data = p->host->sibling (p->host, file, &len);
  g_autofree char *text = data ? g_strndup (data, len) : NULL;
  g_autoptr (JsonNode) node = parse (text);
  JsonNode *files = node && JSON_NODE_HOLDS_OBJECT (node)
                        ? json_object_get_member (json_node_get_object (node), "files")
                        : NULL;
  JsonArray *list = files && JSON_NODE_HOLDS_ARRAY (files) ? json_node_get_array (files) : NULL;
  for (guint k = 0; list && k < json_array_get_length (list); k++) {
    JsonNode *item = json_array_get_element (list, k);
    const char *name
        = JSON_NODE_HOLDS_OBJECT (item) ? own_member (json_node_get_object (item), "name") : NULL;
    if (name && !strchr (name, '/'))
      g_ptr_array_add (names, g_strconcat (folder, name, NULL));
  }
  return names;
}

static void
add_tables (Parquet *p, const Source *main)
{
  const char *up = way_up (main);
  g_autoptr (GPtrArray) names = *up ? names_in_manifest (p, up) : parquet_siblings (p);
  for (guint k = 0; k < names->len; k++)
    if (g_str_has_suffix (names->pdata[k], ENDING) && !g_str_has_prefix (names->pdata[k], "part-"))
      add_table (p, main, names->pdata[k]);
}

/* -- Profiles -------------------------------------------------------------- */

static void
add_profiles (Parquet *p, const Source *s)
{
  gint64 number;
  g_autoptr (JsonNode) list = own_list (s, "nprof.inputs");
  JsonArray *inputs = list ? json_node_get_array (list) : NULL;
  for (guint k = 0; inputs && k < json_array_get_length (inputs); k++) {
    JsonObject *o = json_array_get_object_element (inputs, k);
    struct nprof_profile *profile = g_new0 (struct nprof_profile, 1);
    profile->size = sizeof *profile;
    profile->label = parquet_keep (p, own_member (o, "input"));
    profile->decoder = parquet_keep (p, own_member (o, "decoder"));
    if (own_member (o, "number")
        && g_ascii_string_to_signed (own_member (o, "number"), 10, 0, G_MAXINT32, &number, NULL))
      profile->number = (uint32_t) number;
    g_ptr_array_insert (p->profiles, (int) p->profiles->len - 1, profile);
  }
}

static gboolean
is_part (Parquet *p)
{
  g_autoptr (GPtrArray) names = parquet_siblings (p);
  for (guint k = 0; k < names->len; k++)
    if (!strcmp (names->pdata[k], "events.parquet") || !strcmp (names->pdata[k], "events"))
      return TRUE;
  return FALSE;
}

static void
own_table (Parquet *p, Source *s)
{
  const char *name = pq_pair (s->footer, "nprof.table");
  g_autoptr (JsonNode) schema = own_list (s, "nprof.schema");
  add_table_columns (s, schema ? json_node_get_array (schema) : NULL);
  char *own = !is_table_name (name)  ? g_strdup ("table_of_file")
              : is_core_table (name) ? g_strconcat (name, "_of_file", NULL)
                                     : g_strdup (name);
  source_make_table (s, own, g_strdup (pq_pair (s->footer, "nprof.title")),
                     g_strdup (pq_pair (s->footer, "nprof.note")));
  g_ptr_array_add (p->tables, s);
}

/* Finds the list of inputs: one without rows is named by the tables alone: a NEFF, say. */
static Source *
list_of_inputs (Parquet *p, Source *s)
{
  static const char *const none[] = { NULL };
  Source *table = *way_up (s) ? NULL : own_open_table (p, s, "inputs", none, NULL);
  if (table)
    g_ptr_array_add (p->owned, table);
  return p->inputs = table ? table : s;
}

nprof_status
own_plan (Parquet *p, Source *s)
{
  add_profiles (p, has_rows (s) ? list_of_inputs (p, s) : s);
  if (!has_rows (s)) {
    p->is_part = is_part (p);
    own_table (p, s);
    return NPROF_OK;
  }
  g_autoptr (JsonNode) schema = own_list (s, "nprof.schema");
  g_ptr_array_add (p->sources, s);
  nprof_status status = add_row_columns (p, s, schema ? json_node_get_array (schema) : NULL);
  if (!status)
    add_tables (p, s);
  return status;
}
