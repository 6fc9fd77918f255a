/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - the trace-event scanner: JSON text to events, one at a time, in one pass over
 * memory.  It knows the fields that an event may have and nothing of what they mean to nprof;
 * args and what it does not know are skipped as a block.  format: chrome-trace.md 2.2, 2.3. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- Values -------------------------------------------------------------------- */

enum {
  TE_NONE,
  TE_TEXT,   /* a string; p, len: between its quotes, escapes as they are       */
  TE_INT,    /* a whole number that fits `i`, written as people write it        */
  TE_WORD,   /* another number, true, false, null, NaN, Infinity                */
  TE_OBJECT, /* p, len: with its brackets                                       */
  TE_ARRAY
};

typedef struct {
  const char *p;
  size_t len;
  int64_t i;
  uint8_t kind;
  bool escaped; /* text: has a backslash                                        */
} TeValue;

/* This is a time in microseconds, exact to a picosecond: us + ps / 10^6, ps is 0..999999. */
typedef struct {
  int64_t us;
  int32_t ps;
  uint8_t state; /* TE_EXACT ...                                                */
} TeTime;

enum {
  TE_EXACT,
  TE_ROUNDED,    /* had digits beyond a picosecond; the nearest one               */
  TE_NOT_A_TIME, /* no number                                                  */
  TE_TOO_FAR     /* microseconds beyond int64                                      */
};

/* Reads a decimal number with or without exponent, all of p..end, without going through a
 * double. */
TeTime te_time (const char *p, const char *end);
#define TE_PS_PER_US 1000000

/* Returns the time in picoseconds from `zero` microseconds; false: it does not fit. */
static inline bool
te_time_ps (const TeTime *time, int64_t zero, int64_t *ps)
{
  int64_t us;
  if (__builtin_sub_overflow (time->us, zero, &us))
    return false;
  if (us == INT64_MIN / TE_PS_PER_US - 1) /* the product is beyond, the sum may not be */
    return !__builtin_add_overflow ((us + 1) * TE_PS_PER_US, (int64_t) time->ps - TE_PS_PER_US, ps);
  return !__builtin_mul_overflow (us, (int64_t) TE_PS_PER_US, &us)
         && !__builtin_add_overflow (us, (int64_t) time->ps, ps);
}

/* Reads a whole number in its only spelling: 0, 17, -3; false for 007, 1.0, +1 and beyond int64. */
bool te_int (const char *p, const char *end, int64_t *i);
/* Copies a string without its escapes; `to` has room for len bytes.  Returns the length.  Escapes
 * that JSON does not know stay as they are, halves of surrogates become U+FFFD. */
size_t te_unescape (char *to, const char *p, size_t len);

/* -- Events --------------------------------------------------------------------- */

enum {
  TE_PH,
  TE_TS,
  TE_DUR,
  TE_PID,
  TE_TID,
  TE_NAME,
  TE_CAT,
  TE_ARGS,
  TE_ID,
  TE_ID2,
  TE_SCOPE,
  TE_BIND_ID,
  TE_FLOW_IN,
  TE_FLOW_OUT,
  TE_FIELDS,
  TE_OTHER = TE_FIELDS /* any other key */
};

typedef struct {
  const char *at, *end; /* from its { to behind its }                           */
  uint32_t has;         /* bits 1 << TE_PH ...; only those values are set        */
  char ph;              /* 0: none, or longer than a letter                     */
  TeTime ts, dur;
  TeValue value[TE_FIELDS + 1];
} TeEvent;

static inline bool
te_has (const TeEvent *event, unsigned field)
{
  return event->has >> field & 1;
}

typedef struct TeShapes TeShapes;

typedef struct TeScanner TeScanner;

/* Control bytes that stand within strings as they are, which JSON forbids but which has one reading
 * only. */
typedef struct {
  uint64_t n;
  const char *first, *last;
} TeControls;

/* This is one pass over events. */
typedef struct {
  const TeScanner *with;
  TeShapes *shapes; /* what was learned about the order of keys; events only */
  const char *end;  /* nothing is read from here on                         */
  const char *bad;  /* where it failed ...                                  */
  const char *why;  /* ... and why                                          */
  TeControls *controls; /* NULL: they are damage                               */
} TeScan;

/* -- The index: where events start, without reading them -------------------------- */

typedef struct {
  const char *at, *end; /* goes on from at                                       */
  int64_t depth;        /* open brackets: 0 between events                       */
  uint64_t in_string;   /* all ones: at is within a string                       */
  uint64_t escaped;     /* 1: a backslash escapes the byte at `at`               */
} TeIndex;

enum {
  TE_INDEX_META,  /* at: behind an event's "ph": "M"                             */
  TE_INDEX_CUT,   /* at: an event's { at or behind the place asked for           */
  TE_INDEX_CLOSE, /* at: the ] of the array                                      */
  TE_INDEX_MORE,  /* at: `pause` was reached                                     */
  TE_INDEX_EOF    /* at: end                                                     */
};

/* -- Keys that somebody looks for ------------------------------------------------------- */

/* It says with which two bytes keys begin; mentions.c says how, and that others may pass for
 * them. */
typedef struct {
  uint8_t low[2][16], high[2][16];
} TePairs;

#define TE_MOST_KEYS 32   /* and at most the bits of of_len */
#define TE_LONGEST_KEY 33 /* bytes                          */

/* These are keys by numbers. */
typedef struct {
  TePairs pairs;
  uint32_t of_len[TE_LONGEST_KEY + 1]; /* bits of the keys that are so long */
  const char *key[TE_MOST_KEYS];
} TeKeys;

/* Adds a key of two or more bytes of ASCII, as it stands in the file; it is not copied. */
void te_pairs_add (TePairs *pairs, const char *key);
void te_keys_add (TeKeys *keys, unsigned number, const char *key);

/* This is a place among the members of an object; the first lies behind its {. */
typedef struct {
  const char *at, *last; /* no wanted key begins behind last; NULL: none at all */
  uint16_t shape;        /* what follows at `at`, as members.c learned it        */
} TeWalk;

/* -- Implementations ---------------------------------------------------------------- */

/* All give the same results. */
struct TeScanner {
  const char *name;
  /* Makes the memory that a pass over events begins with; freed with free.  NULL: no memory. */
  TeShapes *(*shapes_new) (void);
  /* Reads the event at p, which is its {: returns what is behind it; NULL: s->bad and s->why. */
  const char *(*event) (TeScan *s, const char *p, TeEvent *event);
  /* Reads any value at p, which is no space, and returns as event does. */
  const char *(*value) (TeScan *s, const char *p, TeValue *value);
  /* Goes on until the first of these: "ph": "M" of an event, an event that starts at or behind
   * `cut`, the array's end, `pause`. */
  int (*index) (TeIndex *x, const char *cut, const char *pause);
  /* Returns the last quote in p..end behind which such a pair stands; NULL: no string of this
   * object begins so. */
  const char *(*mention) (const char *p, const char *end, const TePairs *pairs);
  /* Returns the first place in p..end where these three bytes stand; NULL: there is none. */
  const char *(*three) (const char *p, const char *end, const char *bytes);
  /* Returns the number of the next member with one of these keys, and its value.  TE_MOST_KEYS: no
   * more, or none that can be read.  The object was read as a value before; s->end may lie behind
   * it, s->shapes knows objects that were walked for the same keys. */
  unsigned (*wanted) (TeScan *s, TeWalk *walk, const TeKeys *keys, TeValue *value);
};

/* Return the best for this processor, and the one of this name, NULL when it is not there. */
const TeScanner *te_scanner (void);
const TeScanner *te_scanner_named (const char *name);

/* -- Members ----------------------------------------------------------------------- */

/* Reads the next member of an object: p is behind its { or behind the last value.  Returns what is
 * behind the value; NULL: no more (s->why is NULL), or s->bad and s->why. */
const char *te_member (TeScan *s, const char *p, TeValue *key, TeValue *value);
const char *te_space (const char *p, const char *end);
bool te_text_is (const TeValue *value, const char *text);
