/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - writes the formats of flame graphs. formats: Brendan Gregg's folded stacks;
 * https://www.speedscope.app/file-format-schema.json; github.com/google/pprof,
 * proto/profile.proto */

#include "text.h"
#include "console/text-number.h"
#include "system/json-writer.h"

#include <string.h>
#include <zlib.h>

#define PS_PER_NS 1000

const char *const np_flame_formats[] = { "folded", "speedscope", "pprof", NULL };

/* This is a row of the table. */
typedef struct {
  GStrv frames;
  gint64 weight, count; /* ns, or bytes */
} Stack;

typedef struct {
  GArray *stacks;      /* of Stack                     */
  GHashTable *numbers; /* of frames, by name: 1 + it   */
  GPtrArray *names;    /* of frames, by number         */
  gboolean bytes;      /* are weights, else ns         */
} Stacks;

static void
stack_clear (gpointer stack)
{
  g_strfreev (((Stack *) stack)->frames);
}

static guint
frame_number (Stacks *s, const char *name)
{
  return np_text_number (s->numbers, s->names, name);
}

static gboolean
has_several_inputs (const NpTable *t)
{
  for (guint i = 1; i < t->n_rows; i++)
    if (g_strcmp0 (np_table_text (t, i, 0), np_table_text (t, 0, 0)))
      return TRUE;
  return FALSE;
}

static void
read_stacks (Stacks *s, const NpTable *t)
{
  s->stacks = g_array_new (FALSE, FALSE, sizeof (Stack));
  g_array_set_clear_func (s->stacks, stack_clear);
  s->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  s->names = g_ptr_array_new_with_free_func (g_free);
  gboolean several = t && has_several_inputs (t);
  for (guint i = 0; t && i < t->n_rows; i++) {
    g_autofree char *input = g_strdelimit (g_strdup (np_table_text (t, i, 0)), ";\n\r", '_');
    g_autofree char *text = several ? g_strdup_printf ("%s;%s", input, np_table_text (t, i, 1))
                                    : g_strdup (np_table_text (t, i, 1));
    Stack stack
        = { g_strsplit (text, ";", -1), np_table_cell (t, i, 2).v.i / (s->bytes ? 1 : PS_PER_NS),
            np_table_cell (t, i, 3).v.i };
    g_array_append_val (s->stacks, stack);
    for (guint k = 0; stack.frames[k]; k++)
      frame_number (s, stack.frames[k]);
  }
}

static void
stacks_clear (Stacks *s)
{
  g_array_unref (s->stacks);
  g_hash_table_unref (s->numbers);
  g_ptr_array_unref (s->names);
}

static const Stack *
stack_at (const Stacks *s, guint i)
{
  return &g_array_index (s->stacks, Stack, i);
}

static GString *
folded (Stacks *s)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < s->stacks->len; i++) {
    g_autofree char *text = g_strjoinv (";", stack_at (s, i)->frames);
    g_string_append_printf (out, "%s %" G_GINT64_FORMAT "\n", text, stack_at (s, i)->weight);
  }
  return out;
}

/* -- speedscope -------------------------------------------------------------------------------- */

static void
put_samples (Stacks *s, NpJson *j, guint from, guint to)
{
  np_json_array (j, "samples");
  for (guint i = from; i < to; i++) {
    np_json_array (j, NULL);
    for (guint k = 0; stack_at (s, i)->frames[k]; k++)
      np_json_number (j, NULL, frame_number (s, stack_at (s, i)->frames[k]));
    np_json_end_array (j);
  }
  np_json_end_array (j);
}

static void
put_weights (Stacks *s, NpJson *j, guint from, guint to)
{
  gint64 sum = 0;
  np_json_array (j, "weights");
  for (guint i = from; i < to; i++) {
    np_json_integer (j, NULL, stack_at (s, i)->weight);
    sum += stack_at (s, i)->weight;
  }
  np_json_end_array (j);
  np_json_number (j, "startValue", 0);
  np_json_integer (j, "endValue", sum);
}

/* Puts the stacks from..to, which have one root. */
static void
put_profile (Stacks *s, NpJson *j, guint from, guint to)
{
  if (from)
    np_json_line (j, 0);
  np_json_object (j, NULL);
  np_json_text (j, "type", "sampled");
  np_json_text (j, "name", stack_at (s, from)->frames[0]);
  np_json_text (j, "unit", s->bytes ? "bytes" : "nanoseconds");
  put_samples (s, j, from, to);
  put_weights (s, j, from, to);
  np_json_end_object (j);
}

static void
put_frames (Stacks *s, NpJson *j)
{
  np_json_object (j, "shared");
  np_json_array (j, "frames");
  for (guint i = 0; i < s->names->len; i++) {
    np_json_object (j, NULL);
    np_json_text (j, "name", g_ptr_array_index (s->names, i));
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_end_object (j);
}

static GString *
speedscope (Stacks *s)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf }, *j = &json;
  np_json_object (j, NULL);
  np_json_text (j, "$schema", "https://www.speedscope.app/file-format-schema.json");
  np_json_text (j, "exporter", "nprof");
  put_frames (s, j);
  np_json_array (j, "profiles");
  for (guint from = 0, to; from < s->stacks->len; from = to) {
    for (to = from + 1;
         to < s->stacks->len
         && g_str_equal (stack_at (s, to)->frames[0], stack_at (s, from)->frames[0]);)
      to++;
    put_profile (s, j, from, to);
  }
  np_json_end_array (j);
  np_json_end_object (j);
  nprof_put_char (&buf, '\n');
  GString *out = g_string_new (NULL);
  np_json_move (&buf, out);
  return out;
}

/* -- pprof: fields of profile.proto ------------------------------------------------------------ */

static void
put_varint (GString *out, guint64 value)
{
  for (; value >= 0x80; value >>= 7)
    g_string_append_c (out, (char) (value | 0x80));
  g_string_append_c (out, (char) value);
}

static void
put_number (GString *out, guint field, guint64 value)
{
  put_varint (out, field << 3);
  put_varint (out, value);
}

static void
put_bytes (GString *out, guint field, const char *bytes, gsize len)
{
  put_varint (out, field << 3 | 2);
  put_varint (out, len);
  g_string_append_len (out, bytes, (gssize) len);
}

static void
put_type (GString *out, guint type, guint unit)
{
  g_autoptr (GString) value = g_string_new (NULL);
  put_number (value, 1, type);
  put_number (value, 2, unit);
  put_bytes (out, 1, value->str, value->len);
}

/* Puts a sample, whose leaf comes first. */
static void
put_sample (Stacks *s, GString *out, const Stack *stack)
{
  g_autoptr (GString) ids = g_string_new (NULL), values = g_string_new (NULL),
                      sample = g_string_new (NULL);
  for (guint k = g_strv_length (stack->frames); k > 0; k--)
    put_varint (ids, frame_number (s, stack->frames[k - 1]) + 1);
  put_varint (values, (guint64) stack->count);
  put_varint (values, (guint64) stack->weight);
  put_bytes (sample, 1, ids->str, ids->len);
  put_bytes (sample, 2, values->str, values->len);
  put_bytes (out, 2, sample->str, sample->len);
}

/* Puts location and function of the same id; names stand in the table of texts behind our own. */
static void
put_frame (GString *out, guint id, guint name)
{
  g_autoptr (GString) line = g_string_new (NULL), location = g_string_new (NULL),
                      function = g_string_new (NULL);
  put_number (line, 1, id);
  put_number (location, 1, id);
  put_bytes (location, 4, line->str, line->len);
  put_bytes (out, 4, location->str, location->len);
  put_number (function, 1, id);
  put_number (function, 2, name);
  put_number (function, 3, name);
  put_bytes (out, 5, function->str, function->len);
}

/* Compresses without a time in the head, so that equal profiles give equal files.  NULL: no
 * memory. */
static GString *
gzip (const GString *plain)
{
  z_stream z = { 0 };
  if (deflateInit2 (&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  gsize room = deflateBound (&z, plain->len);
  GString *out = g_string_sized_new (room);
  g_string_set_size (out, room);
  z.next_in = (Bytef *) plain->str;
  z.avail_in = (uInt) plain->len;
  z.next_out = (Bytef *) out->str;
  z.avail_out = (uInt) room;
  deflate (&z, Z_FINISH);
  g_string_set_size (out, z.total_out);
  deflateEnd (&z);
  return out;
}

static GString *
pprof (Stacks *s)
{
  static const char *const of_time[] = { "", "spans", "count", "time", "nanoseconds" },
                           *const of_bytes[] = { "", "allocations", "count", "space", "bytes" };
  const char *const *own = s->bytes ? of_bytes : of_time;
  g_autoptr (GString) out = g_string_new (NULL);
  put_type (out, 1, 2);
  put_type (out, 3, 4);
  for (guint i = 0; i < s->stacks->len; i++)
    put_sample (s, out, stack_at (s, i));
  for (guint i = 0; i < s->names->len; i++)
    put_frame (out, i + 1, G_N_ELEMENTS (of_time) + i);
  for (guint i = 0; i < G_N_ELEMENTS (of_time); i++)
    put_bytes (out, 6, own[i], strlen (own[i]));
  for (guint i = 0; i < s->names->len; i++) {
    const char *name = g_ptr_array_index (s->names, i);
    put_bytes (out, 6, name, strlen (name));
  }
  put_number (out, 14, 3); /* default_sample_type: time, or space */
  return gzip (out);
}

GString *
np_flame_text (const NpTable *table, const char *format, gboolean bytes)
{
  static GString *(*const writers[]) (Stacks * stacks) = { folded, speedscope, pprof };
  GString *text = NULL;
  Stacks stacks = { .bytes = bytes };
  read_stacks (&stacks, table);
  for (guint i = 0; np_flame_formats[i]; i++)
    if (g_str_equal (format, np_flame_formats[i]))
      text = writers[i](&stacks);
  stacks_clear (&stacks);
  return text;
}
