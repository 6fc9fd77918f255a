/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-tensors.c - reads the tensors that libnrt names with the suspicion that its unstable
 * interface asks for, and compares them to the files of inputs. */

#include "nrt-tensors.h"
#include "base/error.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct {
  const char *name, *neff; /* as libnrt and as a NEFF call it */
  guint width;
  char kind; /* of numpy; V: it has none */
} Type;

/* The index is the number of libnrt. */
static const Type types[] = {
  { NULL, NULL, 0, 0 },
  { "U64", "uint64", 8, 'u' },
  { "I8", "int8", 1, 'i' },
  { "U8", "uint8", 1, 'u' },
  { "I16", "int16", 2, 'i' },
  { "U16", "uint16", 2, 'u' },
  { "BF16", "bfloat16", 2, 'V' },
  { "F16", "float16", 2, 'f' },
  { "I32", "int32", 4, 'i' },
  { "U32", "uint32", 4, 'u' },
  { "F32", "float32", 4, 'f' },
  { "FP32R", "float32r", 4, 'f' },
  { "I64", "int64", 8, 'i' },
  { "FP8_E3", "float8_e3m4", 1, 'V' },
  { "FP8_E4", "float8_e4m3", 1, 'V' },
  { "FP8_E5", "float8_e5m2", 1, 'V' },
};

static void
tensor_clear (gpointer data)
{
  g_free (((NpNrtTensor *) data)->name);
}

GArray *
np_nrt_tensors_new (void)
{
  GArray *tensors = g_array_new (FALSE, TRUE, sizeof (NpNrtTensor));
  g_array_set_clear_func (tensors, tensor_clear);
  return tensors;
}

int
np_nrt_dtype (const char *name)
{
  for (guint i = 1; name && i < G_N_ELEMENTS (types); i++)
    if (!strcmp (name, types[i].neff))
      return (int) i;
  return 0;
}

void
np_nrt_numpy (const NpNrtTensor *tensor, char *kind, guint *width)
{
  *kind = tensor->dtype ? types[tensor->dtype].kind : 'V';
  *width = tensor->dtype ? types[tensor->dtype].width : 1;
}

/* -- What libnrt says ----------------------------------------------------------- */

/* Copies memory of this process that may not be there.  FALSE: it is not. */
static gboolean
copy (void *into, const void *from, gsize size)
{
  struct iovec to = { into, size }, of = { (void *) from, size };
  ssize_t n = process_vm_readv (getpid (), &to, 1, &of, 1, 0);
  if (n < 0 && (errno == ENOSYS || errno == EPERM)) { /* a container may forbid to ask so */
    memcpy (into, from, size);
    return TRUE;
  }
  return n == (ssize_t) size;
}

static gboolean
is_name (const char name[256])
{
  const char *end = memchr (name, 0, 256);
  for (const char *p = name; end && p < end; p++)
    if (g_ascii_iscntrl (*p))
      return FALSE;
  return end && end != name && g_utf8_validate (name, end - name, NULL);
}

/* NULL: it can be; else what cannot. */
static const char *
check_info (const NpNrtTensorInfo *info, guint32 shape[NP_NPY_DIMS])
{
  guint64 bytes;
  if (!is_name (info->name))
    return "a name that no text is";
  if (info->usage != 0 && info->usage != 1)
    return "a usage that is neither input nor output";
  if (info->dtype < 1 || (guint) info->dtype >= G_N_ELEMENTS (types))
    return "an unknown type";
  if (info->n_dims > NP_NPY_DIMS)
    return "more than 32 dimensions";
  if (info->n_dims && !copy (shape, info->shape, info->n_dims * sizeof *shape))
    return "a shape that lies nowhere";
  bytes = types[info->dtype].width;
  for (guint i = 0; i < info->n_dims; i++)
    if (__builtin_mul_overflow (bytes, shape[i], &bytes))
      return "a shape that is larger than any memory";
  return bytes == info->size ? NULL : "a size that is not that of its shape and type";
}

static char *
add_info (const NpNrtTensorInfo *from, guint64 index, GArray *tensors)
{
  NpNrtTensorInfo info;
  NpNrtTensor tensor = { 0 };
  const char *problem = copy (&info, from, sizeof info) ? check_info (&info, tensor.shape)
                                                        : "a place that lies nowhere";
  if (problem)
    return g_strdup_printf ("tensor %" G_GUINT64_FORMAT " has %s", index, problem);
  tensor.name = g_strdup (info.name);
  tensor.output = info.usage == 1;
  tensor.size = info.size;
  tensor.dtype = info.dtype;
  tensor.n_dims = info.n_dims;
  g_array_append_val (tensors, tensor);
  return NULL;
}

char *
np_nrt_tensors_read (const NpNrtTensorInfos *infos, GArray *tensors)
{
  guint64 count = 0;
  if (!infos || !copy (&count, infos, sizeof count))
    return g_strdup ("it lies nowhere");
  if (count < 1 || count > NP_NRT_TENSORS_MOST)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " tensors", count);
  for (guint64 i = 0; i < count; i++) {
    char *problem = add_info (&infos->tensors[i], i, tensors);
    if (problem) {
      g_array_set_size (tensors, 0);
      return problem;
    }
  }
  return NULL;
}

/* -- Against the files of inputs --------------------------------------------------- */

static char *
tensor_text (const NpNrtTensor *t)
{
  GString *text = g_string_new (t->dtype ? types[t->dtype].name : "unknown");
  g_string_append_c (text, '[');
  for (guint i = 0; i < t->n_dims; i++)
    g_string_append_printf (text, "%s%u", i ? ", " : "", t->shape[i]);
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

static const NpNrtTensor *
find_input (const GArray *tensors, const char *name)
{
  for (guint i = 0; i < tensors->len; i++) {
    const NpNrtTensor *t = &g_array_index (tensors, NpNrtTensor, i);
    if (!t->output && !strcmp (t->name, name))
      return t;
  }
  return NULL;
}

static void
unknown_input (const GArray *tensors, const char *name, GError **error)
{
  g_autofree char *shown = np_printable (name, -1);
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < tensors->len; i++) {
    const NpNrtTensor *t = &g_array_index (tensors, NpNrtTensor, i);
    if (!t->output)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", t->name);
  }
  np_error_set (error, NP_EXIT_USAGE, "the model has no input %s; it has %s", shown,
                names->len ? names->str : "none");
}

/* Returns whether it has the same shape, and a type that numpy has or that stands for it. */
static gboolean
is_alike (const NpNpy *npy, const NpNrtTensor *t)
{
  char kind;
  guint width;
  np_nrt_numpy (t, &kind, &width);
  gboolean same = npy->width == width
                  && (npy->kind == kind || npy->kind == 'V' || (kind == 'V' && npy->kind == 'u'));
  if (!same && t->dtype)
    return FALSE;
  if (npy->n_dims != t->n_dims)
    return FALSE;
  for (guint i = 0; i < t->n_dims; i++)
    if (npy->shape[i] != t->shape[i])
      return FALSE;
  return TRUE;
}

gboolean
np_nrt_inputs_fit (const GPtrArray *inputs, const GArray *tensors,
                   void (*warn) (gpointer user, const char *text), gpointer user, GError **error)
{
  for (guint i = 0; i < inputs->len; i++) {
    const NpNrtInput *input = inputs->pdata[i];
    const NpNrtTensor *t = find_input (tensors, input->name);
    if (!t) {
      unknown_input (tensors, input->name, error);
      return FALSE;
    }
    g_autofree char *ours = np_npy_text (&input->npy), *theirs = tensor_text (t);
    if (input->npy.bytes != t->size)
      return np_error_set (error, NP_EXIT_USAGE,
                           "%s: %s has %" G_GSIZE_FORMAT
                           " bytes %s, the model wants %" G_GUINT64_FORMAT " bytes %s",
                           t->name, input->path, input->npy.bytes, ours, t->size, theirs);
    if (is_alike (&input->npy, t))
      continue;
    g_autofree char *text = g_strdup_printf (
        "%s: %s is %s, the model wants %s; of the same size, so it is given as it is", t->name,
        input->path, ours, theirs);
    warn (user, text);
  }
  return TRUE;
}
