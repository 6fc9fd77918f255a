/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - writes values as they are.  Little endian, as all machines are that nprof is
 * built for. */
#include "plain.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "plain values are little endian");

static void
put_text (struct nprof_buf *to, struct pq_text text)
{
  if (!nprof_buf_need (to, 4 + (size_t) text.len))
    return;
  memcpy (to->data + to->len, &text.len, 4);
  if (text.len)
    memcpy (to->data + to->len + 4, text.data, text.len);
  to->len += 4 + (size_t) text.len;
}

static void
put_bools (struct nprof_buf *to, const uint8_t *values, size_t n)
{
  size_t bytes = (n + 7) / 8;
  if (!nprof_buf_need (to, bytes))
    return;
  uint8_t *at = (uint8_t *) to->data + to->len;
  memset (at, 0, bytes);
  for (size_t k = 0; k < n; k++)
    at[k / 8] = (uint8_t) (at[k / 8] | (values[k] != 0) << k % 8);
  to->len += bytes;
}

void
pq_put_plain (struct nprof_buf *to, const struct pq_values *v, size_t from, size_t to_value,
              struct pq_texts texts)
{
  size_t width = pq_width (v->kind);
  const uint32_t *refs = (const void *) v->data.data;
  if (from == to_value)
    return;
  if (v->kind == PQ_BOOL)
    put_bools (to, (const uint8_t *) v->data.data + from, to_value - from);
  else if (!pq_is_bytes (v->kind))
    nprof_put (to, v->data.data + from * width, (to_value - from) * width);
  else
    for (size_t k = from; k < to_value; k++)
      put_text (to, pq_values_text (v, refs[k], texts.of, texts.user));
}

void
pq_put_entries (struct nprof_buf *to, const struct pq_values *v, const struct pq_dict *dict,
                struct pq_texts texts)
{
  for (uint32_t k = 0; k < dict->n; k++) {
    if (pq_is_bytes (v->kind))
      put_text (to, pq_values_text (v, (uint32_t) dict->refs[k], texts.of, texts.user));
    else if (v->kind == PQ_UUID)
      nprof_put (to, v->data.data + dict->refs[k] * 16, 16);
    else
      nprof_put (to, dict->keys + k, pq_width (v->kind));
  }
}
