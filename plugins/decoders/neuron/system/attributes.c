/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - takes the attributes of a start and its stop together: they carry different
 * keys. */
#include "system.h"

#include <nprof/format.h>
#include <nprof/json.h>
#include <string.h>

enum { RECORD_PAIR = 12, MOST_PAIRS = 256 };

#define PAIR(pairs, i) (&g_array_index ((pairs), SystemPair, (i)))

/* -- Reading ----------------------------------------------------------------------------------- */

static int
text_order (const char *a, uint64_t a_len, const char *b, uint64_t b_len)
{
  uint64_t n = MIN (a_len, b_len);
  int order = n ? memcmp (a, b, n) : 0;
  return order ? order : a_len < b_len ? -1 : a_len > b_len;
}

static int
by_key (gconstpointer a, gconstpointer b)
{
  const SystemPair *x = a, *y = b;
  int order = text_order (x->pair.key, x->pair.key_len, y->pair.key, y->pair.key_len);
  return order ? order : (int) x->of_stop - (int) y->of_stop;
}

static bool
is_there (const GArray *pairs, const NeuronPair *pair)
{
  for (guint i = 0; i < pairs->len; i++) {
    const NeuronPair *other = &PAIR (pairs, i)->pair;
    if (!text_order (other->key, other->key_len, pair->key, pair->key_len)
        && !text_order (other->value, other->value_len, pair->value, pair->value_len))
      return true;
  }
  return false;
}

static void
add_pairs (System *s, GArray *pairs, const SystemFile *file, const SystemRecord *record,
           bool of_stop)
{
  uint64_t at = record->at;
  SystemPair one = { .of_stop = of_stop };
  NeuronWire w;
  while (neuron_wire_next (file->data, &at, record->to, &w)) {
    if (w.number != RECORD_PAIR || w.wire != 2 || !neuron_wire_pair (file->data, &w, &one.pair)
        || !one.pair.key || is_there (pairs, &one.pair))
      continue;
    if (pairs->len < MOST_PAIRS)
      g_array_append_val (pairs, one);
    else
      s->host->skip (s->host, "attribute", w.from, "a record has more than 256 of them");
  }
}

GArray *
system_pairs (System *s, const SystemFile *file, const SystemRecord *start,
              const SystemRecord *stop)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (SystemPair));
  add_pairs (s, pairs, file, start, start->phase == PHASE_STOP);
  if (stop)
    add_pairs (s, pairs, file, stop, true);
  if (pairs->len)
    g_array_sort (pairs, by_key);
  return pairs;
}

/* -- One of them ------------------------------------------------------------------------------- */

static SystemPair *
find (const GArray *pairs, const char *key)
{
  for (guint i = 0; i < pairs->len; i++) {
    SystemPair *p = PAIR (pairs, i);
    if (neuron_pair_is (&p->pair, key))
      return p;
  }
  return NULL;
}

bool
system_see_number (const GArray *pairs, const char *key, bool of_stop, int64_t *number)
{
  for (guint i = 0; i < pairs->len; i++) {
    const SystemPair *p = PAIR (pairs, i);
    if (p->of_stop == of_stop && neuron_pair_is (&p->pair, key))
      return p->pair.value && neuron_number (p->pair.value, p->pair.value_len, number);
  }
  return false;
}

bool
system_number (GArray *pairs, const char *key, int64_t *number)
{
  SystemPair *p = find (pairs, key);
  if (!p || !p->pair.value || !neuron_number (p->pair.value, p->pair.value_len, number))
    return false;
  p->used = true;
  return true;
}

const NeuronPair *
system_text (GArray *pairs, const char *key)
{
  SystemPair *p = find (pairs, key);
  if (!p || !p->pair.value)
    return NULL;
  p->used = true;
  return &p->pair;
}

/* -- The rest ---------------------------------------------------------------------------------- */

/* A key that start and stop both have, with other values, is the stop's as stop_KEY. */
static bool
is_second (const GArray *pairs, guint i)
{
  const NeuronPair *here = &PAIR (pairs, i)->pair, *before = i ? &PAIR (pairs, i - 1)->pair : NULL;
  return before && !text_order (here->key, here->key_len, before->key, before->key_len);
}

/* All values are text; what is a number in JSON's sense becomes one. */
static void
put_value (struct nprof_buf *to, const NeuronPair *pair)
{
  int64_t number;
  bool zeros = pair->value_len > 1 && pair->value[0] == '0';
  if (pair->value && !zeros && neuron_number (pair->value, pair->value_len, &number))
    nprof_put_i64 (to, number);
  else
    nprof_put_json_string (to, pair->value ? pair->value : "", (size_t) pair->value_len, 0);
}

nprof_status
system_args (System *s, const GArray *pairs)
{
  struct nprof_buf to = { 0 };
  for (guint i = 0; i < pairs->len; i++) {
    const SystemPair *p = PAIR (pairs, i);
    if (p->used)
      continue;
    nprof_put_text (&to, to.len ? ",\"" : "{\"");
    if (is_second (pairs, i))
      nprof_put_text (&to, "stop_");
    nprof_put_json_inside (&to, p->pair.key, (size_t) p->pair.key_len, 0);
    nprof_put_text (&to, "\":");
    put_value (&to, &p->pair);
  }
  if (to.len)
    nprof_put_char (&to, '}');
  nprof_status status
      = to.failed ? nprof_fail (s->host, NPROF_E_NOMEM, "no memory for the attributes of a row")
        : to.len  ? nprof_attr_bytes (s->w, s->key.args, NPROF_JSON, to.data, (uint32_t) to.len)
                  : NPROF_OK;
  nprof_buf_clear (&to);
  return status;
}
