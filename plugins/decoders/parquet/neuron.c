/* SPDX-License-Identifier: Apache-2.0 */
/* neuron.c - reads a folder of Neuron Explorer: one file a table (Instruction.parquet,
 * DmaPacket_0.parquet, ...).  Columns are found by their names alone, because schemas of other
 * versions have more or fewer. format: the vendor's profile-schema-reference, schema 7.4.0 */
#include "neuron.h"
#include "profile/collective-keys.h"

#include <nprof/keys.h>
#include <stdlib.h>
#include <string.h>

#define ENDING ".parquet"

typedef struct {
  const char *table;
  guint8 kind;             /* NPROF_SPAN ...; the other members are of rows only */
  const char *start, *end; /* end NULL: duration_ns or duration */
  const char *name;  /* column, or columns A|B: the first that is there; "=text" is that text */
  const char *track; /* columns A/B */
  const char *category;
} Shape;

enum { SERIES = 100, FLOWS, FACTS, TABLE }; /* beyond NPROF_SPAN ... */

static const Shape shapes[] = {
  { "ActiveTime", NPROF_SPAN, "start_ts", "end_ts", "=active", "pcore_idx/engine", "active" },
  { "AssemblyInstruction", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "BirInstruction", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "CcInstruction", NPROF_SPAN, "start_ts", "end_ts", "description", "core_idx", "collective" },
  { "CcOp", NPROF_SPAN, "start_ts", "end_ts", "operation", "stream_id", "collective" },
  { "CcStream", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "CoreBarriers", NPROF_SPAN, "start_ts", "end_ts", "=barrier", "pcore_idx/engine_name",
    "barrier" },
  { "CpuUsage", SERIES, "timestamp", NULL, NULL, "instance_id/cpu_id", "CpuUsage" },
  { "DeviceProfileList", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "DmaPacket", NPROF_SPAN, "start_ts", "end_ts", "queue_name", "pcore_idx/queue_name", "dma" },
  { "DmaPacketAggregated", NPROF_SPAN, "start_ts", "end_ts", "queue_name", "pcore_idx/queue_name",
    "dma" },
  { "DmaQueuesInfo", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "DmaUsage", SERIES, "timestamp", NULL, NULL, "pcore_idx", "DmaUsage" },
  { "DmaUsageSummary", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "Error", NPROF_INSTANT, "timestamp", NULL, "description|type", "pcore_idx", "error" },
  { "ExecutionInfo", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "Flow", FLOWS, NULL, NULL, NULL, NULL, NULL },
  { "FrameworkInstruction", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "FrameworkNode", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "HbmUsage", SERIES, "timestamp", NULL, NULL, "pcore_idx", "HbmUsage" },
  { "HbmUsageSummaryByType", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "HloInstruction", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "HostMemUsage", SERIES, "timestamp", NULL, NULL, "instance_id", "HostMemUsage" },
  { "Instruction", NPROF_SPAN, "start_ts", "end_ts", "opcode|compiler_opcode", "pcore_idx/engine",
    "instruction" },
  { "KernelInstructions", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "KernelIterationVariables", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "KernelStackFrames", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "LayerSummary", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "Metadata", FACTS, NULL, NULL, NULL, NULL, NULL },
  { "NeffHeader", FACTS, NULL, NULL, NULL, NULL, NULL },
  { "OpcodeSummary", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "PendingDma", SERIES, "timestamp", NULL, NULL, "pcore_idx", "PendingDma" },
  { "PenguinInstruction", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "PsumUsage", SERIES, "timestamp", NULL, NULL, "pcore_idx", "PsumUsage" },
  { "SbufAllocation", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "SbufUsage", SERIES, "timestamp", NULL, NULL, "pcore_idx", "SbufUsage" },
  { "SchemaFields", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "SemaphoreUpdate", NPROF_COUNTER, "timestamp", NULL, "id", "pcore_idx", "semaphore" },
  { "StackFrame", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "StackFrameFileLocation", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "StackFrameFileName", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "StackFrameFunctionName", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "Summary", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "SystemProfileEvents", NPROF_SPAN, "start_ts", "end_ts", "name", "process_id/thread_id",
    "system" },
  { "SystemProfileHbmUsage", SERIES, "timestamp", NULL, NULL, "nc_idx", "SystemProfileHbmUsage" },
  { "SystemProfileMetadata", FACTS, NULL, NULL, NULL, NULL, NULL },
  { "TensorInfo", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "Throttle", NPROF_SPAN, "timestamp", NULL, "type", "pcore_idx", "throttle" },
  { "ThrottleSummary", TABLE, NULL, NULL, NULL, NULL, NULL },
  { "Warning", TABLE, NULL, NULL, NULL, NULL, NULL },
};

/* These are the names that nprof has for the same things in all formats. */
static const struct {
  const char *column, *key;
} keys[] = { { "raw_flops", NPROF_KEY_FLOPS },
             { "hlo_name", NPROF_KEY_HLO_OP },
             { "transfer_bytes", NPROF_KEY_BYTES },
             { "variable", NPROF_KEY_TENSOR },
             { "queue_name", NPROF_KEY_QUEUE },
             { "nki_source_location", NPROF_KEY_SOURCE },
             { "replica_group", COLLECTIVE_KEY_GROUP_RANKS },
             { "num_elements", COLLECTIVE_KEY_ELEMENTS_IN } };

/* Returns the table that a file holds, which large ones share with _0, _1 ...; NULL: of no
 * table. */
static const Shape *
shape_of (const char *file, guint *number)
{
  gsize len = strlen (file);
  *number = 0;
  if (!g_str_has_suffix (file, ENDING))
    return NULL;
  len -= strlen (ENDING);
  gsize digits = 0;
  while (digits < len && g_ascii_isdigit (file[len - digits - 1]))
    digits++;
  if (digits && digits < 9 && digits < len && file[len - digits - 1] == '_') {
    *number = 1 + (guint) strtoul (file + len - digits, NULL, 10);
    len -= digits + 1;
  }
  for (gsize k = 0; k < G_N_ELEMENTS (shapes); k++)
    if (strlen (shapes[k].table) == len && !strncmp (shapes[k].table, file, len))
      return &shapes[k];
  return NULL;
}

guint32
neuron_id_of_table (const char *name, gsize len)
{
  for (gsize k = 0; k < G_N_ELEMENTS (shapes); k++)
    if (strlen (shapes[k].table) == len && !strncmp (shapes[k].table, name, len))
      return (guint32) k + 1;
  return G_N_ELEMENTS (shapes) + 1;
}

guint32
neuron_id_of_flows (void)
{
  return G_N_ELEMENTS (shapes) + 2;
}

/* Compares by table, then by number: X_2 comes before X_10. */
static int
by_table (gconstpointer a, gconstpointer b)
{
  guint x, y;
  const char *first = *(const char *const *) a, *second = *(const char *const *) b;
  const Shape *s = shape_of (first, &x), *t = shape_of (second, &y);
  return s != t ? (s > t) - (s < t) : x != y ? (x > y) - (x < y) : strcmp (first, second);
}

/* Returns the folder's files of tables, the input's own included. */
static GPtrArray *
files_of (Parquet *p, const char *own)
{
  guint number;
  g_autoptr (GPtrArray) all = parquet_siblings (p);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < all->len; k++) {
    const char *name = all->pdata[k];
    if (shape_of (name, &number))
      g_ptr_array_add (files, g_strdup (name));
    else if (g_str_has_suffix (name, ENDING) && !strchr (name, '/'))
      g_ptr_array_add (p->unknown, g_strdup (name));
  }
  g_ptr_array_add (files, g_strdup (own));
  g_ptr_array_sort (files, by_table);
  return files;
}

/* Returns whether this is such a folder: it has the table that describes the profile or that of its
 * columns, and others of known names; other files there are tables of another version. */
gboolean
neuron_is (Parquet *p, const Source *s)
{
  guint number, known = shape_of (s->file, &number) != NULL;
  gboolean described = FALSE;
  g_autoptr (GPtrArray) names = parquet_siblings (p);
  g_ptr_array_add (names, g_strdup (s->file));
  for (guint k = 0; k < names->len; k++) {
    known += k + 1 < names->len && shape_of (names->pdata[k], &number);
    described |= !strcmp (names->pdata[k], "SchemaFields.parquet")
                 || !strcmp (names->pdata[k], "Metadata.parquet");
  }
  return described && known > 1;
}

/* -- Columns --------------------------------------------------------------- */

static gboolean
add_column (Source *s, const char *name, gsize len, FieldRole role)
{
  g_autofree char *column = g_strndup (name, len);
  guint node = source_find (s, column);
  const PqNode *n = pq_node (s->footer, node);
  if (!node || n->n_children || n->repetition == PQ_REPEATED)
    return FALSE;
  source_add (s, node, role);
  return TRUE;
}

static void
add_columns (Source *s, const char *names, char between, FieldRole role, gboolean first)
{
  for (const char *at = names, *end; at; at = *end ? end + 1 : NULL) {
    end = strchrnul (at, between);
    if (add_column (s, at, (gsize) (end - at), role) && first)
      return;
  }
}

static void
add_name (Parquet *p, Source *s, const char *name)
{
  if (name && name[0] == '=')
    s->name = nprof_intern (p->host, name + 1);
  else if (name)
    add_columns (s, name, '|', FIELD_NAME, TRUE);
}

/* Adds the other attributes; engines, queues and opcodes are attributes as well. */
static void
add_attributes (Source *s)
{
  static const char *const both[] = { "engine", "queue_name", "opcode" };
  for (gsize k = 0; k < G_N_ELEMENTS (both); k++)
    add_column (s, both[k], strlen (both[k]), FIELD_ATTRIBUTE);
  source_add_rest (s);
  for (guint f = 0; f < s->fields->len; f++)
    for (gsize k = 0; k < G_N_ELEMENTS (keys); k++) {
      Field *field = source_field (s, f);
      if (field->role == FIELD_ATTRIBUTE && !strcmp (field->key, keys[k].column)) {
        g_free (field->key);
        field->key = g_strdup (keys[k].key);
      }
    }
}

static gboolean
is_series (const PqNode *n)
{
  ValueAs as = value_as (n);
  return !n->n_children && n->repetition != PQ_REPEATED
         && (as == AS_INT64 || as == AS_UINT64 || as == AS_DOUBLE || n->logical == PQ_L_DECIMAL)
         && !g_str_has_suffix (n->name, "_idx") && !g_str_has_suffix (n->name, "_id")
         && !g_str_has_suffix (n->name, "_index");
}

static void
add_series (Source *s, const Shape *shape)
{
  guint before = s->fields->len;
  for (guint k = 1; k < pq_node (s->footer, 0)->next; k = pq_node (s->footer, k)->next) {
    gboolean used = FALSE;
    for (guint f = 0; f < before; f++)
      used |= source_field (s, f)->node == k;
    if (used || !is_series (pq_node (s->footer, k)))
      continue;
    Field *f = source_add (s, k, FIELD_SERIES);
    char *name = g_strconcat (shape->table, "/", f->key, NULL);
    g_free (f->key);
    f->key = name;
  }
}

/* Returns FALSE when it has no column of times, and becomes a table. */
static gboolean
add_rows (Parquet *p, Source *s, const Shape *shape)
{
  if (!add_column (s, shape->start, strlen (shape->start), FIELD_START))
    return FALSE;
  s->per = s->duration_per = 1000;
  s->kind = shape->kind == SERIES ? NPROF_COUNTER : shape->kind;
  s->category = nprof_intern (p->host, shape->category);
  s->table_id = neuron_id_of_table (shape->table, strlen (shape->table));
  add_columns (s, shape->track, '/', FIELD_TRACK, FALSE);
  add_name (p, s, shape->name);
  if (shape->kind == NPROF_SPAN
      && (!shape->end || !add_column (s, shape->end, strlen (shape->end), FIELD_END)))
    add_columns (s, "duration_ns|duration", '|', FIELD_DURATION, TRUE);
  if (shape->kind == SERIES) {
    add_series (s, shape);
    return TRUE;
  }
  if (shape->kind == NPROF_COUNTER)
    add_column (s, "value", 5, FIELD_VALUE);
  else
    add_column (s, "id", 2, FIELD_ID);
  add_attributes (s);
  return TRUE;
}

/* Turns "OpcodeSummary" into "opcode_summary". */
static char *
table_name (const char *name)
{
  GString *small = g_string_new (NULL);
  for (const char *c = name; *c; c++) {
    if (g_ascii_isupper (*c) && c > name)
      g_string_append_c (small, '_');
    g_string_append_c (small, g_ascii_tolower (*c));
  }
  return g_string_free (small, FALSE);
}

static void
add_table (Parquet *p, Source *s, const Shape *shape)
{
  for (guint k = 1; k < pq_node (s->footer, 0)->next; k = pq_node (s->footer, k)->next) {
    Field *f = source_add (s, k, FIELD_ATTRIBUTE);
    f->type = f->type == NPROF_STRING ? NPROF_TEXT : f->type;
    g_autofree char *small = f->key;
    f->key = !g_ascii_strcasecmp (small, "input") ? g_strdup ("input_") : g_strdup (small);
  }
  source_make_table (s, table_name (shape->table), g_strdup (shape->table),
                     g_strdup ("as Neuron Explorer computed it"));
  g_ptr_array_add (p->tables, s);
}

/* -- Facts ----------------------------------------------------------------- */

typedef struct {
  Parquet *p;
  const Source *s;
  double rows, columns, clock, bandwidth;
} Facts;

static gboolean
take_facts (void *user, const Value *v, const gboolean *has)
{
  Facts *f = user;
  static const struct {
    const char *column;
    gsize at;
  } numbers[] = { { "tensor_engine_num_rows", offsetof (Facts, rows) },
                  { "tensor_engine_num_cols", offsetof (Facts, columns) },
                  { "tensor_engine_clock_freq", offsetof (Facts, clock) },
                  { "hbm_ddr_bandwidth", offsetof (Facts, bandwidth) } };
  for (guint k = 0; k < f->s->fields->len; k++) {
    const Field *field = source_field (f->s, k);
    const PqNode *node = pq_node (f->s->footer, field->node);
    struct nprof_buf text = { 0 };
    if (!has[k])
      continue;
    value_put (&text, node, &v[k]);
    nprof_put_char (&text, '\0');
    if (!text.failed)
      f->p->host->property (f->p->host, field->key, text.data);
    for (gsize n = 0; n < G_N_ELEMENTS (numbers); n++)
      if (!strcmp (numbers[n].column, field->key) && !text.failed)
        *(double *) (void *) ((char *) f + numbers[n].at) = g_ascii_strtod (text.data, NULL);
    nprof_buf_clear (&text);
  }
  return FALSE; /* they have one row */
}

static nprof_status
put_fact (Parquet *p, const char *key, double value)
{
  struct nprof_writer *w = p->host->writer (p->host);
  nprof_track root = p->host->input (p->host, p->host->own_input)->root;
  if (!(value > 0) || !w)
    return w ? NPROF_OK : NPROF_E_NOMEM;
  nprof_status status = nprof_row (w, NPROF_FACT, root, nprof_intern (p->host, key), 0, 0);
  if (status)
    return status;
  nprof_set_category (w, nprof_intern (p->host, "Metadata.parquet"));
  return nprof_attr_double (w, nprof_intern (p->host, key), value);
}

static nprof_status
read_facts (Facts *f, Source *s)
{
  f->s = s;
  for (guint k = 1; k < pq_node (s->footer, 0)->next; k = pq_node (s->footer, k)->next)
    if (!pq_node (s->footer, k)->n_children && pq_node (s->footer, k)->repetition != PQ_REPEATED)
      source_add (s, k, FIELD_ATTRIBUTE);
  return table_each (f->p, s, take_facts, f);
}

/* -- The folder ------------------------------------------------------------ */

static void
add_file (Parquet *p, Source *s)
{
  guint number;
  static const Shape other = { "Table", TABLE, NULL, NULL, NULL, NULL, NULL };
  const Shape *shape = shape_of (s->file, &number);
  shape = shape ? shape : &other;
  if (shape->kind == FLOWS || shape->kind == FACTS)
    g_ptr_array_add (p->others, s);
  else if (shape->kind != TABLE && add_rows (p, s, shape))
    g_ptr_array_add (p->sources, s);
  else
    add_table (p, s, shape);
}

static void
declare_phase (Parquet *p)
{
  struct nprof_attribute *a = g_new0 (struct nprof_attribute, 1);
  *a = (struct nprof_attribute){ .size = sizeof *a,
                                 .type = NPROF_STRING,
                                 .key = NPROF_KEY_FLOW_PHASE,
                                 .unit = "",
                                 .help = "begin or end" };
  g_ptr_array_add (p->attributes, a);
  p->flow_phase = nprof_intern (p->host, NPROF_KEY_FLOW_PHASE);
  p->begin = nprof_intern (p->host, "begin");
  p->ends = nprof_intern (p->host, "end");
}

/* Plans the folder; its first file stands for all. */
nprof_status
neuron_plan (Parquet *p, Source *s)
{
  guint number;
  if (!shape_of (s->file, &number)) { /* only where it is named itself */
    p->is_part = TRUE;
    add_file (p, s);
    return NPROF_OK;
  }
  g_autoptr (GPtrArray) files = files_of (p, s->file);
  p->is_part = strcmp (files->pdata[0], s->file) != 0;
  for (guint k = 0; k < files->len; k++) {
    gboolean own = !strcmp (files->pdata[k], s->file);
    Source *other = own ? s : parquet_sibling (p, files->pdata[k]);
    if (other && !own)
      g_ptr_array_add (p->owned, other);
    if (other)
      add_file (p, other);
  }
  declare_phase (p);
  return NPROF_OK;
}

nprof_status
neuron_begin (Parquet *p)
{
  for (guint k = 0; k < p->unknown->len; k++)
    p->host->skip (p->host, p->unknown->pdata[k], 0,
                   "a table that this release of nprof does not know");
  guint64 n_flows = 0;
  Facts f = { .p = p };
  nprof_status status = NPROF_OK;
  for (guint k = 0; k < p->others->len && !status; k++) {
    guint number;
    Source *s = p->others->pdata[k];
    status = shape_of (s->file, &number)->kind == FLOWS ? neuron_read_flows (p, s, &n_flows)
                                                        : read_facts (&f, s);
  }
  neuron_sort_flows (p);
  if (!status)
    status = put_fact (p, NPROF_KEY_PEAK_FLOPS, 2 * f.rows * f.columns * f.clock * 1e9);
  return status ? status : put_fact (p, NPROF_KEY_PEAK_BANDWIDTH, f.bandwidth);
}
