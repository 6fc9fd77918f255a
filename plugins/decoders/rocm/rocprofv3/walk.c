/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - goes through the document, value by value, and reads numbers and texts of it. */
#include "rv.h"

#include <stdlib.h>
#include <string.h>

#define REPORT (1 << 20) /* bytes between two reports of progress */

static void
shape_init (RvShape *shape, const TeScanner *with, const char *const *names, guint n)
{
  shape->scan = (TeScan){ .with = with, .shapes = with->shapes_new () };
  shape->n = n;
  for (guint i = 0; i < n; i++)
    te_keys_add (&shape->keys, i, names[i]);
}

nprof_status
rv_walk_init (Rv *self, const struct nprof_host *host)
{
  static const char *const records[RV_RECORD_KEYS] = {
    [RV_KIND] = "kind",
    [RV_OPERATION] = "operation",
    [RV_THREAD] = "thread_id",
    [RV_CORRELATION] = "correlation_id",
    [RV_START] = "start_timestamp",
    [RV_END] = "end_timestamp",
    [RV_DISPATCH] = "dispatch_info",
    [RV_STREAM] = "stream_id",
    [RV_FROM] = "src_agent_id",
    [RV_TO] = "dst_agent_id",
    [RV_BYTES] = "bytes",
    [RV_AGENT] = "agent_id",
    [RV_ADDRESS] = "address",
    [RV_SIZE] = "allocation_size",
  };
  static const char *const dispatches[RV_DISPATCH_KEYS] = {
    [RV_DISPATCH_AGENT] = "agent_id",
    [RV_DISPATCH_QUEUE] = "queue_id",
    [RV_DISPATCH_KERNEL] = "kernel_id",
    [RV_DISPATCH_NUMBER] = "dispatch_id",
    [RV_DISPATCH_SCRATCH] = "private_segment_size",
    [RV_DISPATCH_SHARED] = "group_segment_size",
    [RV_DISPATCH_BLOCK] = "workgroup_size",
    [RV_DISPATCH_GRID] = "grid_size",
  };
  self->host = host;
  self->with = te_scanner ();
  shape_init (&self->records, self->with, records, RV_RECORD_KEYS);
  shape_init (&self->dispatches, self->with, dispatches, RV_DISPATCH_KEYS);
  return self->records.scan.shapes && self->dispatches.scan.shapes
             ? NPROF_OK
             : nprof_fail (host, NPROF_E_NOMEM, "no memory for the scanner");
}

void
rv_walk_clear (Rv *self)
{
  free (self->records.scan.shapes);
  free (self->dispatches.scan.shapes);
}

/* -- Values ------------------------------------------------------------------------------------ */

static const char *
fail (Rv *self, const char *at, const char *why)
{
  self->scan.bad = at;
  self->scan.why = why;
  return NULL;
}

const char *
rv_space (const Rv *self, const char *p)
{
  p = te_space (p, self->end);
  while (p < self->end && *p == ',')
    p = te_space (p + 1, self->end);
  return p;
}

const char *
rv_closed (const Rv *self, const char *p)
{
  return rv_space (self, p) + 1;
}

const char *
rv_value (Rv *self, const char *p, TeValue *value)
{
  return p < self->end ? self->with->value (&self->scan, p, value)
                       : fail (self, p, "the file ends within the document");
}

const char *
rv_next (Rv *self, const char *p, TeValue *value)
{
  self->scan.why = NULL;
  p = rv_space (self, p);
  return p < self->end && *p == ']' ? NULL : rv_value (self, p, value);
}

const char *
rv_key (Rv *self, const char *p, TeValue *key)
{
  self->scan.why = NULL;
  p = rv_space (self, p);
  if (p < self->end && *p == '}')
    return NULL;
  if (p < self->end && *p != '"')
    return fail (self, p, "neither a key nor } where one of them was expected");
  p = rv_value (self, p, key);
  p = p ? te_space (p, self->end) : NULL;
  if (!p)
    return NULL;
  return p < self->end && *p == ':' ? te_space (p + 1, self->end)
                                    : fail (self, p, "no : behind a key");
}

void
rv_members (Rv *self, const TeValue *object, const char *const *names, TeValue *values)
{
  TeValue key, value;
  guint n = 0;
  for (; names[n]; n++)
    values[n].kind = TE_NONE;
  if (object->kind != TE_OBJECT)
    return;
  TeScan s = { .with = self->with, .end = object->p + object->len };
  for (const char *p = object->p + 1; (p = te_member (&s, p, &key, &value));)
    for (guint i = 0; i < n; i++)
      if (te_text_is (&key, names[i]))
        values[i] = value;
}

void
rv_shaped (RvShape *shape, const TeValue *object, TeValue *values)
{
  TeScan *s = &shape->scan;
  TeValue value;
  for (guint i = 0; i < shape->n; i++)
    values[i].kind = TE_NONE;
  if (object->kind != TE_OBJECT)
    return;
  const char *end = object->p + object->len;
  TeWalk walk = { object->p + 1, s->with->mention (object->p, end, &shape->keys.pairs), 0 };
  s->end = end;
  for (unsigned i; (i = s->with->wanted (s, &walk, &shape->keys, &value)) < TE_MOST_KEYS;)
    values[i] = value;
}

/* -- Numbers and texts ------------------------------------------------------------------------- */

gint64
rv_int (const TeValue *value)
{
  return value->kind == TE_INT ? value->i : ROCM_UNKNOWN;
}

/* Handles and addresses take 64 bits; the latter are texts, "0x00007f...". */
bool
rv_uint (const TeValue *value, guint64 *number)
{
  char digits[32], *end;
  *number = (guint64) value->i;
  if (value->kind == TE_INT)
    return value->i >= 0;
  if ((value->kind != TE_WORD && value->kind != TE_TEXT) || !value->len
      || value->len >= sizeof digits)
    return false;
  memcpy (digits, value->p, value->len);
  digits[value->len] = '\0';
  const bool hex = digits[0] == '0' && (digits[1] | 0x20) == 'x';
  *number = g_ascii_strtoull (hex ? digits + 2 : digits, &end, hex ? 16 : 10);
  return g_ascii_isxdigit (digits[hex ? 2 : 0]) && !*end;
}

nprof_str
rv_text (const Rv *self, const TeValue *value)
{
  if (value->kind != TE_TEXT)
    return 0;
  if (!value->escaped)
    return self->host->intern (self->host, value->p, value->len);
  g_autofree char *plain = g_malloc (value->len + 1);
  return self->host->intern (self->host, plain, te_unescape (plain, value->p, value->len));
}

gint64
rv_inner (Rv *self, const TeValue *object, const char *name)
{
  const char *const names[] = { name, NULL };
  TeValue value;
  guint64 number;
  rv_members (self, object, names, &value);
  return rv_uint (&value, &number) ? (gint64) number : ROCM_UNKNOWN;
}

/* -- Where we are ------------------------------------------------------------------------------ */

uint64_t
rv_byte (const Rv *self, const char *p)
{
  return (uint64_t) (p - self->data);
}

nprof_status
rv_damage (Rv *self)
{
  return nprof_damage (self->host, rv_byte (self, self->scan.bad),
                       "this JSON of rocprofv3 cannot be read on: %s; write it again",
                       self->scan.why);
}

nprof_status
rv_progress (Rv *self, const char *p)
{
  if (p >= self->told && p < self->told + REPORT)
    return NPROF_OK;
  const char *from = p > self->told ? self->told : p;
  self->told = p;
  return self->host->progress (self->host, rv_byte (self, from), rv_byte (self, p));
}
