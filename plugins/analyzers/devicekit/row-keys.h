/* SPDX-License-Identifier: Apache-2.0 */
/* row-keys.h - tells whether rows have an attribute of a key. */
#ifndef AN_ROW_KEYS_H
#define AN_ROW_KEYS_H

#include <nprof/plugin.h>
#include <stdbool.h>
#include <wchar.h>

static inline bool
an_has_key (const struct nprof_batch *batch, uint32_t i, nprof_str key)
{
  for (uint32_t j = batch->attr_at[i], end = batch->attr_at[i + 1]; j < end; j++)
    if (batch->attr_key[j] == key)
      return true;
  return false;
}

/* Returns whether any row of the batch has it, by the C library's search, which compares many keys
 * at once: most batches have none of a rare key. */
static inline bool
an_any_has_key (const struct nprof_batch *batch, nprof_str key)
{
  _Static_assert (sizeof (wchar_t) == sizeof (nprof_str), "wmemchr compares handles");
  return batch->attr_at && batch->n_attrs
         && wmemchr ((const wchar_t *) batch->attr_key, (wchar_t) key, batch->n_attrs);
}

#endif
