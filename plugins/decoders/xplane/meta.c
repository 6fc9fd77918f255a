/* SPDX-License-Identifier: Apache-2.0 */
/* meta.c - turns an XEventMetadata into a name, a category and a set of attributes that all its
 * events share: once for each id, when the first event is met. */
#include "xplane.h"

void
xp_meta_names (PbSpan body, PbSpan *name, PbSpan *display_name)
{
  *name = *display_name = (PbSpan){ body.p, body.p };
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag == PB_BYTES (2))
      *name = f.span;
    else if (f.tag == PB_BYTES (4))
      *display_name = f.span;
  }
}

static bool
add_stat (XpScan *s, PbSpan body, XpMeta *meta)
{
  XpValue value;
  xp_value_read (s->dict, body, &value); /* index.c has checked it */
  if (value.stat && value.stat->role == XP_ROLE_HLO_CATEGORY) {
    gsize len;
    g_autofree char *text = xp_value_text (s->dict, &value, &len);
    if (text)
      meta->category = s->host->intern (s->host, text, len);
  }
  if (value.stat && value.stat->role == XP_ROLE_HLO_PROTO)
    return true;
  return xp_value_attrs (s->x, s->host, s->dict, &value, &s->shared);
}

static void
add_named (XpScan *s, const char *key, uint8_t type, const char *text, size_t len)
{
  if (s->host->wanted (s->host, key))
    xp_attrs_text (&s->shared, nprof_intern (s->host, key), type, text, len);
}

static void
add_children (XpScan *s, const GArray *children)
{
  if (children->len == 0)
    return;
  g_autoptr (GString) json = g_string_new ("[");
  for (guint i = 0; i < children->len; i++)
    g_string_append_printf (json, "%s%" G_GINT64_FORMAT, i ? "," : "",
                            g_array_index (children, int64_t, i));
  g_string_append_c (json, ']');
  add_named (s, "child_id", NPROF_JSON, json->str, json->len);
}

static void
read_children (const PbField *f, GArray *children)
{
  if (f->tag == PB_VARINT (6)) {
    g_array_append_val (children, f->value);
    return;
  }
  uint64_t id;
  for (const uint8_t *p = f->span.p; p < f->span.end;) {
    p = pb_varint (p, f->span.end, &id);
    if (!p)
      return;
    g_array_append_val (children, id);
  }
}

static bool
add_stats (XpScan *s, XpMeta *meta)
{
  g_autoptr (GArray) children = g_array_new (FALSE, FALSE, sizeof (int64_t));
  bool fine = true;
  PbSpan body = meta->body;
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag == PB_BYTES (5))
      fine = add_stat (s, f.span, meta) && fine;
    else if (f.tag == PB_BYTES (3) && xp_len (f.span)) {
      XpValue value = { .kind = XP_VALUE_BYTES, .span = f.span };
      g_autoptr (GString) hex = g_string_new (NULL);
      xp_value_print (s->dict, &value, hex);
      add_named (s, "metadata", NPROF_TEXT, hex->str, hex->len);
    } else if (f.tag == PB_BYTES (6) || f.tag == PB_VARINT (6))
      read_children (&f, children);
  }
  add_children (s, children);
  return fine;
}

static nprof_set
make_set (XpScan *s)
{
  const XpAttrs *a = &s->shared;
  if (a->keys->len == 0)
    return 0;
  struct nprof_attrs set = { .size = sizeof set,
                             .n = a->keys->len,
                             .key = (const nprof_str *) a->keys->data,
                             .type = (const uint8_t *) a->types->data,
                             .value = (const nprof_value *) a->values->data,
                             .bytes = a->bytes->str };
  return s->host->attrs (s->host, &set);
}

/* Returns the category of copies and fills by the names that XLA gives them in the events of
 * streams. */
static nprof_str
category_by_name (XpScan *s, PbSpan name)
{
  if (s->group->kind != XP_OF_GPU)
    return 0;
  if (xp_starts (name, "Memcpy"))
    return nprof_intern (s->host, "memcpy");
  return xp_starts (name, "Memset") ? nprof_intern (s->host, "memset") : 0;
}

static void
name_undefined (XpScan *s, XpMeta *meta, int64_t id, const uint8_t *at)
{
  g_autofree char *name = g_strdup_printf ("#%" G_GINT64_FORMAT, id);
  meta->name = nprof_intern (s->host, name);
  if (!s->group->warned)
    nprof_log (s->host, NPROF_WARNING,
               "plane %s: the event at byte %" G_GUINT64_FORMAT " has metadata id %" G_GINT64_FORMAT
               ", which the file does not define; such events are named by their id",
               nprof_text (s->host, xp_intern (s->host, s->group->name)), xp_at (s->x, at), id);
  s->group->warned = true;
}

static nprof_status
make (XpScan *s, XpMeta *meta, int64_t id, const uint8_t *at)
{
  if (!meta->body.p) {
    name_undefined (s, meta, id, at);
    return NPROF_OK;
  }
  PbSpan name, display_name;
  xp_meta_names (meta->body, &name, &display_name);
  PbSpan shown = xp_len (display_name) ? display_name : name;
  meta->name = xp_intern (s->host, shown);
  meta->category = category_by_name (s, shown);
  xp_attrs_reset (&s->shared);
  if (xp_len (display_name) && xp_len (name) && s->x->want_text)
    xp_attrs_add (&s->shared, s->x->key_hlo_text, NPROF_STRING,
                  (nprof_value){ .s = xp_intern (s->host, name) });
  xp_collective (s, name);
  if (!add_stats (s, meta)) {
    nprof_status status = s->host->damage (s->host, xp_at (s->x, meta->body.p),
                                           "event metadata: a compressed text cannot be inflated");
    if (status)
      return status;
  }
  bool empty = s->shared.keys->len == 0;
  meta->shared = make_set (s);
  return empty || meta->shared ? NPROF_OK : NPROF_E_NOMEM;
}

nprof_status
xp_meta_make (XpScan *s, XpMeta *meta, int64_t id, const uint8_t *at)
{
  nprof_status status = NPROF_OK;
  pthread_mutex_lock (&s->group->lock);
  if (!atomic_load_explicit (&meta->ready, memory_order_acquire)) {
    status = make (s, meta, id, at);
    if (status == NPROF_OK)
      atomic_store_explicit (&meta->ready, 1, memory_order_release);
  }
  pthread_mutex_unlock (&s->group->lock);
  return status;
}
