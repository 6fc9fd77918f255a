/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - sink report-neuron-json: writes the rows of a device as `neuron-profile view
 * --output-format json` does: one object, in which each section is an array of records, which
 * record.c puts. */
#include "profile.h"

#include "record.h"
#include "summary.h"

#include <nprof/text-sink.h>

/* -- The instance ------------------------------------------------------------------------------ */

typedef struct {
  const char *name;
  struct nprof_buf records; /* with a comma between */
} Section;

/* Where the record of an instruction ends in its section, so that its predecessors can follow. */
typedef struct {
  gsize end;
  guint64 id;
} Place;

/* An arrow; 0: that end of it was not there yet. */
typedef struct {
  guint64 from, to;
  nprof_str type;
} Edge;

typedef struct {
  struct nprof_text_sink text; /* first */
  struct nprof_row_columns attributes;
  GPtrArray *summaries; /* of Summary */
  GPtrArray *sections;  /* of Section */
  GPtrArray *cores;     /* tracks; the index is the number of the subgraph */
  GArray *places;       /* of Place, of section instruction */
  GHashTable *edges;    /* of Edge, by flow */
  guint input;          /* 1 + that of the rows; 0: none yet */
  gint64 last;          /* ns: the end of the execution */
  double clock;         /* Hz, of the tensor engine; 0: not stated */
  guint64 left_out;     /* rows of the device that have no section */
} Profile;

static void
section_free (gpointer data)
{
  Section *s = data;
  nprof_buf_clear (&s->records);
  g_free (s);
}

static nprof_status
profile_open (void *self, const struct nprof_host *host)
{
  Profile *p = self;
  p->summaries = summaries_new ();
  p->sections = g_ptr_array_new_with_free_func (section_free);
  p->cores = g_ptr_array_new ();
  p->places = g_array_new (FALSE, FALSE, sizeof (Place));
  p->edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  if (nprof_row_columns_init (&p->attributes, host, NULL))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for the attributes of rows");
  return nprof_text_sink_open (self, host);
}

static struct nprof_buf *
records_of (Profile *p, const char *section)
{
  for (guint i = 0; i < p->sections->len; i++) {
    Section *s = p->sections->pdata[i];
    if (g_str_equal (s->name, section))
      return &s->records;
  }
  Section *s = g_new0 (Section, 1);
  s->name = section;
  g_ptr_array_add (p->sections, s);
  return &s->records;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Returns the core that a track lies in, or is; 0: none. */
static nprof_track
core_of (const struct nprof_host *host, nprof_track track)
{
  const struct nprof_track_info *info;
  for (; track && (info = host->track_info (host, track)); track = info->parent)
    if (info->kind == NPROF_TRACK_CORE)
      return track;
  return 0;
}

static guint
subgraph_of (Profile *p, nprof_track core)
{
  guint i = 0;
  while (i < p->cores->len && GPOINTER_TO_UINT (p->cores->pdata[i]) != core)
    i++;
  if (i == p->cores->len)
    g_ptr_array_add (p->cores, GUINT_TO_POINTER (core));
  return i;
}

static Row
row_of (Profile *p, const struct nprof_batch *b, guint i, nprof_track core)
{
  const struct nprof_host *host = p->text.host;
  const struct nprof_track_info *info = host->track_info (host, b->track[i]);
  gint64 end = b->start[i] + (b->kind[i] == NPROF_SPAN && b->duration[i] > 0 ? b->duration[i] : 0);
  Row r = { .attributes = &p->attributes,
            .clock = p->clock,
            .b = b,
            .i = i,
            .subgraph = subgraph_of (p, core),
            .start = b->start[i],
            .end = end,
            .name = nprof_text (host, b->name[i]),
            .engine = row_word (&p->attributes, NPROF_KEY_ENGINE),
            .track = nprof_text (host, info->key),
            .dma_engine = -1,
            .dma_queue = -1 };
  if (sscanf (r.track, "DMA %" G_GINT64_FORMAT " queue %" G_GINT64_FORMAT, &r.dma_engine,
              &r.dma_queue)
      != 2)
    r.dma_engine = r.dma_queue = -1;
  return r;
}

static void
add_arrow (Profile *p, const struct nprof_batch *b, guint i)
{
  const struct nprof_host *host = p->text.host;
  const char *phase = row_word (&p->attributes, NPROF_KEY_FLOW_PHASE);
  if (!b->flow || !b->flow[i] || !b->parent || !phase
      || !g_str_equal (nprof_text (host, b->category[i]), "predecessor"))
    return;
  Edge *e = g_hash_table_lookup (p->edges, &b->flow[i]);
  if (!e) {
    e = g_new0 (Edge, 1);
    g_hash_table_insert (p->edges, g_memdup2 (&b->flow[i], sizeof b->flow[i]), e);
  }
  *(g_str_equal (phase, "begin") ? &e->from : &e->to) = b->parent[i];
  e->type = b->name[i];
}

static void
learn_fact (Profile *p, const struct nprof_batch *b, guint i)
{
  const struct nprof_field *f = row_attribute (&p->attributes, NPROF_KEY_CLOCK_RATE);
  if (g_str_equal (nprof_text (p->text.host, b->name[i]), NPROF_KEY_CLOCK_RATE) && f
      && f->type == NPROF_DOUBLE)
    p->clock = f->value.f;
}

static void
add_row (Profile *p, const struct nprof_batch *b, guint i, nprof_track core)
{
  const Member *members;
  const char *category = nprof_text (p->text.host, b->category[i]),
             *section = section_of (category, &members);
  const struct nprof_field *left_out = row_attribute (&p->attributes, "left_out");
  const Row r = row_of (p, b, i, core);
  if (g_str_equal (category, "execution")) {
    p->last = MAX (p->last, r.end / 1000);
    return;
  }
  if (!section || (left_out && left_out->value.u)) {
    p->left_out++;
    return;
  }
  struct nprof_buf *to = records_of (p, section);
  put_record (to, &r, members);
  const Place place = { to->len, b->id ? b->id[i] : 0 };
  if (g_str_equal (section, "instruction"))
    g_array_append_val (p->places, place);
  else
    nprof_put_char (to, '}');
}

/* The format has no place for the input of a row. */
static nprof_status
take_input (Profile *p, guint input)
{
  const struct nprof_host *host = p->text.host;
  if (p->input && p->input - 1 != input)
    return nprof_fail (host, NPROF_E_OPTION,
                       "%s and %s both have rows of a device, and this format holds "
                       "one profile; run each by itself",
                       nprof_text (host, host->input (host, p->input - 1)->label),
                       nprof_text (host, host->input (host, input)->label));
  p->input = input + 1;
  return NPROF_OK;
}

static nprof_status
profile_consume (void *self, const struct nprof_batch *b)
{
  Profile *p = self;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < b->n_rows && !status; i++) {
    nprof_track core = core_of (p->text.host, b->track[i]);
    status = nprof_row_columns_row (&p->attributes, b, i);
    if (!status && b->kind[i] == NPROF_FACT)
      learn_fact (p, b, i);
    else if (!status && core && !(status = take_input (p, b->input)))
      b->kind[i] == NPROF_FLOW ? add_arrow (p, b, i) : add_row (p, b, i, core);
  }
  return status == NPROF_E_NOMEM
             ? nprof_fail (p->text.host, status, "no memory for the attributes of a row")
             : status;
}

static nprof_status
profile_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
               uint32_t n_rows)
{
  Profile *p = self;
  summaries_table (p->summaries, p->text.host, table, cells, n_rows);
  return NPROF_OK;
}

/* -- The file ---------------------------------------------------------------------------------- */

static void
begin_section (struct nprof_buf *to, const char *name)
{
  nprof_put_text (to, to->len > 1 ? ",\n\"" : "\n\"");
  nprof_put_text (to, name);
  nprof_put_text (to, "\":[");
}

static void
end_section (struct nprof_buf *to)
{
  nprof_put_text (to, "\n]");
}

static GHashTable *
predecessors_by_id (const Profile *p)
{
  GHashTable *to = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
                                          (GDestroyNotify) g_ptr_array_unref);
  GHashTableIter iter;
  gpointer flow, value;
  g_hash_table_iter_init (&iter, p->edges);
  while (g_hash_table_iter_next (&iter, &flow, &value)) {
    Edge *e = value;
    GPtrArray *list = g_hash_table_lookup (to, &e->to);
    if (!e->from || !e->to)
      continue;
    if (!list)
      g_hash_table_insert (to, &e->to, list = g_ptr_array_new ());
    g_ptr_array_add (list, e);
  }
  return to;
}

static int
by_from (gconstpointer a, gconstpointer b)
{
  const Edge *x = *(Edge *const *) a, *y = *(Edge *const *) b;
  return (x->from > y->from) - (x->from < y->from);
}

static void
put_predecessors (const Profile *p, GPtrArray *list)
{
  struct nprof_buf *to = (struct nprof_buf *) &p->text.text;
  g_ptr_array_sort (list, by_from);
  nprof_put_text (to, ",\"predecessors\":[");
  for (guint i = 0; i < list->len; i++) {
    const Edge *e = list->pdata[i];
    const char *type = nprof_text (p->text.host, e->type);
    nprof_put_text (to, i ? ",{\"id\":" : "{\"id\":");
    nprof_put_u64 (to, e->from);
    nprof_put_text (to, ",\"type\":");
    nprof_put_json_string (to, type, strlen (type), 0);
    nprof_put_char (to, '}');
  }
  nprof_put_char (to, ']');
}

static void
put_instructions (const Profile *p, const struct nprof_buf *records)
{
  struct nprof_buf *to = (struct nprof_buf *) &p->text.text;
  g_autoptr (GHashTable) before = predecessors_by_id (p);
  gsize at = 0;
  for (guint i = 0; i < p->places->len; i++) {
    const Place *place = &g_array_index (p->places, Place, i);
    GPtrArray *list = place->id ? g_hash_table_lookup (before, &place->id) : NULL;
    nprof_put (to, records->data + at, place->end - at);
    if (list)
      put_predecessors (p, list);
    nprof_put_char (to, '}');
    at = place->end;
  }
}

/* The subgraph of each core that has a number, by which readers know that. */
static void
put_cores (const Profile *p, struct nprof_buf *to)
{
  const struct nprof_host *host = p->text.host;
  const char *between = "\n";
  begin_section (to, "model_info");
  for (guint i = 0; i < p->cores->len; i++) {
    const struct nprof_track_info *core
        = host->track_info (host, GPOINTER_TO_UINT (p->cores->pdata[i]));
    const struct nprof_track_info *device = host->track_info (host, core->parent);
    gint64 nc, nd;
    if (sscanf (nprof_text (host, core->key), "nc%" G_GINT64_FORMAT, &nc) != 1)
      continue;
    g_autofree char *name = g_strdup_printf ("%s{\"sg_name\":\"sg%02u\"", between, i);
    nprof_put_text (to, name);
    if (device && sscanf (nprof_text (host, device->key), "nd%" G_GINT64_FORMAT, &nd) == 1) {
      put_key (to, "nd_idx", FALSE);
      nprof_put_i64 (to, nd);
    }
    put_key (to, "nc_idx", FALSE);
    nprof_put_i64 (to, nc);
    nprof_put_char (to, '}');
    between = ",\n";
  }
  end_section (to);
}

static void
put_metadata (const Profile *p, struct nprof_buf *to)
{
  static const struct {
    const char *property, *name;
  } stated[] = { { "version", "ntff_version" },
                 { "ntff_version", "ntff_version" },
                 { "pe_num_rows", "pe_num_rows" },
                 { "pe_num_cols", "pe_num_cols" },
                 { "hbm_ddr_bandwidth", "hbm_ddr_bandwidth" } };
  const struct nprof_host *host = p->text.host;
  const struct nprof_input_info *input = host->input (host, p->input - 1);
  begin_section (to, "metadata");
  put_key (to, "first_hw_timestamp", TRUE);
  nprof_put_char (to, '0');
  if (p->last) {
    put_key (to, "last_hw_timestamp", FALSE);
    nprof_put_i64 (to, p->last);
  }
  if (p->clock > 0) {
    put_key (to, "pe_clock_freq", FALSE);
    nprof_put_json_double (to, p->clock / 1e9);
  }
  for (const char *const *v = input->properties; v && v[0]; v += 2)
    for (guint i = 0; i < G_N_ELEMENTS (stated); i++)
      if (g_str_equal (v[0], stated[i].property) && *v[1] && !v[1][strspn (v[1], "0123456789.")]) {
        put_key (to, stated[i].name, FALSE);
        nprof_put_text (to, v[1]);
      }
  nprof_put_char (to, '}');
  end_section (to);
}

static nprof_status
profile_finish (void *self)
{
  Profile *p = self;
  struct nprof_buf *to = &p->text.text;
  if (!p->input)
    return nprof_fail (p->text.host, NPROF_E_OPTION,
                       "no rows of a NeuronCore; this format takes an NTFF, or what "
                       "neuron-profile view --output-format json wrote");
  summaries_end (p->summaries, p->text.host);
  nprof_put_char (to, '{');
  put_metadata (p, to);
  put_cores (p, to);
  for (guint i = 0; i < p->sections->len; i++) {
    const Section *s = p->sections->pdata[i];
    begin_section (to, s->name);
    to->failed |= s->records.failed;
    if (g_str_equal (s->name, "instruction"))
      put_instructions (p, &s->records);
    else
      nprof_put (to, s->records.data, s->records.len);
    end_section (to);
  }
  begin_section (to, "summary");
  for (guint i = 0; i < p->summaries->len; i++) {
    nprof_put_text (to, i ? ",\n" : "\n");
    print_json_lines (to, p->summaries->pdata[i], "");
    nprof_put_char (to, '}');
  }
  end_section (to);
  nprof_put_text (to, "\n}\n");
  if (p->left_out)
    nprof_log (p->text.host, NPROF_INFO,
               "%" G_GUINT64_FORMAT " rows of the device have no section in this format and were "
               "left out; nprof run -s csv or chrome writes all",
               p->left_out);
  nprof_status status = nprof_text_sink_write (&p->text);
  return status ? status : p->text.output->close (p->text.output);
}

static void
profile_close (void *self)
{
  Profile *p = self;
  nprof_row_columns_clear (&p->attributes);
  g_clear_pointer (&p->summaries, g_ptr_array_unref);
  g_clear_pointer (&p->sections, g_ptr_array_unref);
  g_clear_pointer (&p->cores, g_ptr_array_unref);
  g_clear_pointer (&p->places, g_array_unref);
  g_clear_pointer (&p->edges, g_hash_table_unref);
  nprof_text_sink_close (self);
}

const struct nprof_component neuron_json = {
  .size = sizeof neuron_json,
  .kind = NPROF_SINK,
  .name = "report-neuron-json",
  .summary = "the JSON that neuron-profile view --output-format json writes",
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_TIME,
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "ntff.json",
  .instance_size = sizeof (Profile),
  .open = profile_open,
  .consume = profile_consume,
  .table = profile_table,
  .finish = profile_finish,
  .close = profile_close,
};
