/* SPDX-License-Identifier: Apache-2.0 */
/* allocator.c - reads the args of rows of XLA's allocators, in traces that nprof wrote: they hold
 * the attributes of the profile that the trace was made of.  Few events are such rows, so only
 * their args are walked a second time. */
#include "trace-event/trace-event.h"

static const ChArg args_of_allocators[CH_ALLOCATOR_ARGS] = {
  { "allocator_name", "allocator_name", NPROF_STRING },
  { "index_on_host", "index_on_host", NPROF_INT64 },
  { "device_ordinal", "device_ordinal", NPROF_INT64 },
  { "bytes_reserved", "bytes_reserved", NPROF_INT64 },
  { "bytes_allocated", "bytes_allocated", NPROF_INT64 },
  { "bytes_available", "bytes_available", NPROF_INT64 },
  { "fragmentation", "fragmentation", NPROF_DOUBLE },
  { "peak_bytes_in_use", "peak_bytes_in_use", NPROF_INT64 },
  { "requested_bytes", "requested_bytes", NPROF_INT64 },
  { "allocation_bytes", "allocation_bytes", NPROF_INT64 },
  { "addr", "addr", NPROF_INT64 },
  { "region_type", "region_type", NPROF_STRING },
  { "tensor_shapes", "tensor_shapes", NPROF_STRING },
  { NPROF_KEY_SHAPE, NPROF_KEY_SHAPE, NPROF_STRING },
};

void
ch_allocator_want (Chrome *c)
{
  for (gsize i = 0; i < CH_ALLOCATOR_ARGS; i++) {
    const char *attribute = args_of_allocators[i].attribute;
    bool want = c->host->wanted (c->host, attribute);
    c->allocator_key[i] = want ? nprof_intern (c->host, attribute) : 0;
    c->want_allocator |= want;
  }
}

static bool
is_row_of_one (const TeEvent *event)
{
  return te_has (event, TE_NAME)
         && (te_text_is (&event->value[TE_NAME], "MemoryAllocation")
             || te_text_is (&event->value[TE_NAME], "MemoryDeallocation"));
}

static nprof_status
add (ChPart *part, const ChArg *arg, nprof_str key, const TeValue *v)
{
  int64_t i;
  if (arg->type == NPROF_STRING)
    return v->kind == TE_TEXT ? nprof_attr_str (part->w, key, ch_name (part->names, v)) : NPROF_OK;
  bool whole = (v->kind == TE_INT || v->kind == TE_TEXT) && te_int (v->p, v->p + v->len, &i);
  if (whole)
    return nprof_attr_int (part->w, key, i);
  if (arg->type == NPROF_DOUBLE && v->kind == TE_WORD && g_ascii_isdigit (*v->p))
    return nprof_attr_double (part->w, key, g_ascii_strtod (v->p, NULL));
  return NPROF_OK; /* it stays in args */
}

static gsize
find (const Chrome *c, const TeValue *key)
{
  gsize i = 0;
  while (i < CH_ALLOCATOR_ARGS
         && (!c->allocator_key[i] || !te_text_is (key, args_of_allocators[i].key)))
    i++;
  return i;
}

/* Adds to the row that was just begun. */
nprof_status
ch_allocator (ChPart *part, const TeEvent *event)
{
  const Chrome *c = part->c;
  if (!c->own.is || !is_row_of_one (event))
    return NPROF_OK;
  const TeValue *args = &event->value[TE_ARGS];
  TeScan s = { .controls = &part->controls, .with = part->scan.with, .end = args->p + args->len };
  TeValue key, value;
  nprof_status status = NPROF_OK;
  for (const char *p = args->p + 1; !status && (p = te_member (&s, p, &key, &value));) {
    gsize i = find (c, &key);
    if (i < CH_ALLOCATOR_ARGS && !ch_has_attr (part->w, c->allocator_key[i]))
      status = add (part, &args_of_allocators[i], c->allocator_key[i], &value);
  }
  return status;
}
