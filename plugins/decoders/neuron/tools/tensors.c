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

nprof_status
nt_tensor (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t names[] = { NT_K_VARIABLE_NAME, NT_K_NAME, 0 };
  const TeValue *name = nt_take_first (r, names), *type = nt_take (r, NT_K_TYPE),
                *shape = nt_take (r, NT_K_SHAPE), *dtype = nt_take (r, NT_K_DTYPE);
  int64_t bytes = 0;
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
  const struct tensors_row row = {
    .name = nprof_some_text (text),
    .usage = nprof_some_str (type && type->kind == TE_TEXT ? usage_of (t, type) : 0),
    .shape = nprof_some_str (shape ? shape_of (t, shape) : 0),
    .dtype = nprof_some_str (dtype && dtype->kind == TE_TEXT ? nt_text (t, dtype) : 0),
    .bytes = nprof_uint_if (sized, (uint64_t) bytes),
  };
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    if (!m->used) {
      g_autofree char *key = nt_dup (&m->key);
      g_autofree char *what = g_strdup_printf ("%.60s of a tensor", key);
      nt_skip_record (t, m->from, what, "the table has no column for it");
    }
  }
  return t->host->row (t->host, &tensors_table,
                       tensors_cells (nprof_cell_str (t->label), &row).cells);
}
