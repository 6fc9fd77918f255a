/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - rows of a device as records of neuron-profile's JSON: which section a row is in, and
 * what of it stands under which name. */
#include "record.h"

#include "trace-out/strict-json.h"

#include <math.h>
#include <nprof/keys.h>
#include <nprof/unmapped.h>

/* -- Declarations ------------------------------------------------------------------------------ */

/* What of a row a member has. Those from INTEGER on take the attribute `key`. */
typedef enum {
  NAME,
  START, /* ns, rounded down, as all times there */
  LENGTH,
  END,
  ID,
  VALUE,
  SUBGRAPH, /* sg00, sg01, ...: the core */
  CORE,     /* 0, 1, ... */
  GROUP,    /* Tensor, Scalar, GpSimd, Vector, Sync: the engine */
  LABEL,    /* the same, TensorMatrix of products */
  SOURCE,   /* the engine that updates a semaphore, or AXI */
  SEMAPHORE,
  OPERANDS, /* what is waited for and raised; all else of them is not in an NTFF */
  DMA_ENGINE,
  DMA_QUEUE,
  DMA_GROUP,
  RATE,
  YES,
  NO,
  INTEGER,
  WORD,
  NS,    /* of ps */
  HALF,  /* multiply-accumulates of flops */
  KIND,  /* TRANSPOSE where flops of transposes are there and not 0, else REGULAR */
  CYCLES /* ns of cycles of the engines */
} From;

struct Member {
  const char *name;
  From from;
  const char *key;
};

/* Of two members of one name the first is written that the row has. */
static const Member instruction[] = {
  { "timestamp", START, NULL },
  { "duration", LENGTH, NULL },
  { "subgraph", SUBGRAPH, NULL },
  { "subgroup", GROUP, NULL },
  { "label", LABEL, NULL },
  { "opcode", NAME, NULL },
  { "id", ID, NULL },
  { "pc", INTEGER, "pc" },
  { "operands", OPERANDS, NULL },
  { "evt_wait_time", NS, "event_wait" },
  { "evt_wait_time", CYCLES, "event_wait_cycles" },
  { "crc_in", INTEGER, "crc_in" },
  { "crc_out", INTEGER, "crc_out" },
  { "instruction_type", WORD, "tensor_instruction_type" },
  { "instruction_type", KIND, "flops_transpose" },
  { "elements", HALF, NPROF_KEY_FLOPS },
  { "hlo_name", WORD, NPROF_KEY_HLO_TEXT },
  { "hlo_name", WORD, NPROF_KEY_HLO_OP },
  { "layer", WORD, NPROF_KEY_LAYER },
  { "nki_source_location", WORD, NPROF_KEY_SOURCE },
  { "hbm_read_bytes", INTEGER, "hbm_read_bytes" },
  { "hbm_write_bytes", INTEGER, "hbm_write_bytes" },
  { "sbuf_read_bytes", INTEGER, "sbuf_read_bytes" },
  { "sbuf_write_bytes", INTEGER, "sbuf_write_bytes" },
  { "psum_read_bytes", INTEGER, "psum_read_bytes" },
  { "psum_write_bytes", INTEGER, "psum_write_bytes" },
  { "psum_read_sbuf_write_bytes", INTEGER, "psum_read_sbuf_write_bytes" },
  { "spill_save_bytes", INTEGER, "spill_save_bytes" },
  { "spill_reload_bytes", INTEGER, "spill_reload_bytes" },
  { "input_queue_bytes", INTEGER, "input_queue_bytes" },
  { "output_queue_bytes", INTEGER, "output_queue_bytes" },
  { "weight_queue_bytes", INTEGER, "weight_queue_bytes" },
  { NULL, NAME, NULL },
};

static const Member packet[] = {
  { "timestamp", START, NULL },
  { "duration", LENGTH, NULL },
  { "subgraph", SUBGRAPH, NULL },
  { "subgroup", DMA_GROUP, NULL },
  { "dma_engine", DMA_ENGINE, NULL },
  { "dma_queue", DMA_QUEUE, NULL },
  { "transfer_size", INTEGER, NPROF_KEY_BYTES },
  { "transfer_rate", RATE, NPROF_KEY_BYTES },
  { "queue_type", WORD, "queue_type" },
  { "variable", WORD, NPROF_KEY_TENSOR },
  { "crc", INTEGER, "crc" },
  { "aggregated", NO, NULL },
  { NULL, NAME, NULL },
};

static const Member transfer[] = {
  { "timestamp", START, NULL },
  { "duration", LENGTH, NULL },
  { "subgraph", SUBGRAPH, NULL },
  { "subgroup", WORD, NPROF_KEY_QUEUE },
  { "transfer_size", INTEGER, NPROF_KEY_BYTES },
  { "queue_type", WORD, "queue_type" },
  { "variable", WORD, NPROF_KEY_TENSOR },
  { "aggregated", YES, NULL },
  { NULL, NAME, NULL },
};

static const Member active[] = {
  { "engine", WORD, NPROF_KEY_ENGINE },
  { "subgraph", SUBGRAPH, NULL },
  { "pcore_idx", CORE, NULL },
  { "start_ts", START, NULL },
  { "end_ts", END, NULL },
  { "duration_ns", LENGTH, NULL },
  { NULL, NAME, NULL },
};

static const Member semaphore[] = {
  { "timestamp", START, NULL }, { "subgraph", SUBGRAPH, NULL },    { "id", SEMAPHORE, NULL },
  { "value", VALUE, NULL },     { "update_source", SOURCE, NULL }, { NULL, NAME, NULL },
};

static const Member limit[] = {
  { "timestamp", START, NULL }, { "duration", LENGTH, NULL }, { "subgraph", SUBGRAPH, NULL },
  { "k", INTEGER, "limit_k" },  { "n", INTEGER, "limit_n" },  { "type", INTEGER, "limit_type" },
  { NULL, NAME, NULL },
};

static const Member layer[] = {
  { "name", NAME, NULL },       { "start", START, NULL }, { "end", END, NULL },
  { "duration", LENGTH, NULL }, { NULL, NAME, NULL },
};

static const Member collective[] = {
  { "operation", NAME, NULL },    { "timestamp", START, NULL }, { "duration", LENGTH, NULL },
  { "subgraph", SUBGRAPH, NULL }, { NULL, NAME, NULL },
};

/* Categories of rows, and the section that takes them. */
static const struct {
  const char *category, *section;
  const Member *members;
} sections[] = {
  { "instruction", "instruction", instruction },
  { "semaphore wait", "instruction", instruction },
  { "dma", "dma", packet },
  { "transfer", "dma", transfer },
  { "active", "active_time", active },
  { "semaphore", "semaphore_update", semaphore },
  { "throttle", "ham", limit },
  { "unlimited", "ham", limit },
  { "layer", "layer_summary", layer },
  { "collective", "cc_ops", collective },
};

/* What engines are called there, by attribute `engine`. */
static const struct {
  const char *engine, *group;
} engines[] = {
  { "tensor", "Tensor" }, { "scalar", "Scalar" }, { "gpsimd", "GpSimd" },
  { "vector", "Vector" }, { "sync", "Sync" },
};

/* -- What of a row ----------------------------------------------------------------------------- */

const struct nprof_field *
row_attribute (const struct nprof_row_columns *s, const char *key)
{
  for (guint i = 0; i < s->n_unmapped; i++)
    if (s->unmapped[i].type && g_str_equal (nprof_text (s->host, s->unmapped[i].key), key))
      return &s->unmapped[i];
  return NULL;
}

const char *
row_word (const struct nprof_row_columns *s, const char *key)
{
  const struct nprof_field *f = row_attribute (s, key);
  return f && f->type == NPROF_STRING ? nprof_text (s->host, f->value.s) : NULL;
}

static gboolean
integer (const struct nprof_row_columns *s, const char *key, gint64 *to)
{
  const struct nprof_field *f = row_attribute (s, key);
  if (f && f->type == NPROF_INT64)
    *to = f->value.i;
  return f && f->type == NPROF_INT64;
}

static gint64
floor_ns (gint64 ps)
{
  return ps / 1000 - (ps % 1000 < 0);
}

static const char *
group_of (const char *engine)
{
  for (guint i = 0; i < G_N_ELEMENTS (engines); i++)
    if (g_strcmp0 (engine, engines[i].engine) == 0)
      return engines[i].group;
  return engine;
}

/* The words of attributes that say what an instruction waits for and raises, as operands say
 * it: "S[5]==1 S[2]++@complete semaphore=8 sem_increment=16". NULL: none. */
static char *
operands_of (const struct nprof_row_columns *s)
{
  const char *waits = row_word (s, "waits_for"), *signals = row_word (s, "signals"),
             *dma = row_word (s, "dma_signals");
  g_autoptr (GString) to = g_string_new (waits);
  g_auto (GStrv) raised = g_strsplit (signals ? signals : "", " ", -1);
  for (guint i = 0; raised[i]; i++)
    g_string_append_printf (to, "%s%s@complete", to->len ? " " : "", raised[i]);
  const char *by = dma ? strstr (dma, "]+=") : NULL;
  if (by && g_str_has_prefix (dma, "S["))
    g_string_append_printf (to, " semaphore=%.*s sem_increment=%s", (int) (by - dma) - 2, dma + 2,
                            by + 3);
  return to->len ? g_strdup (to->str) : NULL;
}

/* Returns the whole number of fewest digits that reads back as the float, as the vendor writes
 * rates. */
static gint64
round_to_float (float x)
{
  gint64 n = 0;
  for (double unit = 1e18; unit >= 1; unit /= 10) {
    n = (gint64) (rint ((double) x / unit) * unit);
    if (n && (float) n == x)
      break;
  }
  return n;
}

/* Returns the value as text, NULL: the row has none. `quoted` says whether it is a string. */
static char *
value_of (const Row *r, const Member *m, gboolean *quoted)
{
  const char *queue, *text = NULL;
  gint64 n = 0;
  *quoted = TRUE;
  switch (m->from) {
  case NAME:
    return g_strdup (r->name);
  case SUBGRAPH:
    return g_strdup_printf ("sg%02u", r->subgraph);
  case GROUP:
    return g_strdup (group_of (r->engine));
  case LABEL:
    return g_strdup (g_str_equal (r->name, "MATMUL") ? "TensorMatrix" : group_of (r->engine));
  case SOURCE:
    return g_str_has_prefix (r->track, "nc") ? NULL : g_strdup (r->track);
  case SEMAPHORE:
    text = g_str_has_prefix (r->name, "semaphore ") ? r->name + strlen ("semaphore ") : r->name;
    queue = row_word (r->attributes, NPROF_KEY_QUEUE);
    return queue ? g_strdup_printf ("S[%s] (%s)", text, queue) : g_strdup (text);
  case OPERANDS:
    return operands_of (r->attributes);
  case DMA_ENGINE:
  case DMA_QUEUE:
    n = m->from == DMA_ENGINE ? r->dma_engine : r->dma_queue;
    return n < 0 ? NULL : g_strdup_printf ("%" G_GINT64_FORMAT, n);
  case DMA_GROUP:
    queue = row_word (r->attributes, NPROF_KEY_QUEUE);
    if (r->dma_engine < 0)
      return g_strdup (queue);
    return g_strdup_printf ("%s%sQ%" G_GINT64_FORMAT "-E%" G_GINT64_FORMAT,
                            queue && g_ascii_strncasecmp (queue, "queue ", 6) ? queue : "",
                            queue && g_ascii_strncasecmp (queue, "queue ", 6) ? "-" : "",
                            r->dma_queue, r->dma_engine);
  case YES:
    return g_strdup ("yes");
  case NO:
    return g_strdup ("no");
  case WORD:
    return g_strdup (row_word (r->attributes, m->key));
  case KIND:
    return !integer (r->attributes, m->key, &n) ? NULL : g_strdup (n > 0 ? "TRANSPOSE" : "REGULAR");
  case START:
    n = floor_ns (r->start);
    break;
  case CORE:
    n = r->subgraph;
    break;
  case LENGTH:
    n = r->b->duration[r->i] < 0 ? 0 : floor_ns (r->b->duration[r->i]);
    break;
  case END:
    n = floor_ns (r->end);
    break;
  case ID:
    n = r->b->id ? (gint64) r->b->id[r->i] : 0;
    if (!n)
      return NULL;
    break;
  case VALUE:
    if (!nprof_has_value (r->b, r->i))
      return NULL;
    n = (gint64) r->b->value[r->i];
    break;
  case RATE:
    if (!integer (r->attributes, m->key, &n) || n < 0 || r->b->duration[r->i] <= 0)
      return NULL;
    n = round_to_float ((float) n / (float) ((double) r->b->duration[r->i] * 1e-12));
    break;
  case CYCLES:
    /* The file states the clock of the tensor engine, and all engines count waits at half of it.
     * The vendor reckons in floats. */
    if (!integer (r->attributes, m->key, &n) || n < 0 || !(r->clock > 0))
      return NULL;
    n = (gint64) ((float) n / (float) (r->clock / 2e9));
    break;
  default:
    if (!integer (r->attributes, m->key, &n))
      return NULL;
    n = m->from == HALF ? n / 2 : m->from == NS ? floor_ns (n) : n;
  }
  *quoted = FALSE;
  return g_strdup_printf ("%" G_GINT64_FORMAT, n);
}

/* -- Records ----------------------------------------------------------------------------------- */

void
put_key (struct nprof_buf *to, const char *name, gboolean first)
{
  nprof_put_text (to, first ? "{\"" : ",\"");
  nprof_put_text (to, name);
  nprof_put_text (to, "\":");
}

/* Returns whether the vendor's own record, attribute `args`, has the member; where it has, that is
 * written. */
static gboolean
is_stated (const struct nprof_buf *args, const char *name)
{
  g_autofree char *key = g_strdup_printf ("\"%s\":", name);
  return args->len && strstr (args->data, key);
}

/* Puts the members of `args`, but for the predecessors, whose ids are not those of rows. */
static void
put_args (struct nprof_buf *to, const struct nprof_buf *args)
{
  static const char own[] = "\"predecessors\"";
  for (const char *at = args->len ? args->data + 1 : "}"; *at != '}';) {
    const char *key = at, *value = strict_json_skip_string (at);
    const char *end = strict_json_skip_value (value + 1);
    at = end + (*end == ',');
    if ((gsize) (value - key) == strlen (own) && !memcmp (key, own, strlen (own)))
      continue;
    nprof_put_char (to, ',');
    nprof_put (to, key, (gsize) (end - key));
  }
}

void
put_record (struct nprof_buf *to, const Row *r, const Member *members)
{
  const struct nprof_field *f = row_attribute (r->attributes, "args");
  struct nprof_buf args = { 0 };
  const char *last = NULL;
  nprof_put_text (to, to->len ? ",\n" : "\n");
  if (f && f->type == NPROF_JSON)
    nprof_put_json (&args, f->bytes + f->value.bytes.at, f->value.bytes.len, 0);
  if (args.len)
    nprof_put_char (&args, '\0');
  to->failed |= args.failed;
  for (const Member *m = members; m->name && !args.failed; m++) {
    gboolean quoted = TRUE;
    g_autofree char *value = g_strcmp0 (m->name, last) == 0 || is_stated (&args, m->name)
                                 ? NULL
                                 : value_of (r, m, &quoted);
    if (!value)
      continue;
    put_key (to, m->name, !last);
    if (quoted)
      nprof_put_json_string (to, value, strlen (value), 0);
    else
      nprof_put_text (to, value);
    last = m->name;
  }
  if (!args.failed)
    put_args (to, &args);
  nprof_buf_clear (&args);
}

const char *
section_of (const char *category, const Member **members)
{
  guint s = 0;
  while (s < G_N_ELEMENTS (sections) && !g_str_equal (sections[s].category, category))
    s++;
  *members = s < G_N_ELEMENTS (sections) ? sections[s].members : NULL;
  return *members ? sections[s].section : NULL;
}
