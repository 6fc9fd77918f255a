/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - finds the calls of runtimes and drivers that may have launched work, before events are
 * read: by their categories, which are looked for as text. steps.c uses them. */
#include "system/cpu.h"
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

/* 0 is none.  Writers that know no whole numbers write 7.0. */
uint64_t
ch_correlation (const TeValue *args)
{
  static const char key[] = "\"correlation\"";
  const char *end = args->p + args->len, *p = memmem (args->p, args->len, key, sizeof key - 1);
  uint64_t id = 0;
  if (!p)
    return 0;
  for (p += sizeof key - 1; p < end && strchr (": \t\n\r\"", *p); p++)
    continue;
  for (; p < end && g_ascii_isdigit (*p); p++)
    if (__builtin_mul_overflow (id, (uint64_t) 10, &id)
        || __builtin_add_overflow (id, (uint64_t) (*p - '0'), &id))
      return 0;
  return id;
}

/* -- All of them ------------------------------------------------------------------------------ */

/* This takes two registers where a processor has only those of 16 bytes. */
typedef uint8_t Bytes __attribute__ ((vector_size (32)));

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

/* Categories of calls end so. */
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

/* Returns whether a word may begin at one of these bytes, by its first three letters; memmem, once
 * for each word, took a tenth of the time of decoding. */
ALWAYS_INLINE bool
may_begin (const char *p)
{
  Bytes first, second, third;
  memcpy (&first, p, sizeof first);
  memcpy (&second, p + 1, sizeof second);
  memcpy (&third, p + 2, sizeof third);
  const Bytes found
      = (Bytes) (((first == '_')
                  & (((second == 'r') & (third == 'u')) | ((second == 'd') & (third == 'r'))))
                 | ((first == '"') & (second == 'R') & (third == 'u')));
  uint64_t parts[sizeof found / 8];
  memcpy (parts, &found, sizeof found);
  return (parts[0] | parts[1] | parts[2] | parts[3]) != 0;
}

/* Returns what is behind the next of the words, or NULL. */
ALWAYS_INLINE const char *
find_word (const char *p, const char *end)
{
  for (size_t len; p < end; p++) {
    while (end - p > (ptrdiff_t) sizeof (Bytes) + 1 && !may_begin (p))
      p += sizeof (Bytes);
    const char *until = p + MIN ((ptrdiff_t) sizeof (Bytes), end - p);
    for (; p < until; p++)
      if ((*p == '_' || *p == '"') && (len = word_at (p, end)))
        return p + len;
    p--;
  }
  return NULL;
}

static const char *
behind_word (const char *p, const char *end)
{
  return find_word (p, end);
}

#ifdef __x86_64__
__attribute__ ((target ("avx2"))) static const char *
behind_word_avx2 (const char *p, const char *end)
{
  return find_word (p, end);
}
#endif

/* Returns the function for this processor. */
static const char *(*behind_word_here (void)) (const char *p, const char *end)
{
#ifdef __x86_64__
  if (np_cpu_has_avx2 ())
    return behind_word_avx2;
#endif
  return behind_word;
}

void
ch_calls_find (Chrome *c, TeScan *scan, ChCallFn call)
{
  TeEvent event;
  uint64_t correlation;
  const char *floor = c->events, *end = c->events_end, *p = floor;
  const char *(*next) (const char *at, const char *to) = behind_word_here ();
  while ((p = next (p, end))) { /* an event begins behind the one before */
    const char *from = ch_event_start (p, floor);
    const char *behind = from ? scan->with->event (scan, from, &event) : NULL;
    if (behind && is_call (&event) && (correlation = ch_correlation (&event.value[TE_ARGS])))
      call (c, &event, correlation);
    if (behind > p)
      floor = p = behind;
  }
}

void
ch_calls_find_by_id (Chrome *c, TeScan *scan, ChCallFn call)
{
  static const char key[] = "correlation_id", quoted[] = "\"correlation_id\"";
  TeEvent event;
  TeValue value;
  uint64_t id;
  const char *floor = c->events, *end = c->events_end, *p = floor;
  while ((p = memmem (p, (size_t) (end - p), quoted, sizeof quoted - 1))) {
    const char *from = ch_event_start_of_arg (p, floor);
    const char *behind = from ? scan->with->event (scan, from, &event) : NULL;
    if (behind && ch_member_of_args (c->scanner, &event, key, &value) && (id = ch_arg_id (&value)))
      call (c, &event, id);
    floor = p = MAX (behind, p + 1);
  }
}
