/* SPDX-License-Identifier: Apache-2.0 */
/* stats.c - reads one XStat in any of its forms, and the attributes that it gives.  Numbers keep
 * the type of the file unless the key declares another that holds them exactly; bytes become
 * hexadecimal text. */
#include "xplane.h"

#include <zlib.h>

#define MAX_INFLATED (UINT32_C (64) << 20)

/* -- Collections of attributes ----------------------------------------------- */

void
xp_attrs_init (XpAttrs *attrs)
{
  attrs->keys = g_array_new (FALSE, FALSE, sizeof (nprof_str));
  attrs->types = g_array_new (FALSE, FALSE, sizeof (uint8_t));
  attrs->values = g_array_new (FALSE, FALSE, sizeof (nprof_value));
  attrs->bytes = g_string_new (NULL);
}

void
xp_attrs_reset (XpAttrs *attrs)
{
  g_array_set_size (attrs->keys, 0);
  g_array_set_size (attrs->types, 0);
  g_array_set_size (attrs->values, 0);
  g_string_truncate (attrs->bytes, 0);
}

void
xp_attrs_clear (XpAttrs *attrs)
{
  g_clear_pointer (&attrs->keys, g_array_unref);
  g_clear_pointer (&attrs->types, g_array_unref);
  g_clear_pointer (&attrs->values, g_array_unref);
  if (attrs->bytes)
    g_string_free (g_steal_pointer (&attrs->bytes), TRUE);
}

void
xp_attrs_add (XpAttrs *attrs, nprof_str key, uint8_t type, nprof_value value)
{
  g_array_append_val (attrs->keys, key);
  g_array_append_val (attrs->types, type);
  g_array_append_val (attrs->values, value);
}

void
xp_attrs_text (XpAttrs *attrs, nprof_str key, uint8_t type, const char *text, size_t len)
{
  nprof_value value = { .bytes = { (uint32_t) attrs->bytes->len, (uint32_t) len } };
  g_string_append_len (attrs->bytes, text, (gssize) len);
  xp_attrs_add (attrs, key, type, value);
}

static void
add_int (XpAttrs *attrs, nprof_str key, int64_t i)
{
  xp_attrs_add (attrs, key, NPROF_INT64, (nprof_value){ .i = i });
}

/* -- Reading ------------------------------------------------------------------- */

/* Reads a stat; of several values the last counts, as for any oneof. */
bool
xp_value_read (XpDict *dict, PbSpan body, XpValue *value)
{
  *value = (XpValue){ .at = body.p };
  PbField f;
  while (body.p < body.end) {
    if (!pb_field (&body.p, body.end, &f))
      return false;
    switch (f.tag) {
    case PB_VARINT (1):
      value->id = (int64_t) f.value;
      break;
    case PB_FIXED64 (XP_VALUE_DOUBLE):
    case PB_VARINT (XP_VALUE_UINT):
    case PB_VARINT (XP_VALUE_INT):
    case PB_VARINT (XP_VALUE_REF):
      value->kind = (XpValueKind) (f.tag >> 3);
      value->v.u = f.value;
      break;
    case PB_BYTES (XP_VALUE_STR):
    case PB_BYTES (XP_VALUE_BYTES):
    case PB_BYTES (XP_VALUE_COMPRESSED):
      value->kind = (XpValueKind) (f.tag >> 3);
      value->span = f.span;
      break;
    default:
      break;
    }
  }
  uint32_t slot = xp_slot (&dict->stat_ids, value->id);
  if (slot != UINT32_MAX && xp_len (dict->stats[slot].name))
    value->stat = &dict->stats[slot];
  return true;
}

bool
xp_value_int (const XpValue *value, int64_t *i)
{
  if (value->kind != XP_VALUE_INT && value->kind != XP_VALUE_UINT)
    return false;
  *i = value->v.i;
  return value->kind == XP_VALUE_INT || value->v.i >= 0;
}

static XpStat *
ref_target (const XpDict *dict, const XpValue *value)
{
  uint32_t slot = xp_slot (&dict->stat_ids, (int64_t) value->v.u);
  return slot != UINT32_MAX && dict->stats[slot].name.p ? &dict->stats[slot] : NULL;
}

static char *
valid_text (PbSpan span, gsize *len)
{
  char *text = g_utf8_validate_len ((const char *) span.p, xp_len (span), NULL)
                   ? g_strndup ((const char *) span.p, xp_len (span))
                   : g_utf8_make_valid ((const char *) span.p, (gssize) xp_len (span));
  *len = strlen (text);
  return text;
}

/* Inflates gzip or zlib; NULL: damaged, or larger than MAX_INFLATED. */
static char *
inflate_text (PbSpan span, gsize *len)
{
  z_stream z = { 0 };
  if (xp_len (span) > MAX_INFLATED || inflateInit2 (&z, 15 + 32) != Z_OK)
    return NULL;
  z.next_in = (Bytef *) span.p;
  z.avail_in = (uInt) xp_len (span);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  int rc = Z_OK;
  while (rc == Z_OK && out->len < MAX_INFLATED) {
    guint at = out->len;
    g_byte_array_set_size (out, MAX (2 * at, 4096));
    z.next_out = out->data + at;
    z.avail_out = out->len - at;
    rc = inflate (&z, Z_NO_FLUSH);
    g_byte_array_set_size (out, out->len - z.avail_out);
    if (rc == Z_BUF_ERROR)
      break;
  }
  inflateEnd (&z);
  if (rc != Z_STREAM_END)
    return NULL;
  return valid_text ((PbSpan){ out->data, out->data + out->len }, len);
}

char *
xp_value_text (const XpDict *dict, const XpValue *value, gsize *len)
{
  XpStat *target;
  switch (value->kind) {
  case XP_VALUE_STR:
    return valid_text (value->span, len);
  case XP_VALUE_REF:
    target = ref_target (dict, value);
    return target ? valid_text (target->name, len) : NULL;
  case XP_VALUE_COMPRESSED:
    return inflate_text (value->span, len);
  default:
    return NULL;
  }
}

/* -- To attributes --------------------------------------------------------------- */

static nprof_str
value_key (const struct nprof_host *host, const XpValue *value)
{
  if (value->stat)
    return xp_stat_key (host, value->stat);
  char key[32];
  g_snprintf (key, sizeof key, "stat_%" G_GINT64_FORMAT, value->id);
  return host->wanted (host, key) ? nprof_intern (host, key) : 0;
}

nprof_str
xp_stat_other (const struct nprof_host *host, XpStat *stat)
{
  nprof_str other = atomic_load_explicit (&stat->other, memory_order_relaxed);
  if (other)
    return other;
  g_autofree char *key = g_strdup_printf ("stat %s", nprof_text (host, xp_stat_text (host, stat)));
  other = nprof_intern (host, key);
  atomic_store_explicit (&stat->other, other, memory_order_relaxed);
  return other;
}

/* Converts the number to `type`; false: it does not hold it exactly. */
static bool
convert (const XpValue *value, uint8_t type, nprof_value *v)
{
  if (type == NPROF_DOUBLE) {
    if (value->kind == XP_VALUE_DOUBLE)
      return true;
    v->f = value->kind == XP_VALUE_INT ? (double) value->v.i : (double) value->v.u;
    return value->v.i >= -(INT64_C (1) << 53) && value->v.i <= INT64_C (1) << 53;
  }
  if (value->kind != XP_VALUE_DOUBLE)
    return value->v.i >= 0 || value->stat->id
           || type == (value->kind == XP_VALUE_INT ? NPROF_INT64 : NPROF_UINT64);
  double f = value->v.f;
  if (!(f >= 0 && f < 0x1p63 && f == (double) (int64_t) f))
    return false;
  v->i = (int64_t) f;
  return true;
}

bool
xp_value_number (const XpValue *value, uint8_t *type, nprof_value *v)
{
  *type = value->kind == XP_VALUE_DOUBLE ? NPROF_DOUBLE
          : value->kind == XP_VALUE_INT  ? NPROF_INT64
                                         : NPROF_UINT64;
  *v = (nprof_value){ .u = value->v.u };
  if (!value->stat || !value->stat->numeric)
    return true;
  if (!convert (value, value->stat->type, v)) {
    v->u = value->v.u;
    return false;
  }
  *type = value->stat->type;
  return true;
}

static void
add_number (const struct nprof_host *host, const XpValue *value, nprof_str key, XpAttrs *attrs)
{
  uint8_t type;
  nprof_value v;
  if (!xp_value_number (value, &type, &v))
    key = xp_stat_other (host, value->stat);
  xp_attrs_add (attrs, key, type, v);
}

static void
add_text (const struct nprof_host *host, const XpValue *value, nprof_str key, const char *text,
          gsize len, XpAttrs *attrs)
{
  const bool is_op = value->stat && value->stat->role == XP_ROLE_OP_NAME;
  if (is_op && xp_is_scope ((PbSpan){ (const uint8_t *) text, (const uint8_t *) text + len }))
    return;
  /* TensorFlow writes "path:type"; XLA leaves the type out and the colon in. */
  if (is_op && len > 0 && text[len - 1] == ':')
    len--;
  if (value->stat && value->stat->type == NPROF_STRING)
    xp_attrs_add (attrs, key, NPROF_STRING, (nprof_value){ .s = host->intern (host, text, len) });
  else
    xp_attrs_text (attrs,
                   value->stat && value->stat->numeric ? xp_stat_other (host, value->stat) : key,
                   NPROF_TEXT, text, len);
}

/* Adds numbers and bytes where the key declares text. */
static void
add_printed (const struct nprof_host *host, XpDict *dict, const XpValue *value, nprof_str key,
             XpAttrs *attrs)
{
  g_autoptr (GString) text = g_string_new (NULL);
  xp_value_print (dict, value, text);
  add_text (host, value, key, text->str, text->len, attrs);
}

static void
append_hex (GString *out, PbSpan span)
{
  static const char digits[] = "0123456789abcdef";
  for (const uint8_t *p = span.p; p < span.end; p++) {
    g_string_append_c (out, digits[*p >> 4]);
    g_string_append_c (out, digits[*p & 15]);
  }
}

/* -- Memory access breakdown: who reads and writes how much, from which memory ---- */

enum { ACCESS_READ = 1, ACCESS_WRITE = 2, SPACE_HBM = 1 };

static void
one_access (PbSpan body, int64_t sums[3], GString *json)
{
  uint64_t op = 0, space = 0, bytes = 0;
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag == PB_VARINT (1))
      op = f.value;
    else if (f.tag == PB_VARINT (2))
      space = f.value;
    else if (f.tag == PB_VARINT (3))
      bytes = f.value;
  }
  if (space == SPACE_HBM && (op == ACCESS_READ || op == ACCESS_WRITE)
      && __builtin_add_overflow (sums[op], (int64_t) bytes, &sums[op]))
    sums[op] = INT64_MAX;
  g_string_append_printf (json, "%s{\"op\":", json->len > 1 ? "," : "");
  if (op == ACCESS_READ || op == ACCESS_WRITE)
    g_string_append (json, op == ACCESS_READ ? "\"read\"" : "\"write\"");
  else
    g_string_append_printf (json, "%" G_GUINT64_FORMAT, op);
  g_string_append_printf (json, ",\"space\":%" G_GUINT64_FORMAT ",\"bytes\":%" G_GUINT64_FORMAT "}",
                          space, bytes);
}

static void
add_breakdown (const Xplane *x, const XpValue *value, XpAttrs *attrs)
{
  int64_t sums[3] = { 0 };
  g_autoptr (GString) json = g_string_new ("[");
  PbSpan body = value->span;
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (1))
      one_access (f.span, sums, json);
  g_string_append_c (json, ']');
  if (x->want_read)
    add_int (attrs, x->key_read, sums[ACCESS_READ]);
  if (x->want_written)
    add_int (attrs, x->key_written, sums[ACCESS_WRITE]);
  if (x->want_breakdown)
    xp_attrs_text (attrs, x->key_breakdown, NPROF_JSON, json->str, json->len);
}

static bool
add_inflated (const struct nprof_host *host, const XpDict *dict, const XpValue *value,
              nprof_str key, XpAttrs *attrs)
{
  gsize len;
  g_autofree char *text = xp_value_text (dict, value, &len);
  if (text)
    add_text (host, value, key, text, len, attrs);
  return text != NULL;
}

static void
add_ref (const struct nprof_host *host, XpDict *dict, const XpValue *value, nprof_str key,
         XpAttrs *attrs)
{
  XpStat *target = ref_target (dict, value), *stat = value->stat;
  if (!target) /* the number is all there is */
    add_printed (host, dict, value, key, attrs);
  else if (stat
           && (stat->numeric || (stat->role == XP_ROLE_OP_NAME && xp_ends_in_colon (target->name))))
    add_inflated (host, dict, value, key, attrs);
  else
    xp_attrs_add (attrs, key, NPROF_STRING, (nprof_value){ .s = xp_stat_text (host, target) });
}

bool
xp_value_attrs (const Xplane *x, const struct nprof_host *host, XpDict *dict, const XpValue *value,
                XpAttrs *attrs)
{
  const XpStat *stat = value->stat;
  if (value->kind == XP_VALUE_NONE || (stat && !(stat->actions & XP_STAT_ATTR)))
    return true;
  nprof_str key = value_key (host, value);
  if (!key)
    return true;
  if (stat && stat->role == XP_ROLE_BREAKDOWN && value->kind != XP_VALUE_BYTES)
    key = xp_stat_other (host, value->stat); /* its own key is declared as JSON */
  switch (value->kind) {
  case XP_VALUE_REF:
    add_ref (host, dict, value, key, attrs);
    return true;
  case XP_VALUE_STR:
  case XP_VALUE_COMPRESSED:
    return add_inflated (host, dict, value, key, attrs);
  case XP_VALUE_BYTES:
    if (stat && stat->role == XP_ROLE_BREAKDOWN)
      add_breakdown (x, value, attrs);
    else
      add_printed (host, dict, value, key, attrs);
    return true;
  default:
    if (stat && stat->type == NPROF_STRING)
      add_printed (host, dict, value, key, attrs);
    else
      add_number (host, value, key, attrs);
    return true;
  }
}

/* -- To text --------------------------------------------------------------------- */

static void
append_double (GString *out, double f)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (int digits = 15; digits <= 17; digits++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (text, sizeof text, format, f);
    if (g_ascii_strtod (text, NULL) == f)
      break;
  }
  g_string_append (out, text);
}

const char *
xp_value_print (XpDict *dict, const XpValue *value, GString *text)
{
  gsize len;
  g_autofree char *string = xp_value_text (dict, value, &len);
  if (string) {
    g_string_append_len (text, string, (gssize) len);
    return "string";
  }
  switch (value->kind) {
  case XP_VALUE_DOUBLE:
    append_double (text, value->v.f);
    return "double";
  case XP_VALUE_INT:
    g_string_append_printf (text, "%" G_GINT64_FORMAT, value->v.i);
    return "int64";
  case XP_VALUE_UINT:
  case XP_VALUE_REF:
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, value->v.u);
    return value->kind == XP_VALUE_UINT ? "uint64" : "reference";
  default:
    append_hex (text, value->span);
    return "bytes";
  }
}

void
xp_json_string (GString *json, const char *text, gsize len)
{
  g_string_append_c (json, '"');
  for (gsize i = 0; i < len; i++) {
    guchar c = (guchar) text[i];
    if (c == '"' || c == '\\')
      g_string_append_printf (json, "\\%c", c);
    else if (c < 0x20)
      g_string_append_printf (json, "\\u%04x", c);
    else
      g_string_append_c (json, (char) c);
  }
  g_string_append_c (json, '"');
}

void
xp_value_json (XpDict *dict, const XpValue *value, GString *json)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *type = xp_value_print (dict, value, text);
  if (strcmp (type, "string") == 0 || strcmp (type, "bytes") == 0
      || (value->kind == XP_VALUE_DOUBLE && value->v.f - value->v.f != 0)) /* JSON has no NaN */
    xp_json_string (json, text->str, text->len);
  else
    g_string_append_len (json, text->str, (gssize) text->len);
}
