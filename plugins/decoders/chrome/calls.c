/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - finds the calls of runtimes and drivers that may have launched work, before events are read:
 * by their categories, which are looked for as text.  What becomes of them is steps.c's. */
#include "trace-event/trace-event.h"

/* -- One event ------------------------------------------------------------------------------- */

static bool
is_of_calls (const TeValue *category)
{
  static const char *const ends[] = { "_runtime", "_driver" };
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++) {
    size_t len = strlen (ends[i]);
    if (category->len > len && !memcmp (category->p + category->len - len, ends[i], len))
      return true;
  }
  return te_text_is (category, "Runtime"); /* of 2021 */
}

static bool
is_call (const TeEvent *event)
{
  return event->ph == 'X' && te_has (event, TE_CAT) && te_has (event, TE_ARGS)
         && is_of_calls (&event->value[TE_CAT]);
}

/* 0 is none. */
static uint32_t
correlation_of (const TeValue *args)
{
  static const char key[] = "\"correlation\"";
  const char *end = args->p + args->len, *p = memmem (args->p, args->len, key, sizeof key - 1);
  uint64_t id = 0;
  if (!p)
    return 0;
  for (p += sizeof key - 1; p < end && strchr (": \t\n\r\"", *p); p++)
    continue;
  for (; p < end && g_ascii_isdigit (*p) && id <= UINT32_MAX; p++)
    id = id * 10 + (uint64_t) (*p - '0');
  return id <= UINT32_MAX ? (uint32_t) id : 0;
}

/* -- All of them ------------------------------------------------------------------------------ */

typedef uint8_t Bytes __attribute__ ((vector_size (16)));

static inline Bytes
bytes_at (const char *p)
{
  Bytes b;
  memcpy (&b, p, sizeof b);
  return b;
}

/* Ends of categories of calls. */
static const char *const words[] = { "_runtime\"", "_driver\"", "\"Runtime\"" };

static size_t
word_at (const char *p, const char *end)
{
  const size_t left = (size_t) (end - p);
  if (left < 2 || (p[1] != 'r' && p[1] != 'd' && p[1] != 'R'))
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++) {
    size_t len = strlen (words[i]);
    if (left >= len && !memcmp (p, words[i], len))
      return len;
  }
  return 0;
}

/* May a word begin at one of these bytes?  By its first two letters; memmem, once for each word, took a
 * tenth of the time of decoding. */
static inline bool
may_begin (const char *p)
{
  const Bytes first = bytes_at (p), second = bytes_at (p + 1);
  const Bytes found = (Bytes) (((first == '_') & ((second == 'r') | (second == 'd')))
                               | ((first == '"') & (second == 'R')));
  uint64_t parts[sizeof found / 8];
  memcpy (parts, &found, sizeof found);
  return (parts[0] | parts[1]) != 0;
}

/* Behind the next of the words, or NULL. */
static const char *
behind_word (const char *p, const char *end)
{
  for (size_t len; p < end; p++) {
    while (end - p > (ptrdiff_t) sizeof (Bytes) && !may_begin (p))
      p += sizeof (Bytes);
    const char *until = p + MIN ((ptrdiff_t) sizeof (Bytes), end - p);
    for (; p < until; p++)
      if ((*p == '_' || *p == '"') && (len = word_at (p, end)))
        return p + len;
    p--;
  }
  return NULL;
}

void
ch_calls_find (Chrome *c, TeScan *scan, ChCallFn call)
{
  TeEvent event;
  uint32_t correlation;
  const char *floor = c->events, *end = c->events_end, *p = floor;
  while ((p = behind_word (p, end))) { /* an event begins behind the one before */
    const char *from = ch_event_start (p, floor);
    const char *behind = from ? scan->with->event (scan, from, &event) : NULL;
    if (behind && is_call (&event) && (correlation = correlation_of (&event.value[TE_ARGS])))
      call (c, &event, correlation);
    if (behind > p)
      floor = p = behind;
  }
}
