/* SPDX-License-Identifier: Apache-2.0 */
/* interned.c - keeps what packets intern: texts and messages by generation, kind and number, and
 * the counters of GPUs that descriptors describe.  Numbers may be hashes of 64 bits. */
#include "perfetto.h"

/* -- The table --------------------------------------------------------------------------------- */

static gsize
hash (guint32 generation, guint kind, guint64 iid)
{
  guint64 h = (iid ^ (guint64) generation << 40 ^ (guint64) kind << 20)
              * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (gsize) (h ^ h >> 29);
}

static PfEntry *
find (const PfInterned *t, guint32 generation, guint kind, guint64 iid)
{
  gsize at = hash (generation, kind, iid) & (t->n_slots - 1);
  for (;; at = (at + 1) & (t->n_slots - 1)) {
    PfEntry *e = &t->slots[at];
    if (!e->kind || (e->iid == iid && e->generation == generation && e->kind == kind))
      return e;
  }
}

static void
grow (PfInterned *t)
{
  PfInterned more = { .n = t->n, .n_slots = MAX (2 * t->n_slots, 256) };
  more.slots = np_large_grow (NULL, 0, more.n_slots * sizeof (PfEntry));
  for (gsize i = 0; i < t->n_slots; i++)
    if (t->slots[i].kind)
      *find (&more, t->slots[i].generation, t->slots[i].kind, t->slots[i].iid) = t->slots[i];
  pf_interned_clear (t);
  *t = more;
}

void
pf_interned_clear (PfInterned *t)
{
  np_large_free (t->slots, t->n_slots * sizeof (PfEntry));
  *t = (PfInterned){ 0 };
}

const PfEntry *
pf_entry (const Perfetto *pf, guint32 generation, guint kind, guint64 iid)
{
  const PfEntry *e = pf->interned.n ? find (&pf->interned, generation, kind, iid) : NULL;
  return e && e->kind ? e : NULL;
}

nprof_str
pf_interned (const Perfetto *pf, guint32 generation, guint kind, guint64 iid)
{
  const PfEntry *e = pf_entry (pf, generation, kind, iid);
  return e ? e->text : 0;
}

/* -- Counters of GPUs -------------------------------------------------------------------------- */

/* source: GpuCounterDescriptor.MeasureUnit */
static const char *
unit_name (guint64 unit)
{
  static const char *const names[] = {
    [1] = "bit",    [2] = "kbit",      [3] = "Mbit",       [4] = "Gbit",      [5] = "Tbit",
    [6] = "Pbit",   [7] = "byte",      [8] = "KB",         [9] = "MB",        [10] = "GB",
    [11] = "TB",    [12] = "PB",       [13] = "Hz",        [14] = "kHz",      [15] = "MHz",
    [16] = "GHz",   [17] = "THz",      [18] = "PHz",       [19] = "ns",       [20] = "us",
    [21] = "ms",    [22] = "s",        [23] = "min",       [24] = "h",        [25] = "vertex",
    [26] = "pixel", [27] = "triangle", [28] = "mW",        [29] = "W",        [30] = "kW",
    [31] = "J",     [32] = "V",        [33] = "A",         [34] = "C",        [35] = "F",
    [36] = "K",     [37] = "%",        [38] = "primitive", [39] = "fragment", [40] = "instruction",
  };
  return unit < G_N_ELEMENTS (names) ? names[unit] : NULL;
}

static void
put_units (GString *text, PbSpan spec, guint32 field, char before)
{
  guint64 unit;
  for (PfNumbers it = pf_numbers (spec, field, false); pf_next_number (&it, &unit); before = ':') {
    const char *name = unit_name (unit);
    if (before)
      g_string_append_c (text, before);
    g_string_append (text, name ? name : "?");
  }
}

static guint
spec_hash (gconstpointer p)
{
  const PfSpecKey *k = p;
  return (guint) hash (k->generation, k->counter, k->descriptor);
}

static gboolean
spec_equal (gconstpointer pa, gconstpointer pb)
{
  const PfSpecKey *a = pa, *b = pb;
  return a->generation == b->generation && a->counter == b->counter
         && a->descriptor == b->descriptor;
}

static void
learn_spec (Perfetto *pf, const PfSpecKey *of, PbSpan body)
{
  g_autoptr (GString) unit = g_string_new (NULL);
  PfSpec *spec = g_new0 (PfSpec, 1);
  spec->key = *of;
  spec->key.counter = (guint32) pf_number (body, 1, 0);
  const PbSpan name = pf_bytes (body, 2);
  spec->name = name.p ? pf_text (pf->host, name) : 0;
  spec->forward = pf_number (body, 11, 1) == 2;
  put_units (unit, body, 7, 0);
  put_units (unit, body, 8, '/');
  spec->unit = unit->len ? nprof_intern (pf->host, unit->str) : 0;
  g_hash_table_replace (pf->specs, &spec->key, spec);
}

void
pf_learn_specs (Perfetto *pf, const PfSpecKey *of, PbSpan descriptor)
{
  PbField f;
  if (!pf->specs)
    pf->specs = g_hash_table_new_full (spec_hash, spec_equal, NULL, g_free);
  while (descriptor.p < descriptor.end && pb_field (&descriptor.p, descriptor.end, &f))
    if (f.tag == PB_BYTES (1))
      learn_spec (pf, of, f.span);
}

/* -- Learning ---------------------------------------------------------------------------------- */

static bool
is_message (guint kind)
{
  return kind == INTERNED_SOURCE || kind == INTERNED_FRAME || kind == INTERNED_STACK
         || kind == INTERNED_COUNTERS || kind == INTERNED_KERNEL;
}

/* What stands in a block goes with it. */
static PbSpan
keep (Perfetto *pf, PbSpan body, bool in_block)
{
  if (!in_block)
    return body;
  const gsize len = (gsize) (body.end - body.p);
  const guint8 *own
      = (const guint8 *) g_string_chunk_insert_len (pf->kept, (const char *) body.p, (gssize) len);
  return (PbSpan){ own, own + len };
}

static void
learn_name (const Perfetto *pf, PfEntry *e)
{
  size_t len;
  const char *name = pf->host->string (pf->host, e->text, &len);
  e->rule = pf_rule (pf, name, len);
  pf_own_name (pf, e, (PbSpan){ (const guint8 *) name, (const guint8 *) name + len });
}

static void
take (Perfetto *pf, guint32 generation, guint kind, PbSpan body, bool in_block)
{
  const guint64 iid = pf_number (body, 1, 0);
  if (2 * pf->interned.n >= pf->interned.n_slots)
    grow (&pf->interned);
  PfEntry *e = find (&pf->interned, generation, kind, iid);
  if (e->kind)
    return; /* the first one holds */
  *e = (PfEntry){ .iid = iid, .generation = generation, .kind = (guint16) kind };
  pf->interned.n++;
  if (is_message (kind)) {
    e->message = keep (pf, body, in_block);
  } else {
    const PbSpan text = pf_bytes (body, 2);
    e->text = text.p ? pf_text (pf->host, text) : 0;
    if (kind == INTERNED_ARG)
      learn_name (pf, e);
    else if (kind == INTERNED_GPU_SPEC)
      e->category = pf_stage_category (pf->host, e->text);
  }
  if (kind == INTERNED_COUNTERS)
    pf_learn_specs (pf, &(PfSpecKey){ generation, 0, iid }, pf_bytes (body, 2));
}

void
pf_intern (Perfetto *pf, guint32 generation, PbSpan data, bool in_block)
{
  PbField f;
  while (data.p < data.end && pb_field (&data.p, data.end, &f))
    if ((f.tag & 7) == 2 && f.tag >> 3 <= G_MAXUINT16)
      take (pf, generation, (guint) (f.tag >> 3), f.span, in_block);
}
