/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - reads the records of ntrace.pb, which are in no order of time, and joins each start
 * with the stop of the same tracking id, type and thread. */
#include "system.h"

enum {
  RECORD_TIME = 2,
  RECORD_TYPE = 7,
  RECORD_THREAD = 9,
  RECORD_SEQUENCE = 10,
  RECORD_PHASE = 14,
  RECORD_ID = 15
};

/* Reads a record; false: its bytes are no message. */
static bool
read_record (const SystemFile *file, SystemRecord *r, uint64_t *time)
{
  uint64_t at = r->at;
  NeuronWire w;
  *time = 0;
  while (neuron_wire_next (file->data, &at, r->to, &w)) {
    if (w.wire != 0)
      continue;
    if (w.number == RECORD_TIME)
      *time = w.value;
    else if (w.number == RECORD_TYPE)
      r->type = (uint32_t) MIN (w.value, UINT32_MAX);
    else if (w.number == RECORD_THREAD)
      r->thread = w.value;
    else if (w.number == RECORD_SEQUENCE)
      r->sequence = w.value;
    else if (w.number == RECORD_PHASE)
      r->phase = (uint32_t) MIN (w.value, UINT32_MAX);
    else if (w.number == RECORD_ID)
      r->id = w.value;
  }
  return at == r->to;
}

static nprof_status
add_record (System *s, const SystemFile *file, GArray *records, uint64_t from, uint64_t to)
{
  SystemRecord r = { .at = from, .to = to, .other = NOT_PAIRED };
  uint64_t time;
  if (!read_record (file, &r, &time))
    return system_damage (s, file, from, "the record of %" G_GUINT64_FORMAT " bytes is no message",
                          to - from);
  if (!system_is_time (time))
    return system_damage (s, file, from,
                          "the record has no time: field 2 was expected, ns since 1970");
  r.time = (int64_t) time;
  if (r.phase < PHASE_START || r.phase > PHASE_INSTANT)
    s->host->skip (s->host, "record", from, "its phase (field 14) is not known");
  else
    g_array_append_val (records, r);
  return NPROF_OK;
}

/* -- Starts and stops -------------------------------------------------------------------------- */

#define RECORD(records, i) (&g_array_index ((records), SystemRecord, (i)))

static int
by_number (uint64_t a, uint64_t b)
{
  return a < b ? -1 : a > b;
}

static int
by_id (gconstpointer a, gconstpointer b, gpointer user)
{
  const GArray *records = user;
  guint i = *(const guint *) a, k = *(const guint *) b;
  const SystemRecord *x = RECORD (records, i), *y = RECORD (records, k);
  int order = by_number (x->id, y->id);
  order = order ? order : by_number (x->thread, y->thread);
  order = order ? order : by_number (x->type, y->type);
  return order ? order : by_number (i, k);
}

static bool
same (const SystemRecord *x, const SystemRecord *y)
{
  return x->id == y->id && x->thread == y->thread && x->type == y->type;
}

/* Returns the next of that phase from *at on in order[..to), and moves *at behind it; NOT_PAIRED:
 * none. */
static guint
next_of (const GArray *records, const guint *order, guint *at, guint to, uint32_t phase)
{
  while (*at < to) {
    guint i = order[(*at)++];
    if (RECORD (records, i)->phase == phase)
      return i;
  }
  return NOT_PAIRED;
}

/* Joins the records of one id: the first start with the first stop, and so on. */
static void
join_group (GArray *records, const guint *order, guint from, guint to)
{
  guint start_at = from, stop_at = from;
  for (;;) {
    guint start = next_of (records, order, &start_at, to, PHASE_START);
    guint stop = next_of (records, order, &stop_at, to, PHASE_STOP);
    if (start == NOT_PAIRED || stop == NOT_PAIRED)
      return;
    RECORD (records, start)->other = stop;
    RECORD (records, stop)->other = start;
  }
}

static void
join (GArray *records)
{
  g_autofree guint *order = g_new (guint, records->len + 1);
  for (guint i = 0; i < records->len; i++)
    order[i] = i;
  if (records->len)
    g_qsort_with_data (order, (gint) records->len, sizeof *order, by_id, records);
  for (guint from = 0, to; from < records->len; from = to) {
    for (to = from + 1;
         to < records->len && same (RECORD (records, order[from]), RECORD (records, order[to]));)
      to++;
    if (RECORD (records, order[from])->id)
      join_group (records, order, from, to);
  }
}

nprof_status
system_records (System *s, const SystemFile *file, GArray *records)
{
  uint64_t at = 0, from, to;
  nprof_status status = NPROF_OK;
  while (!status && neuron_record_next (file->data, &at, file->len, &from, &to)) {
    if (records->len >= G_MAXINT / 2)
      return nprof_fail (s->host, NPROF_E_UNSUPPORTED,
                         "more than 2^30 records: record less, or cut the file");
    status = add_record (s, file, records, from, to);
  }
  if (!status && at != file->len)
    status = system_damage (s, file, at,
                            "a record begins whose length goes beyond the end of the file");
  join (records);
  return status;
}
