/* SPDX-License-Identifier: Apache-2.0 */
/* meaning.c - nprof check --meaning FILE: which answers a profile can have by what its
 * decoder says of its rows (nprof-semantics(7)), and which keys the others lack. A run with a sink
 * of its own counts rows. */

#include "meaning.h"

#include <nprof/sdk.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/cli.h"
#include "pipeline/run.h"

enum { WORK, STEP, LAUNCH, CORRELATION, OPERATOR, PATH, LAYER, FLOPS, MODEL_FLOPS, N_KEYS };
static const char *const key_names[N_KEYS]
    = { NPROF_KEY_WORK,           NPROF_KEY_STEP,     NPROF_KEY_LAUNCH,
        NPROF_KEY_CORRELATION_ID, NPROF_KEY_OPERATOR, NPROF_KEY_FRAMEWORK_OP,
        NPROF_KEY_LAYER,          NPROF_KEY_FLOPS,    NPROF_KEY_MODEL_FLOPS };

typedef struct {
  const struct nprof_host *host;
  nprof_str key[N_KEYS];
} Sink;

typedef struct { /* rows, of spans */
  guint64 of_devices, by_default;
  guint64 with[2][N_KEYS]; /* of hosts, of devices */
  guint64 of_operators;    /* of hosts, whose launches name the operators of work */
  guint64 facts;           /* of device_type or peak_flops */
} Counts;

/* -- The sink ---------------------------------------------------------------------- */

static nprof_status
sink_open (void *self, const struct nprof_host *host)
{
  Sink *s = self;
  s->host = host;
  for (guint k = 0; k < N_KEYS; k++)
    s->key[k] = nprof_intern (host, key_names[k]);
  return NPROF_OK;
}

/* Returns whether spans of the track are work of a device, unless they say otherwise. */
static gboolean
is_of_device (const struct nprof_host *host, nprof_track track)
{
  guint kind = host->track_info (host, track)->kind;
  if (kind < NPROF_TRACK_DEVICE || kind > NPROF_TRACK_ASYNC)
    return FALSE;
  for (nprof_track at = track; at; at = host->track_info (host, at)->parent) {
    guint above = host->track_info (host, at)->kind;
    if (above == NPROF_TRACK_DEVICE || above == NPROF_TRACK_CORE)
      return TRUE;
  }
  return FALSE;
}

static void
note_keys (const Sink *s, const nprof_str *keys, guint n, guint64 *with, gboolean *says)
{
  for (guint j = 0; j < n; j++)
    for (guint k = 0; k < N_KEYS; k++)
      if (keys[j] == s->key[k]) {
        with[k]++;
        *says |= k == WORK;
      }
}

/* source: Kineto, of PyTorch since 1.9 and before */
static gboolean
is_of_operator (const char *category)
{
  return g_str_equal (category, "cpu_op") || g_str_equal (category, "Operator");
}

static void
count_span (Sink *s, Counts *counts, const struct nprof_batch *batch, uint32_t i)
{
  gboolean of_device = is_of_device (s->host, batch->track[i]), says = FALSE;
  guint64 *with = counts->with[of_device];
  if (batch->shared && batch->shared[i]) {
    const struct nprof_attrs *set = s->host->attr_set (s->host, batch->shared[i]);
    note_keys (s, set->key, set->n, with, &says);
  }
  if (batch->attr_at)
    note_keys (s, batch->attr_key + batch->attr_at[i], batch->attr_at[i + 1] - batch->attr_at[i],
               with, &says);
  counts->of_devices += of_device;
  counts->of_operators += is_of_operator (nprof_text (s->host, batch->category[i]));
  counts->by_default += of_device && !says;
}

static nprof_status
sink_consume (void *self, const struct nprof_batch *batch)
{
  Sink *s = self;
  Counts *counts = (Counts *) s->host->extension (s->host, NP_CALLER);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    const char *name = batch->kind[i] == NPROF_FACT ? nprof_text (s->host, batch->name[i]) : "";
    counts->facts
        += g_str_equal (name, NPROF_KEY_DEVICE_TYPE) || g_str_equal (name, NPROF_KEY_PEAK_FLOPS);
    if (batch->kind[i] == NPROF_SPAN)
      count_span (s, counts, batch, i);
  }
  return NPROF_OK;
}

static const struct nprof_component sink_component = {
  .size = sizeof sink_component,
  .kind = NPROF_SINK,
  .name = "meaning",
  .summary = "counts what rows say of themselves",
  .wants = (const char *const[]){ "*", NULL },
  .instance_size = sizeof (Sink),
  .open = sink_open,
  .consume = sink_consume,
};

/* -- The command --------------------------------------------------------------------- */

static void
put (const char *answer, gboolean can, const char *lacks)
{
  g_print ("%-4s %s%s%s\n", can ? "yes" : "no", answer, can ? "" : ": lacks ", can ? "" : lacks);
}

static void
print (const Counts *c)
{
  const guint64 *device = c->with[1], *host = c->with[0];
  gboolean works = c->of_devices > 0, says = device[WORK] > 0;
  gboolean linked = (host[LAUNCH] || host[CORRELATION]) && (device[LAUNCH] || device[CORRELATION]);
  gboolean steps = host[STEP] || device[STEP] || host[WORK];
  gboolean launched = linked && c->of_operators;
  gboolean operators = device[OPERATOR] || device[PATH] || device[LAYER] || launched;
  gboolean flops = device[FLOPS] || device[MODEL_FLOPS];
  const char *none = "spans on tracks queue, engine or async of a device";
  put ("busy and idle of devices", works, none);
  put ("copies and communication", works && says, works ? "work" : none);
  put ("steps", steps, "work step, or step");
  put ("launches, idle time by cause, the critical path", linked,
       "launch on calls of hosts and on work");
  put ("operators", operators, "operator, framework_op or layer");
  put (!launched || flops ? "MFU and the roofline"
                          : "MFU and the roofline, where arguments of operators have shapes",
       (flops || launched) && c->facts,
       flops || launched ? "facts device_type or peak_flops" : "flops or model_flops");
  g_print ("%" G_GUINT64_FORMAT " rows of devices: %" G_GUINT64_FORMAT
           " say their work, %" G_GUINT64_FORMAT " are compute by default\n",
           c->of_devices, device[WORK], c->by_default);
}

int
np_cli_check_meaning (const char *path, const char *installed)
{
  Counts counts = { 0 };
  g_autoptr (NpConfig) config = np_config_new ();
  g_ptr_array_add (config->inputs, g_strdup (path));
  np_config_add_own (config, &sink_component, &counts);
  NpRegistry *registry = np_registry_new (installed);
  NpLog *log = np_log_new (NPROF_WARNING, STDERR_FILENO);
  NpExit code = np_run (config, registry, log, &np_cli_interrupt);
  np_log_free (log);
  np_registry_free (registry);
  if (!code)
    print (&counts);
  return (int) code;
}
