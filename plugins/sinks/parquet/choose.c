/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - chooses the encoding that makes a column smallest: tried on a run of values from its
 * middle. What was found holds for the row groups that follow and are like it, and for twice as
 * many each time that a new sample finds it again. Some of what was found is kept, because rows of
 * several sorts take turns: operators of each device, then its copies. */
#include "chunk.h"
#include "encodings.h"
#include "schema.h"

#define SAMPLE 4096
#define FEW 16          /* so few distinct values are always a dictionary                */
#define TRUSTED 7       /* row groups that follow what was found, while they are like it */
#define TRUSTED_MAX 127 /* what it grows to, where samples find the same again and again */

/* A dictionary must be so much smaller: what a sample says of the others is too much, since in a
 * whole page zstd finds more of what comes again. */
#define CLEARLY 0.75

struct sample {
  size_t from, n;
};

/* Returns bytes of the whole column, if it is like the sample in e->body. */
static double
scaled (struct pq_encoder *e, const struct pq_values *v, struct sample s)
{
  e->scratch.len = 0;
  pq_compress (&e->codec, &e->scratch, e->body.data, e->body.len);
  return (double) e->scratch.len * (double) v->n / (double) s.n;
}

static const struct pq_text *
texts_of (const struct pq_encoder *e)
{
  return (const void *) e->assembled.spelling.data;
}

static double
try_plain (struct pq_encoder *e, const struct pq_values *v, struct sample s)
{
  e->body.len = 0;
  if (pq_is_bytes (v->kind))
    pq_put_plain_texts (&e->body, texts_of (e) + s.from, s.n);
  else
    pq_put_plain (&e->body, v, s.from, s.from + s.n);
  return scaled (e, v, s);
}

static double
try_lengths (struct pq_encoder *e, const struct pq_values *v, struct sample s)
{
  e->body.len = 0;
  pq_put_lengths_and_texts (&e->body, texts_of (e) + s.from, s.n, &e->levels);
  return scaled (e, v, s);
}

static double
try_delta (struct pq_encoder *e, const struct pq_values *v, struct sample s)
{
  e->body.len = 0;
  pq_put_delta (&e->body, (const int64_t *) (const void *) v->data.data + s.from, s.n);
  return scaled (e, v, s);
}

/* Returns the bytes of the entries; they are distinct, which compresses badly: half is a guess on
 * the safe side. */
static double
entries (struct pq_encoder *e, const struct pq_values *v)
{
  struct pq_texts texts = e->assembled.texts;
  double bytes = 0;
  if (!pq_is_bytes (v->kind))
    return (double) e->dict.n * pq_width (v->kind) / (e->codec.kind == PQ_NONE ? 1 : 2);
  for (uint32_t k = 0; k < e->dict.n; k++)
    bytes += 4 + pq_values_text (v, (uint32_t) e->dict.refs[k], texts.of, texts.user).len;
  return bytes / (e->codec.kind == PQ_NONE ? 1 : 2);
}

static double
try_dict (struct pq_encoder *e, const struct pq_values *v, struct sample s)
{
  const uint32_t *ids = (const void *) e->assembled.ids.data;
  e->body.len = 0;
  pq_put_hybrid (&e->body, ids + s.from, s.n, pq_bits (e->dict.n - 1));
  return scaled (e, v, s) + entries (e, v);
}

static int
try_all (struct pq_encoder *e)
{
  const struct pq_values *v = &e->assembled.v;
  struct sample s = { 0, v->n < SAMPLE ? v->n : SAMPLE };
  if (!pq_assemble_values (&e->assembled, &e->dict)
      || (pq_is_bytes (v->kind) && !pq_assemble_texts (&e->assembled)))
    return PQ_ENC_PLAIN;
  s.from = (v->n - s.n) / 2;
  double best = try_plain (e, v, s), other;
  int encoding = PQ_ENC_PLAIN;
  if (pq_physical (v->kind) == PQ_TYPE_INT64 && (other = try_delta (e, v, s)) < best) {
    best = other;
    encoding = PQ_ENC_DELTA;
  }
  if (pq_is_bytes (v->kind) && (other = try_lengths (e, v, s)) < best) {
    best = other;
    encoding = PQ_ENC_LENGTHS;
  }
  return e->assembled.numbered && try_dict (e, v, s) < best * CLEARLY ? PQ_ENC_DICT : encoding;
}

static bool
is_like (size_t a, size_t b)
{
  return a <= b * 2 && b <= a * 2;
}

bool
pq_is_plainly_not_numbered (const struct pq_choices *choices, size_t n)
{
  bool found = false;
  for (unsigned k = 0; k < PQ_CHOICES; k++) {
    const struct pq_choice *choice = choices->known + k;
    if (!choice->left || !is_like (choice->n, n))
      continue;
    if (choice->numbered)
      return false;
    found = true;
  }
  return found;
}

/* Returns what was found of a column like this one; NULL: nothing. */
static struct pq_choice *
find_like (struct pq_choices *choices, bool numbered, size_t n, uint32_t entries)
{
  for (unsigned k = 0; k < PQ_CHOICES; k++) {
    struct pq_choice *choice = choices->known + k;
    if (choice->trusted && choice->numbered == numbered && is_like (choice->n, n)
        && is_like (choice->entries, entries))
      return choice;
  }
  return NULL;
}

/* Returns whether there is an encoding beside PLAIN and a dictionary. */
static bool
has_delta (enum pq_kind kind)
{
  return pq_is_bytes (kind) || pq_physical (kind) == PQ_TYPE_INT64;
}

int
pq_choose (struct pq_encoder *e, struct pq_choices *choices)
{
  const struct pq_values *v = &e->assembled.v;
  bool numbered = e->assembled.numbered;
  uint32_t entries = numbered ? e->dict.n : 0;
  if (!v->n || (!numbered && !has_delta (v->kind)))
    return PQ_ENC_PLAIN;
  if (numbered && entries <= FEW && v->n >= 4 * FEW)
    return PQ_ENC_DICT;
  if (numbered && pq_is_bytes (v->kind) && entries <= v->n / FEW)
    return PQ_ENC_DICT;
  struct pq_choice *like = find_like (choices, numbered, v->n, entries);
  if (like && like->left) {
    like->left--;
    return like->encoding;
  }
  int found = try_all (e);
  unsigned trusted = like && found == like->encoding ? like->trusted * 2 + 1 : TRUSTED;
  trusted = trusted < TRUSTED_MAX ? trusted : TRUSTED_MAX;
  like = like ? like : choices->known + choices->next++ % PQ_CHOICES;
  *like = (struct pq_choice){ found, trusted, trusted, numbered, v->n, entries };
  return found;
}
