/* SPDX-License-Identifier: Apache-2.0 */
/* onnxruntime.c - says of ONNX Runtime's own profile what its events mean: an event of category
 * Node whose args name an operator is a call of that operator, by its provider; model_run is a
 * step.  source: onnxruntime/core/common/profiler.cc, core/framework/sequential_executor.cc */
#include "producers/host-kind.h"
#include "producers/pytorch.h"
#include "trace-event/trace-event.h"

#define RUN "\"model_run\""
#define CALL_OF_NODE "_kernel_time"

/* Returns whether the first event of the list has a category that ONNX Runtime alone writes. */
static bool
is_onnx (Chrome *c, const char *p)
{
  TeEvent event;
  g_autofree TeShapes *shapes = c->scanner->shapes_new ();
  TeScan s
      = { .controls = &(TeControls){ 0 }, .with = c->scanner, .shapes = shapes, .end = c->end };
  p = te_space (p, c->end);
  if (!shapes || p >= c->end || *p != '[')
    return false;
  p = te_space (p + 1, c->end);
  return p < c->end && *p == '{' && s.with->event (&s, p, &event) && te_has (&event, TE_CAT)
         && (te_text_is (&event.value[TE_CAT], "Session")
             || te_text_is (&event.value[TE_CAT], "Node"));
}

/* Says what the row that was just begun is. */
static nprof_status
say_operator (ChPart *part, const TeEvent *event)
{
  const Chrome *c = part->c;
  struct nprof_writer *w = part->w;
  TeValue operator, provider;
  const TeValue *name = &event->value[TE_NAME];
  const size_t suffix = sizeof CALL_OF_NODE - 1;
  if (!te_has (event, TE_CAT) || !te_text_is (&event->value[TE_CAT], "Node")
      || !te_has (event, TE_NAME) || name->kind != TE_TEXT || name->len <= suffix
      || memcmp (name->p + name->len - suffix, CALL_OF_NODE, suffix) != 0
      || !ch_member_of_args (c->scanner, event, "op_name", &operator)
      || operator.kind != TE_TEXT || !operator.len)
    return NPROF_OK;
  const TeValue node
      = { .p = name->p, .len = name->len - suffix, .kind = TE_TEXT, .escaped = name->escaped };
  w->name[w->n_rows - 1] = ch_name (part->names, &operator);
  if (ch_member_of_args (c->scanner, event, "provider", &provider) && provider.kind == TE_TEXT)
    nprof_set_category (w, ch_name (part->names, &provider));
  nprof_status status
      = c->key_layer ? nprof_attr_str (w, c->key_layer, ch_name (part->names, &node)) : NPROF_OK;
  return !status && c->want_text ? nprof_attr_str (w, c->key_text, ch_name (part->names, name))
                                 : status;
}

void
ch_onnx_begin (Chrome *c)
{
  if (!is_onnx (c, c->data))
    return;
  c->dress = say_operator;
  c->runs = g_ptr_array_new ();
}

void
ch_onnx_note (const Chrome *c, const char *from, const char *to, GPtrArray *found)
{
  const size_t len = sizeof RUN - 1;
  const char *p = MAX (c->data, from - (len - 1));
  while (c->runs && (p = memmem (p, (size_t) (to - p), RUN, len)) && found->len < CH_MOST_NOTED) {
    g_ptr_array_add (found, (gpointer) p);
    p += len;
  }
}

static bool
is_run (const TeEvent *event)
{
  return event->ph == 'X' && te_has (event, TE_CAT) && te_has (event, TE_NAME)
         && te_text_is (&event->value[TE_CAT], "Session")
         && te_text_is (&event->value[TE_NAME], "model_run");
}

void
ch_onnx_take (Chrome *c, const TeEvent *event)
{
  if (c->runs && is_run (event))
    g_ptr_array_add (c->runs, (gpointer) event->at);
}

bool
ch_onnx_run (const Chrome *c, const TeEvent *event, int64_t *number)
{
  if (!c->runs || !is_run (event))
    return false;
  const char *at = event->at;
  gpointer *found
      = bsearch (&at, c->runs->pdata, c->runs->len, sizeof (gpointer), ch_compare_places);
  *number = found ? found - c->runs->pdata : 0;
  return found != NULL;
}
