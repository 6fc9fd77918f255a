/* SPDX-License-Identifier: Apache-2.0 */
/* assemble.c - decides how a column is put together; flat.c and map.c do it. */
#include "assemble.h"

void
pq_assembled_clear (struct pq_assembled *w)
{
  struct nprof_buf *const bufs[] = { &w->ids,    &w->lists, &w->bits,       &w->data,
                                     &w->of_set, &w->made,  &w->made_spans, &w->spelling };
  for (unsigned k = 0; k < sizeof bufs / sizeof *bufs; k++)
    nprof_buf_clear (bufs[k]);
}

static bool
number_own (struct pq_assembled *w, struct pq_dict *dict, const struct pq_values *v)
{
  w->filled = true;
  w->ids.len = 0;
  if (!nprof_buf_need (&w->ids, v->n * sizeof (uint32_t)))
    return false;
  w->numbered = v->n && !w->unnumbered && pq_number_begin (dict, v->n, w->expected)
                && pq_number (dict, (void *) w->ids.data, v, w->texts);
  return true;
}

bool
pq_assemble (struct pq_assembled *w, struct pq_dict *dict, const struct pq_values *v,
             const struct pq_rows *rows, size_t n_rows, struct pq_texts texts)
{
  w->v = *v;
  w->texts = texts;
  w->spelled = false;
  if (pq_is_map (v->kind))
    return pq_assemble_map (w, dict, rows, n_rows) && !dict->failed;
  if (v->shared.len)
    return pq_assemble_flat (w, dict, v, rows, n_rows) && !dict->failed;
  return number_own (w, dict, v) && !dict->failed;
}

bool
pq_assemble_values (struct pq_assembled *w, const struct pq_dict *dict)
{
  const uint32_t *ids = (const void *) w->ids.data;
  size_t width = pq_width (w->v.kind), n = w->v.n;
  if (w->filled)
    return true;
  w->data.len = 0;
  if (!nprof_buf_need (&w->data, n * width))
    return false;
  const uint64_t *from = pq_is_bytes (w->v.kind) ? dict->refs : dict->keys;
  uint32_t *to_32 = (void *) w->data.data;
  uint64_t *to_64 = (void *) w->data.data;
  for (size_t k = 0; width == 4 && k < n; k++)
    to_32[k] = (uint32_t) from[ids[k]];
  for (size_t k = 0; width == 8 && k < n; k++)
    to_64[k] = from[ids[k]];
  w->v.data = w->data;
  w->filled = true;
  return true;
}

bool
pq_assemble_texts (struct pq_assembled *w)
{
  const uint32_t *refs = (const void *) w->v.data.data;
  size_t n = w->v.n, bytes = 0;
  if (w->spelled)
    return true;
  w->spelling.len = 0;
  if (!nprof_buf_need (&w->spelling, n * sizeof (struct pq_text)))
    return false;
  struct pq_text *to = (void *) w->spelling.data;
  for (size_t k = 0; k < n; k++) {
    to[k] = pq_values_text (&w->v, refs[k], w->texts.of, w->texts.user);
    bytes += to[k].len;
  }
  w->text_bytes = bytes;
  w->spelled = true;
  return true;
}
