/* SPDX-License-Identifier: Apache-2.0 */
/* counter.c - turns events of counters (ph C) into rows: each member of args is a series and a row
 * of its own.  The rows of an event share its args, which say nothing that the rows do not; where
 * they are many, only the first has them, or an event of n series would be n * n texts. */
#include "trace-event/trace-event.h"

#include <math.h>
#include <nprof/format.h>

#define SHARING 64 /* most series of an event whose rows all have its args */

/* A number as text is exact in a double when the double prints as the same number. */
static bool
is_exact (const char *text, size_t len, double value)
{
  size_t n = 0;
  char all[NPROF_MAX_NUMBER];
  for (size_t i = 0; i < len && (text[i] | 0x20) != 'e'; i++)
    n += g_ascii_isdigit (text[i]);
  if (n <= 15)
    return true;
  char *end = nprof_format_double (all, value);
  return (size_t) (end - all) == len && memcmp (all, text, len) == 0;
}

static bool
number_of (const TeValue *v, double *value)
{
  char text[64];
  if (v->kind > TE_WORD || v->kind == TE_NONE || v->len == 0 || v->len >= sizeof text)
    return false;
  memcpy (text, v->p, v->len);
  text[v->len] = 0;
  char *end;
  *value = g_ascii_strtod (text, &end);
  return *end == 0 && isfinite (*value) && !strpbrk (text, "xX \t");
}

static nprof_str
series_name (ChPart *part, nprof_str counter, const TeValue *key)
{
  nprof_str series = ch_name (part->names, key);
  if (!series)
    return counter;
  g_autofree char *name = g_strdup_printf ("%s/%s", nprof_text (part->host, counter),
                                           nprof_text (part->host, series));
  return nprof_intern (part->host, name);
}

/* Returns NAME, or NAME[ID] where counters of one name are told apart by an id. */
static nprof_str
counter_name (ChPart *part, const TeEvent *event)
{
  nprof_str name = ch_text (part, event, TE_NAME);
  if (!te_has (event, TE_ID))
    return name;
  g_autofree char *text
      = g_strdup_printf ("%s[%s]", nprof_text (part->host, name),
                         nprof_text (part->host, ch_name (part->names, &event->value[TE_ID])));
  return nprof_intern (part->host, text);
}

/* Where `many`, takes the args from the event once a row has them. */
static nprof_status
write_series (ChPart *part, TeEvent *event, nprof_track track, nprof_str name, int64_t start,
              const TeValue *v, bool many)
{
  double value;
  if (!number_of (v, &value)) {
    part->host->skip (part->host, "series of a counter", ch_at (part->c, v->p),
                      "its value is no number");
    return NPROF_OK;
  }
  nprof_status status = ch_begin_row (part, NPROF_COUNTER, track, name, start, 0, event, NULL);
  if (status)
    return status;
  if (many)
    event->has &= ~(1u << TE_ARGS);
  nprof_set_value (part->w, value);
  if (is_exact (v->p, v->len, value))
    return NPROF_OK;
  return ch_attr_json (part, part->c->key_value, v->p, v->len);
}

static bool
are_many (TeScan s, const char *p)
{
  TeValue key, value;
  unsigned n = 0;
  while (n <= SHARING && (p = te_member (&s, p, &key, &value)))
    n++;
  return n > SHARING;
}

nprof_status
ch_counter (ChPart *part, const TeEvent *event, int64_t start)
{
  const TeValue *args = &event->value[TE_ARGS];
  if (!te_has (event, TE_ARGS) || args->kind != TE_OBJECT) {
    part->host->skip (part->host, "phase C without args", ch_at (part->c, event->at),
                      "it has no value");
    return NPROF_OK;
  }
  nprof_str counter = counter_name (part, event);
  nprof_track track = ch_counter_track (part, event, counter);
  if (!track)
    return NPROF_E_NOMEM;
  TeScan s = { .controls = &part->controls, .with = part->scan.with, .end = args->p + args->len };
  TeValue key, value;
  TeEvent one = *event;
  bool many = are_many (s, args->p + 1);
  nprof_status status = NPROF_OK;
  for (const char *p = args->p + 1; !status && (p = te_member (&s, p, &key, &value));) {
    status
        = write_series (part, &one, track, series_name (part, counter, &key), start, &value, many);
    if (!status)
      status = ch_part_progress (part, event->at);
  }
  return status || !s.why ? status : ch_damage (part, s.bad, s.why);
}
