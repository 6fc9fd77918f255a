/* SPDX-License-Identifier: Apache-2.0 */
/* diff-sample.c - names the operator of each span and keeps every k-th duration of each, with k
 * doubled whenever there would be too many: evenly spread over the run, and no chance in it. */

#include "cli/diff-sample.h"
#include "devicekit/row-role.h"

#include <nprof/keys.h>
#include <nprof/pick.h>
#include <nprof/sweep.h>
#include <string.h>

enum { FRAMEWORK_OP, CATEGORY, OPCODE, SHAPE, N_KEYS };
static const char *const keys[]
    = { NPROF_KEY_FRAMEWORK_OP, NPROF_KEY_HLO_CATEGORY, NPROF_KEY_OPCODE, NPROF_KEY_SHAPE, NULL };

/* What an operator is known by while rows pass. */
typedef struct {
  guint32 device;
  nprof_str category, opcode, shape;
  nprof_str name; /* the framework's, or the row's without its number */
} Identity;

struct NpSampler {
  const struct nprof_host *host;
  AnPlaces *places;
  struct nprof_pick pick;
  struct nprof_sweep sweep; /* of `track`; tags are NpOperators                          */
  nprof_track track;
  GArray *stems;           /* of nprof_str, by name: without the number; 0 not made yet */
  GHashTable *by_identity; /* Identity -> NpOperator of one of the samples              */
  NpSample sample[2];      /* of hosts, of devices                                      */
};

static void
operator_free (gpointer data)
{
  NpOperator *op = data;
  g_free (op->name);
  g_array_unref (op->durations);
  g_free (op);
}

static guint
identity_hash (gconstpointer key)
{
  const Identity *i = key;
  guint h = i->device;
  h = h * 0x9e3779b1u + i->category;
  h = h * 0x9e3779b1u + i->opcode;
  h = h * 0x9e3779b1u + i->shape;
  return h * 0x9e3779b1u + i->name;
}

static gboolean
identity_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Identity)) == 0;
}

NpSampler *
np_sampler_new (void)
{
  NpSampler *s = g_new0 (NpSampler, 1);
  s->stems = g_array_new (FALSE, TRUE, sizeof (nprof_str));
  s->by_identity = g_hash_table_new_full (identity_hash, identity_equal, g_free, NULL);
  for (guint k = 0; k < 2; k++)
    s->sample[k].by_name = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, operator_free);
  return s;
}

void
np_sampler_free (NpSampler *s)
{
  if (!s)
    return;
  g_array_unref (s->stems);
  g_hash_table_unref (s->by_identity);
  for (guint k = 0; k < 2; k++)
    g_hash_table_unref (s->sample[k].by_name);
  g_free (s);
}

const NpSample *
np_sampler_get (const NpSampler *s, gboolean device)
{
  return &s->sample[device ? 1 : 0];
}

/* -- Who it is ------------------------------------------------------------------ */

/* "fusion.12" and "fusion.13" are one operator in two compilations. */
static nprof_str
stem_of (NpSampler *s, nprof_str name)
{
  if (name >= s->stems->len)
    g_array_set_size (s->stems, MAX (name + 1, s->stems->len * 2));
  nprof_str *stem = &g_array_index (s->stems, nprof_str, name);
  if (*stem)
    return *stem;
  size_t len, n;
  const char *text = s->host->string (s->host, name, &len);
  for (n = len; n > 0 && g_ascii_isdigit (text[n - 1]);)
    n--;
  while (n > 0 && n < len && strchr ("._-#", text[n - 1]))
    n--;
  return *stem = n > 0 ? s->host->intern (s->host, text, n) : name;
}

static Identity
identify (NpSampler *s, const struct nprof_batch *batch, uint32_t row, gboolean device)
{
  Identity id = { .device = device };
  nprof_pick_row (&s->pick, batch, row);
  id.name = nprof_pick_str (&s->pick, FRAMEWORK_OP);
  if (id.name)
    return id;
  id.category = nprof_pick_str (&s->pick, CATEGORY);
  id.opcode = nprof_pick_str (&s->pick, OPCODE);
  id.shape = nprof_pick_str (&s->pick, SHAPE);
  if (!id.opcode || !id.shape) {
    id = (Identity){ .device = device };
    id.name = stem_of (s, batch->name[row]);
  }
  return id;
}

static char *
name_of (const NpSampler *s, const Identity *id)
{
  if (id->name)
    return g_strdup (nprof_text (s->host, id->name));
  return g_strdup_printf ("%s%s%s %s", nprof_text (s->host, id->category), id->category ? " " : "",
                          nprof_text (s->host, id->opcode), nprof_text (s->host, id->shape));
}

/* Two identities may share a name: they are one operator to a reader, and so here. */
static NpOperator *
operator_of (NpSampler *s, const Identity *id)
{
  NpOperator *op = g_hash_table_lookup (s->by_identity, id);
  if (op)
    return op;
  g_autofree char *name = name_of (s, id);
  GHashTable *by_name = s->sample[id->device].by_name;
  op = g_hash_table_lookup (by_name, name);
  if (!op) {
    op = g_new0 (NpOperator, 1);
    op->name = g_steal_pointer (&name);
    op->device = id->device != 0;
    op->every = 1;
    op->durations = g_array_new (FALSE, FALSE, sizeof (gint64));
    g_hash_table_insert (by_name, op->name, op);
  }
  g_hash_table_insert (s->by_identity, g_memdup2 (id, sizeof *id), op);
  return op;
}

/* -- How long it took ------------------------------------------------------------- */

/* Every second one goes, so that those that stay are still evenly spread. */
static void
thin (NpOperator *op)
{
  gint64 *values = (gint64 *) (void *) op->durations->data;
  for (guint i = 0; i < op->durations->len / 2; i++)
    values[i] = values[2 * i];
  g_array_set_size (op->durations, op->durations->len / 2);
  op->every *= 2;
}

static void
add_duration (NpOperator *op, gint64 duration)
{
  if (op->durations->len == NP_SAMPLES)
    thin (op);
  if (op->count % op->every == 0)
    g_array_append_val (op->durations, duration);
  op->count++;
}

static nprof_status
span_closed (void *user, const struct nprof_open *span, const struct nprof_open *parent,
             uint32_t depth)
{
  (void) user, (void) parent, (void) depth;
  ((NpOperator *) (uintptr_t) span->tag)->self += nprof_self (span);
  return NPROF_OK;
}

static nprof_status
take_span (NpSampler *s, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (s->places, batch->track[i]);
  AnRole role = an_role (s->places, place, batch->category[i], batch->name[i]);
  if (role != AN_WORK && role != AN_HOST)
    return NPROF_OK;
  if (batch->duration[i] < 0) {
    s->sample[role == AN_WORK].unclosed++;
    return NPROF_OK;
  }
  if (batch->track[i] != s->track)
    nprof_sweep_end (&s->sweep);
  s->track = batch->track[i];
  Identity id = identify (s, batch, i, role == AN_WORK);
  NpOperator *op = operator_of (s, &id);
  add_duration (op, batch->duration[i]);
  return nprof_sweep_span (&s->sweep, batch->start[i], batch->duration[i], (uintptr_t) op);
}

/* -- The sink ---------------------------------------------------------------------- */

typedef struct {
  NpSampler *sampler;
} Sink;

static nprof_status
sink_open (void *self, const struct nprof_host *host)
{
  NpSampler *s = ((Sink *) self)->sampler = (NpSampler *) host->extension (host, NP_CALLER);
  s->host = host;
  s->places = an_places_new (host);
  s->sweep.closed = span_closed;
  return nprof_pick_init (&s->pick, host, keys);
}

static nprof_status
sink_consume (void *self, const struct nprof_batch *batch)
{
  NpSampler *s = ((Sink *) self)->sampler;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; i < batch->n_rows && status == NPROF_OK; i++) {
    if (batch->kind[i] == NPROF_SPAN)
      status = take_span (s, batch, i);
    else if (batch->kind[i] == NPROF_GAP) {
      s->sample[0].gaps++;
      s->sample[1].gaps++;
    }
  }
  return status;
}

static nprof_status
sink_finish (void *self)
{
  return nprof_sweep_end (&((Sink *) self)->sampler->sweep);
}

/* What belongs to the run goes with it. */
static void
sink_close (void *self)
{
  NpSampler *s = ((Sink *) self)->sampler;
  if (!s)
    return;
  g_clear_pointer (&s->places, an_places_free);
  nprof_pick_clear (&s->pick);
  nprof_sweep_clear (&s->sweep);
  s->host = NULL;
}

static const struct nprof_component sink_component = {
  .size = sizeof sink_component,
  .kind = NPROF_SINK,
  .name = "sampler",
  .summary = "keeps durations of operators for nprof diff",
  .wants = keys,
  .order = NPROF_ORDER_TRACK,
  .instance_size = sizeof (Sink),
  .open = sink_open,
  .consume = sink_consume,
  .finish = sink_finish,
  .close = sink_close,
};

void
np_sampler_attach (NpSampler *s, NpConfig *config)
{
  np_config_add_own (config, &sink_component, s);
}
