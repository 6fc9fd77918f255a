/* SPDX-License-Identifier: Apache-2.0 */
/* own.c - a trace that the sink perfetto of nprof wrote: an instant says what its tracks were and
 * what is true of its devices, and args of rows hold what Perfetto cannot.  With it, such a trace
 * says what the profile said that it was made of.  format: nprof-sink-perfetto(7) */
#include "perfetto.h"

enum {
  ARG_VALUE_UINT = 3,
  ARG_VALUE_INT = 4,
  ARG_VALUE_TEXT = 6,
  ARG_OWN_NAME = 10,
  ARG_OWN_MEMBER = 11,
  ARG_OWN_ELEMENT = 12
};

typedef struct {
  guint64 parent;
  uint32_t kind; /* 0: none that is known */
  nprof_str key, label;
  gint64 sort;
  nprof_track made;
  bool making;
} PfOwnTrack;

static bool
is_word (PbSpan text, const char *word)
{
  const gsize len = strlen (word);
  return (gsize) (text.end - text.p) == len && memcmp (text.p, word, len) == 0;
}

/* Finds the member or arg of that name in a message whose args stand in `field`. */
static PbSpan
member (PbSpan body, guint32 field, const char *name)
{
  PbField f;
  PbSpan found = { NULL, NULL };
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (field) && is_word (pf_bytes (f.span, ARG_OWN_NAME), name))
      found = f.span;
  return found;
}

static bool
member_number (PbSpan body, guint32 field, const char *name, gint64 *number)
{
  const PbSpan arg = member (body, field, name);
  if (!arg.p)
    return false;
  *number = (gint64) pf_number (arg, ARG_VALUE_UINT, pf_number (arg, ARG_VALUE_INT, 0));
  return true;
}

static nprof_str
member_text (const Perfetto *pf, PbSpan body, const char *name)
{
  const PbSpan text = pf_bytes (member (body, ARG_OWN_MEMBER, name), ARG_VALUE_TEXT);
  return text.p ? pf_text (pf->host, text) : 0;
}

/* -- Tracks ------------------------------------------------------------------------------------ */

static uint32_t
kind_of (const char *text)
{
  static const char *const kinds[] = { NULL,     "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  for (uint32_t i = 1; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (text, kinds[i]) == 0)
      return i;
  return 0;
}

static void
learn_track (Perfetto *pf, PbSpan body)
{
  gint64 number, is, parent = 0;
  if (member_number (body, ARG_OWN_MEMBER, "uuid", &number)
      && member_number (body, ARG_OWN_MEMBER, "is", &is)) {
    g_hash_table_insert (pf->own.uuids, g_memdup2 (&number, sizeof number),
                         g_memdup2 (&is, sizeof is));
    return;
  }
  if (!member_number (body, ARG_OWN_MEMBER, "track", &number))
    return;
  PfOwnTrack *t = g_new0 (PfOwnTrack, 1);
  member_number (body, ARG_OWN_MEMBER, "parent", &parent);
  member_number (body, ARG_OWN_MEMBER, "sort", &t->sort);
  t->parent = (guint64) parent;
  t->kind = kind_of (nprof_text (pf->host, member_text (pf, body, "kind")));
  t->key = member_text (pf, body, "key");
  t->label = member_text (pf, body, "label");
  g_hash_table_replace (pf->own.tracks, g_memdup2 (&number, sizeof number), t);
}

static void
learn_tracks (Perfetto *pf, PbSpan list)
{
  PbField f;
  pf->own.tracks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  pf->own.uuids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  while (list.p < list.end && pb_field (&list.p, list.end, &f))
    if (f.tag == PB_BYTES (ARG_OWN_ELEMENT))
      learn_track (pf, f.span);
}

static nprof_track
make (Perfetto *pf, PfOwnTrack *t, guint depth)
{
  PfOwnTrack *parent = g_hash_table_lookup (pf->own.tracks, &t->parent);
  nprof_track above = 0;
  if (t->made || !t->kind || t->making || depth > PF_DEPTH)
    return t->made;
  t->making = true;
  if (parent && !(above = make (pf, parent, depth + 1)))
    return 0;
  t->making = false;
  t->made = pf->host->track (pf->host, above, t->kind, t->key, t->label, t->sort);
  pf->no_memory |= !t->made;
  return t->made;
}

nprof_track
pf_own_track (Perfetto *pf, guint64 uuid)
{
  const gint64 *number = pf->own.uuids ? g_hash_table_lookup (pf->own.uuids, &uuid) : NULL;
  PfOwnTrack *t = number ? g_hash_table_lookup (pf->own.tracks, number) : NULL;
  if (number && !t)
    return *number == 0 ? 0 : pf->input->root;
  return t ? make (pf, t, 0) : 0;
}

/* -- Attributes -------------------------------------------------------------------------------- */

/* Learns the keys of the attributes that this decoder declares; those that rows get otherwise are
 * no args. */
void
pf_own_init (Perfetto *pf)
{
  static const char *const otherwise[]
      = { "args", "end_args", NPROF_KEY_FLOW_PHASE, NPROF_KEY_WORK };
  const struct nprof_attribute *const *attributes = pf_attributes ();
  pf->own.rules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; attributes[i]; i++) {
    const char *key = attributes[i]->key;
    bool none = false;
    for (guint k = 0; k < G_N_ELEMENTS (otherwise); k++)
      none |= strcmp (key, otherwise[k]) == 0;
    if (none)
      continue;
    PfRule *rule = g_new0 (PfRule, 1);
    const bool wanted = (pf->host->wanted (pf->host, key) || pf->host->row_want (pf->host, key, 0))
                        && strcmp (key, NPROF_KEY_UNIT) != 0; /* which the track says */
    rule->type = (uint8_t) attributes[i]->type;
    rule->key = wanted ? nprof_intern (pf->host, key) : 0;
    g_hash_table_insert (pf->own.rules, g_strdup (key), rule);
  }
}

const PfRule *
pf_own_rule (const Perfetto *pf, PbSpan name)
{
  char key[64];
  const gsize len = (gsize) (name.end - name.p);
  if (!len || len >= sizeof key)
    return NULL;
  memcpy (key, name.p, len);
  key[len] = '\0';
  return g_hash_table_lookup (pf->own.rules, key);
}

/* -- What it says of itself -------------------------------------------------------------------- */

nprof_status
pf_own_read (Perfetto *pf)
{
  PfOwn *own = &pf->own;
  PfPacket packet;
  if (!own->has_place || !pf_packet_at (pf, own->place, &own->block, &packet))
    return NPROF_OK;
  const PbSpan event = packet.body;
  const PbSpan generator = pf_bytes (member (event, EVENT_ARG, "generator"), ARG_VALUE_TEXT);
  own->is
      = generator.p && generator.end - generator.p > 6 && memcmp (generator.p, "nprof ", 6) == 0;
  if (!own->is)
    return NPROF_OK;
  own->has_origin = member_number (event, EVENT_ARG, "origin_unix_ns", &own->origin);
  member_number (event, EVENT_ARG, "ts_0_ns", &own->zero);
  learn_tracks (pf, member (event, EVENT_ARG, "tracks"));
  own->facts = member (event, EVENT_ARG, "facts");
  return NPROF_OK;
}

void
pf_own_clear (Perfetto *pf)
{
  if (pf->own.tracks) {
    g_hash_table_unref (pf->own.tracks);
    g_hash_table_unref (pf->own.uuids);
  }
  g_hash_table_unref (pf->own.rules);
  g_free (pf->own.block.data);
}

/* -- Facts ------------------------------------------------------------------------------------- */

/* Returns the track of that label, below one of the label `above` where that is another; 0: none.
 * */
static nprof_track
track_called (Perfetto *pf, nprof_str label, nprof_str above)
{
  GHashTableIter iter;
  gpointer number, value;
  gint64 least = G_MAXINT64;
  PfOwnTrack *found = NULL;
  g_hash_table_iter_init (&iter, pf->own.tracks);
  while (g_hash_table_iter_next (&iter, &number, &value)) {
    PfOwnTrack *t = value;
    const PfOwnTrack *parent = g_hash_table_lookup (pf->own.tracks, &t->parent);
    const bool fits
        = (t->label ? t->label : t->key) == label
          && (above == label || (parent && (parent->label ? parent->label : parent->key) == above));
    if (fits && *(gint64 *) number < least) {
      least = *(gint64 *) number;
      found = t;
    }
  }
  return found ? make (pf, found, 0) : 0;
}

/* Returns whether a value that stands in that field is of the type that the attribute has. */
static bool
is_of_type (const Perfetto *pf, nprof_str key, guint64 field)
{
  static const uint8_t types[] = { [ARG_VALUE_UINT] = NPROF_UINT64,
                                   [ARG_VALUE_INT] = NPROF_INT64,
                                   [5] = NPROF_DOUBLE,
                                   [ARG_VALUE_TEXT] = NPROF_STRING };
  const PfRule *rule = g_hash_table_lookup (pf->own.rules, nprof_text (pf->host, key));
  return !rule || rule->type == types[field];
}

static nprof_status
write_fact (Perfetto *pf, struct nprof_writer *w, PbSpan body)
{
  const nprof_str key = member_text (pf, body, "key"), process = member_text (pf, body, "process"),
                  track = member_text (pf, body, "track"),
                  source = member_text (pf, body, "source");
  const PbSpan value = member (body, ARG_OWN_MEMBER, "value");
  const nprof_track on = process ? track_called (pf, track, process) : pf->input->root;
  PbField f = { 0 };
  for (PbSpan rest = value; rest.p < rest.end && pb_field (&rest.p, rest.end, &f)
                            && (f.tag >> 3 < ARG_VALUE_UINT || f.tag >> 3 > ARG_VALUE_TEXT);)
    f.tag = 0;
  if (!on || !key || !f.tag || !is_of_type (pf, key, f.tag >> 3)) {
    pf->host->skip (pf->host, "fact", pf_byte (pf, pf->own.place),
                    "no track has its label, or it has no value of its type");
    return NPROF_OK;
  }
  nprof_status status = nprof_row (w, NPROF_FACT, on, key, 0, 0);
  if (status)
    return status;
  nprof_set_category (w, source);
  if (f.tag == PB_VARINT (ARG_VALUE_INT))
    return nprof_attr_int (w, key, (gint64) f.value);
  if (f.tag == PB_VARINT (ARG_VALUE_UINT))
    return nprof_attr_uint (w, key, f.value);
  if ((f.tag & 7) == 2)
    return nprof_attr_str (w, key, pf_text (pf->host, f.span));
  return nprof_attr_double (w, key, pf_double (f.value));
}

nprof_status
pf_own_facts (Perfetto *pf, struct nprof_writer *w)
{
  nprof_status status = NPROF_OK;
  PbField f;
  for (PbSpan rest = pf->own.facts;
       !status && rest.p < rest.end && pb_field (&rest.p, rest.end, &f);)
    if (f.tag == PB_BYTES (ARG_OWN_ELEMENT))
      status = write_fact (pf, w, f.span);
  return !status && pf->no_memory ? NPROF_E_NOMEM : status;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* An exact time agrees with that of the event, in whole ns, unless a program has changed the trace.
 * */
static bool
within_ns (gint64 exact, gint64 time)
{
  gint64 apart;
  return !__builtin_sub_overflow (exact, time, &apart) && apart > -1000 && apart < 1000;
}

/* Args that the sink puts of itself, each by the length of its name. */
enum { OWN_ID = 2, OWN_FLOW = 4, OWN_VALUE, OWN_PARENT, OWN_START = 8, OWN_DURATION = 11 };

guint
pf_own_word (PbSpan name)
{
  static const char *const words[]
      = { [OWN_ID] = "id",         [OWN_FLOW] = "flow",      [OWN_VALUE] = "value",
          [OWN_PARENT] = "parent", [OWN_START] = "start_ps", [OWN_DURATION] = "duration_ps" };
  const gsize len = (gsize) (name.end - name.p);
  return len < G_N_ELEMENTS (words) && words[len] && memcmp (name.p, words[len], len) == 0
             ? (guint) len
             : 0;
}

/* Such names are of attributes, or of members of args, behind attr_. */
bool
pf_own_hidden (PbSpan *name)
{
  if (name->end - name->p <= 5 || memcmp (name->p, "attr_", 5) != 0)
    return false;
  const PbSpan rest = { name->p + 5, name->end };
  if (!pf_own_word (rest))
    return false;
  *name = rest;
  return true;
}

void
pf_own_name (const Perfetto *pf, PfEntry *e, PbSpan name)
{
  e->own_word = (guint8) pf_own_word (name);
  pf_own_hidden (&name);
  e->attribute = pf_own_rule (pf, name);
  e->own_says = e->own_word || (e->attribute && e->attribute->key);
}

bool
pf_own_arg (PfPartState *part, guint word, uint8_t type, guint64 number)
{
  struct nprof_writer *w = part->w;
  const uint32_t row = w->n_rows - 1;
  const gint64 exact = (gint64) number;
  gint64 end;
  if (word == OWN_START && type != NPROF_DOUBLE) {
    if (within_ns (exact, w->start[row]))
      w->start[row] = exact;
  } else if (word == OWN_DURATION && type != NPROF_DOUBLE) {
    if (exact >= 0 && !__builtin_add_overflow (w->start[row], exact, &end)
        && (w->kind[row] == NPROF_INSTANT || within_ns (exact, w->duration[row])))
      w->duration[row] = exact;
  } else if (word == OWN_ID) {
    nprof_set_id (w, number);
  } else if (word == OWN_PARENT) {
    nprof_set_parent (w, number);
  } else if (word == OWN_FLOW) {
    nprof_set_flow (w, number);
  } else if (word == OWN_VALUE && type == NPROF_DOUBLE) {
    nprof_set_value (w, pf_double (number));
  } else {
    return false;
  }
  return true;
}

void
pf_own_gap (PfPartState *part)
{
  static const char before[] = "GAP: ";
  struct nprof_writer *w = part->w;
  const uint32_t row = w->n_rows - 1;
  if (w->kind[row] != NPROF_INSTANT)
    return;
  const char *name = nprof_text (part->host, w->name[row]);
  if (g_str_has_prefix (name, before)) {
    w->kind[row] = NPROF_GAP;
    w->name[row] = nprof_intern (part->host, name + sizeof before - 1);
  } else {
    w->duration[row] = 0;
  }
}
