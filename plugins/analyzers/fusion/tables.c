/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes the tables fusions and fusion_members. */
#include "fusion.h"
#include "members.h"

NPROF_TABLE (fusion_members, "What fusions were made of", NULL, FUSION_MEMBERS)

NPROF_TABLE (fusions, "Fusions", "By total time; clones of one fusion are one row.", FUSIONS)

typedef struct {
  Fusion *self;
  GHashTable *of; /* 1 + number of a fusion's instruction: array of its members' */
  nprof_str yes, no;
} Writing;

/* -- Members ---------------------------------------------------------------------------------- */

static GHashTable *
members_by_fusion (Fusion *self)
{
  GHashTable *of = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  guint n = self->instructions->len;
  for (guint i = 0; i < n; i++) {
    const Instruction in = g_array_index (self->instructions, Instruction, i);
    if (!in.fusion || in.opcode == self->opcode_parameter)
      continue;
    guint32 id[ID_WORDS];
    memcpy (id, an_key_table_key (&self->instruction_ids, i), sizeof id);
    id[ID_NAME] = in.fusion;
    guint32 number = fusion_instruction_number (self, id);
    GArray *list = g_hash_table_lookup (of, GUINT_TO_POINTER (number + 1));
    if (!list) {
      list = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (of, GUINT_TO_POINTER (number + 1), list);
    }
    g_array_append_val (list, i);
  }
  return of;
}

static const GArray *
members_of (const Writing *w, guint number)
{
  guint32 id[ID_WORDS];
  const Group *group = fusion_at (w->self, number);
  if (!group->source)
    return NULL;
  memcpy (id, an_key_table_key (&w->self->group_ids, number), sizeof id);
  id[ID_NAME] = group->source;
  guint32 source = fusion_instruction_number (w->self, id);
  return g_hash_table_lookup (w->of, GUINT_TO_POINTER (source + 1));
}

/* Returns whether the operator has an event: instructions that are only asked for are added behind
 * those that have. */
static bool
is_seen (Fusion *self, const guint32 *id)
{
  return an_key_table_get (&self->seen, id) < self->n_seen;
}

static nprof_status
write_member (const Writing *w, guint number, const char *name, nprof_str opcode,
              nprof_str framework_op, const char *layers, bool seen)
{
  const struct nprof_host *host = w->self->host;
  const Group *group = fusion_at (w->self, number);
  const guint32 *id = an_key_table_key (&w->self->group_ids, number);
  const struct fusion_members_row row = {
    .fusion = nprof_any_str (id[ID_NAME]),
    .member = nprof_some_text (name),
    .opcode = nprof_some_str (opcode),
    .framework_op
    = nprof_some_text (layers ? layers : (framework_op ? nprof_text (host, framework_op) : NULL)),
    .seen = nprof_any_str (seen ? w->yes : w->no),
    .program = nprof_some_str (group->program),
  };
  return host->row (host, &fusion_members_table,
                    fusion_members_cells (nprof_cell_str (id[ID_INPUT]), &row).cells);
}

static nprof_status
write_listed (const Writing *w, guint number)
{
  const Group *group = fusion_at (w->self, number);
  nprof_status status = NPROF_OK;
  for (char **member = group->members; *member && !status; member++) {
    guint32 id[ID_WORDS];
    memcpy (id, an_key_table_key (&w->self->group_ids, number), sizeof id);
    id[ID_NAME] = nprof_intern (w->self->host, *member);
    status = write_member (w, number, *member, 0, 0, group->framework_ops, is_seen (w->self, id));
  }
  return status;
}

static nprof_status
write_members (const Writing *w, guint number)
{
  if (fusion_at (w->self, number)->members)
    return write_listed (w, number);
  const GArray *list = members_of (w, number);
  nprof_status status = NPROF_OK;
  for (guint i = 0; list && i < list->len && !status; i++) {
    guint at = g_array_index (list, guint, i);
    guint32 id[ID_WORDS];
    memcpy (id, an_key_table_key (&w->self->instruction_ids, at), sizeof id);
    const Instruction in = g_array_index (w->self->instructions, Instruction, at);
    status = write_member (w, number, nprof_text (w->self->host, id[ID_NAME]), in.opcode,
                           in.framework_op, NULL, is_seen (w->self, id));
  }
  return status;
}

/* -- Fusions ----------------------------------------------------------------------------------- */

static struct nprof_maybe_uint
count_members (const Writing *w, guint number)
{
  const Group *group = fusion_at (w->self, number);
  if (group->members)
    return nprof_some_uint (g_strv_length (group->members));
  const GArray *list = members_of (w, number);
  return nprof_uint_if (list, list ? list->len : 0);
}

/* Returns NULL where a name alone says that it is a fusion, or no section of a device shows it. */
static const char *
how_fused (const Fusion *self, const Group *group)
{
  if (group->in_section)
    return !group->members ? NULL : group->parallel ? "parallel" : "compiler";
  const char *category = nprof_text (self->host, group->category);
  bool by_compiler
      = group->source || fusion_is_category (category) || !strcmp (category, "compiler");
  return by_compiler ? "compiler" : NULL;
}

static nprof_status
write_fusion (const Writing *w, guint number)
{
  const struct nprof_host *host = w->self->host;
  const Group *group = fusion_at (w->self, number);
  const guint32 *id = an_key_table_key (&w->self->group_ids, number);
  bool known = group->has_events && !group->overflow;
  const char *how = how_fused (w->self, group);
  const struct fusions_row row = {
    .fusion = nprof_any_str (id[ID_NAME]),
    .category = nprof_some_str (group->category),
    .program = nprof_some_str (group->program),
    .calls = nprof_uint_if (group->has_events, group->occurrences),
    .total = nprof_int_if (known, group->total),
    .self = nprof_int_if (known, group->self),
    .members = count_members (w, number),
    .how = nprof_some_str (how ? nprof_intern (host, how) : 0),
  };
  return host->row (host, &fusions_table,
                    fusions_cells (nprof_cell_str (id[ID_INPUT]), &row).cells);
}

static guint32
input_number (const Fusion *self, nprof_str label)
{
  const struct nprof_input_info *info;
  uint32_t i = 0;
  while ((info = self->host->input (self->host, i)) && info->label != label)
    i++;
  return i;
}

/* Sorts inputs in their order, then the most time first, then by program and name. */
static int
by_time (const void *pa, const void *pb, void *user)
{
  Fusion *self = user;
  guint a = *(const guint *) pa, b = *(const guint *) pb;
  const Group *x = fusion_at (self, a), *y = fusion_at (self, b);
  const guint32 *i = an_key_table_key (&self->group_ids, a),
                *j = an_key_table_key (&self->group_ids, b);
  if (i[ID_INPUT] != j[ID_INPUT])
    return input_number (self, i[ID_INPUT]) < input_number (self, j[ID_INPUT]) ? -1 : 1;
  if (x->total != y->total)
    return x->total > y->total ? -1 : 1;
  int order = strcmp (nprof_text (self->host, x->program), nprof_text (self->host, y->program));
  if (!order)
    order = strcmp (nprof_text (self->host, i[ID_NAME]), nprof_text (self->host, j[ID_NAME]));
  return order ? order : memcmp (i, j, ID_WORDS * sizeof *i);
}

nprof_status
fusion_write (Fusion *self)
{
  guint n = self->groups->len;
  g_autofree guint *sorted = g_new (guint, n + 1);
  g_autoptr (GHashTable) of = members_by_fusion (self);
  self->n_seen = self->seen.n;
  const Writing w = { self, of, nprof_intern (self->host, "yes"), nprof_intern (self->host, "no") };
  for (guint i = 0; i < n; i++)
    sorted[i] = i;
  g_qsort_with_data (sorted, (int) n, sizeof *sorted, by_time, self);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < n && !status; i++)
    status = write_fusion (&w, sorted[i]);
  for (guint i = 0; i < n && !status; i++)
    status = write_members (&w, sorted[i]);
  return status;
}
