/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - decides whether this is a trace-event file, by the keys of its top level and the look
 * of its first event, never by its name alone. */
#include "trace-event/trace-event.h"

#include "json/text.h"

#define BID_GENERIC 40
#define BID_KINETO 60
#define BID_HINT 20 /* it may be one, but nothing in sight says so */

static bool
looks_like_kineto (const char *p, const char *end)
{
  static const char *const marks[]
      = { "\"cpu_op\"", "\"cuda_runtime\"", "\"External id\"", "\"Record function id\"" };
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    if (te_mentions (p, (size_t) (end - p), marks[i]))
      return true;
  return false;
}

static int
array_score (TeScan *s, const char *p)
{
  TeEvent event;
  for (;;) {
    p = te_space (p, s->end);
    while (p < s->end && *p == ',')
      p = te_space (p + 1, s->end);
    if (p >= s->end || *p != '{')
      return 0;
    const char *next = s->with->event (s, p, &event);
    if (!next) /* too long for what we see, or damaged */
      return te_mentions (p, (size_t) (s->end - p), "\"ph\"")
                     && te_mentions (p, (size_t) (s->end - p), "\"ts\"")
                 ? BID_GENERIC
                 : 0;
    if (event.has)
      return te_has (&event, TE_PH) ? BID_GENERIC : 0;
    p = next;
  }
}

/* Returns what a key of the top level says. */
static int
key_score (const TeValue *key)
{
  static const char *const kineto[]
      = { "schemaVersion", "deviceProperties", "baseTimeNanoseconds", "distributedInfo" };
  static const char *const generic[]
      = { "displayTimeUnit", "stackFrames",        "systemTraceEvents",
          "otherData",       "powerTraceAsString", "traceAnnotations" };
  for (gsize i = 0; i < G_N_ELEMENTS (kineto); i++)
    if (te_text_is (key, kineto[i]))
      return BID_KINETO;
  for (gsize i = 0; i < G_N_ELEMENTS (generic); i++)
    if (te_text_is (key, generic[i]))
      return BID_GENERIC;
  return te_text_is (key, "metadata") ? BID_HINT : 0;
}

static bool
opens_events (const TeScan *s, const TeValue *key, const char *p)
{
  if (!te_text_is (key, "traceEvents"))
    return false;
  p = te_space (p, s->end);
  if (p >= s->end || *p != ':')
    return false;
  p = te_space (p + 1, s->end);
  return p < s->end && *p == '[';
}

/* Scores a head without events in sight; `whole` means that it is all of the file. */
static int
without_events (int seen, bool whole)
{
  return whole ? 0 : seen;
}

static int
object_score (TeScan *s, const char *p, bool whole)
{
  int seen = 0;
  for (;;) {
    TeValue key, value;
    p = te_space (p, s->end);
    while (p < s->end && *p == ',')
      p = te_space (p + 1, s->end);
    if (p >= s->end || *p != '"')
      return without_events (seen, whole || p < s->end);
    const char *behind = s->with->value (s, p, &key);
    if (!behind)
      return without_events (seen, whole);
    seen = MAX (seen, key_score (&key));
    if (opens_events (s, &key, behind))
      return seen == BID_KINETO || looks_like_kineto (p, s->end) ? BID_KINETO : BID_GENERIC;
    p = te_member (s, p, &key, &value);
    if (!p)
      return without_events (seen, whole);
  }
}

int
ch_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const char *p = head, *end = p + len;
  (void) path;
  g_autofree TeShapes *shapes = NULL;
  TeScan s = { .controls = &(TeControls){ 0 }, .with = te_scanner (), .end = end };
  if (len >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  p = te_space (p, end);
  if (p >= end || (*p != '[' && *p != '{'))
    return 0;
  s.shapes = shapes = s.with->shapes_new ();
  if (!shapes)
    return 0;
  return *p == '[' ? array_score (&s, p + 1) : object_score (&s, p + 1, size != 0 && size <= len);
}
