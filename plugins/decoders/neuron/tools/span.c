/* SPDX-License-Identifier: Apache-2.0 */
/* span.c - finds when a record of a profile was and how long, by whichever of its keys say so. */
#include "tools.h"

/* Sets *per to ps of its unit. */
static const TeValue *
take_time (const Nt *t, NtRecord *r, const uint8_t *ids, int64_t *per)
{
  for (; *ids; ids++) {
    const TeValue *v = nt_take (r, *ids);
    *per = *ids == NT_K_TIMESTAMP_NS || *ids == NT_K_DURATION_NS ? 1000 : t->per;
    if (v)
      return v;
  }
  return NULL;
}

/* Returns the duration as it stands; else the end less the start; else 0, where the record is a
 * moment. */
static bool
duration_of (Nt *t, NtRecord *r, NtTime start, NtTime *duration)
{
  static const uint8_t durations[] = { NT_K_DURATION, NT_K_DURATION_NS, 0 };
  static const uint8_t ends[] = { NT_K_END_TS, NT_K_END, 0 };
  int64_t per, end_per;
  NtTime end;
  const TeValue *v = take_time (t, r, durations, &per), *e = take_time (t, r, ends, &end_per);
  if (v && nt_time (v, per, duration))
    return true;
  if (e && nt_time (e, end_per, &end)) {
    *duration = end - start;
    return true;
  }
  *duration = 0;
  return !v && !e;
}

bool
nt_span_of (Nt *t, NtRecord *r, const char *what, int64_t *start, int64_t *duration)
{
  static const uint8_t starts[]
      = { NT_K_TIMESTAMP, NT_K_START_TS, NT_K_START, NT_K_TIMESTAMP_NS, 0 };
  int64_t per;
  NtTime at, length;
  const TeValue *v = take_time (t, r, starts, &per);
  if (!v || !nt_time (v, per, &at)) {
    nt_skip_record (t, r->at, what, v ? "its time is no number" : "it has no time");
    return false;
  }
  if (!nt_when (t, at, start)) {
    nt_skip_record (t, r->at, what, "its time is more than 106 days from the first");
    return false;
  }
  *duration = -1;
  if (!duration_of (t, r, at, &length))
    nt_skip_record (t, r->at, "end of a record", "it is no number");
  else if (length < 0 || length != (int64_t) length)
    nt_skip_record (t, r->at, "end of a record", "it is before the start, or too far behind it");
  else
    *duration = (int64_t) length;
  return true;
}
