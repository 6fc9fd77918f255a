/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - reads what an entry says of its tensors, its time and where it was called. */
#include "flight.h"
#include "json/scan.h"

#include <string.h>

nprof_str
fr_text (const Flight *f, const PkValue *value)
{
  return value && value->type == PK_TEXT ? f->host->intern (f->host, value->text, value->len) : 0;
}

/* No entry has more shapes, dimensions, types or frames. A list that many entries share would be
 * read for each of them. */
#define MOST 1024

/* -- Tensors --------------------------------------------------------------- */

static bool
multiply (const PkItems *shape, gint64 *n)
{
  *n = 1;
  for (guint32 i = 0; i < shape->n && i < MOST; i++)
    if (shape->value[i].type != PK_INT || shape->value[i].i < 0
        || __builtin_mul_overflow (*n, shape->value[i].i, n))
      return false;
  return true;
}

gint64
fr_elements (const PkValue *shapes)
{
  gint64 sum = 0, n;
  if (!shapes || shapes->type != PK_LIST || !shapes->items->n || shapes->items->n > MOST)
    return -1;
  for (guint32 i = 0; i < shapes->items->n; i++) {
    const PkValue *shape = &shapes->items->value[i];
    if (shape->type != PK_LIST || !multiply (shape->items, &n)
        || __builtin_add_overflow (sum, n, &sum))
      return -1;
  }
  return sum;
}

static void
put_list (GString *text, const PkValue *list, guint depth)
{
  const PkItems *items = list && list->type == PK_LIST ? list->items : NULL;
  g_string_append_c (text, '[');
  for (guint32 i = 0; items && i < items->n && text->len < 2000; i++) {
    g_string_append (text, i ? ", " : "");
    if (items->value[i].type == PK_INT)
      g_string_append_printf (text, "%" G_GINT64_FORMAT, items->value[i].i);
    else if (depth)
      put_list (text, &items->value[i], depth - 1);
  }
  g_string_append_c (text, ']');
}

nprof_str
fr_shape (const Flight *f, const PkValue *entry)
{
  const PkValue *in = pk_get (entry, "input_sizes"), *out = pk_get (entry, "output_sizes");
  if (!in && !out)
    return 0;
  g_autoptr (GString) text = g_string_new (NULL);
  put_list (text, in, 1);
  g_string_append (text, " -> ");
  put_list (text, out, 1);
  return f->host->intern (f->host, text->str, text->len);
}

nprof_str
fr_dtype (const Flight *f, const PkValue *entry)
{
  const PkItems *types = pk_list (entry, "input_dtypes");
  g_autoptr (GString) text = g_string_new (NULL);
  const PkValue *before = NULL;
  for (guint32 i = 0; types && i < MIN (types->n, MOST) && text->len < 2000; i++) {
    const PkValue *type = &types->value[i];
    if (type->type != PK_TEXT
        || (before && before->len == type->len && !memcmp (before->text, type->text, type->len)))
      continue;
    g_string_append (text, text->len ? "," : "");
    g_string_append_len (text, type->text, type->len);
    before = type;
  }
  return text->len ? f->host->intern (f->host, text->str, text->len) : 0;
}

/* -- Times ----------------------------------------------------------------- */

/* JSON has the digits of it; te_time reads millionths, which are ns here. */
bool
fr_milliseconds (const PkValue *value, gint64 *ps)
{
  gint64 ns = -1;
  if (!value)
    return false;
  if (value->type == PK_INT)
    return value->i >= 0 && !__builtin_mul_overflow (value->i, G_GINT64_CONSTANT (1000000000), ps);
  if (value->type == PK_FLOAT && value->f >= 0 && value->f < 9e9)
    ns = (gint64) (value->f * 1e6 + 0.5);
  if (value->type == PK_DECIMAL) {
    const TeTime time = te_time (value->text, value->text + value->len);
    if (time.state > TE_ROUNDED || !te_time_ps (&time, 0, &ns))
      return false;
  }
  return ns >= 0 && !__builtin_mul_overflow (ns, 1000, ps);
}

/* -- Where it was called --------------------------------------------------- */

static bool
put_frame (GString *text, const PkValue *frame)
{
  const PkValue *file = pk_get (frame, "filename"), *name = pk_get (frame, "name");
  if (!file || file->type != PK_TEXT)
    return false;
  g_string_append_len (text, file->text, file->len);
  g_string_append_printf (text, ":%" G_GINT64_FORMAT, pk_int (frame, "line", 0));
  if (name && name->type == PK_TEXT) {
    g_string_append_c (text, ' ');
    g_string_append_len (text, name->text, name->len);
  }
  return true;
}

nprof_str
fr_stack (const Flight *f, const PkValue *entry, nprof_str *source)
{
  const PkItems *frames = pk_list (entry, "frames");
  g_autoptr (GString) text = g_string_new (NULL);
  int least = FRAME_RANK_RUNTIME + 1;
  *source = 0;
  for (guint32 i = 0; frames && i < MIN (frames->n, MOST) && text->len < 16384; i++) {
    const size_t begin = text->len;
    if (begin)
      g_string_append_c (text, '\n');
    if (!put_frame (text, &frames->value[i])) {
      g_string_truncate (text, begin);
      continue;
    }
    const char *frame = text->str + begin + (begin != 0);
    const int rank = own_frames_rank (own_frames_is (f->own_frames, frame));
    if (rank >= least)
      continue;
    least = rank;
    *source = f->host->intern (f->host, frame, strcspn (frame, " "));
  }
  return text->len ? f->host->intern (f->host, text->str, text->len) : 0;
}
