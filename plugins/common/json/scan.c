/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - reads one event: the order of keys is learned, so that most keys are recognised by one
 * comparison of bytes; values are read or skipped where they stand.  This file is compiled once for
 * each instruction set, TE_VARIANT names it. */
#include "json/shapes.h"
#include "json/value.h"
#include "json/variant.h"

#include <stdlib.h>

static TeShapes *
shapes_new (void)
{
  TeShapes *shapes = calloc (1, sizeof *shapes);
  if (shapes)
    shapes->used = 1;
  return shapes;
}

/* -- Fields -------------------------------------------------------------------------------- */

static unsigned
field_of (const char *key, size_t len)
{
  static const struct {
    const char *key;
    uint8_t len, field;
  } fields[] = {
    { "ph", 2, TE_PH },           { "ts", 2, TE_TS },
    { "dur", 3, TE_DUR },         { "pid", 3, TE_PID },
    { "tid", 3, TE_TID },         { "name", 4, TE_NAME },
    { "cat", 3, TE_CAT },         { "args", 4, TE_ARGS },
    { "id", 2, TE_ID },           { "id2", 3, TE_ID2 },
    { "scope", 5, TE_SCOPE },     { "bind_id", 7, TE_BIND_ID },
    { "flow_in", 7, TE_FLOW_IN }, { "flow_out", 8, TE_FLOW_OUT },
  };
  for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
    if (len == fields[i].len && memcmp (key, fields[i].key, len) == 0)
      return fields[i].field;
  return TE_OTHER;
}

/* Reads any value; p is behind the quote where it is a string, else at the value. */
static const char *
field_value (TeScan *s, const char *p, unsigned field, bool text, TeEvent *e)
{
  TeValue *v = &e->value[field];
  e->has |= 1u << field;
  if (text) {
    bool escaped = false;
    const char *end = string_end (s, p, &escaped);
    if (TE_UNLIKELY (!end))
      return NULL;
    *v = (TeValue){ p, (size_t) (end - p), 0, TE_TEXT, escaped };
    if (field == TE_PH)
      e->ph = v->len == 1 ? *p : 0;
    else if (TE_UNLIKELY (field == TE_TS))
      e->ts = te_time (p, end);
    else if (TE_UNLIKELY (field == TE_DUR))
      e->dur = te_time (p, end);
    return end + 1;
  }
  if (TE_UNLIKELY (p >= s->end))
    return fail (s, p, "no value where one was expected");
  char c = *p;
  if (TE_UNLIKELY (is_space (c))) {
    p = skip_space (p, s->end);
    return field_value (s, p + (p < s->end && *p == '"'), field, p < s->end && *p == '"', e);
  }
  if (TE_UNLIKELY (c == '"'))
    return field_value (s, p + 1, field, true, e);
  if ((field == TE_TS || field == TE_DUR) && c != '{' && c != '[') {
    v->kind = TE_WORD;
    v->p = p;
    p = time_at (s, p, field == TE_TS ? &e->ts : &e->dur);
    v->len = (size_t) (p - v->p);
    return v->len ? p : fail (s, p, "no value where one was expected");
  }
  if (TE_UNLIKELY (field == TE_PH))
    e->ph = 0;
  if (TE_UNLIKELY (field == TE_TS || field == TE_DUR))
    *(field == TE_TS ? &e->ts : &e->dur) = (TeTime){ 0, 0, TE_NOT_A_TIME };
  return value_at (s, p, v);
}

static inline bool
is_letter (char c)
{
  return (unsigned) (c | 0x20) - 'a' < 26;
}

/* Reads a value of the usual form, which field_value reads alike; NULL: it has another one, or is
 * damaged. All of it lies in the loop over fields, since a call for each would cost as much as most
 * values do. */
static inline __attribute__ ((always_inline)) const char *
quick_value (TeScan *s, const char *p, const Edge *edge, TeEvent *e)
{
  const unsigned field = edge->field;
  TeValue *v = &e->value[field];
  const char *end;
  if (edge->text && field == TE_PH) {
    if (TE_UNLIKELY (s->end - p < 2 || !is_letter (*p) || p[1] != '"'))
      return NULL;
    *v = (TeValue){ p, 1, 0, TE_TEXT, false };
    e->ph = *p;
    end = p + 2;
  } else if (edge->text) {
    bool escaped = false;
    if (TE_UNLIKELY (field == TE_TS || field == TE_DUR) || !(end = string_end (s, p, &escaped)))
      return NULL;
    *v = (TeValue){ p, (size_t) (end - p), 0, TE_TEXT, escaped };
    end++;
  } else if (field == TE_TS || field == TE_DUR) {
    end = p;
    if (TE_UNLIKELY (!quick_time (&end, s->end, field == TE_TS ? &e->ts : &e->dur) || *end == '"'))
      return NULL;
    *v = (TeValue){ p, (size_t) (end - p), 0, TE_WORD, false };
  } else {
    if (TE_UNLIKELY (field == TE_PH || p >= s->end))
      return NULL;
    end = *p == '{' ? value_at (s, p, v) : short_number (s, p, v);
    if (TE_UNLIKELY (!end))
      return NULL;
  }
  e->has |= 1u << field;
  return end;
}

/* -- Keys ------------------------------------------------------------------------------------ */

typedef struct {
  const char *value; /* behind the quote of a string */
  unsigned field;
  bool text, last;
} Step;

/* Reads a key the slow way, in any spacing. */
static const char *
read_key (TeScan *s, const char *p, bool first, Step *step)
{
  p = skip_space (p, s->end);
  if (first) /* at the { */
    p = skip_space (p + 1, s->end);
  bool comma = false;
  for (; p < s->end && *p == ',' && !first; comma = true)
    p = skip_space (p + 1, s->end);
  *step = (Step){ p + 1, TE_OTHER, false, true };
  if (p < s->end && *p == '}')
    return p + 1;
  step->last = false;
  if (p >= s->end)
    return fail (s, p, "the event is not complete");
  if (*p != '"' || (!first && !comma))
    return fail (s, p, "neither , nor } behind a value");
  bool escaped = false;
  const char *end = string_end (s, p + 1, &escaped);
  if (!end)
    return NULL;
  step->field = field_of (p + 1, (size_t) (end - p - 1));
  p = skip_space (end + 1, s->end);
  if (p >= s->end || *p != ':')
    return fail (s, p, "no : behind a key");
  p = skip_space (p + 1, s->end);
  step->text = p < s->end && *p == '"';
  step->value = p + step->text;
  return step->value;
}

static const char *
event_at (TeScan *s, const char *p, TeEvent *e)
{
  e->at = p;
  e->has = 0;
  e->ph = 0;
  if (p >= s->end || *p != '{')
    return fail (s, p, "no event where one was expected: it begins with {");
  for (unsigned at = 0;;) {
    const Edge *edge = known_edge (s, at, p);
    Step step;
    if (TE_LIKELY (edge)) {
      step = (Step){ p + edge->len, edge->field, edge->text, edge->last };
      at = edge->next;
      if (!edge->last && (p = quick_value (s, step.value, edge, e)))
        continue;
    } else {
      if (!read_key (s, p, p == e->at, &step))
        return NULL;
      Edge to = { .field = (uint8_t) step.field, .text = step.text, .last = step.last };
      at = learn (s->shapes, at, p, step.value, &to);
    }
    if (step.last)
      return e->end = step.value;
    p = field_value (s, step.value, step.field, step.text, e);
    if (TE_UNLIKELY (!p))
      return NULL;
  }
}

const TeScanner TE_VARIANT_NAME (te_scanner) = {
  TE_VARIANT_TEXT,
  shapes_new,
  event_at,
  value_at,
  TE_VARIANT_NAME (te_index),
  TE_VARIANT_NAME (te_mention),
  TE_VARIANT_NAME (te_three),
  TE_VARIANT_NAME (te_wanted),
};
