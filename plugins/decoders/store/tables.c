/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables of decoders again, and what was skipped. */
#include "decoder.h"

#include <string.h>

static nprof_status
put_cell (struct store_decoder *self, const struct nprof_store_cell *from, struct nprof_cell *to)
{
  *to = (struct nprof_cell){ .type = from->type, .v = { .u = from->value } };
  if (from->type == NPROF_STRING)
    to->v.s = store_str (self, (guint32) from->value);
  if (from->type != NPROF_TEXT && from->type != NPROF_JSON && from->type != NPROF_ID128)
    return NPROF_OK;
  guint32 len;
  to->v.text = nprof_store_text (&self->query, from->value, &len);
  to->len = len;
  return to->v.text ? NPROF_OK : NPROF_E_FORMAT;
}

/* The first cell of a row is the label of its input. */
static gboolean
is_own (struct store_decoder *self, const struct nprof_store_cell *cells)
{
  const struct nprof_store_input *in = nprof_store_input_at (self->store, self->number);
  return in && cells[0].type == NPROF_STRING && cells[0].value == in->label;
}

static nprof_status
give_table (struct store_decoder *self, const struct nprof_store_table *t,
            const struct nprof_table *declared)
{
  g_autofree struct nprof_cell *row = g_new0 (struct nprof_cell, t->n_columns + 1);
  g_autofree struct nprof_store_cell *cells = g_new0 (struct nprof_store_cell, t->n_columns + 1);
  nprof_status status = self->host->table (self->host, declared);
  for (guint64 r = 0; r < t->rows && !status; r++) {
    if (!nprof_store_cells (&self->query, t, r, cells))
      return store_damaged (self);
    if (!is_own (self, cells))
      continue;
    for (guint32 c = 0; c < t->n_columns && !status; c++)
      status = put_cell (self, cells + c, row + c);
    if (status)
      return store_damaged (self);
    row[0] = nprof_cell_own_input (self->host);
    status = self->host->row (self->host, declared, row);
  }
  return status;
}

#define SKIPPED_COLUMNS 5 /* what, count, first_byte and reason, behind the input */

static nprof_status
give_skipped (struct store_decoder *self)
{
  const struct nprof_store_table *t
      = nprof_store_table_at (self->store, nprof_store_find_table (self->store, "skipped"));
  for (guint64 r = 0; t && t->n_columns == SKIPPED_COLUMNS && r < t->rows; r++) {
    struct nprof_store_cell cells[SKIPPED_COLUMNS];
    struct nprof_cell what, reason;
    if (!nprof_store_cells (&self->query, t, r, cells) || put_cell (self, cells + 1, &what)
        || put_cell (self, cells + 4, &reason))
      return store_damaged (self);
    if (!is_own (self, cells))
      continue;
    g_autofree char *what_text = g_strndup (what.v.text, what.len);
    g_autofree char *reason_text = g_strndup (reason.v.text, reason.len);
    self->files->skipped (self->host, what_text, cells[2].value, cells[3].value, reason_text);
  }
  return NPROF_OK;
}

nprof_status
store_give_tables (struct store_decoder *self)
{
  const struct nprof_store_table *t;
  nprof_status status = give_skipped (self);
  for (guint32 i = 0; !status && (t = nprof_store_table_at (self->store, i)); i++) {
    if (t->origin)
      continue;
    size_t len;
    const char *name = nprof_store_string (self->store, t->name, &len);
    for (guint k = 0; k + 1 < self->declared->len && !status; k++) {
      const struct nprof_table *declared = g_ptr_array_index (self->declared, k);
      if (strcmp (declared->name, name) == 0)
        status = give_table (self, t, declared);
    }
  }
  return status;
}
