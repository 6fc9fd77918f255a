/* SPDX-License-Identifier: Apache-2.0 */
/* survey.c - makes the first pass over a device profile: its core, its earliest time, the unit of
 * its times, and what comes as properties before the first row. */
#include "tools.h"

#include <math.h>

#define PICOSECONDS_FROM 30.0 /* extent / total_time, where times are ns: about 1    */
#define PICOSECONDS_TO 30000.0

/* -- Times ------------------------------------------------------------------------------- */

static nprof_status
times (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t starts[] = { NT_K_TIMESTAMP, NT_K_START_TS, NT_K_START, 0 };
  static const uint8_t durations[] = { NT_K_DURATION, 0 }, ends[] = { NT_K_END_TS, NT_K_END, 0 };
  NtSurvey *s = &t->survey;
  NtTime start, end, duration;
  int64_t core;
  (void) user;
  if (nt_int (nt_see (r, NT_K_PCORE), &core))
    s->max_pcore = MAX (s->max_pcore, core);
  s->linked |= nt_see (r, NT_K_PREDECESSORS) != NULL;
  if (!nt_time (nt_take_first (r, starts), t->per, &start))
    return NPROF_OK;
  end = start;
  if (nt_time (nt_take_first (r, durations), t->per, &duration) && duration > 0)
    end = start + duration;
  else
    nt_time (nt_take_first (r, ends), t->per, &end);
  s->first = s->records ? MIN (s->first, start) : start;
  s->last = s->records ? MAX (s->last, end) : end;
  s->records++;
  return NPROF_OK;
}

/* -- What the sections of one record say ------------------------------------------------------ */

static void
number (const TeValue *key, const TeValue *v, const char *name, double *x)
{
  double found;
  if (*x == 0 && te_text_is (key, name) && nt_double (v, &found) && found > 0)
    *x = found;
}

static void
index_of (const TeValue *key, const TeValue *v, const char *name, bool *has, int64_t *i)
{
  int64_t found;
  if (!*has && te_text_is (key, name) && nt_int (v, &found) && found >= 0) {
    *has = true;
    *i = found;
  }
}

static void
learn (NtSurvey *s, const TeValue *key, const TeValue *v)
{
  index_of (key, v, "nd_idx", &s->has_nd, &s->nd);
  index_of (key, v, "neuron_device_idx", &s->has_nd, &s->nd);
  index_of (key, v, "nc_idx", &s->has_nc, &s->nc);
  index_of (key, v, "neuroncore_idx", &s->has_nc, &s->nc);
  number (key, v, "total_time", &s->total_time);
  number (key, v, "pe_clock_freq", &s->clock);
  number (key, v, "tensor_engine_clock_freq", &s->clock);
  number (key, v, "pe_num_rows", &s->rows);
  number (key, v, "tensor_engine_num_rows", &s->rows);
  number (key, v, "pe_num_cols", &s->columns);
  number (key, v, "tensor_engine_num_cols", &s->columns);
  number (key, v, "hbm_ddr_bandwidth", &s->bandwidth);
  int64_t i;
  if (te_text_is (key, "ntff_version") && nt_int (v, &i))
    s->version = i;
  if (te_text_is (key, "first_hw_timestamp"))
    s->has_zero |= nt_time (v, 1000, &s->zero);
  if (te_text_is (key, "last_hw_timestamp"))
    s->has_end |= nt_time (v, 1000, &s->end);
}

static nprof_status
summary (Nt *t, NtRecord *r, void *user)
{
  (void) user;
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    learn (&t->survey, &m->key, &m->value);
  }
  return NPROF_OK;
}

/* Takes the uuid of the NEFF, which is in hexadecimal digits. */
static void
take_uuid (Ntff *n, const char *text)
{
  uint8_t uuid[16];
  gsize i = 0;
  for (; i < sizeof uuid && g_ascii_isxdigit (text[2 * i]) && g_ascii_isxdigit (text[2 * i + 1]);
       i++)
    uuid[i] = (uint8_t) (g_ascii_xdigit_value (text[2 * i]) << 4
                         | g_ascii_xdigit_value (text[2 * i + 1]));
  if (i < sizeof uuid)
    return;
  memcpy (n->uuid, uuid, sizeof uuid);
  n->uuid_len = sizeof uuid;
}

static nprof_status
properties (Nt *t, NtRecord *r, void *user)
{
  summary (t, r, user);
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    g_autofree char *key = nt_dup (&m->key), *value = nt_dup (&m->value);
    if (!*key || !*value || (!t->ntff->private && nt_is_private (key)))
      continue;
    if (g_str_equal (key, "uuid"))
      take_uuid (t->ntff, value);
    nprof_status status = t->host->property (t->host, key, value);
    if (status)
      return status;
  }
  return NPROF_OK;
}

/* Reads the physical cores of the profile. nc_idx of a summary is their sum, and no number of a
 * core. */
static nprof_status
model (Nt *t, NtRecord *r, void *user)
{
  const TeValue *name = nt_see (r, NT_K_SG_NAME);
  NtGraph graph = { 0 };
  (void) user;
  if (!name || !nt_int (nt_see (r, NT_K_NC_IDX), &graph.nc))
    return NPROF_OK;
  graph.has_nd = nt_int (nt_see (r, NT_K_ND_IDX), &graph.nd);
  graph.name = *name;
  g_array_append_val (t->graphs, graph);
  return NPROF_OK;
}

/* Reads {GROUP: [METRIC, ...]} or {GROUP: {METRIC: ...}}. */
static nprof_status
groups (Nt *t, NtRecord *r, void *user)
{
  (void) user;
  if (!t->metric_groups)
    t->metric_groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    const char *p = m->value.p + 1;
    char close = m->value.kind == TE_ARRAY ? ']' : '}';
    TeValue name, value;
    if (m->value.kind == TE_TEXT) /* {METRIC: GROUP} */
      g_hash_table_replace (t->metric_groups, nt_dup (&m->key), nt_dup (&m->value));
    while ((m->value.kind == TE_ARRAY || m->value.kind == TE_OBJECT) && nt_next (t, &p, close)) {
      if (close == '}' ? !nt_key (t, &p, &name) || !(p = nt_skip (t, p, &value))
                       : !(p = nt_skip (t, p, &name)))
        break;
      if (name.kind == TE_TEXT)
        g_hash_table_replace (t->metric_groups, nt_dup (&name), nt_dup (&m->key));
    }
  }
  return NPROF_OK;
}

static nprof_status
usage (Nt *t, NtRecord *r, void *user)
{
  (void) r;
  (void) user;
  if (t->survey.has_usage)
    return NPROF_OK;
  t->survey.has_usage = true;
  return t->host->property (t->host, "on_chip_memory", "counters sbuf_usage, psum_usage");
}

/* -- Sections ---------------------------------------------------------------------------------- */

static nprof_status
section (Nt *t, const TeValue *key, const char **p)
{
  static const struct {
    const char *name;
    NtEach fn;
  } sections[] = {
    { "instruction", times },      { "dma", times },
    { "active_time", times },      { "summary", summary },
    { "metadata", properties },    { "profile_info", properties },
    { "neff_header", properties }, { "summary_groups", groups },
    { "model_info", model },       { "instruction_usage", usage },
  };
  TeValue value;
  for (gsize i = 0; i < G_N_ELEMENTS (sections); i++)
    if (te_text_is (key, sections[i].name))
      return nt_each (t, p, sections[i].name, sections[i].fn, NULL);
  *p = nt_skip (t, *p, &value);
  return *p ? nt_progress (t, *p) : NPROF_OK;
}

/* -- The unit of times ------------------------------------------------------------------------- */

/* Decides the unit by the total time that the same file states: the guides say ns, but some
 * versions were seen that write ps (a factor of 1000). */
static void
decide_unit (Nt *t)
{
  const NtSurvey *s = &t->survey;
  double extent = (double) (s->last - s->first), ratio;
  if (t->ntff->time_unit) {
    t->per = t->ntff->time_unit == 1 ? 1000 : 1;
    return;
  }
  if (s->total_time <= 0 || extent <= 0) {
    nprof_log (t->host, NPROF_INFO,
               "times are taken for ns, as documented; the file has no total_time to check it by");
    return;
  }
  ratio = extent / (s->total_time * 1e12);
  if (ratio >= PICOSECONDS_FROM && ratio <= PICOSECONDS_TO) {
    t->per = 1;
    nprof_log (t->host, NPROF_WARNING,
               "times are taken for ps, not ns: as ns they would span %.0f times the total_time of "
               "the summary; unit=ns says otherwise",
               ratio);
  } else if (ratio > PICOSECONDS_TO || ratio < 1 / PICOSECONDS_FROM) {
    nprof_log (t->host, NPROF_WARNING,
               "times are taken for ns, but span %.3g times the total_time of the summary; unit= "
               "says otherwise",
               ratio);
  }
}

nprof_status
nt_survey (Nt *t)
{
  t->surveying = true;
  nprof_status status = nt_sections (t, section);
  t->surveying = false;
  t->told = t->data;
  if (status)
    return status;
  decide_unit (t);
  NtSurvey *s = &t->survey;
  if (t->graphs->len) { /* the first core is that of rows that name none */
    const NtGraph *first = &g_array_index (t->graphs, NtGraph, 0);
    s->has_nc = true;
    s->nc = first->nc;
    s->nd = first->has_nd ? first->nd : s->nd;
    s->has_nd |= first->has_nd;
  }
  /* It is the vendor's 0, else the earliest time, down to a whole unit. */
  NtTime zero = s->has_zero ? s->zero : s->first;
  t->zero = t->per == 1000 ? zero : zero / 1000;
  return t->host->property (t->host, "time_unit", t->per == 1 ? "ps" : "ns");
}
