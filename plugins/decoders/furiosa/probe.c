/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - decides which of Furiosa's five formats this is, by what is in it: a CSV may be called
 * .json and a JSON .log. */
#include "schedule.h"

#define BID_OWN 90

const char *
fu_bom (const char *p, const char *end)
{
  return end - p >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0 ? p + 3 : p;
}

/* -- CSV --------------------------------------------------------------------------------- */

static bool
has_column (const CsvRecord *header, const char *name)
{
  for (unsigned i = 0; i < MIN (header->n, CSV_MOST_FIELDS); i++)
    if (csv_is (&header->field[i], name))
      return true;
  return false;
}

int
fu_csv_format (const CsvRecord *header)
{
  static const char *const spans[]
      = { "trace_id", "parent_span_id", "span_id", "start", "end", "cat", "name" };
  if (header->why)
    return FU_JSON;
  if (header->n == 3 && csv_is (&header->field[0], "leader_device")
      && csv_is (&header->field[1], "name") && csv_is (&header->field[2], "cycle"))
    return FU_EDF_CSV;
  for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
    if (!has_column (header, spans[i]))
      return FU_JSON;
  return FU_SPANS_CSV;
}

static int
csv_score (const char *p, const char *end)
{
  CsvRecord header;
  if (!g_ascii_isalpha (*p) && *p != '"' && *p != ',')
    return 0;
  csv_record (&header, p, end);
  return fu_csv_format (&header) == FU_JSON ? 0 : BID_OWN;
}

/* -- JSON ---------------------------------------------------------------------------------- */

static bool
starts (const TeValue *v, const char *text)
{
  return v->kind == TE_TEXT && v->len >= strlen (text) && memcmp (v->p, text, strlen (text)) == 0;
}

/* Recognises keys of args that only Furiosa's tools write, together. */
static bool
own_args (const TeScan *scan, const TeEvent *event)
{
  bool pe = false, execution = false, begin = false, end = false;
  if (!te_has (event, TE_ARGS) || event->value[TE_ARGS].kind != TE_OBJECT)
    return false;
  const TeValue *args = &event->value[TE_ARGS];
  TeScan s = { .controls = &(TeControls){ 0 }, .with = scan->with, .end = args->p + args->len };
  TeValue key, value;
  for (const char *p = args->p + 1; (p = te_member (&s, p, &key, &value));) {
    pe |= te_text_is (&key, "pe_index");
    execution |= te_text_is (&key, "execution_index");
    begin |= te_text_is (&key, "begin_cycle");
    end |= te_text_is (&key, "end_cycle");
    if (event->ph == 'M' && te_text_is (&key, "name") && starts (&value, "npu:"))
      return true;
  }
  return (pe && execution) || (begin && end);
}

static bool
is_own (const TeScan *scan, const TeEvent *event)
{
  static const char *const names[]
      = { "LowLevel", "Renegade::", "SendOperandTriple", "WaitForCommitAll" };
  const TeValue *cat = &event->value[TE_CAT], *name = &event->value[TE_NAME];
  if (te_has (event, TE_CAT) && te_text_is (cat, "Nux"))
    return true;
  for (gsize i = 0; i < G_N_ELEMENTS (names) && te_has (event, TE_NAME); i++)
    if (starts (name, names[i]))
      return true;
  return own_args (scan, event);
}

/* Scores any event in sight. */
static int
json_score (TeScan *s, const char *p)
{
  TeEvent event;
  for (;;) {
    p = te_space (p, s->end);
    while (p < s->end && *p == ',')
      p = te_space (p + 1, s->end);
    if (p >= s->end || *p != '{' || !(p = s->with->event (s, p, &event)))
      return 0;
    if (event.ph && is_own (s, &event))
      return BID_OWN;
  }
}

/* Returns what is behind the [ of traceEvents. */
static const char *
events_of (TeScan *s, const char *p)
{
  TeValue key, value;
  for (;;) {
    p = te_space (p, s->end);
    while (p < s->end && *p == ',')
      p = te_space (p + 1, s->end);
    const char *from = p;
    if (p >= s->end || *p != '"' || !(p = s->with->value (s, p, &key)))
      return NULL;
    p = te_space (p, s->end);
    if (te_text_is (&key, "traceEvents") && p < s->end && *p == ':') {
      p = te_space (p + 1, s->end);
      return p < s->end && *p == '[' ? p + 1 : NULL;
    }
    if (!(p = te_member (s, from, &key, &value)))
      return NULL;
  }
}

int
fu_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const char *p = head, *end = p + len;
  (void) size;
  (void) path;
  p = te_space (fu_bom (p, end), end);
  if (p >= end)
    return 0;
  if (*p != '[' && *p != '{')
    return csv_score (p, end);
  if (fu_is_schedule (p, end))
    return BID_OWN;
  TeScan s = { .controls = &(TeControls){ 0 }, .with = te_scanner (), .end = end };
  TeShapes *shapes = s.shapes = s.with->shapes_new ();
  if (!shapes)
    return 0;
  const char *events = *p == '[' ? p + 1 : events_of (&s, p + 1);
  int score = events ? json_score (&s, events) : 0;
  free (shapes);
  return score;
}
