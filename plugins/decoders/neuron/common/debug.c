/* SPDX-License-Identifier: Apache-2.0 */
/* debug.c - reads package neuroncc.debug_info as third parties describe it.  The vendor does
 * not document it, so a message that does not fit is refused as a whole. */
#include "debug.h"

#include <string.h>

typedef struct {
  guint field, type;
  guint64 number; /* wire type 0 */
  DebugText text; /* wire type 2 */
} Field;

static gboolean
read_varint (const char **p, const char *end, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && *p < end; shift += 7) {
    guint8 byte = (guint8) * (*p)++;
    *value |= (guint64) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return TRUE;
  }
  return FALSE;
}

static gboolean
read_field (const char **p, const char *end, Field *f)
{
  guint64 tag;
  if (!read_varint (p, end, &tag) || tag >> 3 == 0 || tag > G_MAXUINT32)
    return FALSE;
  f->field = (guint) (tag >> 3);
  f->type = tag & 7;
  if (f->type == 0)
    return read_varint (p, end, &f->number);
  guint64 len = f->type == 1 ? 8 : 4;
  if (f->type == 2 && !read_varint (p, end, &len))
    return FALSE;
  if ((f->type != 1 && f->type != 2 && f->type != 5) || len > (guint64) (end - *p))
    return FALSE;
  f->text = (DebugText){ *p, (gsize) len };
  *p += len;
  return TRUE;
}

/* Numbers may be packed or not. */
static gboolean
add_numbers (GArray *numbers, const Field *f)
{
  if (f->type == 0) {
    g_array_append_val (numbers, f->number);
    return TRUE;
  }
  const char *p = f->text.p, *end = p + f->text.len;
  guint64 number;
  while (p < end) {
    if (!read_varint (&p, end, &number))
      return FALSE;
    g_array_append_val (numbers, number);
  }
  return f->type == 2;
}

/* What the instruction that is read has in its fields 4, 5, 9 and 10: ids by the flow of data and
 * by the order, and the types of both. */
typedef struct {
  GArray *ids[2], *types[2]; /* of guint64 */
} Lists;

static gboolean
instruction_field (DebugFile *file, DebugInstruction *in, Lists *lists, const Field *f)
{
  if (f->field == 1 && f->type == 0)
    in->id = f->number;
  else if (f->field == 2 && f->type == 2)
    in->name = f->text;
  else if (f->field == 3)
    return add_numbers (file->parents, f);
  else if (f->field == 4 || f->field == 5)
    return add_numbers (lists->ids[f->field - 4], f);
  else if (f->field == 9 || f->field == 10)
    return add_numbers (lists->types[f->field - 9], f);
  else if (f->field == 6 && f->type == 0)
    in->type = (guint) MIN (f->number, 4);
  else
    return f->field > 6;
  return TRUE;
}

static void
join_lists (DebugFile *file, DebugInstruction *in, const Lists *lists)
{
  in->first_before = file->before->len;
  for (guint list = 0; list < 2; list++)
    for (guint i = 0; i < lists->ids[list]->len; i++) {
      guint64 type
          = i < lists->types[list]->len ? g_array_index (lists->types[list], guint64, i) : 0;
      const DebugPredecessor one
          = { g_array_index (lists->ids[list], guint64, i), type > 4 ? 0 : (guint) type };
      g_array_append_val (file->before, one);
    }
  in->n_before = file->before->len - in->first_before;
}

static gboolean
read_instruction (DebugFile *file, DebugText text, Lists *lists)
{
  DebugInstruction in = { .first_parent = file->parents->len };
  for (guint i = 0; i < 2; i++) {
    g_array_set_size (lists->ids[i], 0);
    g_array_set_size (lists->types[i], 0);
  }
  const char *p = text.p, *end = p + text.len;
  Field f;
  while (p < end)
    if (!read_field (&p, end, &f) || !instruction_field (file, &in, lists, &f))
      return FALSE;
  in.n_parents = file->parents->len - in.first_parent;
  join_lists (file, &in, lists);
  g_array_append_val (file->instructions, in);
  return g_utf8_validate_len (in.name.p ? in.name.p : "", in.name.len, NULL);
}

static gboolean
file_field (DebugFile *file, Lists *lists, const Field *f, gsize most)
{
  if (f->field == 2 && f->type == 2)
    file->parent_name = f->text;
  else if (f->field == 3 && f->type == 2)
    return file->instructions->len < most && read_instruction (file, f->text, lists);
  else if (f->field == 4 && f->type == 0)
    file->engine = (guint) MIN (f->number, 7);
  else
    return f->field == 1 || f->field >= 5;
  return TRUE;
}

static gboolean
read_fields (DebugFile *file, const char *p, const char *end, gsize most)
{
  Lists lists;
  for (guint i = 0; i < 2; i++) {
    lists.ids[i] = g_array_new (FALSE, FALSE, sizeof (guint64));
    lists.types[i] = g_array_new (FALSE, FALSE, sizeof (guint64));
  }
  gboolean fits = TRUE;
  Field f;
  while (p < end && fits)
    fits = read_field (&p, end, &f) && file_field (file, &lists, &f, most);
  for (guint i = 0; i < 2; i++) {
    g_array_unref (lists.ids[i]);
    g_array_unref (lists.types[i]);
  }
  return fits;
}

/* Reads debug_info_LEVEL.ENGINE.dbg. */
static void
read_name (DebugFile *file)
{
  const char *base = strrchr (file->path, '/');
  base = base ? base + 1 : file->path;
  if (!g_str_has_prefix (base, "debug_info_"))
    return;
  g_auto (GStrv) parts = g_strsplit (base + strlen ("debug_info_"), ".", 3);
  guint n = g_strv_length (parts);
  file->level = g_strdup (parts[0]);
  file->engine_word = n == 3 ? g_strdup (parts[1]) : NULL;
}

static gint
by_id (gconstpointer a, gconstpointer b, gpointer user)
{
  const DebugInstruction *all = user, *x = all + *(const guint32 *) a,
                         *y = all + *(const guint32 *) b;
  return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x < y ? -1 : x > y);
}

static void
make_index (DebugFile *file)
{
  guint n = file->instructions->len;
  file->by_id = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    file->by_id[i] = i;
  g_qsort_with_data (file->by_id, (gint) n, sizeof *file->by_id, by_id, file->instructions->data);
}

DebugFile *
debug_file_new (const char *path, const char *data, gsize len, gsize most)
{
  DebugFile *file = g_new0 (DebugFile, 1);
  file->path = g_strdup (path);
  file->instructions = g_array_new (FALSE, FALSE, sizeof (DebugInstruction));
  file->parents = g_array_new (FALSE, FALSE, sizeof (guint64));
  file->before = g_array_new (FALSE, FALSE, sizeof (DebugPredecessor));
  read_name (file);
  if (!read_fields (file, data, data + len, most)) {
    debug_file_free (file);
    return NULL;
  }
  make_index (file);
  return file;
}

void
debug_file_free (gpointer data)
{
  DebugFile *file = data;
  g_free (file->path);
  g_free (file->level);
  g_free (file->engine_word);
  g_array_unref (file->instructions);
  g_array_unref (file->parents);
  g_array_unref (file->before);
  g_free (file->by_id);
  g_free (file);
}

const DebugInstruction *
debug_file_find (const DebugFile *file, guint64 id)
{
  const DebugInstruction *all = (const DebugInstruction *) (void *) file->instructions->data;
  guint low = 0, high = file->instructions->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (all[file->by_id[middle]].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == file->instructions->len || all[file->by_id[low]].id != id)
    return NULL;
  return &all[file->by_id[low]];
}
