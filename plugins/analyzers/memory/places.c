/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - finds which operator of the framework and which module were under way on a thread:
 * spans that lie in each other, by containment with both ends included, as nprof/sweep.h has it. */
#include "devicekit/bytes.h"
#include "memory.h"
#include "producers/pytorch.h"

#include <string.h>

typedef struct {
  gint64 start, end;
  nprof_str name;
  bool module;
} Open;

enum { NO_MODULE = 1, A_MODULE };

bool
me_is_operator (const Memory *m, nprof_str category)
{
  return category == m->operators[0] || category == m->operators[1];
}

bool
me_is_module (Memory *m, nprof_str name)
{
  guint8 *known = an_byte_of (m->names, name);
  if (!*known)
    *known
        = g_str_has_prefix (nprof_text (m->host, name), PYTORCH_MODULE_NAME) ? A_MODULE : NO_MODULE;
  return *known == A_MODULE;
}

void
me_stack_free (gpointer stack)
{
  if (stack)
    g_array_unref (stack);
}

static GArray *
stack_of (Memory *m, nprof_track track)
{
  if (track >= m->stacks->len)
    g_ptr_array_set_size (m->stacks, (int) MAX (track + 1, m->stacks->len * 2));
  if (!m->stacks->pdata[track])
    m->stacks->pdata[track] = g_array_new (FALSE, FALSE, sizeof (Open));
  return m->stacks->pdata[track];
}

static const Open *
open_at (const GArray *stack, guint i)
{
  return &g_array_index (stack, Open, i);
}

/* Opens a span.  Of equal starts the longer one lies around the shorter, in whichever order they
 * come; one that ended before the new one does not lie around it. */
void
me_open (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  GArray *stack = stack_of (m, batch->track[i]);
  const Open open = { batch->start[i], batch->start[i] + MAX (batch->duration[i], 0),
                      batch->name[i], me_is_module (m, batch->name[i]) };
  guint at = stack->len, from;
  while (at && open_at (stack, at - 1)->start == open.start
         && open_at (stack, at - 1)->end < open.end)
    at--;
  for (from = at; from && open_at (stack, from - 1)->end < open.end;)
    from--;
  if (at == stack->len) {
    stack->len = from;
    g_array_append_val (stack, open);
    return;
  }
  g_array_remove_range (stack, from, at - from);
  g_array_insert_val (stack, from, open);
}

guint
me_holder (Memory *m, const guint32 *words)
{
  return an_key_table_get (&m->holders, words);
}

static void
append_module (GString *path, const char *name)
{
  if (path->len)
    g_string_append_c (path, '/');
  g_string_append (path, name + strlen (PYTORCH_MODULE_NAME));
}

guint
me_holder_at (Memory *m, nprof_track track, gint64 at, nprof_str source)
{
  const GArray *stack = stack_of (m, track);
  guint32 words[H_WORDS] = { [H_SOURCE] = source };
  g_autoptr (GString) path = g_string_new (NULL);
  guint n
      = stack->len; /* of those that contain the moment; what lies around one that does, does too */
  while (n && g_array_index (stack, Open, n - 1).end < at)
    n--;
  for (guint k = 0; k < n; k++) {
    const Open *open = &g_array_index (stack, Open, k);
    const char *name = nprof_text (m->host, open->name);
    if (open->module)
      append_module (path, name);
    if (open->module)
      words[H_MODULE] = nprof_intern (m->host, name + strlen (PYTORCH_MODULE_NAME));
    else
      words[H_OPERATOR] = open->name;
  }
  if (path->len)
    words[H_PATH] = m->host->intern (m->host, path->str, path->len);
  return me_holder (m, words);
}
