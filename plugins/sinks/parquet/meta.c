/* SPDX-License-Identifier: Apache-2.0 */
/* meta.c - key-value metadata: nprof.generator, nprof.table, nprof.title and nprof.note (of tables that
 * have them), nprof.origin_unix_ns (when it is known), nprof.decoders, nprof.inputs and
 * nprof.schema (JSON), from which the decoder parquet makes the same inputs and columns again. */
#include "meta.h"

#include "table-file.h"

#include <nprof/json.h>

static void
put_member (struct nprof_buf *to, const char *name, const char *text)
{
  nprof_put_text (to, to->len && to->data[to->len - 1] != '{' ? ", " : "");
  nprof_put_json_string (to, name, strlen (name), 0);
  nprof_put_text (to, ": ");
  nprof_put_json_string (to, text, strlen (text), 0);
}

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
put_origin (struct nprof_buf *to, const struct file_column *c)
{
  static const char *const names[]
      = { [NPROF_INT64] = "int64", [NPROF_UINT64] = "uint64", [NPROF_DOUBLE] = "double",
          [NPROF_BOOL] = "bool",   [NPROF_STRING] = "string", [NPROF_TEXT] = "text",
          [NPROF_JSON] = "json",   [NPROF_ID128] = "id128" };
  if (c->type == NPROF_NULL || c->type >= G_N_ELEMENTS (names))
    return;
  put_member (to, "nprof_type", names[c->type]);
  if (c->original)
    put_member (to, "nprof_name", c->original);
  if (c->is_key)
    put_member (to, "role", "key");
}

static void
put_schema (struct nprof_buf *to, GArray *columns)
{
  nprof_put_char (to, '[');
  for (guint k = 0; k < columns->len; k++) {
    const struct file_column *c = &g_array_index (columns, struct file_column, k);
    if (c->kind == PQ_MAP_VALUE)
      continue;
    nprof_put_text (to, k ? ",\n {" : "{");
    put_member (to, "name", c->name);
    put_member (to, "type", type_name (c->kind));
    put_member (to, "unit", c->unit);
    put_member (to, "help", c->help);
    put_origin (to, c);
    nprof_put_char (to, '}');
  }
  nprof_put_char (to, ']');
}

static void
put_input (struct nprof_buf *to, const struct nprof_host *host,
           const struct nprof_input_info *input)
{
  nprof_put_char (to, '{');
  put_member (to, "input", nprof_text (host, input->label));
  put_member (to, "decoder", input->decoder);
  char number[12];
  g_snprintf (number, sizeof number, "%u", input->number);
  put_member (to, "number", number);
  if (NPROF_KNOWS (input, properties) && input->properties[0]) {
    nprof_put_text (to, ", \"properties\": {");
    for (const char *const *p = input->properties; p[0]; p += 2)
      put_member (to, p[0], p[1]);
    nprof_put_char (to, '}');
  }
  nprof_put_char (to, '}');
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
put_inputs (struct nprof_buf *to, const struct nprof_host *host, const GArray *inputs)
{
  const struct nprof_input_info *input;
  nprof_put_char (to, '[');
  for (guint k = 0; (input = input_at (host, inputs, k)); k++) {
    nprof_put_text (to, k ? ",\n " : "");
    put_input (to, host, input);
  }
  nprof_put_char (to, ']');
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
  put_inputs (&buf, host, inputs);
  char *named = take_text (&buf);
  add (pairs, "nprof.inputs", named);
  put_schema (&buf, columns);
  char *schema = take_text (&buf);
  add (pairs, "nprof.schema", schema);
  if (!named || !schema)
    g_clear_pointer (&pairs, g_array_unref);
  return pairs;
}
