/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - reads the rows, [ns, action, bytes, category] each. */
#include "timeline.h"

#define EXACT (G_GINT64_CONSTANT (1) << 53) /* a double holds any number of bytes below it */

const char *const mt_categories[MT_CATEGORIES]
    = { "parameter",  "optimizer_state", "input",           "temporary",
        "activation", "gradient",        "autograd_detail", "unknown" };

static nprof_status
damaged (const Timeline *t, const char *at, const char *why)
{
  return nprof_damage (t->host, (guint64) (at - t->data),
                       "row %u of this memory timeline of PyTorch cannot be read: %s", t->rows->len,
                       why);
}

/* Reads four numbers; returns what is wrong. */
static const char *
read_row (const TeValue *array, TeScan *scan, MtRow *row)
{
  gint64 n[4];
  TeValue value;
  const char *p = array->p + 1, *end = array->p + array->len - 1;
  if (array->kind != TE_ARRAY)
    return "it is no list of ns, action, bytes, category";
  for (guint i = 0; i < 4; i++) {
    p = te_space (p, end);
    if (i && p < end && *p == ',')
      p = te_space (p + 1, end);
    if (p >= end || !(p = scan->with->value (scan, p, &value)) || value.kind != TE_INT)
      return "it is no list of four whole numbers: ns, action, bytes, category";
    n[i] = value.i;
  }
  if (n[1] < MT_PREEXISTING || n[1] >= MT_ACTIONS || n[3] < 0 || n[3] >= MT_CATEGORIES)
    return "its action is none of 1 to 4, or its category none of 0 to 7";
  if (n[0] < -1 || n[2] <= -EXACT || n[2] >= EXACT)
    return "its time or its bytes are no such number";
  *row = (MtRow){ n[0], n[2], (guint8) n[1], (guint8) n[3] };
  return NULL;
}

static nprof_status
read_rows (Timeline *t)
{
  TeScan scan = { .with = te_scanner (), .end = t->end };
  TeValue value;
  nprof_status status = NPROF_OK;
  const char *p = te_space (t->data, t->end);
  if (p == t->end || *p != '[')
    return damaged (t, p, "the file is no list");
  for (p++; !status;) {
    MtRow row;
    p = te_space (p, t->end);
    if (p < t->end && *p == ']' && te_space (p + 1, t->end) == t->end)
      return NPROF_OK;
    if (t->rows->len && p < t->end && *p == ',')
      p = te_space (p + 1, t->end);
    const char *from = p;
    scan.why = "the file ends within the list";
    p = p < t->end ? scan.with->value (&scan, p, &value) : NULL;
    if (!p)
      return nprof_fail (t->host, NPROF_E_FORMAT,
                         "byte %" G_GUINT64_FORMAT
                         ": this memory timeline of PyTorch cannot be read on: %s; export it again",
                         (guint64) ((scan.bad ? scan.bad : from) - t->data), scan.why);
    const char *why = read_row (&value, &scan, &row);
    if (why)
      status = damaged (t, from, why);
    else
      g_array_append_val (t->rows, row);
  }
  return status;
}

static gint
by_time (gconstpointer a, gconstpointer b)
{
  const MtRow *x = a, *y = b;
  return x->ns < y->ns ? -1 : x->ns > y->ns;
}

nprof_status
mt_load (Timeline *t)
{
  nprof_status status = read_rows (t);
  g_array_sort (t->rows, by_time); /* stable: rows of one time stay as they are */
  return status;
}
