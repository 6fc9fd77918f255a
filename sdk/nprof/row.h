/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/row.h - the attributes of a row for sinks, header-only: the shared set, overridden by
 * the row's own, spread over the columns of the run; what has no column, or does not fit its
 * column's type exactly, is the rest. */
#ifndef NPROF_ROW_H
#define NPROF_ROW_H

#include <nprof/plugin.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct nprof_field {
  uint32_t type;     /* NPROF_NULL: the row has none */
  nprof_str key;
  nprof_value value;
  const char *bytes; /* what value.bytes is a range of */
};

struct nprof_spread {
  const struct nprof_host *host;
  const struct nprof_column *const *columns; /* host->columns, or no column */
  uint32_t n_columns;
  struct nprof_field *field; /* of the row: n_columns; types are as in nprof_fit            */
  struct nprof_field *rest;  /* n_rest: in order of the shared set, then the row's own      */
  uint32_t n_rest;
  uint64_t *misfits;         /* n_columns: values that did not fit, so far                  */
  uint64_t unknown;          /* values of types that this header does not know, so far      */

  uint32_t max_rest;
  struct nprof_slot *slot;   /* by key: where it goes                                       */
  uint32_t n_slots;
  uint32_t row;              /* counts rows, so that slots need not be cleared              */
};

struct nprof_slot {
  uint32_t column; /* 1 + column; 0: none                      */
  uint32_t row;    /* the last row that had it among the rest  */
  uint32_t rest;   /* and where                                */
};

/* Does the value fit the column's type exactly?  Converts it; its type is the column's then, but
 * for columns of strings (NPROF_STRING or NPROF_TEXT) and of text (any type: a text column is
 * also what two decoders with different types share). */
static inline bool
nprof_fit (uint32_t column, struct nprof_field *f)
{
  const double two63 = 9223372036854775808.0;
  uint32_t type = f->type;
  if (type == column || column == NPROF_TEXT)
    return true;
  switch (column) {
  case NPROF_STRING:
    return type == NPROF_TEXT;
  case NPROF_INT64:
    if (type == NPROF_DOUBLE && f->value.f >= -two63 && f->value.f < two63
        && f->value.f == trunc (f->value.f) && !(f->value.f == 0 && signbit (f->value.f)))
      f->value.i = (int64_t) f->value.f;
    else if (type != NPROF_UINT64 || f->value.u > INT64_MAX)
      return false;
    break;
  case NPROF_UINT64:
    if (type == NPROF_DOUBLE && f->value.f >= 0 && f->value.f < 2 * two63
        && f->value.f == trunc (f->value.f) && !signbit (f->value.f))
      f->value.u = (uint64_t) f->value.f;
    else if (type != NPROF_INT64 || f->value.i < 0)
      return false;
    break;
  case NPROF_DOUBLE:
    if (type == NPROF_INT64 && (double) f->value.i < two63
        && (int64_t) (double) f->value.i == f->value.i)
      f->value.f = (double) f->value.i;
    else if (type == NPROF_UINT64 && (double) f->value.u < 2 * two63
             && (uint64_t) (double) f->value.u == f->value.u)
      f->value.f = (double) f->value.u;
    else
      return false;
    break;
  default:
    return false;
  }
  f->type = column;
  return true;
}

static inline void
nprof_spread_clear (struct nprof_spread *s)
{
  free (s->field);
  free (s->rest);
  free (s->misfits);
  free (s->slot);
  memset (s, 0, sizeof *s);
}

static inline bool
nprof_spread_slots (struct nprof_spread *s, nprof_str key)
{
  uint32_t n = s->n_slots ? s->n_slots : 256;
  while (n <= key && n <= UINT32_MAX / 2)
    n *= 2;
  if (n <= key)
    n = UINT32_MAX;
  struct nprof_slot *slot = (struct nprof_slot *) realloc (s->slot, n * sizeof *slot);
  if (!slot)
    return false;
  memset (slot + s->n_slots, 0, (n - s->n_slots) * sizeof *slot);
  s->slot = slot;
  s->n_slots = n;
  return true;
}

/* columns: host->columns (host), or NULL: all attributes are the rest.  s is cleared memory,
 * or was cleared with nprof_spread_clear. */
static inline nprof_status
nprof_spread_init (struct nprof_spread *s, const struct nprof_host *host,
                   const struct nprof_column *const *columns)
{
  s->host = host;
  s->columns = columns;
  while (columns && columns[s->n_columns])
    s->n_columns++;
  s->field = (struct nprof_field *) calloc (s->n_columns + 1, sizeof *s->field);
  s->misfits = (uint64_t *) calloc (s->n_columns + 1, sizeof *s->misfits);
  if (!s->field || !s->misfits)
    return NPROF_E_NOMEM;
  for (uint32_t c = 0; c < s->n_columns; c++) {
    nprof_str key = columns[c]->key;
    if (key >= s->n_slots && !nprof_spread_slots (s, key))
      return NPROF_E_NOMEM;
    s->slot[key].column = c + 1;
  }
  return NPROF_OK;
}

static inline nprof_status
nprof_spread_rest (struct nprof_spread *s, struct nprof_slot *slot, const struct nprof_field *f)
{
  if (slot->row == s->row) {
    s->rest[slot->rest] = *f;
    return NPROF_OK;
  }
  if (s->n_rest == s->max_rest) {
    uint32_t max = s->max_rest ? s->max_rest * 2 : 32;
    struct nprof_field *rest = (struct nprof_field *) realloc (s->rest, max * sizeof *rest);
    if (!rest)
      return NPROF_E_NOMEM;
    s->rest = rest;
    s->max_rest = max;
  }
  slot->row = s->row;
  slot->rest = s->n_rest;
  s->rest[s->n_rest++] = *f;
  return NPROF_OK;
}

static inline nprof_status
nprof_spread_field (struct nprof_spread *s, struct nprof_field f)
{
  if (f.type == NPROF_NULL || f.type > NPROF_ID128) {
    s->unknown++;
    return NPROF_OK;
  }
  if (f.key >= s->n_slots && !nprof_spread_slots (s, f.key))
    return NPROF_E_NOMEM;
  struct nprof_slot *slot = s->slot + f.key;
  if (!slot->column)
    return nprof_spread_rest (s, slot, &f);
  struct nprof_field *field = s->field + slot->column - 1;
  if (nprof_fit (s->columns[slot->column - 1]->type, &f)) {
    *field = f;
    if (slot->row == s->row) /* the shared one did not fit: it is overridden all the same */
      s->rest[slot->rest].type = NPROF_NULL;
    return NPROF_OK;
  }
  field->type = NPROF_NULL;
  s->misfits[slot->column - 1]++;
  return nprof_spread_rest (s, slot, &f);
}

/* Fills field and rest with the attributes of row i; valid until the next row and the end of
 * the batch.  Entries of rest with type NPROF_NULL are passed over.  NPROF_E_NOMEM. */
static inline nprof_status
nprof_spread_row (struct nprof_spread *s, const struct nprof_batch *batch, uint32_t i)
{
  nprof_status status = NPROF_OK;
  struct nprof_field f;
  for (uint32_t c = 0; c < s->n_columns; c++)
    s->field[c].type = NPROF_NULL;
  s->n_rest = 0;
  if (++s->row == 0) { /* the count went around */
    for (uint32_t k = 0; k < s->n_slots; k++)
      s->slot[k].row = 0;
    s->row = 1;
  }
  if (batch->shared && batch->shared[i]) {
    const struct nprof_attrs *set = s->host->attr_set (s->host, batch->shared[i]);
    for (uint32_t j = 0; j < set->n && status == NPROF_OK; j++) {
      f.key = set->key[j];
      f.type = set->type[j];
      f.value = set->value[j];
      f.bytes = set->bytes;
      status = nprof_spread_field (s, f);
    }
  }
  if (!batch->attr_at)
    return status;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1] && status == NPROF_OK; j++) {
    f.key = batch->attr_key[j];
    f.type = batch->attr_type[j];
    f.value = batch->attr_value[j];
    f.bytes = batch->bytes;
    status = nprof_spread_field (s, f);
  }
  return status;
}

#endif
