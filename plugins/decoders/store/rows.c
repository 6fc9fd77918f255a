/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes rows in the order in which they were first delivered, with their attributes. */
#include "decoder.h"

#include <nprof/keys.h>
#include <string.h>

static gboolean
is_bytes (guint32 type)
{
  return type == NPROF_TEXT || type == NPROF_JSON || type == NPROF_ID128;
}

static void
find_left_out (struct store_decoder *self)
{
  static const char *const meaning[] = { NPROF_MEANING_KEYS };
  G_STATIC_ASSERT (G_N_ELEMENTS (meaning) == G_N_ELEMENTS (self->left_out));
  for (guint k = 0; k < G_N_ELEMENTS (meaning); k++)
    if (!self->host->wanted (self->host, meaning[k]))
      self->left_out[k] = nprof_intern (self->host, meaning[k]);
}

static gboolean
is_left_out (const struct store_decoder *self, nprof_str key)
{
  for (guint k = 0; k < G_N_ELEMENTS (self->left_out); k++)
    if (self->left_out[k] && self->left_out[k] == key)
      return TRUE;
  return FALSE;
}

/* -- Shared sets ----------------------------------------------------------------- */

#define SET_EMPTY ((nprof_set) -1) /* all of it is left out */

static nprof_set
make_set (struct store_decoder *self, guint32 set)
{
  const struct nprof_store_value *values;
  guint32 n, kept = 0;
  if (!nprof_store_set (&self->query, set, &values, &n))
    return 0;
  g_autofree nprof_str *keys = g_new0 (nprof_str, n + 1);
  g_autofree guint8 *types = g_new0 (guint8, n + 1);
  g_autofree nprof_value *to = g_new0 (nprof_value, n + 1);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  for (guint32 i = 0; i < n; i++) {
    guint32 len;
    keys[kept] = store_str (self, values[i].key);
    if (is_left_out (self, keys[kept]))
      continue;
    nprof_value *v = to + kept;
    types[kept++] = (guint8) values[i].type;
    v->u = values[i].value;
    if (values[i].type == NPROF_STRING)
      v->s = store_str (self, (guint32) values[i].value);
    if (!is_bytes (values[i].type))
      continue;
    const char *text = nprof_store_text (&self->query, values[i].value, &len);
    if (!text)
      return 0;
    v->bytes.at = bytes->len;
    v->bytes.len = len;
    g_byte_array_append (bytes, (const guint8 *) text, len);
  }
  if (n && !kept)
    return SET_EMPTY;
  struct nprof_attrs attrs = { .size = sizeof attrs,
                               .n = kept,
                               .key = keys,
                               .type = types,
                               .value = to,
                               .bytes = (const char *) bytes->data };
  return self->host->attrs (self->host, &attrs);
}

static gboolean
set_shared (struct store_decoder *self, struct nprof_writer *w, guint32 set)
{
  if (!set)
    return TRUE;
  if (set >= nprof_store_n (self->store, NPROF_STORE_S_SETS))
    return FALSE;
  if (!self->sets[set])
    self->sets[set] = make_set (self, set);
  if (self->sets[set] && self->sets[set] != SET_EMPTY)
    nprof_set_shared (w, self->sets[set]);
  return self->sets[set] != 0;
}

/* -- Rows ------------------------------------------------------------------------- */

static nprof_status
put_field (struct store_decoder *self, struct nprof_writer *w, const struct nprof_store_field *f)
{
  nprof_str key = store_str (self, f->key);
  if (is_left_out (self, key))
    return NPROF_OK;
  nprof_value v = { .u = f->v.u };
  if (is_bytes (f->type))
    return nprof_attr_bytes (w, key, (guint8) f->type, f->v.text, f->len);
  if (f->type == NPROF_STRING) {
    v.u = 0;
    v.s = store_str (self, f->v.s);
  }
  return nprof_attr (w, key, (guint8) f->type, v);
}

static nprof_status
put_fields (struct store_decoder *self, struct nprof_writer *w, const struct nprof_event *event)
{
  const struct nprof_store_field *fields;
  guint32 n;
  if (!event->shape)
    return NPROF_OK;
  if (!nprof_store_fields (&self->query, event, TRUE, &fields, &n))
    return NPROF_E_FORMAT;
  nprof_status status = NPROF_OK;
  for (guint32 i = 0; i < n && !status; i++)
    if (!fields[i].shared)
      status = put_field (self, w, fields + i);
  return status;
}

static nprof_status
put_row (struct store_decoder *self, struct nprof_writer *w, const struct nprof_event *e)
{
  const struct nprof_store_label *label = nprof_store_label_at (self->store, e->label);
  if (!label || !self->tracks[e->track])
    return NPROF_E_FORMAT;
  gboolean timed = e->kind != NPROF_FACT;
  nprof_status status
      = nprof_row (w, (guint8) e->kind, self->tracks[e->track], store_str (self, label->name),
                   timed ? e->start - self->shift : 0, e->duration);
  if (status)
    return status;
  nprof_set_category (w, store_str (self, label->category));
  if (e->has_value)
    nprof_set_value (w, e->value);
  if (e->id)
    nprof_set_id (w, e->id);
  if (e->parent)
    nprof_set_parent (w, e->parent);
  if (e->flow)
    nprof_set_flow (w, e->flow);
  return set_shared (self, w, e->set) ? put_fields (self, w, e) : NPROF_E_FORMAT;
}

static int
take_event (void *user, const struct nprof_event *event)
{
  struct store_decoder *self = user;
  struct nprof_writer *w = self->host->writer (self->host);
  self->status = w ? put_row (self, w, event) : NPROF_E_NOMEM;
  if (!self->status && ++self->rows % 65536 == 0)
    self->status = self->host->cancelled (self->host) ? NPROF_CANCELLED : NPROF_OK;
  return self->status != NPROF_OK;
}

nprof_status
store_give_rows (struct store_decoder *self)
{
  find_left_out (self);
  gboolean ok = nprof_store_each (&self->query, self->number, 0, take_event, self);
  if (self->status == NPROF_E_FORMAT || !ok)
    return store_damaged (self);
  return self->status;
}
