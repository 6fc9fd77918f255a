/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - puts what is known of a row beyond its place as typed annotations: integers of 64 bits
 * stay exact. */
#include "perfetto.h"

size_t
perfetto_begin_own (struct perfetto_sink *self, struct nprof_buf *to, guint own)
{
  size_t from = wire_begin (to, EVENT_ARG);
  perfetto_put_own_key (self, to, self->own[own]);
  return from;
}

void
perfetto_put_own (struct perfetto_sink *self, struct nprof_buf *to, guint own, guint type,
                  guint64 number)
{
  const guint32 key = perfetto_known_key (self, self->own[own], TRUE);
  if (key) {
    wire_two (to, EVENT_ARG, ARG_NAME_IID, key, type, number);
    return;
  }
  size_t from = perfetto_begin_own (self, to, own);
  wire_uint (to, type, number);
  wire_end (to, from);
}

size_t
perfetto_begin_arg (struct nprof_buf *to, const char *name)
{
  size_t from = wire_begin (to, EVENT_ARG);
  wire_text (to, ARG_NAME, name);
  return from;
}

/* -- Values ---------------------------------------------------------------- */

static void
put_string (struct perfetto_sink *self, struct nprof_buf *to, nprof_str text)
{
  perfetto_put_name (self, to, ARG_STRING_IID, ARG_STRING, INTERNED_ARG_STRINGS, text);
}

static void
put_text (struct perfetto_sink *self, struct nprof_buf *to, const char *text, size_t len)
{
  self->scratch.len = 0;
  perfetto_make_text (NULL, &self->scratch, text, len);
  to->failed |= self->scratch.failed;
  if (self->scratch.len)
    wire_bytes (to, ARG_STRING, self->scratch.data, self->scratch.len);
  else
    wire_bytes (to, ARG_STRING, text, len);
}

void
perfetto_put_value (struct perfetto_sink *self, struct nprof_buf *to,
                    const struct nprof_field *field)
{
  const nprof_value *v = &field->value;
  switch (field->type) {
  case NPROF_INT64:
    wire_uint (to, ARG_INT, (guint64) v->i);
    break;
  case NPROF_UINT64:
    wire_uint (to, ARG_UINT, v->u);
    break;
  case NPROF_DOUBLE:
    wire_double (to, ARG_DOUBLE, v->f);
    break;
  case NPROF_BOOL:
    wire_uint (to, ARG_BOOL, v->u);
    break;
  case NPROF_STRING:
    put_string (self, to, v->s);
    break;
  case NPROF_TEXT:
    put_text (self, to, field->bytes + v->bytes.at, v->bytes.len);
    break;
  case NPROF_JSON:
    perfetto_put_json (self, to, field);
    break;
  case NPROF_ID128: {
    struct nprof_buf *id = &self->scratch;
    id->len = 0;
    nprof_put_id128 (id, field->bytes + v->bytes.at);
    wire_bytes (to, ARG_STRING, id->data, id->len);
    to->failed |= id->failed;
    break;
  }
  default:
    break;
  }
}

/* -- Attributes ------------------------------------------------------------ */

/* Puts at once what most attributes are, a number or a text whose names are interned; FALSE: it is
 * something else. */
static inline gboolean
put_plain (const struct perfetto_sink *self, struct nprof_buf *to, const struct nprof_field *field)
{
  static const guint8 types[]
      = { [NPROF_INT64] = ARG_INT, [NPROF_UINT64] = ARG_UINT, [NPROF_STRING] = ARG_STRING_IID };
  const guint type = field->type < G_N_ELEMENTS (types) ? types[field->type] : 0;
  const guint64 value = type != ARG_STRING_IID
                            ? field->value.u
                            : perfetto_known (self, INTERNED_ARG_STRINGS, field->value.s);
  const guint32 key = type ? perfetto_known_key (self, field->key, FALSE) : 0;
  if (!key || (type == ARG_STRING_IID && !value))
    return FALSE;
  wire_two (to, EVENT_ARG, ARG_NAME_IID, key, type, value);
  return TRUE;
}

static void
put_attribute (struct perfetto_sink *self, struct nprof_buf *to, const struct nprof_field *field)
{
  size_t from = wire_begin (to, EVENT_ARG);
  perfetto_put_attribute_key (self, to, field->key);
  perfetto_put_value (self, to, field);
  wire_end (to, from);
}

/* Puts the attribute `args`, the source's own object, as members beside the others. */
static gboolean
put_source_args (struct perfetto_sink *self, struct nprof_buf *to, const struct nprof_field *field)
{
  if (field->key != self->args_key || field->type != NPROF_JSON)
    return FALSE;
  perfetto_mark_keys (self);
  return perfetto_put_members (self, to, field);
}

void
perfetto_put_attributes (struct perfetto_sink *self, struct nprof_buf *to)
{
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    const struct nprof_field *field = self->row_columns.unmapped + k;
    if (field->type == NPROF_NULL || field->key == self->flows.phase_key)
      continue;
    if (!put_plain (self, to, field) && !put_source_args (self, to, field))
      put_attribute (self, to, field);
  }
}
