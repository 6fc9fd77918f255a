/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.c - joins the tensors of the model with a metaneff beside the NEFF, which says what
 * each is in the framework's model. A metaneff names no NEFF, so it must fit: all of its tensors
 * are the model's, with as many elements. */
#include "neff.h"

#include "../common/beside.h"
#include "../common/metaneff.h"

#include <string.h>

#define MOST_BYTES (UINT64_C (1) << 28)

static int
collect (void *user, const char *name)
{
  if (g_str_equal (name, "metaneff") || g_str_equal (name, "metaneff.pb"))
    g_ptr_array_add (user, g_strdup (name));
  return 0;
}

/* Returns the product of "[2,290]"; 0: it is not known. */
static guint64
elements_of (const char *shape)
{
  guint64 elements = 1;
  if (!shape)
    return 0;
  for (const char *p = shape; *p; p++) {
    if (!g_ascii_isdigit (*p))
      continue;
    char *end;
    if (__builtin_mul_overflow (elements, g_ascii_strtoull (p, &end, 10), &elements))
      return 0;
    p = end - 1;
  }
  return elements;
}

/* Returns the model's tensor of that name and usage; NULL: it has none, or one of another size. */
static NeffTensor *
tensor_of (const Neff *n, const NeuronWire *field, const NeuronParameter *p)
{
  g_autofree char *key = g_strconcat (neuron_metaneff_usage (field), "/", p->name, NULL);
  NeffTensor *t = g_hash_table_lookup (n->interface, key);
  guint64 elements = t ? elements_of (t->shape) : 0;
  bool other = elements && p->shape && p->elements && p->elements != elements;
  return other ? NULL : t;
}

/* Finds what the metaneff calls the tensors; returns NULL, or what does not fit, transfer full. */
static char *
find_names (const Neff *n, const GByteArray *bytes, GHashTable *found)
{
  guint64 at = 0;
  NeuronWire w;
  while (neuron_wire_next (bytes->data, &at, bytes->len, &w)) {
    NeuronParameter p;
    const char *usage = neuron_metaneff_usage (&w);
    if (!usage)
      continue;
    bool ok = neuron_parameter_read (bytes->data, &w, &p);
    NeffTensor *tensor = ok ? tensor_of (n, &w, &p) : NULL;
    char *problem = !ok ? g_strdup_printf ("no tensor at byte %" G_GUINT64_FORMAT, w.from)
                    : !tensor
                        ? g_strdup_printf ("the NEFF has no %s of the name and size of \"%.60s\"",
                                           usage, p.name)
                        : NULL;
    if (tensor)
      g_hash_table_insert (found, tensor, g_steal_pointer (&p.parameter));
    neuron_parameter_clear (&p);
    if (problem)
      return problem;
  }
  return at == bytes->len ? NULL : g_strdup_printf ("no field at byte %" G_GUINT64_FORMAT, at);
}

static gboolean
take_name (gpointer tensor, gpointer name, gpointer user)
{
  NeffTensor *t = tensor;
  (void) user;
  g_free (t->parameter);
  t->parameter = name;
  return TRUE;
}

static void
join (const Neff *n, const char *name)
{
  g_autoptr (GByteArray) bytes = neuron_read_beside (n->host, name, MOST_BYTES);
  g_autoptr (GHashTable) found = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autofree char *problem = bytes ? find_names (n, bytes, found) : NULL;
  if (problem)
    nprof_log (n->host, NPROF_WARNING,
               "%s beside it is not used, for it is damaged or of another model: %s", name,
               problem);
  else
    g_hash_table_foreach_steal (found, take_name, NULL);
}

nprof_status
neff_parameters (Neff *n)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!g_hash_table_size (n->interface))
    return NPROF_OK;
  nprof_status status = n->host->siblings (n->host, collect, names);
  for (guint i = 0; !status && i < names->len; i++)
    join (n, g_ptr_array_index (names, i));
  return status;
}
