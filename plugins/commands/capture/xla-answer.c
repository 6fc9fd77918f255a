/* SPDX-License-Identifier: Apache-2.0 */
/* xla-answer.c - ProfileRequest and ProfileResponse. Field numbers: openxla/xla,
 * profiler_service.proto and profiler_options.proto; those of emit_xspace (9) and xspace (8) follow
 * from "Next-ID" of the last public version and are not published. */

#include "xla-answer.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* -- The request -------------------------------------------------------------------------- */

static void
put_varint (GByteArray *out, guint64 value)
{
  do {
    guint8 byte = (guint8) (value & 127) | (value > 127 ? 128 : 0);
    g_byte_array_append (out, &byte, 1);
    value >>= 7;
  } while (value);
}

static void
put_number (GByteArray *out, guint field, guint64 value)
{
  put_varint (out, field << 3 | VARINT);
  put_varint (out, value);
}

static void
put_bytes (GByteArray *out, guint field, const void *data, gsize size)
{
  put_varint (out, field << 3 | BYTES);
  put_varint (out, size);
  g_byte_array_append (out, data, (guint) size);
}

static void
put_text (GByteArray *out, guint field, const char *text)
{
  put_bytes (out, field, text, strlen (text));
}

/* The server waits for the duration in the options, others for the one outside. */
static GByteArray *
options (guint64 ms)
{
  GByteArray *out = g_byte_array_new ();
  put_number (out, 5, 1); /* version: the levels count */
  put_number (out, 2, 2); /* host_tracer_level: programs and what users mark */
  put_number (out, 3, 1); /* device_tracer_level */
  put_number (out, 7, 1); /* enable_hlo_proto */
  put_number (out, 9, ms);
  return out;
}

GByteArray *
np_xla_request (const NpXlaRequest *request)
{
  GByteArray *out = g_byte_array_new ();
  g_autoptr (GByteArray) opts = options (request->ms);
  put_number (out, 1, request->ms);
  put_bytes (out, 4, opts->data, opts->len);
  put_text (out, 5, request->repository);
  put_text (out, 6, request->session);
  put_text (out, 7, request->host);
  put_number (out, 9, 1); /* emit_xspace */
  return out;
}

/* -- The answer ------------------------------------------------------------------------------ */

typedef struct {
  const guint8 *at, *end;
} Wire;

typedef struct {
  guint64 field;
  guint type;
  guint64 number;     /* of VARINT */
  const guint8 *data; /* of BYTES */
  gsize size;
} Field;

static gboolean
take_varint (Wire *w, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && w->at < w->end; shift += 7) {
    guint8 byte = *w->at++;
    *value |= (guint64) (byte & 127) << shift;
    if (!(byte & 128))
      return TRUE;
  }
  return FALSE;
}

static gboolean
take_bytes (Wire *w, gsize size, Field *f)
{
  if (size > (gsize) (w->end - w->at))
    return FALSE;
  f->data = w->at;
  f->size = size;
  w->at += size;
  return TRUE;
}

static gboolean
take_field (Wire *w, Field *f)
{
  guint64 tag, size;
  if (!take_varint (w, &tag) || !(tag >> 3))
    return FALSE;
  f->field = tag >> 3;
  f->type = tag & 7;
  switch (f->type) {
  case VARINT:
    return take_varint (w, &f->number);
  case FIXED64:
    return take_bytes (w, 8, f);
  case BYTES:
    return take_varint (w, &size) && take_bytes (w, size, f);
  case FIXED32:
    return take_bytes (w, 4, f);
  default:
    return FALSE;
  }
}

/* Is this an XSpace: planes, errors, warnings, host names, and nothing else before what versions to
 * come may add? One without a byte, which a message leaves out, is. */
static gboolean
is_xspace (const guint8 *data, gsize size)
{
  if (!size)
    return TRUE;
  Wire w = { data, data + size };
  Field f;
  while (w.at < w.end)
    if (!take_field (&w, &f) || (f.field <= 4 && f.type != BYTES))
      return FALSE;
  return TRUE;
}

static void
add_piece (NpXlaAnswer *answer, const Field *f)
{
  const NpXlaPiece piece = { f->data, f->size };
  g_array_append_val (answer->pieces, piece);
}

/* ProfileToolData: a name and the data; FALSE: it cannot be read. */
static gboolean
take_tool (NpXlaAnswer *answer, const Field *tool)
{
  static const char wanted[] = "xplane.pb";
  Wire w = { tool->data, tool->data + tool->size };
  Field f, name = { 0 }, data = { 0 };
  while (w.at < w.end) {
    if (!take_field (&w, &f))
      return FALSE;
    if (f.field == 1 && f.type == BYTES)
      name = f;
    else if (f.field == 2 && f.type == BYTES)
      data = f;
  }
  gsize len = strlen (wanted);
  if (name.size < len || memcmp (name.data + name.size - len, wanted, len))
    return TRUE;
  add_piece (answer, &data);
  return is_xspace (data.data, data.size);
}

const char *
np_xla_answer (const guint8 *message, gsize size, NpXlaAnswer *answer, gsize *at)
{
  Wire w = { message, message + size };
  while (w.at < w.end) {
    Field f = { 0 };
    *at = (gsize) (w.at - message);
    if (!take_field (&w, &f))
      return "expected a field of ProfileResponse";
    if (f.field == 7 && f.type == VARINT)
      answer->empty = f.number != 0;
    if (f.field == 6 && f.type == BYTES && !take_tool (answer, &f))
      return "expected a file of a tool";
    if (f.field != 8 || f.type != BYTES)
      continue;
    if (!is_xspace (f.data, f.size))
      return "expected an XSpace";
    add_piece (answer, &f);
  }
  return NULL;
}
