/* SPDX-License-Identifier: Apache-2.0 */
/* transfers.c - finds what the operators of a core waited for that end what another one started:
 * `copy-done` waits for the copy that its `copy-start` began.  The transfer in between is work
 * beside that of the core. */
#include "critical.h"

#include <string.h>

/* Where it waits for nothing such an operator takes the time to read a flag: 4 ns on TPU v6e. */
#define LEAST_WAIT 100000 /* ps */

typedef struct {
  Critical *self;
  Loaded *l;
  const GArray *texts, *transfers;
  GHashTable *last; /* GUINT of a name -> 1 + GUINT of the last work that has it */
} Search;

static nprof_str
text_of (const Search *s, guint op)
{
  return g_array_index (s->texts, nprof_str, op);
}

static gboolean
ends_another (const Search *s, const Op *op)
{
  const struct nprof_host *h = s->self->host;
  return strstr (nprof_text (h, op->name), "-done")
         || g_str_has_suffix (nprof_text (h, op->category), "-done");
}

/* -- What started it --------------------------------------------------------------------------- */

static guint
last_named (const Search *s, const char *name, gsize length)
{
  g_autofree char *copy = g_strndup (name, length);
  const nprof_str text = nprof_intern (s->self->host, copy);
  const guint op = GPOINTER_TO_UINT (g_hash_table_lookup (s->last, GUINT_TO_POINTER (text)));
  return op ? op - 1 : NOBODY;
}

static gsize
length_of_name (const char *name)
{
  return strcspn (name, " ,(){}");
}

/* Returns the operand of an HLO instruction whose name says that it starts something, else the
 * first one; NULL: there is none.  What stands behind `=`, as in calls=%x, is no operand. */
static const char *
operand_of (const char *text)
{
  const char *first = NULL, *p = strstr (text, " = ");
  for (p = p ? strchr (p, '%') : NULL; p; p = strchr (p, '%')) {
    const char *name = ++p;
    if (name[-2] == '=')
      continue;
    first = first ? first : name;
    if (g_strstr_len (name, (gssize) length_of_name (name), "-start"))
      return name;
  }
  return first;
}

/* Without its text the names tell: "copy-done.3" ends "copy-start.3", "recv-done.1" ends
 * "recv.1". */
static guint
start_by_name (const Search *s, const char *name)
{
  static const char *const with[] = { "-start", "" };
  const char *done = strstr (name, "-done");
  guint op = NOBODY;
  for (guint i = 0; done && op == NOBODY && i < G_N_ELEMENTS (with); i++) {
    g_autofree char *other
        = g_strdup_printf ("%.*s%s%s", (int) (done - name), name, with[i], done + strlen ("-done"));
    op = last_named (s, other, strlen (other));
  }
  return op;
}

static guint
start_of (const Search *s, guint done)
{
  const char *text = nprof_text (s->self->host, text_of (s, done));
  const char *operand = operand_of (text);
  return operand ? last_named (s, operand, length_of_name (operand))
                 : start_by_name (s, nprof_text (s->self->host, op_at (s->l, done)->name));
}

/* -- The transfer ------------------------------------------------------------------------------ */

/* Returns the row of the transfer, which begins while the operator that starts it is under way,
 * and has its text; NULL: the file has none. */
static const CoreRow *
row_of (const Search *s, guint start)
{
  const Op *op = op_at (s->l, start);
  guint low = 0, high = s->transfers->len;
  while (low < high) {
    guint i = (low + high) / 2;
    if (g_array_index (s->transfers, CoreRow, i).start < op->start)
      low = i + 1;
    else
      high = i;
  }
  for (; low < s->transfers->len; low++) {
    const CoreRow *row = &g_array_index (s->transfers, CoreRow, low);
    if (row->start > op->end)
      break;
    if (!row->text || !text_of (s, start) || row->text == text_of (s, start))
      return row;
  }
  return NULL;
}

/* Adds work beside the core for which that one waited until then. */
static guint
add_beside (const Search *s, guint done, const Op *op)
{
  const guint number = s->l->ops->len;
  add_op (s->l, op, number);
  add_wait (s->l, done, number);
  return number;
}

static void
add_transfer (const Search *s, guint start, guint done, gint64 until, const CoreRow *row)
{
  const Op *by = op_at (s->l, start);
  const Op op = { .start = by->end,
                  .end = until,
                  .call_start = G_MININT64,
                  .call_end = G_MININT64,
                  .name = by->name,
                  .category = by->category,
                  .queue = row ? row->track : by->queue,
                  .class = by->class,
                  .shown = by->shown };
  add_wait (s->l, add_beside (s, done, &op), start);
}

/* Adds the wait itself where it is unknown what it was for; a program that began before it began
 * before that. */
static void
add_untold (const Search *s, guint done, gint64 until)
{
  Op op = *op_at (s->l, done);
  op.end = until;
  op.class = OP_UNTOLD;
  const guint number = add_beside (s, done, &op);
  gpointer began = NULL;
  if (g_hash_table_steal_extended (s->l->programs, GUINT_TO_POINTER (done + 1), NULL, &began))
    g_hash_table_insert (s->l->programs, GUINT_TO_POINTER (number + 1), began);
}

/* An operator that waits begins, as work does, when that is over. */
static void
find_wait (const Search *s, guint done)
{
  const guint start = start_of (s, done);
  const CoreRow *row = start == NOBODY ? NULL : row_of (s, start);
  const gint64 until = row ? MIN (row->end, op_at (s->l, done)->end) : op_at (s->l, done)->end;
  if (until - op_at (s->l, done)->start <= LEAST_WAIT)
    return;
  if (start == NOBODY)
    add_untold (s, done, until);
  else
    add_transfer (s, start, done, until, row);
  g_array_index (s->l->ops, Op, done).start = until;
}

void
transfers_find (Critical *self, Loaded *l, const GArray *texts, const GArray *transfers)
{
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);
  const Search s = { self, l, texts, transfers, last };
  for (guint i = 0; i < texts->len; i++) {
    if (ends_another (&s, op_at (l, i)))
      find_wait (&s, i);
    g_hash_table_insert (last, GUINT_TO_POINTER (op_at (l, i)->name), GUINT_TO_POINTER (i + 1));
  }
}
