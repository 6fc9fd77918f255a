/* SPDX-License-Identifier: Apache-2.0 */
/* rest.c - values of attributes as text, and which were made already. */
#include "rest.h"

void
rest_put_plain (struct nprof_buf *to, const struct nprof_field *field)
{
  const nprof_value *v = &field->value;
  switch (field->type) {
  case NPROF_INT64:
    nprof_put_i64 (to, v->i);
    break;
  case NPROF_UINT64:
    nprof_put_u64 (to, v->u);
    break;
  case NPROF_DOUBLE:
    nprof_put_double (to, v->f);
    break;
  case NPROF_BOOL:
    nprof_put_text (to, v->u ? "true" : "false");
    break;
  case NPROF_ID128:
    nprof_put_id128 (to, field->bytes + v->bytes.at);
    break;
  }
}

/* Sets of attributes stay as they are while the run lasts: the place of a text in one names it. */
struct rest_known *
rest_look (struct rest_memo *memo, const struct nprof_field *field, const char *bytes,
           uint64_t group)
{
  bool lent = field->type == NPROF_TEXT || field->type == NPROF_JSON;
  if (field->type == NPROF_ID128 || (lent && field->bytes == bytes))
    return NULL;
  const char *from = lent ? field->bytes : NULL;
  uint64_t value = field->type == NPROF_STRING ? field->value.s : field->value.u;
  uint64_t hash = (value ^ (uint64_t) (uintptr_t) from) * UINT64_C (0x9e3779b97f4a7c15);
  struct rest_known *known = memo->known + ((hash >> 40) + field->type) % REST_MEMO;
  if (known->value != value || known->bytes != from || known->type != field->type
      || known->group != group)
    *known = (struct rest_known){ 0, value, from, field->type, 0 };
  return known;
}
