/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/row.h - the value and the attributes of a row for sinks, header-only: the shared set,
 * overridden by the row's own, spread over the columns of the run; what has no column, or does not
 * fit its column's type exactly, is the rest. */
#ifndef NPROF_ROW_H
#define NPROF_ROW_H

#include <nprof/sdk.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether a row has a value. */
static inline bool
nprof_has_value (const struct nprof_batch *batch, uint32_t row)
{
  return batch->value && batch->value_valid[row >> 3] >> (row & 7) & 1;
}

struct nprof_field {
  uint32_t type;     /* NPROF_NULL: the row has none */
  nprof_str key;
  nprof_value value;
  const char *bytes; /* what value.bytes is a range of */
};

struct nprof_row_columns {
  const struct nprof_host *host;
  const struct nprof_column *const *columns; /* host->columns, or no column */
  uint32_t n_columns;
  struct nprof_field *field; /* of the row: n_columns; types are as in nprof_fit            */
  uint32_t *used;            /* n_used: the columns that the row has something for; type    */
  uint32_t n_used;           /* NPROF_NULL: which proved to be among the rest               */
  struct nprof_field
      *unmapped; /* n_unmapped: in order of the shared set, then the row's own      */
  uint32_t n_unmapped;
  uint64_t *misfits;         /* n_columns: values that did not fit, so far                  */
  uint64_t unknown;          /* values of types that this header does not know, so far      */

  uint32_t max_unmapped;
  struct nprof_slot *slot;   /* by key: where it goes                                       */
  uint32_t n_slots;
  uint32_t row;              /* counts rows, so that slots need not be cleared              */
};

/* The key says what the row means, and nobody asked for a column (nprof-semantics(7)). */
#define NPROF_LEFT_OUT UINT32_MAX

struct nprof_slot {
  uint32_t column; /* 1 + column; 0: none                      */
  uint32_t row;    /* the last row that had it among the rest  */
  uint32_t unmapped; /* and where; NPROF_LEFT_OUT: it is none    */
  uint32_t seen;   /* the last row that had something for the column */
};

/* Returns whether the value fits the column's type exactly, and converts it; its type is the
 * column's then, but for columns of strings (NPROF_STRING or NPROF_TEXT) and of text (any type: a
 * text column is also what two decoders with different types share). */
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
nprof_row_columns_clear (struct nprof_row_columns *s)
{
  free (s->field);
  free (s->used);
  free (s->unmapped);
  free (s->misfits);
  free (s->slot);
  memset (s, 0, sizeof *s);
}

static inline bool
nprof_row_columns_slots (struct nprof_row_columns *s, nprof_str key)
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

/* Leaves out what decoders say of what rows mean, but for what has a column of the run. What a file
 * says has other keys. */
static inline nprof_status
nprof_row_columns_leave (struct nprof_row_columns *s, const struct nprof_host *host)
{
  static const char *const meaning[] = { NPROF_MEANING_KEYS };
  for (uint32_t k = 0; k < sizeof meaning / sizeof *meaning; k++) {
    const nprof_str key = nprof_intern (host, meaning[k]);
    const struct nprof_column *const *c = host->columns (host);
    while (*c && (*c)->key != key)
      c++;
    if (key >= s->n_slots && !nprof_row_columns_slots (s, key))
      return NPROF_E_NOMEM;
    s->slot[key].unmapped = *c ? 0 : NPROF_LEFT_OUT;
  }
  return NPROF_OK;
}

/* Returns whether rows leave the key out. */
static inline bool
nprof_row_columns_leaves (const struct nprof_row_columns *s, nprof_str key)
{
  return key < s->n_slots && !s->slot[key].column && s->slot[key].unmapped == NPROF_LEFT_OUT;
}

/* `columns` is host->columns (host), or NULL: all attributes are the rest. s is cleared memory, or
 * was cleared with nprof_row_columns_clear. */
static inline nprof_status
nprof_row_columns_init (struct nprof_row_columns *s, const struct nprof_host *host,
                        const struct nprof_column *const *columns)
{
  s->host = host;
  s->columns = columns;
  while (columns && columns[s->n_columns])
    s->n_columns++;
  s->field = (struct nprof_field *) calloc (s->n_columns + 1, sizeof *s->field);
  s->used = (uint32_t *) calloc (s->n_columns + 1, sizeof *s->used);
  s->misfits = (uint64_t *) calloc (s->n_columns + 1, sizeof *s->misfits);
  if (!s->field || !s->used || !s->misfits)
    return NPROF_E_NOMEM;
  for (uint32_t c = 0; c < s->n_columns; c++) {
    nprof_str key = columns[c]->key;
    if (key >= s->n_slots && !nprof_row_columns_slots (s, key))
      return NPROF_E_NOMEM;
    s->slot[key].column = c + 1;
  }
  return nprof_row_columns_leave (s, host);
}

static inline bool
nprof_row_columns_room (struct nprof_row_columns *s)
{
  uint32_t max = s->max_unmapped ? s->max_unmapped * 2 : 32;
  struct nprof_field *unmapped
      = (struct nprof_field *) realloc (s->unmapped, max * sizeof *unmapped);
  if (!unmapped)
    return false;
  s->unmapped = unmapped;
  s->max_unmapped = max;
  return true;
}

static inline nprof_status
nprof_row_columns_unmapped (struct nprof_row_columns *s, struct nprof_slot *slot, nprof_str key,
                            uint32_t type, const nprof_value *value, const char *bytes)
{
  if (slot->unmapped == NPROF_LEFT_OUT)
    return NPROF_OK;
  if (slot->row != s->row) {
    if (s->n_unmapped == s->max_unmapped && !nprof_row_columns_room (s))
      return NPROF_E_NOMEM;
    slot->row = s->row;
    slot->unmapped = s->n_unmapped++;
  }
  struct nprof_field *f = s->unmapped + slot->unmapped;
  f->key = key;
  f->type = type;
  f->value = *value;
  f->bytes = bytes;
  return NPROF_OK;
}

/* Puts the value into its place at once: copying a field again waits for what was just stored. */
static inline nprof_status
nprof_row_columns_value (struct nprof_row_columns *s, nprof_str key, uint32_t type,
                         const nprof_value *value, const char *bytes)
{
  if (type == NPROF_NULL || type > NPROF_ID128) {
    s->unknown++;
    return NPROF_OK;
  }
  if (key >= s->n_slots && !nprof_row_columns_slots (s, key))
    return NPROF_E_NOMEM;
  struct nprof_slot *slot = s->slot + key;
  if (!slot->column)
    return nprof_row_columns_unmapped (s, slot, key, type, value, bytes);
  uint32_t column = slot->column - 1;
  struct nprof_field *field = s->field + column;
  if (slot->seen != s->row) {
    slot->seen = s->row;
    s->used[s->n_used++] = column;
  }
  field->key = key;
  field->type = type;
  field->value = *value;
  field->bytes = bytes;
  if (type == s->columns[column]->type || nprof_fit (s->columns[column]->type, field)) {
    if (slot->row == s->row) /* the shared one did not fit: it is overridden all the same */
      s->unmapped[slot->unmapped].type = NPROF_NULL;
    return NPROF_OK;
  }
  field->type = NPROF_NULL;
  s->misfits[column]++;
  return nprof_row_columns_unmapped (s, slot, key, type, value, bytes);
}

static inline void
nprof_row_columns_begin (struct nprof_row_columns *s)
{
  for (uint32_t k = 0; k < s->n_used; k++)
    s->field[s->used[k]].type = NPROF_NULL;
  s->n_used = s->n_unmapped = 0;
  if (++s->row)
    return;
  for (uint32_t k = 0; k < s->n_slots; k++) /* the count went around */
    s->slot[k].row = s->slot[k].seen = 0;
  s->row = 1;
}

/* Fills field, used and rest with the attributes of row i; valid until the next row and the end
 * of the batch.  Entries of rest with type NPROF_NULL are skipped.  NPROF_E_NOMEM. */
static inline nprof_status
nprof_row_columns_row (struct nprof_row_columns *s, const struct nprof_batch *batch, uint32_t i)
{
  nprof_status status = NPROF_OK;
  nprof_row_columns_begin (s);
  if (batch->shared && batch->shared[i]) {
    const struct nprof_attrs *set = s->host->attr_set (s->host, batch->shared[i]);
    for (uint32_t j = 0; j < set->n && status == NPROF_OK; j++)
      status = nprof_row_columns_value (s, set->key[j], set->type[j], &set->value[j], set->bytes);
  }
  if (!batch->attr_at)
    return status;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1] && status == NPROF_OK; j++)
    status = nprof_row_columns_value (s, batch->attr_key[j], batch->attr_type[j],
                                      &batch->attr_value[j], batch->bytes);
  return status;
}

/* Says once at the end what became of attributes in `file`: nothing is lost by a misfit, but a
 * person who sums up a column should know. */
static inline void
nprof_row_columns_tell (const struct nprof_row_columns *s, const char *file)
{
  for (uint32_t c = 0; c < s->n_columns; c++)
    if (s->misfits[c])
      nprof_log (
          s->host, NPROF_INFO,
          "%s: %llu values of \"%s\" do not fit the column's type and stand in \"attributes\"",
          file, (unsigned long long) s->misfits[c], s->columns[c]->name);
  if (s->unknown)
    nprof_log (s->host, NPROF_WARNING, "%s: %llu attributes of unknown types were skipped", file,
               (unsigned long long) s->unknown);
}

#endif
