/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c - an .npy file whole: magic, version, header, and the data that its shape promises. */

#include "npy.h"
#include "base/error.h"
#include "base/log.h"

#include <string.h>

#define HEADER_MOST 65536 /* numpy writes a few hundred bytes */

static const char magic[] = "\x93NUMPY";

static gboolean
fail (GError **error, const char *path, gsize at, const char *problem)
{
  g_autofree char *shown = np_printable (path, -1);
  return np_error_set (error, NP_EXIT_USAGE, "%s: byte %" G_GSIZE_FORMAT ": %s", shown, at,
                       problem);
}

/* Finds the header's text, `n` bytes at `from`, 64 KiB at most; FALSE with an error. */
static gboolean
find_header (const guint8 *file, gsize len, const char *path, gsize *from, gsize *n, GError **error)
{
  if (len < 6 || memcmp (file, magic, 6))
    return fail (error, path, 0, "this is no .npy file: save the array with numpy.save");
  if (len < 8)
    return fail (error, path, len, "the file ends within its header: copy it again");
  guint version = file[6], width = version == 1 ? 2 : 4;
  if (version < 1 || version > 3)
    return fail (error, path, 6, "this version of .npy is not known, expected 1, 2 or 3");
  if (len < 8 + width)
    return fail (error, path, len, "the file ends within its header: copy it again");
  *n = 0;
  for (guint i = 0; i < width; i++)
    *n |= (gsize) file[8 + i] << (8 * i);
  *from = 8 + width;
  if (*n > HEADER_MOST)
    return fail (error, path, 8, "a header of more than 64 KiB belongs to no array of a tensor");
  if (*n > len - *from)
    return fail (error, path, len, "the file ends within its header: copy it again");
  return TRUE;
}

/* "<f4" as kind and width.  NULL: taken; else what is wrong with it. */
static const char *
read_type (const char *descr, NpNpy *npy)
{
  static const char wrong[] = "expected the type of a number in quotes, such as '<f4'";
  gint64 width = 0;
  if (*descr == '>')
    return "its bytes are in big-endian order: save it with "
           "array.astype(array.dtype.newbyteorder('<'))";
  if (!*descr || !strchr ("<|=", *descr) || !descr[1])
    return wrong;
  if (!strchr ("iufbV", descr[1]))
    return "numbers of this type cannot be given to a tensor, expected i, u, f, b or V";
  for (const char *p = descr + 2; *p; p++) {
    if (!g_ascii_isdigit (*p) || width > 4096)
      return wrong;
    width = width * 10 + (*p - '0');
  }
  npy->kind = descr[1];
  npy->width = (guint) width;
  return width ? NULL : wrong;
}

/* Multiplies the shape by the width of an element; FALSE: that overflows. */
static gboolean
multiply (const NpNpyDict *dict, guint width, guint64 *bytes)
{
  gboolean empty = FALSE;
  for (guint i = 0; i < dict->n_dims; i++)
    empty = empty || !dict->shape[i];
  *bytes = empty ? 0 : width;
  for (guint i = 0; !empty && i < dict->n_dims; i++)
    if (__builtin_mul_overflow (*bytes, dict->shape[i], bytes))
      return FALSE;
  return TRUE;
}

static gboolean
is_by_columns (const NpNpyDict *dict)
{
  guint n = 0;
  for (guint i = 0; i < dict->n_dims; i++)
    n += dict->shape[i] > 1;
  return dict->fortran && n > 1;
}

static gboolean
check_data (gsize len, const char *path, NpNpy *npy, guint64 bytes, GError **error)
{
  npy->bytes = len - npy->offset;
  if (npy->bytes == bytes)
    return TRUE;
  g_autofree char *text = np_npy_text (npy), *shown = np_printable (path, -1);
  return np_error_set (error, NP_EXIT_USAGE,
                       "%s: byte %" G_GSIZE_FORMAT ": %" G_GSIZE_FORMAT
                       " bytes of data follow, but %s takes %" G_GUINT64_FORMAT
                       ": the file is cut or damaged, save it again",
                       shown, npy->offset, npy->bytes, text, bytes);
}

gboolean
np_npy_parse (const guint8 *file, gsize len, const char *path, NpNpy *npy, GError **error)
{
  NpNpyDict dict;
  gsize from = 0, n = 0, at;
  guint64 bytes;
  memset (npy, 0, sizeof *npy);
  if (!find_header (file, len, path, &from, &n, error))
    return FALSE;
  const char *problem = np_npy_dict ((const char *) file + from, n, &dict, &at);
  if (problem)
    return fail (error, path, from + at, problem);
  if ((problem = read_type (dict.descr, npy)))
    return fail (error, path, from, problem);
  if (is_by_columns (&dict))
    return fail (error, path, from,
                 "its columns come first (fortran_order): save it with numpy.ascontiguousarray");
  if (!multiply (&dict, npy->width, &bytes))
    return fail (error, path, from, "its shape is larger than any file");
  npy->n_dims = dict.n_dims;
  memcpy (npy->shape, dict.shape, sizeof npy->shape);
  npy->offset = from + n;
  return check_data (len, path, npy, bytes, error);
}

char *
np_npy_text (const NpNpy *npy)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%c%u[", npy->kind, npy->width);
  for (guint i = 0; i < npy->n_dims; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i ? ", " : "", npy->shape[i]);
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

GByteArray *
np_npy_header (char kind, guint width, const guint32 *shape, guint n_dims)
{
  GString *dict = g_string_new (NULL);
  g_string_append_printf (dict, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                          width == 1 || kind == 'V' ? '|' : '<', kind, width);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (dict, "%u,%s", shape[i], i + 1 < n_dims ? " " : "");
  g_string_append (dict, "), }");
  while ((10 + dict->len + 1) % 64)
    g_string_append_c (dict, ' ');
  g_string_append_c (dict, '\n');
  GByteArray *header = g_byte_array_new ();
  const guint8 len[] = { (guint8) dict->len, (guint8) (dict->len >> 8) };
  g_byte_array_append (header, (const guint8 *) "\x93NUMPY\1\0", 8);
  g_byte_array_append (header, len, 2);
  g_byte_array_append (header, (const guint8 *) dict->str, (guint) dict->len);
  g_string_free (dict, TRUE);
  return header;
}
