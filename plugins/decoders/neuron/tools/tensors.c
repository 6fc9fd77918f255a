/* SPDX-License-Identifier: Apache-2.0 */
/* tensors.c - writes the tensors that a device profile lists, as rows of table `tensors`. */
#include "tools.h"

static nprof_str
usage_of (Nt *t, const TeValue *type)
{
  if (te_text_is (type, "IN"))
    return nprof_intern (t->host, "input");
  if (te_text_is (type, "OUT"))
    return nprof_intern (t->host, "output");
  if (te_text_is (type, "WEIGHT"))
    return nprof_intern (t->host, "weight");
  return nt_text (t, type);
}

/* Turns "[2048 512]" into "[2048,512]", as shapes are written everywhere else. */
static nprof_str
shape_of (Nt *t, const TeValue *shape)
{
  g_autofree char *text = nt_dup (shape);
  g_autoptr (GString) own = g_string_new (NULL);
  for (const char *p = text; *p; p++) {
    bool between = g_ascii_isdigit (*p) && p > text && p[-1] == ' ' && own->len
                   && g_ascii_isdigit (own->str[own->len - 1]);
    if (between)
      g_string_append_c (own, ',');
    if (*p != ' ')
      g_string_append_c (own, *p);
  }
  return nprof_intern (t->host, own->str);
}

static struct nprof_cell
text_cell (nprof_str str)
{
  return str ? nprof_cell_str (str) : nprof_cell_null ();
}

nprof_status
nt_tensor (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t names[] = { NT_K_VARIABLE_NAME, NT_K_NAME, 0 };
  const TeValue *name = nt_take_first (r, names), *type = nt_take (r, NT_K_TYPE),
                *shape = nt_take (r, NT_K_SHAPE), *dtype = nt_take (r, NT_K_DTYPE);
  int64_t bytes;
  (void) user;
  bool sized = nt_int (nt_see (r, NT_K_SIZE), &bytes) && bytes >= 0;
  if (name && name->kind == TE_TEXT && name->len == 0 && nt_see (r, NT_K_SG_NAME))
    return NPROF_OK; /* it names a subgraph, and no tensor */
  if (!name || name->kind != TE_TEXT) {
    nt_skip_record (t, r->at, "tensor", "it has no name");
    return NPROF_OK;
  }
  if (sized)
    nt_use (r, NT_K_SIZE);
  g_autofree char *text = nt_dup (name);
  const struct nprof_cell cells[] = {
    nprof_cell_str (t->label),
    nprof_cell_text (text),
    text_cell (type && type->kind == TE_TEXT ? usage_of (t, type) : 0),
    text_cell (shape ? shape_of (t, shape) : 0),
    text_cell (dtype && dtype->kind == TE_TEXT ? nt_text (t, dtype) : 0),
    sized ? nprof_cell_uint ((uint64_t) bytes) : nprof_cell_null (),
    nprof_cell_null (), /* what it is in the framework's model is not said */
  };
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    if (!m->used) {
      g_autofree char *key = nt_dup (&m->key);
      g_autofree char *what = g_strdup_printf ("%.60s of a tensor", key);
      nt_skip_record (t, m->from, what, "the table has no column for it");
    }
  }
  return t->host->row (t->host, &neuron_tensors_table, cells);
}
