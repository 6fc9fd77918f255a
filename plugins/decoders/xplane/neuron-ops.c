/* SPDX-License-Identifier: Apache-2.0 */
/* neuron-ops.c - reads records of operators, as torch-neuronx hands them to its TensorBoard plugin.
 * The names of their members are not published, so a member counts as what its name says in any
 * spelling, and the whole record stays beside it. source: the plugin's view of operators (name,
 * occurrences, Neuron device, NeuronCore, time in ns) */
#include "neuron.h"

NPROF_TABLE (neuron_ops, "Operators of a Neuron profile",
             "records of neuron_framework_op.json and neuron_hlo_op.json as the runtime "
             "wrote them",
             NEURON_OPS)

enum { NAME, CALLS, TIME_NS, DEVICE, CORE, N_MEMBERS };

/* Names are compared in lower case, letters and digits alone. */
static const struct {
  const char *text;
  guint8 member;
} spellings[] = {
  { "name", NAME },         { "opname", NAME },
  { "operator", NAME },     { "operatorname", NAME },
  { "calls", CALLS },       { "count", CALLS },
  { "occurrences", CALLS }, { "occurrence", CALLS },
  { "occurances", CALLS },  { "numoccurrences", CALLS },
  { "time", TIME_NS },      { "timens", TIME_NS },
  { "totaltime", TIME_NS }, { "totaltimens", TIME_NS },
  { "duration", TIME_NS },  { "durationns", TIME_NS },
  { "device", DEVICE },     { "neurondevice", DEVICE },
  { "deviceid", DEVICE },   { "nd", DEVICE },
  { "core", CORE },         { "neuroncore", CORE },
  { "coreid", CORE },       { "nc", CORE },
  { "neuroncoreid", CORE },
};

static guint
member_of (PbSpan name)
{
  char plain[32];
  gsize n = 0;
  for (const uint8_t *p = name.p; p < name.end && n < sizeof plain - 1; p++)
    if (g_ascii_isalnum ((char) *p))
      plain[n++] = g_ascii_tolower ((char) *p);
  plain[n] = '\0';
  for (gsize i = 0; i < G_N_ELEMENTS (spellings); i++)
    if (strcmp (plain, spellings[i].text) == 0)
      return spellings[i].member;
  return N_MEMBERS;
}

/* Takes a member, the first of several.  `user` is PbSpan[N_MEMBERS]. */
static void
take_member (void *user, PbSpan name, PbSpan value)
{
  PbSpan *members = user;
  guint member = member_of (name);
  if (member < N_MEMBERS && !members[member].p)
    members[member] = value;
}

/* Returns a number or a text. */
static struct nprof_maybe_str
some_text (const struct nprof_host *host, PbSpan value)
{
  bool text = value.p && (*value.p == '"' || *value.p == '-' || g_ascii_isdigit ((char) *value.p));
  g_autofree char *plain = text ? xp_json_text (value) : NULL;
  return nprof_str_if (plain, plain ? nprof_intern (host, plain) : 0);
}

/* Returns whole numbers alone: no fraction, no exponent. */
static struct nprof_maybe_int
some_count (PbSpan value)
{
  g_autofree char *text = value.p ? xp_json_text (value) : g_strdup ("");
  guint64 count = 0;
  const bool known = g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &count, NULL);
  return nprof_int_if (known, (int64_t) count);
}

/* Returns the record's ns, in ps. */
static struct nprof_maybe_int
some_time (PbSpan value)
{
  g_autofree char *ns = value.p ? xp_json_text (value) : g_strdup ("");
  g_autofree char *us = g_strconcat (ns, "e-3", NULL);
  int64_t ps = -1;
  PbSpan text = { (const uint8_t *) us, (const uint8_t *) us + strlen (us) };
  const bool known = xp_json_us (text, &ps);
  return nprof_int_if (known && ps >= 0, ps);
}

static const char *
level_of (const char *file)
{
  return strcmp (file, "neuron_framework_op.json") == 0 ? "framework"
         : strcmp (file, "neuron_hlo_op.json") == 0     ? "hlo"
                                                        : NULL;
}

nprof_status
neuron_op_row (Xplane *x, nprof_str run, nprof_str file, const XpValue *value)
{
  const struct nprof_host *h = x->host;
  const struct nprof_maybe_text record = xp_some_text (h, value->span);
  PbSpan members[N_MEMBERS] = { { 0 } };
  if (record.known && !xp_json_each (value->span, take_member, members))
    return h->damage (h, xp_at (x, value->at), "stat: a record of an operator is no JSON object");
  const char *level = level_of (nprof_text (h, file));
  const struct neuron_ops_row row = {
    .run = nprof_any_str (run),
    .file = nprof_any_str (file),
    .op = nprof_any_str (xp_stat_text (h, value->stat)),
    .record = nprof_json_of_len (record.value, record.len),
    .level = nprof_some_str (level ? nprof_intern (h, level) : 0),
    .name = some_text (h, members[NAME]),
    .calls = some_count (members[CALLS]),
    .time = some_time (members[TIME_NS]),
    .device = some_text (h, members[DEVICE]),
    .core = some_text (h, members[CORE]),
  };
  return h->row (h, &neuron_ops_table, neuron_ops_cells (nprof_cell_str (x->input), &row).cells);
}
