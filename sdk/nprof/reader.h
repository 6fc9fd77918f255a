/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/reader.h - a few attributes of each row for analyzers, header-only: the row's own, or
 * those of its shared set.  What a sink does with all attributes is row.h. */
#ifndef NPROF_READER_H
#define NPROF_READER_H

#include <nprof/row.h>
#include <nprof/sdk.h>

/* So many sets are remembered: a shared set is looked through once, not for each of its rows. */
#define NPROF_READER_SETS 4096u

struct nprof_reader {
  const struct nprof_host *host;
  uint32_t n;     /* keys, at most 255                                          */
  uint8_t *which; /* by handle of a key: 1 + its index; 0: not picked           */
  uint32_t n_which;
  struct nprof_field *field;  /* of the row: n; type NPROF_NULL where it has none           */
  nprof_set *set;             /* NPROF_READER_SETS: which set is remembered there             */
  struct nprof_field *of_set; /* NPROF_READER_SETS times n                                   */
};

static inline void
nprof_reader_clear (struct nprof_reader *p)
{
  free (p->which);
  free (p->field);
  free (p->set);
  free (p->of_set);
  memset (p, 0, sizeof *p);
}

/* `keys` ends in NULL; field[i] is keys[i].  The component lists them in `wants`. p is cleared
 * memory. */
static inline nprof_status
nprof_reader_init (struct nprof_reader *p, const struct nprof_host *host, const char *const *keys)
{
  p->host = host;
  while (keys[p->n])
    p->n++;
  for (uint32_t k = 0; k < p->n; k++) {
    nprof_str key = nprof_intern (host, keys[k]);
    p->n_which = p->n_which > key ? p->n_which : key + 1;
  }
  p->which = (uint8_t *) calloc (p->n_which + 1, 1);
  p->field = (struct nprof_field *) calloc (p->n + 1, sizeof *p->field);
  p->set = (nprof_set *) calloc (NPROF_READER_SETS, sizeof *p->set);
  p->of_set
      = (struct nprof_field *) calloc ((size_t) NPROF_READER_SETS * p->n + 1, sizeof *p->of_set);
  if (!p->which || !p->field || !p->set || !p->of_set)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for the attributes of a row");
  for (uint32_t k = p->n; k-- > 0;) /* of a key that stands there twice the first counts */
    p->which[nprof_intern (host, keys[k])] = (uint8_t) (k + 1);
  return NPROF_OK;
}

static inline void
nprof_reader_put (const struct nprof_reader *p, struct nprof_field *to, nprof_str key,
                  uint32_t type, nprof_value value, const char *bytes)
{
  uint32_t which = key < p->n_which ? p->which[key] : 0;
  if (!which)
    return;
  to += which - 1;
  to->key = key;
  to->type = type;
  to->value = value;
  to->bytes = bytes;
}

static inline const struct nprof_field *
nprof_reader_set (struct nprof_reader *p, nprof_set set)
{
  uint32_t slot = set % NPROF_READER_SETS;
  struct nprof_field *f = p->of_set + (size_t) slot * p->n;
  if (p->set[slot] == set)
    return f;
  const struct nprof_attrs *attrs = p->host->attr_set (p->host, set);
  memset (f, 0, p->n * sizeof *f);
  for (uint32_t j = 0; j < attrs->n; j++)
    nprof_reader_put (p, f, attrs->key[j], attrs->type[j], attrs->value[j], attrs->bytes);
  p->set[slot] = set;
  return f;
}

/* Fills field with the attributes of row i; valid until the next row and the batch's end. */
static inline void
nprof_reader_row (struct nprof_reader *p, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->shared && batch->shared[i])
    memcpy (p->field, nprof_reader_set (p, batch->shared[i]), p->n * sizeof *p->field);
  else
    memset (p->field, 0, p->n * sizeof *p->field);
  if (!batch->attr_at)
    return;
  for (uint32_t j = batch->attr_at[i]; j < batch->attr_at[i + 1]; j++)
    nprof_reader_put (p, p->field, batch->attr_key[j], batch->attr_type[j], batch->attr_value[j],
                      batch->bytes);
}

/* Returns the value as that type, when it has one that fits exactly. */
static inline bool
nprof_reader_int (const struct nprof_reader *p, uint32_t k, int64_t *value)
{
  struct nprof_field f = p->field[k];
  if (f.type == NPROF_NULL || !nprof_fit (NPROF_INT64, &f))
    return false;
  *value = f.value.i;
  return true;
}

static inline bool
nprof_reader_uint (const struct nprof_reader *p, uint32_t k, uint64_t *value)
{
  struct nprof_field f = p->field[k];
  if (f.type == NPROF_NULL || !nprof_fit (NPROF_UINT64, &f))
    return false;
  *value = f.value.u;
  return true;
}

/* Returns any number; one that a double cannot hold exactly is rounded. */
static inline bool
nprof_reader_double (const struct nprof_reader *p, uint32_t k, double *value)
{
  const struct nprof_field *f = p->field + k;
  switch (f->type) {
  case NPROF_INT64:
    *value = (double) f->value.i;
    return true;
  case NPROF_UINT64:
    *value = (double) f->value.u;
    return true;
  case NPROF_DOUBLE:
    *value = f->value.f;
    return true;
  default:
    return false;
  }
}

/* Returns 0 where there is none. */
static inline nprof_str
nprof_reader_str (const struct nprof_reader *p, uint32_t k)
{
  const struct nprof_field *f = p->field + k;
  if (f->type == NPROF_STRING)
    return f->value.s;
  if (f->type == NPROF_TEXT)
    return p->host->intern (p->host, f->bytes + f->value.bytes.at, f->value.bytes.len);
  return 0;
}

#endif
