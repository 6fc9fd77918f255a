/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - finds runs of notification records in bytes of which nothing is known: a stride of 16,
 * known types, a clock that goes on, and starts whose ends follow. arrays.c says what runs mean
 * together. */
#include "ntff.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define STARTS 0x00111110u /* bit t: type t is a start of an instruction */
#define ENDS 0x00222220u
#define LINE 64u
#define PHASES NTFF_RECORD
#define MOST_RUNS 500000u /* of some 100 bytes each, all files but hostile ones have fewer */
#define SAMPLE 128u       /* records that tell an array from its ghosts */

typedef struct {
  const uint8_t *data;
  uint64_t to, low;      /* low: nothing before it is free            */
  uint64_t done[PHASES]; /* tried up to here, by place modulo 16      */
  uint64_t told;         /* of progress                               */
  GArray *runs;
} Scan;

enum { NO, STRONG, WEAK };

/* These are counted on the way along a chain. */
typedef struct {
  uint64_t n, up, over, flips, odd, varied;
  uint32_t open[NTFF_ENGINES][64]; /* pc + 1 of the last starts */
  uint32_t last_pc;                /* pc + 1                    */
  uint8_t phase;
} Chain;

static bool
goes_on (uint64_t a, uint64_t b)
{
  return b - a + NTFF_BACK <= NTFF_BACK + NTFF_AHEAD;
}

/* -- A chain of records ------------------------------------------------------------------------ */

static int
strength_of (const NtffRun *run, const Chain *c)
{
  if (run->n < NTFF_FEWEST || 2 * c->up < run->n - 1)
    return NO;
  if (4 * c->over > run->n || 16 * c->flips > run->n + 16)
    return NO;
  uint64_t larger = MAX (run->starts, run->ends);
  if (run->starts && run->ends
      && ((run->pairs >= 8 && 4 * run->pairs >= 3 * larger)
          || (run->pairs >= 24 && 4 * run->pairs >= larger)))
    return STRONG;
  return WEAK;
}

static void
count_instruction (NtffRun *run, Chain *c, const uint8_t *p)
{
  NtffRecord r = ntff_record (p);
  unsigned type = ntff_type (&r);
  if (type < NTFF_INST || type > NTFF_INST_LAST || ((type - NTFF_INST) & 3) > NTFF_END)
    return;
  uint32_t pc = (r.meta & 0xfffff) + 1, *open = &c->open[(type - NTFF_INST) >> 2][pc & 63];
  if (((type - NTFF_INST) & 3) == NTFF_START) {
    run->starts++;
    *open = pc;
    return;
  }
  run->ends++;
  if (*open != pc)
    return;
  run->pairs++;
  *open = 0;
  c->varied += c->last_pc && c->last_pc != pc;
  c->last_pc = pc;
}

static void
count_known (NtffRun *run, Chain *c, const uint8_t *p, uint64_t time)
{
  run->n = c->n;
  run->first = MIN (run->first, time);
  run->last = MAX (run->last, time);
  run->types |= 1u << (p[3] & 31);
  c->over += (p[3] & 0x60) != 0;
  c->flips += (p[3] ^ c->phase) >> 7;
  c->phase = p[3];
  count_instruction (run, c, p);
}

/* Follows the chain from `at` on, at most `most` records.  A record of unknown type stays in when
 * the clock goes on through it. *score says how much its pairs differ.  Returns NO, STRONG or
 * WEAK. */
static int
chain (const Scan *s, uint64_t at, uint64_t most, NtffRun *run, uint64_t *end, uint64_t *score)
{
  const uint8_t *data = s->data;
  uint64_t time = ntff_time (data + at), p = at;
  Chain c = { .phase = data[at + 3] };
  *run = (NtffRun){ .at = at, .first = time, .last = time };
  *end = at + NTFF_RECORD;
  for (; p + NTFF_RECORD <= s->to && c.n < most; p += NTFF_RECORD) {
    uint64_t now = ntff_time (data + p);
    bool known = ntff_known (data + p);
    if (!known && 8 * ++c.odd > c.n + 8)
      break;
    if (p != at && !goes_on (time, now))
      break;
    c.up += p != at && now > time;
    time = now;
    c.n++;
    if (!known)
      continue;
    *end = p + NTFF_RECORD;
    count_known (run, &c, data + p, now);
  }
  int kind = strength_of (run, &c);
  run->weak = kind == WEAK;
  if (score)
    *score = kind == STRONG ? c.varied + 1 : 0;
  return kind;
}

/* Returns the first record of the chain that `at` belongs to, looking at `most` records before
 * it. */
static uint64_t
back (const Scan *s, uint64_t at, uint64_t low, uint64_t most)
{
  uint64_t good = at;
  unsigned odd = 0;
  while (most-- && at >= low + NTFF_RECORD
         && goes_on (ntff_time (s->data + at - NTFF_RECORD), ntff_time (s->data + at))) {
    at -= NTFF_RECORD;
    if (ntff_known (s->data + at)) {
      good = at;
      odd = 0;
    } else if (++odd > 1) {
      break;
    }
  }
  return good;
}

/* -- Arrays and their ghosts ------------------------------------------------------------------- */

/* Finds the best phase.  A clock that is shifted by some bytes is a clock as well, so an array
 * casts ghosts at other phases: of those that fit around its middle, the one with most differing
 * pairs is the array. false: something beside it shows that this is a ghost. */
static bool
best_phase (const Scan *s, const NtffRun *run, uint64_t *at)
{
  uint64_t middle = run->at + run->n / 2 * NTFF_RECORD, end, best, score;
  NtffRun part;
  chain (s, back (s, middle, s->low, SAMPLE / 2), SAMPLE, &part, &end, &best);
  uint64_t span = part.last - part.first;
  *at = middle;
  for (uint64_t p = middle + 1; p < middle + PHASES && p + NTFF_RECORD <= s->to; p++) {
    if (!ntff_known (s->data + p))
      continue;
    int kind = chain (s, back (s, p, s->low, SAMPLE / 2), SAMPLE, &part, &end, &score);
    if (kind == STRONG && score > best) {
      best = score;
      span = part.last - part.first;
      *at = p;
    } else if (kind == WEAK && best <= 1 && part.last - part.first < span) {
      return false; /* one pc only, and a slower clock beside it */
    }
  }
  return true;
}

/* Tries a record at `at`. true: an array was taken, and low is its end. */
static bool
take_array (Scan *s, uint64_t at)
{
  NtffRun run;
  uint64_t end, *done = &s->done[at % PHASES];
  at = back (s, at, MAX (s->low, *done), UINT64_MAX);
  int kind = chain (s, at, UINT64_MAX, &run, &end, NULL);
  *done = end;
  if (kind == STRONG) {
    if (!best_phase (s, &run, &at))
      return false;
    at = back (s, at, s->low, UINT64_MAX);
    if (chain (s, at, UINT64_MAX, &run, &end, NULL) != STRONG)
      return false;
    s->low = end;
  }
  if (kind != NO && s->runs->len < MOST_RUNS)
    g_array_append_val (s->runs, run);
  return kind == STRONG;
}

/* -- Where to look ----------------------------------------------------------------------------- */

/* Bit c says that column c of the four blocks of 16 bytes of this line is the same in all of
 * them. */
static unsigned
same_columns (const uint8_t *line)
{
#ifdef __SSE2__
  __m128i x0 = _mm_loadu_si128 ((const __m128i *) line),
          x1 = _mm_loadu_si128 ((const __m128i *) (line + 16));
  __m128i x2 = _mm_loadu_si128 ((const __m128i *) (line + 32));
  __m128i x3 = _mm_loadu_si128 ((const __m128i *) (line + 48));
  __m128i same = _mm_and_si128 (_mm_cmpeq_epi8 (x0, x1),
                                _mm_and_si128 (_mm_cmpeq_epi8 (x1, x2), _mm_cmpeq_epi8 (x2, x3)));
  return (unsigned) _mm_movemask_epi8 (same);
#else
  unsigned same = 0;
  for (unsigned c = 0; c < 16; c++)
    same |= (unsigned) (line[c] == line[c + 16] && line[c] == line[c + 32]
                        && line[c] == line[c + 48])
            << c;
  return same;
#endif
}

/* Looks at one line of 64 bytes.  A run of 8 records holds a whole line, in which the two top bytes
 * of the clock stand at the same columns of all four blocks, so only such lines are looked at.
 * true: taken. */
static bool
look_at_line (Scan *s, uint64_t at)
{
  const uint8_t *line = s->data + at;
  unsigned same = same_columns (line);
  same = ((same | same << 16) & (same << 1 | same << 17)) >> 16;
  for (; same; same &= same - 1) {
    unsigned c = (unsigned) __builtin_ctz (same); /* of the clock's top byte, it seems */
    unsigned type = (c + 4) & 15;
    if (!(NTFF_KNOWN_TYPES >> (line[type] & 31) & NTFF_KNOWN_TYPES >> (line[type + 16] & 31)
          & NTFF_KNOWN_TYPES >> (line[type + 32] & 31) & 1))
      continue;
    uint64_t p = at + ((c + 1) & 15);
    if (p >= s->low && p >= s->done[p % PHASES] && p + NTFF_RECORD <= s->to
        && ntff_known (s->data + p) && take_array (s, p))
      return true;
  }
  return false;
}

nprof_status
ntff_scan (const struct nprof_host *host, const uint8_t *data, uint64_t from, uint64_t to,
           GArray *runs)
{
  Scan s = { .data = data, .to = to, .low = from, .told = from, .runs = runs };
  if (to - from < NTFF_FEWEST * NTFF_RECORD)
    return NPROF_OK;
  for (uint64_t line = from; line + LINE <= to;) {
    if (look_at_line (&s, line))
      line = from + (s.low - from) / LINE * LINE;
    else
      line += LINE;
    if (line - s.told < 4u << 20)
      continue;
    s.told = line;
    nprof_status status = host->progress (host, line, line);
    if (status)
      return status;
  }
  return NPROF_OK;
}
