/* SPDX-License-Identifier: Apache-2.0 */
/* moved-bytes.h - how many bytes a row says that it copies; and finds from the shapes of its
 * arguments how many an operator of PyTorch must move that computes element by element, reduces,
 * casts or copies. */
#ifndef AN_MOVED_BYTES_H
#define AN_MOVED_BYTES_H

#include <glib.h>
#include <nprof/plugin.h>

/* `key` is the handle of NPROF_KEY_BYTES.  0: the row does not say. */
static inline gint64
an_copied_bytes (const struct nprof_batch *batch, uint32_t i, nprof_str key)
{
  if (batch->attr_at)
    for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++)
      if (batch->attr_key[j] == key
          && (batch->attr_type[j] == NPROF_INT64 || batch->attr_type[j] == NPROF_UINT64))
        return MAX (0, batch->attr_value[j].i);
  return 0;
}

/* arguments: as KEY_ARGUMENTS of profile/product-names.h has them.  Every input is read once; the
 * result is written once, and is as large as the largest of them; a reduction writes nothing that
 * counts.  < 0: it is no such operator, or a size or a type is unknown. */
gint64 an_moved_bytes (const char *operator_name, const char *arguments);
/* Returns what it writes of that. */
gint64 an_written_bytes (const char *operator_name, const char *arguments);

#endif
