/* SPDX-License-Identifier: Apache-2.0 */
/* written.c - what a run has written, in words. */

#include "output/output-file.h"
#include "output/target.h"

#include <nprof/units.h>

#define FILES_TOLD 6

char *
np_outputs_written (const NpOutputs *outputs)
{
  GString *text = g_string_new (NULL);
  guint n = 0;
  for (guint i = 0; i < outputs->files->len; i++) {
    const NpOutputFile *file = g_ptr_array_index (outputs->files, i);
    if (file->is_stdout || n++ >= FILES_TOLD)
      continue;
    g_autofree char *path = np_printable (file->path, -1);
    g_string_append_printf (text, "%s%s (%s)", n > 1 ? ", " : "", path,
                            nprof_bytes ((double) file->bytes).text);
  }
  if (n > FILES_TOLD)
    g_string_append_printf (text, " and %u more file%s", n - FILES_TOLD,
                            n == FILES_TOLD + 1 ? "" : "s");
  return g_string_free (text, n == 0);
}

guint64
np_outputs_bytes (const NpOutputs *outputs)
{
  guint64 bytes = 0;
  for (guint i = 0; i < outputs->files->len; i++)
    bytes += ((const NpOutputFile *) g_ptr_array_index (outputs->files, i))->bytes;
  return bytes;
}
