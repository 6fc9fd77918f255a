/* SPDX-License-Identifier: Apache-2.0 */
/* command-neff.c - the NEFF that is to be run, read by nprof's own decoder first: a damaged one
 * goes to no device. */

#include "command.h"
#include "console/collect-tables.h"

#include <string.h>

#define VERSIONS_KNOWN 2
#define VERSIONS_LIKELY 256 /* a number beyond this one is no version */

/* Returns the first number of a NEFF, which is the version of its package. */
static guint64
package_version (const guint8 *neff, gsize size)
{
  guint64 version = 0;
  for (guint i = 0; i < 8 && i < size; i++)
    version |= (guint64) neff[i] << (8 * i);
  return version;
}

/* "[2,290]" */
static gboolean
read_shape (const char *text, NpNrtTensor *tensor)
{
  for (const char *at = text; at && strchr ("[,", *at) && *at;) {
    char *end;
    guint64 length = g_ascii_strtoull (at + 1, &end, 10);
    if (end == at + 1 || length > G_MAXUINT32 || tensor->n_dims == NP_NPY_DIMS)
      return FALSE;
    tensor->shape[tensor->n_dims++] = (guint32) length;
    at = end;
  }
  return TRUE;
}

static struct nprof_cell
cell_of (const NpTable *table, guint row, const char *column)
{
  return np_table_cell (table, row, np_table_column (table, column));
}

static const char *
text_of (const NpTable *table, guint row, const char *column)
{
  const struct nprof_cell cell = cell_of (table, row, column);
  return cell.type == NPROF_TEXT || cell.type == NPROF_JSON ? cell.v.text : NULL;
}

static void
add_tensor (const NpTable *table, guint row, GArray *tensors)
{
  const char *usage = text_of (table, row, "usage"), *name = text_of (table, row, "name");
  const struct nprof_cell bytes = cell_of (table, row, "bytes");
  NpNrtTensor tensor = { .output = !g_strcmp0 (usage, "output") };
  if ((!tensor.output && g_strcmp0 (usage, "input")) || !name || bytes.type != NPROF_UINT64
      || !read_shape (text_of (table, row, "shape"), &tensor))
    return;
  tensor.name = g_strdup (name);
  tensor.size = bytes.v.u;
  tensor.dtype = np_nrt_dtype (text_of (table, row, "dtype"));
  g_array_append_val (tensors, tensor);
}

static int
decode (NpCaptureAsked *asked, const char *path, int verbosity, GArray *tensors)
{
  static const char *const wanted[] = { "tensors", NULL };
  g_auto (NpCollected) collected = { 0 };
  NpCliOptions *o = &asked->options;
  int spoken = o->verbosity;
  o->config->decoder = np_spec_new ("neff");
  g_ptr_array_add (o->config->inputs, g_strdup (path));
  np_collect (&collected, wanted, o->config);
  o->no_progress = TRUE;
  o->verbosity = verbosity;
  int code = np_cli_execute (o);
  o->verbosity = spoken;
  const NpTable *table = np_table_store_find (collected.tables, "tensors");
  for (guint row = 0; table && row < table->n_rows; row++)
    add_tensor (table, row, tensors);
  return code;
}

int
np_cli_capture_neff (NpCaptureAsked *asked, NpLog *log, const char *path, const guint8 *neff,
                     gsize size, GArray *tensors)
{
  guint64 version = package_version (neff, size);
  gboolean known
      = size < 8 || (version >= 1 && version <= VERSIONS_KNOWN) || version >= VERSIONS_LIKELY;
  if (!np_registry_get (np_cli_modules (&asked->options), NPROF_DECODER, "neff", NULL)) {
    np_log (log, NPROF_WARNING,
            "%s: not looked into, as this nprof has no decoder neff: libnrt decides", path);
    return NP_EXIT_OK;
  }
  int code = decode (asked, path, known ? asked->options.verbosity : -1, tensors);
  if (code == NP_EXIT_OK || code == NP_EXIT_LOSSES || atomic_load (&np_cli_interrupt))
    return code == NP_EXIT_LOSSES ? NP_EXIT_OK : code;
  if (known)
    return NP_EXIT_INPUT;
  np_log (log, NPROF_WARNING,
          "%s: a NEFF of version %" G_GUINT64_FORMAT
          ", which nprof does not know and cannot check: libnrt decides",
          path, version);
  return NP_EXIT_OK;
}
