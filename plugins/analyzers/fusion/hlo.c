/* SPDX-License-Identifier: Apache-2.0 */
/* hlo.c - keeps instructions of programs, from the tables that the decoders xplane and neff
 * make. */
#include "fusion.h"
#include "members.h"

#include <nprof/sdk.h>

/* -- Columns -------------------------------------------------------------------------------- */

static nprof_str
text_at (const Fusion *self, const struct nprof_cell *row, int column)
{
  const struct nprof_cell *cell = row + column;
  if (column >= 0 && cell->type == NPROF_STRING)
    return cell->v.s;
  if (column >= 0 && cell->type == NPROF_TEXT)
    return self->host->intern (self->host, cell->v.text, cell->len);
  return 0;
}

/* -- hlo_instructions -------------------------------------------------------------------------- */

static char *
program_key (nprof_str input, guint64 program)
{
  return g_strdup_printf ("%u %" G_GUINT64_FORMAT, input, program);
}

bool
fusion_has_program (const Fusion *self, nprof_str input, guint64 program)
{
  g_autofree char *key = program_key (input, program);
  return g_hash_table_contains (self->programs, key);
}

guint32
fusion_instruction_number (Fusion *self, const guint32 id[ID_WORDS])
{
  guint32 number = an_key_table_get (&self->instruction_ids, id);
  if (number == self->instructions->len)
    np_large_array_extend (self->instructions, number + 1);
  return number;
}

const Instruction *
fusion_instruction (Fusion *self, const guint32 id[ID_WORDS])
{
  guint32 number = fusion_instruction_number (self, id);
  const Instruction *in = &g_array_index (self->instructions, Instruction, number);
  return in->opcode || in->program ? in : NULL;
}

void
fusion_hlo_table (Fusion *self, const struct nprof_table *table, const struct nprof_cell *cells,
                  uint32_t n_rows)
{
  const int program
      = nprof_find_column (table, "program"),
      number = nprof_find_column (table, "program_id"),
      name = nprof_find_column (table, "instruction"), opcode = nprof_find_column (table, "opcode"),
      fusion = nprof_find_column (table, "fusion"), kind = nprof_find_column (table, "fusion_kind"),
      framework_op = nprof_find_column (table, "framework_op");
  guint n_columns = nprof_count_columns (table);
  if (number < 0 || name < 0)
    return;
  for (uint32_t i = 0; i < n_rows; i++, cells += n_columns) {
    guint64 id = cells[number].type == NPROF_UINT64 ? cells[number].v.u : 0;
    const guint32 words[ID_WORDS]
        = { cells[0].v.s, (guint32) id, (guint32) (id >> 32), text_at (self, cells, name) };
    guint32 at = fusion_instruction_number (self, words); /* may move the array */
    Instruction *in = &g_array_index (self->instructions, Instruction, at);
    if (in->opcode || in->program) /* the first of that name holds */
      continue;
    *in = (Instruction){ text_at (self, cells, program), text_at (self, cells, opcode),
                         text_at (self, cells, fusion), text_at (self, cells, kind),
                         text_at (self, cells, framework_op) };
    g_hash_table_add (self->programs, program_key (cells[0].v.s, id));
  }
}

/* Adds fusions without an event.  A clone that did not run stays a fusion of its own: only events
 * say what they are clones of. */
void
fusion_add_unseen (Fusion *self)
{
  g_autoptr (GHashTable) ran = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                         taken = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->seen.n; i++) {
    const guint32 *id = an_key_table_key (&self->seen, i);
    g_hash_table_add (ran, program_key (id[ID_INPUT], (guint64) id[ID_HIGH] << 32 | id[ID_LOW]));
  }
  for (guint i = 0; i < self->ops->len; i++)
    if (g_array_index (self->ops, Op, i).group != NO_GROUP) {
      const guint32 *op = an_key_table_key (&self->op_ids, i);
      const guint32 id[ID_WORDS] = { op[OP_INPUT], op[OP_LOW], op[OP_HIGH], op[OP_NAME] };
      g_hash_table_add (taken, GUINT_TO_POINTER (fusion_instruction_number (self, id) + 1));
    }
  for (guint i = 0; i < self->instructions->len; i++) {
    const Instruction *in = &g_array_index (self->instructions, Instruction, i);
    const guint32 *id = an_key_table_key (&self->instruction_ids, i);
    g_autofree char *key = program_key (id[ID_INPUT], (guint64) id[ID_HIGH] << 32 | id[ID_LOW]);
    if (in->opcode != self->opcode_fusion || in->fusion || !g_hash_table_contains (ran, key)
        || g_hash_table_contains (taken, GUINT_TO_POINTER (i + 1)))
      continue;
    g_autofree char *category = fusion_category_of_kind (nprof_text (self->host, in->kind));
    Group *group = fusion_at (self, fusion_group (self, id));
    if (group->category)
      continue;
    group->category = nprof_intern (self->host, category);
    group->program = in->program;
    group->source = id[ID_NAME];
    group->has_events = TRUE; /* the program ran, and this did not: 0 is known */
  }
}

/* -- neff_layers ------------------------------------------------------------------------------- */

/* An instruction that came from several HLO instructions is a fusion of them. */
void
fusion_neff_table (Fusion *self, const struct nprof_table *table, const struct nprof_cell *cells,
                   uint32_t n_rows)
{
  const int hlo = nprof_find_column (table, "hlo"), layer = nprof_find_column (table, "layer");
  guint n_columns = nprof_count_columns (table);
  if (hlo < 0)
    return;
  for (uint32_t i = 0; i < n_rows; i++, cells += n_columns) {
    nprof_str name = text_at (self, cells, hlo);
    if (!strstr (nprof_text (self->host, name), ";"))
      continue;
    const guint32 id[ID_WORDS] = { cells[0].v.s, 0, 0, name };
    Group *group = fusion_at (self, fusion_group (self, id));
    if (group->members)
      continue;
    group->members = fusion_split (nprof_text (self->host, name), ";");
    group->framework_ops = g_strdup (nprof_text (self->host, text_at (self, cells, layer)));
    group->category = nprof_intern (self->host, "compiler");
  }
}
