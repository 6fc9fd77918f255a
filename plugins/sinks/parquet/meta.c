/* SPDX-License-Identifier: Apache-2.0 */
/* meta.c - key-value metadata: nprof.generator, nprof.table, nprof.title and nprof.note (of tables
 * that have them), nprof.origin_unix_ns (when it is known), nprof.decoders, nprof.inputs and
 * nprof.schema (JSON), from which the decoder parquet makes the same inputs and columns again. */
#include "meta.h"

#include "table-file.h"

#include "system/json-writer.h"
#include "system/type-name.h"

static const char *
type_name (enum pq_kind kind)
{
  static const char *const names[]
      = { [PQ_BOOL] = "bool",     [PQ_INT32] = "int32",   [PQ_UINT32] = "uint32",
          [PQ_INT64] = "int64",   [PQ_UINT64] = "uint64", [PQ_TIMESTAMP_NS] = "timestamp",
          [PQ_DOUBLE] = "double", [PQ_TEXT] = "string",   [PQ_UUID] = "id128",
          [PQ_MAP_KEY] = "map" };
  return names[kind];
}

/* Says how attributes and columns of tables are called, and typed, in nprof itself. */
static void
put_origin (NpJson *json, const struct file_column *c)
{
  if (c->type == NPROF_NULL || c->type > NPROF_ID128)
    return;
  np_json_text (json, "nprof_type", np_type_name (c->type));
  if (c->original)
    np_json_text (json, "nprof_name", c->original);
  if (c->is_key)
    np_json_text (json, "role", "key");
}

static void
put_schema (NpJson *json, GArray *columns)
{
  np_json_array (json, NULL);
  for (guint k = 0; k < columns->len; k++) {
    const struct file_column *c = &g_array_index (columns, struct file_column, k);
    if (c->kind == PQ_MAP_VALUE)
      continue;
    if (k)
      np_json_line (json, 1);
    np_json_object (json, NULL);
    np_json_text (json, "name", c->name);
    np_json_text (json, "type", type_name (c->kind));
    np_json_text (json, "unit", c->unit);
    np_json_text (json, "help", c->help);
    put_origin (json, c);
    np_json_end_object (json);
  }
  np_json_end_array (json);
}

static void
put_input (NpJson *json, const struct nprof_host *host, const struct nprof_input_info *input)
{
  np_json_object (json, NULL);
  np_json_text (json, "input", nprof_text (host, input->label));
  np_json_text (json, "decoder", input->decoder);
  char number[12];
  g_snprintf (number, sizeof number, "%u", input->number);
  np_json_text (json, "number", number);
  if (NPROF_KNOWS (input, properties) && input->properties[0]) {
    np_json_object (json, "properties");
    for (const char *const *p = input->properties; p[0]; p += 2)
      np_json_text (json, p[0], p[1]);
    np_json_end_object (json);
  }
  np_json_end_object (json);
}

/* Returns the k-th input of a file; NULL beyond the last. */
static const struct nprof_input_info *
input_at (const struct nprof_host *host, const GArray *inputs, guint k)
{
  if (!inputs)
    return host->input (host, k);
  return k < inputs->len ? host->input (host, g_array_index (inputs, guint32, k)) : NULL;
}

static void
put_inputs (NpJson *json, const struct nprof_host *host, const GArray *inputs)
{
  const struct nprof_input_info *input;
  np_json_array (json, NULL);
  for (guint k = 0; (input = input_at (host, inputs, k)); k++) {
    if (k)
      np_json_line (json, 1);
    put_input (json, host, input);
  }
  np_json_end_array (json);
}

/* Returns each decoder once, in order of the inputs. */
static char *
decoders (const struct nprof_host *host, const GArray *inputs)
{
  const struct nprof_input_info *input;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint k = 0; (input = input_at (host, inputs, k)); k++)
    if (!g_ptr_array_find_with_equal_func (names, input->decoder, g_str_equal, NULL))
      g_ptr_array_add (names, (gpointer) input->decoder);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (",", (char **) names->pdata);
}

static void
clear_pair (gpointer data)
{
  struct pq_pair *pair = data;
  g_free ((gpointer) pair->key);
  g_free ((gpointer) pair->value);
}

static void
add (GArray *pairs, const char *key, char *value)
{
  struct pq_pair pair = { g_strdup (key), value };
  g_array_append_val (pairs, pair);
}

/* Returns NULL when there is no memory. */
static char *
take_text (struct nprof_buf *buf)
{
  char *text = buf->failed ? NULL : g_strndup (buf->data, buf->len);
  nprof_buf_clear (buf);
  return text;
}

GArray *
meta_pairs (const struct nprof_host *host, const struct table_file_about *about, GArray *columns,
            const GArray *inputs)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (struct pq_pair));
  const struct nprof_run_info *run = host->run (host);
  struct nprof_buf buf = { 0 };
  NpJson of_inputs = { .buf = &buf, .style = NP_JSON_SPACED }, of_columns = of_inputs;
  g_array_set_clear_func (pairs, clear_pair);
  add (pairs, "nprof.generator", g_strdup (run->generator));
  add (pairs, "nprof.table", g_strdup (about->table));
  if (about->title && *about->title)
    add (pairs, "nprof.title", g_strdup (about->title));
  if (about->note && *about->note)
    add (pairs, "nprof.note", g_strdup (about->note));
  if (run->origin_unix_ns != NPROF_NO_EPOCH)
    add (pairs, "nprof.origin_unix_ns",
         g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) run->origin_unix_ns));
  add (pairs, "nprof.decoders", decoders (host, inputs));
  put_inputs (&of_inputs, host, inputs);
  char *named = take_text (&buf);
  add (pairs, "nprof.inputs", named);
  put_schema (&of_columns, columns);
  char *schema = take_text (&buf);
  add (pairs, "nprof.schema", schema);
  if (!named || !schema)
    g_clear_pointer (&pairs, g_array_unref);
  return pairs;
}
