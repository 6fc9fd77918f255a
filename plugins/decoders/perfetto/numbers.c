/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - reads fields of a message by their number: numbers, which may be packed, and bytes.
 * */
#include "perfetto.h"

/* Reads the next number of the packed ones. */
static bool
unpack (PfNumbers *it, guint64 *value)
{
  if (!it->fixed) {
    it->packed.p = pb_varint (it->packed.p, it->packed.end, value);
    return it->packed.p != NULL;
  }
  if (it->packed.end - it->packed.p < 8)
    return false;
  memcpy (value, it->packed.p, 8);
  it->packed.p += 8;
  return true;
}

bool
pf_next_number (PfNumbers *it, guint64 *value)
{
  PbField f;
  for (;;) {
    if (it->packed.p < it->packed.end && unpack (it, value))
      return true;
    it->packed.p = it->packed.end;
    if (it->rest.p >= it->rest.end || !pb_field (&it->rest.p, it->rest.end, &f))
      return false;
    if (f.tag >> 3 != it->field)
      continue;
    if ((f.tag & 7) != 2) {
      *value = f.value;
      return true;
    }
    it->packed = f.span;
  }
}

guint64
pf_number (PbSpan body, guint32 field, guint64 preset)
{
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag >> 3 == field && (f.tag & 7) != 2)
      preset = f.value;
  return preset;
}

PbSpan
pf_bytes (PbSpan body, guint32 field)
{
  PbField f;
  PbSpan found = { NULL, NULL };
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (field))
      found = f.span;
  return found;
}

double
pf_double (guint64 bits)
{
  double value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

nprof_str
pf_text (const struct nprof_host *host, PbSpan text)
{
  return host->intern (host, (const char *) text.p, (size_t) (text.end - text.p));
}
