/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - reads a pid or a tid: a number, also when it is written as text, or a text. */
#include "trace-event/trace-event.h"

#include <nprof/format.h>

/* Reads a whole number, as which 1.0 and 1e0 count, because some writers know no whole numbers.  In
 * a text only 1.0 counts, because "1e0" may be a name. */
bool
ch_whole_number (const TeValue *v, int64_t *i)
{
  if (v->kind == TE_TEXT && (!memchr (v->p, '.', v->len) || memchr (v->p, 'e', v->len)))
    return false;
  TeTime number = te_time (v->p, v->p + v->len);
  *i = number.us;
  return number.state == TE_EXACT && number.ps == 0;
}

ChId
ch_unusual_id (ChNames *names, const TeEvent *event, unsigned field)
{
  ChId id = { 0, CH_NO_ID };
  if (!te_has (event, field))
    return id;
  const TeValue *v = &event->value[field];
  if (v->kind == TE_TEXT && te_int (v->p, v->p + v->len, &id.v))
    return (ChId){ id.v, CH_NUMBER };
  if (v->kind == TE_WORD && v->len == 4 && memcmp (v->p, "null", 4) == 0)
    return (ChId){ 0, CH_NO_ID };
  if ((v->kind == TE_WORD || v->kind == TE_TEXT) && ch_whole_number (v, &id.v))
    return (ChId){ id.v, CH_NUMBER };
  return (ChId){ ch_name (names, v), CH_TEXT_ID };
}

nprof_str
ch_id_text (const struct nprof_host *host, ChId id)
{
  return id.kind == CH_NUMBER ? ch_number_text (host, "", id.v) : (nprof_str) id.v;
}

/* A trace may have 100,000 threads, and a printf takes as long as one event of each. */
nprof_str
ch_number_text (const struct nprof_host *host, const char *before, int64_t number)
{
  char text[64];
  size_t n = strlen (before);
  memcpy (text, before, n);
  return host->intern (host, text, (size_t) (nprof_format_i64 (text + n, number) - text));
}
