/* SPDX-License-Identifier: Apache-2.0 */
/* neuron-ops.c - reads records of operators, as torch-neuronx hands them to its TensorBoard plugin.
 * The names of their members are not published, so a member counts as what its name says in any
 * spelling, and the whole record stays beside it. source: the plugin's view of operators (name,
 * occurrences, Neuron device, NeuronCore, time in ns) */
#include "neuron.h"

const struct nprof_table xp_neuron_table = {
  .size = sizeof xp_neuron_table,
  .name = "neuron_ops",
  .title = "Operators of a Neuron profile",
  .note = "records of neuron_framework_op.json and neuron_hlo_op.json as the runtime wrote them",
  .columns
  = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "run", "", "folder that the runtime named"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "file", "", "file that the runtime named"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "op", "", "number of the record"),
                   NPROF_VALUE_COLUMN (NPROF_JSON, "record", "", "the record"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "level", "", "framework or hlo"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "name", "", "the operator"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "calls", "", "how often it ran"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "time_ns", "ps", "time of all calls"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "device", "", "Neuron device"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "core", "", "NeuronCore"))
};

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
member_of (XpSpan name)
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

/* Takes a member, the first of several.  `user` is XpSpan[N_MEMBERS]. */
static void
take_member (void *user, XpSpan name, XpSpan value)
{
  XpSpan *members = user;
  guint member = member_of (name);
  if (member < N_MEMBERS && !members[member].p)
    members[member] = value;
}

/* Returns a number or a text. */
static struct nprof_cell
text_cell (const struct nprof_host *host, XpSpan value)
{
  bool text = value.p && (*value.p == '"' || *value.p == '-' || g_ascii_isdigit ((char) *value.p));
  g_autofree char *plain = text ? xp_json_text (value) : NULL;
  return plain ? nprof_cell_str (nprof_intern (host, plain)) : nprof_cell_null ();
}

/* Returns whole numbers alone: no fraction, no exponent. */
static struct nprof_cell
count_cell (XpSpan value)
{
  g_autofree char *text = value.p ? xp_json_text (value) : g_strdup ("");
  guint64 count;
  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &count, NULL)
             ? nprof_cell_int ((int64_t) count)
             : nprof_cell_null ();
}

/* Returns the record's ns, in ps. */
static struct nprof_cell
time_cell (XpSpan value)
{
  g_autofree char *ns = value.p ? xp_json_text (value) : g_strdup ("");
  g_autofree char *us = g_strconcat (ns, "e-3", NULL);
  int64_t ps;
  XpSpan text = { (const uint8_t *) us, (const uint8_t *) us + strlen (us) };
  return xp_json_us (text, &ps) && ps >= 0 ? nprof_cell_int (ps) : nprof_cell_null ();
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
  struct nprof_cell record = xp_text_cell (h, value->span);
  record.type = record.type == NPROF_NULL ? NPROF_NULL : NPROF_JSON;
  XpSpan members[N_MEMBERS] = { { 0 } };
  if (record.type == NPROF_JSON && !xp_json_each (value->span, take_member, members))
    return h->damage (h, xp_at (x, value->at), "stat: a record of an operator is no JSON object");
  const char *level = level_of (nprof_text (h, file));
  const struct nprof_cell cells[]
      = { nprof_cell_str (x->input),
          nprof_cell_str (run),
          nprof_cell_str (file),
          nprof_cell_str (xp_stat_text (h, value->stat)),
          record,
          level ? nprof_cell_str (nprof_intern (h, level)) : nprof_cell_null (),
          text_cell (h, members[NAME]),
          count_cell (members[CALLS]),
          time_cell (members[TIME_NS]),
          text_cell (h, members[DEVICE]),
          text_cell (h, members[CORE]) };
  return h->row (h, &xp_neuron_table, cells);
}
