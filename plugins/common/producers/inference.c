/* SPDX-License-Identifier: Apache-2.0 */
/* inference.c - finds which phase a step of inference is, by the name that its program gives it:
 * each server's grammar is a row of a table. */
#include "producers/inference.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

static const char *const phase_names[N_PHASES]
    = { "prefill", "decode", "mixed", "verify", "draft", "diffusion", "none" };

const char *
inference_phase_name (Phase phase)
{
  return phase_names[phase];
}

/* -- Fields ------------------------------------------------------------------------------------ */

/* Numbers that names hold. */
typedef enum {
  NOTHING, /* it is read and not used */
  CONTEXT_REQUESTS,
  CONTEXT_TOKENS,
  CONTEXT_KEYS,
  GENERATION_REQUESTS,
  GENERATION_TOKENS,
  GENERATION_KEYS,
  REQUESTS, /* of the phase that the name says */
  TOKENS,
  KEYS,
  N_FIELDS
} Field;

typedef struct {
  int64_t value[N_FIELDS]; /* -1: not said */
} Fields;

/* The field that each letter after a % in a grammar reads; %* matches the remaining pairs, and %_
 * the sum of squares of tokens that some versions add, as in "(888_788544)". */
static const struct {
  char letter;
  Field field;
} letters[] = { { 'n', NOTHING },        { 'C', CONTEXT_REQUESTS },    { 'c', CONTEXT_TOKENS },
                { 'k', CONTEXT_KEYS },   { 'G', GENERATION_REQUESTS }, { 'g', GENERATION_TOKENS },
                { 'K', GENERATION_KEYS } };

/* A pair KEY=NUMBER of the servers that write them. */
static const struct {
  const char *key;
  Field field;
} sglang_pairs[] = { { "bs", REQUESTS },          { "toks", TOKENS },
                     { "c", CONTEXT_REQUESTS },   { "g", GENERATION_REQUESTS },
                     { "c_sq", CONTEXT_TOKENS },  { "g_sq", GENERATION_TOKENS },
                     { "c_sk", CONTEXT_KEYS },    { "g_sk", GENERATION_KEYS } },
  atom_pairs[] = { { "bs", REQUESTS }, { "tok", TOKENS },          { "sk", KEYS },
                   { "p", CONTEXT_REQUESTS }, { "d", GENERATION_REQUESTS } };

/* -- Grammars ---------------------------------------------------------------------------------- */

/* What a name of a grammar is. */
typedef enum {
  BY_TOKENS,
  BY_REQUESTS,
  OLD_VLLM,
  PREFILL,
  DECODE,
  MIXED,
  VERIFY,
  DRAFT,
  DIFFUSION,
  IDLE
} Kind;
typedef enum { NO_PAIRS, SGLANG_PAIRS, ATOM_PAIRS } Pairs;

#define SUMS(t, k) "(sq%" t "sk%" k "sqsq%nsqsk%n)"

/* The first that a whole name follows counts. */
static const struct {
  const char *server, *since, *grammar;
  Kind kind;
  Pairs pairs;
} grammars[] = {
  /* clang-format off */
  { "vLLM", "AMD's patches, RFC 45069", "execute_%n_context_%C" SUMS ("c", "k") "_generation_%G" SUMS ("g", "K"),
    BY_TOKENS, NO_PAIRS },
  { "vLLM", "2025-12, pull 31193", "execute_context_%C(%c%_)_generation_%G(%g%_)", BY_TOKENS,
    NO_PAIRS },
  { "vLLM", "2025-08, pull 22496", "execute_new_%C_cached_%G", OLD_VLLM, NO_PAIRS },
  { "SGLang", "2025", "step[DECODE%*", DECODE, SGLANG_PAIRS },
  { "SGLang", "2025", "step[EXTEND%*", PREFILL, SGLANG_PAIRS },
  { "SGLang", "2025", "step[PREFILL%*", PREFILL, SGLANG_PAIRS },
  { "SGLang", "2026", "step[SPLIT_PREFILL%*", PREFILL, SGLANG_PAIRS },
  { "SGLang", "2026", "step[DLLM_EXTEND%*", PREFILL, SGLANG_PAIRS },
  { "SGLang", "2025", "step[MIXED%*", MIXED, SGLANG_PAIRS },
  { "SGLang", "2025", "step[TARGET_VERIFY%*", VERIFY, SGLANG_PAIRS },
  { "SGLang", "2025", "step[DRAFT_EXTEND%*", DRAFT, SGLANG_PAIRS },
  { "SGLang", "2026", "step[DRAFT_EXTEND_V2%*", DRAFT, SGLANG_PAIRS },
  { "SGLang", "2025", "step[IDLE%*", IDLE, SGLANG_PAIRS },
  { "ATOM", "2025", "prefill[%*", PREFILL, ATOM_PAIRS },
  { "ATOM", "2025", "decode[%*", DECODE, ATOM_PAIRS },
  { "TensorRT-LLM", "2024", "_forward_step: %C ctx reqs, %G gen reqs", BY_REQUESTS, NO_PAIRS },
  { "TensorRT-LLM", "2025", "[Executor] _forward_step %n: %C ctx reqs, %G gen reqs", BY_REQUESTS, NO_PAIRS },
  { "TensorRT-LLM", "2026", "[Executor] _forward_step %n: %C ctx reqs, %c ctx tokens, %G gen reqs",
    BY_REQUESTS, NO_PAIRS },
  { "TensorRT-LLM", "C++", "executeStep: %C ctx reqs, %G gen reqs", BY_REQUESTS, NO_PAIRS },
  { "xDiT", "2026", "execute_diffusion_%n_%nx%n", DIFFUSION, NO_PAIRS },
  /* clang-format on */
};

/* -- Reading ----------------------------------------------------------------------------------- */

/* Reads digits at *name and moves behind them. */
static bool
read_number (const char **name, int64_t *number)
{
  char *end;
  if (!g_ascii_isdigit (**name))
    return false;
  const guint64 read = g_ascii_strtoull (*name, &end, 10);
  *number = read > G_MAXINT64 ? G_MAXINT64 : (int64_t) read;
  *name = end;
  return true;
}

/* Moves behind "_NUMBER" where it is there; returns false: no number follows the "_". */
static bool
skip_squares (const char **name)
{
  int64_t squares;
  if (**name != '_')
    return true;
  ++*name;
  return read_number (name, &squares);
}

static Field
field_of_letter (char letter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (letters); i++)
    if (letters[i].letter == letter)
      return letters[i].field;
  return NOTHING;
}

static Field
field_of_pair (Pairs pairs, const char *key, gsize len)
{
  const gsize n = pairs == ATOM_PAIRS ? G_N_ELEMENTS (atom_pairs) : G_N_ELEMENTS (sglang_pairs);
  for (gsize i = 0; i < n; i++) {
    const char *known = pairs == ATOM_PAIRS ? atom_pairs[i].key : sglang_pairs[i].key;
    if (strlen (known) == len && memcmp (known, key, len) == 0)
      return pairs == ATOM_PAIRS ? atom_pairs[i].field : sglang_pairs[i].field;
  }
  return NOTHING;
}

/* Reads pairs KEY=NUMBER up to the ] that ends the name; lists and other words are skipped. */
static bool
read_pairs (Pairs pairs, const char *name, Fields *fields)
{
  const gsize len = strlen (name);
  if (!len || name[len - 1] != ']' || !strchr (" ]b", *name))
    return false;
  for (const char *equals = strchr (name, '='); equals; equals = strchr (equals + 1, '=')) {
    const char *key = equals, *at = equals + 1;
    while (key > name && (g_ascii_isalnum (key[-1]) || key[-1] == '_'))
      key--;
    int64_t number;
    const Field field = field_of_pair (pairs, key, (gsize) (equals - key));
    if (field != NOTHING && read_number (&at, &number))
      fields->value[field] = number;
  }
  return true;
}

/* Returns whether the whole name follows the grammar. */
static bool
follows (const char *name, const char *grammar, Pairs pairs, Fields *fields)
{
  for (gsize i = 0; i < N_FIELDS; i++)
    fields->value[i] = -1;
  for (; *grammar; grammar++) {
    if (*grammar != '%') {
      if (*grammar != *name++)
        return false;
    } else if (*++grammar == '*') {
      return read_pairs (pairs, name, fields);
    } else if (*grammar == '_') {
      if (!skip_squares (&name))
        return false;
    } else if (!read_number (&name, &fields->value[field_of_letter (*grammar)])) {
      return false;
    }
  }
  return !*name;
}

/* -- What it says ------------------------------------------------------------------------------ */

static Phase
phase_of (int64_t context, int64_t generated)
{
  if (context > 0 && generated > 0)
    return PHASE_MIXED;
  return context > 0 ? PHASE_PREFILL : generated > 0 ? PHASE_DECODE : PHASE_NONE;
}

static int64_t
sum (int64_t a, int64_t b)
{
  return a < 0 || b < 0 || a > G_MAXINT64 - b ? -1 : a + b;
}

static int64_t
first_known (int64_t a, int64_t b)
{
  return a >= 0 ? a : b;
}

static Said
said_by (Kind kind, const Fields *f)
{
  const int64_t *v = f->value;
  const int64_t context = v[CONTEXT_REQUESTS], generation = v[GENERATION_REQUESTS];
  Said said = { .phase = PHASE_NONE,
                .requests = first_known (v[REQUESTS], sum (context, generation)),
                .context_tokens = v[CONTEXT_TOKENS],
                .generation_tokens = v[GENERATION_TOKENS],
                .context_keys = v[CONTEXT_KEYS],
                .generation_keys = v[GENERATION_KEYS] };
  switch (kind) {
  case BY_TOKENS:
    said.phase = phase_of (said.context_tokens, said.generation_tokens);
    break;
  case OLD_VLLM: /* the phase of cached requests is not told */
    said.phase = phase_of (context, generation);
    break;
  case BY_REQUESTS: /* with speculation, the tokens of a decode are unknown */
    said.phase = phase_of (context, generation);
    said.context_tokens = context == 0 ? 0 : said.context_tokens;
    break;
  case PREFILL:
    said.phase = PHASE_PREFILL;
    said.context_tokens = first_known (said.context_tokens, v[TOKENS]);
    said.generation_tokens = 0;
    said.context_keys = first_known (said.context_keys, v[KEYS]);
    break;
  case DECODE:
    said.phase = context > 0 ? PHASE_MIXED : PHASE_DECODE;
    if (context > 0)
      break;
    said.context_tokens = 0;
    said.generation_tokens
        = first_known (said.generation_tokens, first_known (v[TOKENS], said.requests));
    said.generation_keys = first_known (said.generation_keys, v[KEYS]);
    break;
  case MIXED:
    said.phase = PHASE_MIXED;
    break;
  case VERIFY:
  case DRAFT: /* how many tokens are taken it does not say */
    said.phase = kind == VERIFY ? PHASE_VERIFY : PHASE_DRAFT;
    said.context_tokens = said.generation_tokens = -1;
    break;
  case DIFFUSION:
    said.phase = PHASE_DIFFUSION;
    break;
  case IDLE:
    break;
  }
  if (said.requests == 0) /* others of a group work, and this one only takes part */
    said.phase = PHASE_NONE;
  return said;
}

Said
inference_said (const char *name)
{
  Fields fields;
  for (gsize i = 0; i < G_N_ELEMENTS (grammars); i++)
    if (follows (name, grammars[i].grammar, grammars[i].pairs, &fields))
      return said_by (grammars[i].kind, &fields);
  return (Said){ PHASE_NONE, -1, -1, -1, -1, -1 };
}
