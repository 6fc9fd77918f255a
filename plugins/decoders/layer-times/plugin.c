/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoders of files that say how long each layer or kernel took, and not when: of
 * TensorRT's trtexec, whose times of queries are spans, of OpenVINO's benchmark_app, of
 * Triton's Proton, and of Chakra, whose linked execution traces have times, too. */
#include "layers.h"

#include "producers/say-meaning.h"

#include <nprof/keys.h>
#include <string.h>

/* Goes to the first object of an array; of its members, and of those of the second. */
static bool
first_has (const char *head, size_t len, const char *const *members)
{
  struct nprof_pull p = nprof_pull (head, len);
  guint objects = 0, found = 0;
  if (!nprof_pull_next (&p) || !nprof_pull_enter (&p, NPROF_PULL_ARRAY))
    return false;
  while (objects++ < 2 && nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_OBJECT))
    while (nprof_pull_next (&p))
      for (guint i = 0; members[i]; i++)
        found |= nprof_pull_is (&p, members[i]) ? 1u << i : 0;
  for (guint i = 0; members[i]; i++)
    if (!(found & 1u << i))
      return false;
  return true;
}

static int
probe_trtexec (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return first_has (head, len, (const char *const[]){ "startComputeMs", "endComputeMs", NULL })
                 || first_has (head, len, (const char *const[]){ "count", "timeMs", NULL })
             ? 90
             : 0;
}

static int
probe_openvino (const void *head, size_t len, uint64_t size, const char *path)
{
  static const char begins[] = "layerName;execStatus;layerType;";
  (void) size, (void) path;
  return len >= strlen (begins) && memcmp (head, begins, strlen (begins)) == 0 ? 90 : 0;
}

/* A tree may have more children than a head holds: its frame and its metrics stand behind them. */
static int
probe_proton (const void *head, size_t len, uint64_t size, const char *path)
{
  struct nprof_pull p = nprof_pull (head, len);
  (void) size, (void) path;
  return nprof_pull_next (&p) && nprof_pull_enter (&p, NPROF_PULL_ARRAY) && nprof_pull_next (&p)
                 && nprof_pull_enter (&p, NPROF_PULL_OBJECT) && nprof_pull_next (&p)
                 && nprof_pull_is (&p, "children") && g_strstr_len (head, (gssize) len, "\"frame\"")
                 && g_strstr_len (head, (gssize) len, "\"metrics\"")
             ? 90
             : 0;
}

/* Of a linked trace the times stand in each node; a plain one has none. */
static int
probe_chakra (const void *head, size_t len, uint64_t size, const char *path)
{
  const char *text = head;
  (void) size;
  if (len && *text == '{')
    return g_strstr_len (text, (gssize) len, "\"nodes\"")
                   && g_strstr_len (text, (gssize) len, "\"schema\"")
                   && g_strstr_len (text, (gssize) len, "\"inclusive_dur\"")
               ? 95
               : 0;
  return path && g_str_has_suffix (path, ".et") && lt_is_chakra (head, len) ? 80 : 0;
}

static nprof_status
open_layers (void *data, const struct nprof_host *host)
{
  Layers *self = data;
  self->host = host;
  self->layers = g_array_new (FALSE, FALSE, sizeof (LtLayer));
  return NPROF_OK;
}

static nprof_status
open_chakra (void *data, const struct nprof_host *host)
{
  nprof_status status = open_layers (data, host);
  return status ? status : meaning_say (host);
}

static void
close_layers (void *data)
{
  Layers *self = data;
  g_clear_pointer (&self->layers, g_array_unref);
  free (self->text.data);
}

static nprof_status
decode (Layers *self, const void *bytes, uint64_t len, nprof_status (*by) (Layers *))
{
  self->data = bytes;
  self->len = len;
  nprof_status status = self->host->table (self->host, &layer_times_table);
  if (!status)
    status = by (self);
  if (!status && self->text.failed)
    status = nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a name");
  return status ? status : self->host->progress (self->host, 0, len);
}

static nprof_status
decode_trtexec (void *data, const void *bytes, uint64_t len)
{
  return decode (data, bytes, len, lt_trtexec);
}

static nprof_status
decode_openvino (void *data, const void *bytes, uint64_t len)
{
  return decode (data, bytes, len, lt_openvino);
}

static nprof_status
decode_proton (void *data, const void *bytes, uint64_t len)
{
  return decode (data, bytes, len, lt_proton);
}

static nprof_status
decode_chakra (void *data, const void *bytes, uint64_t len)
{
  return decode (data, bytes, len, lt_chakra);
}

#define TABLES                                                                                     \
  .tables = (const struct nprof_table *const[]) { &layer_times_table, NULL }
#define LIFE .instance_size = sizeof (Layers), .open = open_layers, .close = close_layers

static const struct nprof_component trtexec = {
  .size = sizeof trtexec,
  .kind = NPROF_DECODER,
  .name = "trtexec",
  .summary = "times of queries and of layers, as TensorRT's trtexec exports them",
  .formats = "JSON of trtexec --exportTimes and --exportProfile",
  .attributes
  = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_WORK, "",
                                       "what a row of the device is"),
                      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "number of the query"),
                      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_LAUNCH, "", "of the query")),
  TABLES,
  LIFE,
  .probe = probe_trtexec,
  .decode = decode_trtexec,
};

static const struct nprof_component openvino = {
  .size = sizeof openvino,
  .kind = NPROF_DECODER,
  .name = "openvino",
  .summary = "times of layers, as OpenVINO's benchmark_app reports them",
  .formats = "CSV of benchmark_app -report_type average_counters and detailed_counters",
  TABLES,
  LIFE,
  .probe = probe_openvino,
  .decode = decode_openvino,
};

static const struct nprof_component proton = {
  .size = sizeof proton,
  .kind = NPROF_DECODER,
  .name = "proton",
  .summary = "times of kernels by scope, as Triton's Proton writes them",
  .formats = ".hatchet of Proton",
  TABLES,
  LIFE,
  .probe = probe_proton,
  .decode = decode_proton,
};

static const struct nprof_component chakra = {
  .size = sizeof chakra,
  .kind = NPROF_DECODER,
  .name = "chakra",
  .summary = "execution traces of PyTorch and Chakra whose nodes have times",
  .formats = "JSON that chakra_trace_link writes, .et that chakra_converter makes of it",
  .attributes = NPROF_ATTRIBUTES (&meaning_attribute),
  TABLES,
  .instance_size = sizeof (Layers),
  .open = open_chakra,
  .close = close_layers,
  .probe = probe_chakra,
  .decode = decode_chakra,
};

NPROF_PLUGIN ("layer-times", NPROF_VERSION, "Apache-2.0", &trtexec, &openvino, &proton, &chakra)
