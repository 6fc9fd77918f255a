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

/* Returns whether any of n handles is this one, by the C library's search, which compares many at
 * once: most batches have none of a rare key, category or name. */
static inline bool
an_any_is (const nprof_str *handles, uint32_t n, nprof_str handle)
{
  _Static_assert (sizeof (wchar_t) == sizeof (nprof_str), "wmemchr compares handles");
  return n && wmemchr ((const wchar_t *) handles, (wchar_t) handle, n);
}

/* Returns whether any row of the batch has it. */
static inline bool
an_any_has_key (const struct nprof_batch *batch, nprof_str key)
{
  return batch->attr_at && an_any_is (batch->attr_key, batch->n_attrs, key);
}

#endif
