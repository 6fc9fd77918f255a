/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder pprof: profiles of sampled stacks, as Go, C++ and Python profilers and
 * jax.profiler.save_device_memory_profile write them.  They have no timeline. */
#include "pprof.h"

/* A sample_type is two numbers; other messages in protobuf have something else in field 1. */
static bool
is_type (PbSpan span)
{
  PbField f;
  if (span.end - span.p > 24)
    return false;
  while (span.p < span.end)
    if (!pb_field (&span.p, span.end, &f) || (f.tag != PB_VARINT (1) && f.tag != PB_VARINT (2)))
      return false;
  return true;
}

static bool
may_be (const PbField *f)
{
  static const guint16 messages = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 11;
  const guint64 number = f->tag >> 3, wire = f->tag & 7;
  if (number > 15 || (wire != 0 && wire != 2))
    return false;
  if (messages >> number & 1 && wire != 2)
    return false;
  return number != 1 || is_type (f->span);
}

/* A small file is known whole; the head of a large one ends within a field. */
static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const guint8 *at = head, *end = at + len;
  PbField f;
  guint n = 0, kinds = 0;
  (void) size, (void) path;
  for (; at < end && pb_field (&at, end, &f); n++) {
    if (!may_be (&f))
      return 0;
    kinds |= 1u << (f.tag >> 3);
  }
  return (n >= 40 || at == end) && (kinds & 6) == 6 ? 60 : 0;
}

static nprof_status
open_pprof (void *data, const struct nprof_host *host)
{
  Pprof *p = data;
  p->host = host;
  p->types = g_array_new (FALSE, FALSE, sizeof (PpType));
  p->lines = g_array_new (FALSE, FALSE, sizeof (PpLine));
  p->strings = g_array_new (FALSE, FALSE, sizeof (PbSpan));
  p->samples = g_array_new (FALSE, FALSE, sizeof (PbSpan));
  p->locations = g_array_new (FALSE, FALSE, sizeof (PpLocation));
  p->functions = g_array_new (FALSE, FALSE, sizeof (PpFunction));
  p->location_of = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  p->function_of = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return NPROF_OK;
}

static void
close_pprof (void *data)
{
  Pprof *p = data;
  GArray **const arrays[]
      = { &p->types, &p->lines, &p->strings, &p->samples, &p->locations, &p->functions };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_clear_pointer (arrays[i], g_array_unref);
  g_clear_pointer (&p->location_of, g_hash_table_unref);
  g_clear_pointer (&p->function_of, g_hash_table_unref);
}

static nprof_status
put_property (Pprof *p, const char *key, gint64 ns)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, ns);
  return ns > 0 ? p->host->property (p->host, key, text) : NPROF_OK;
}

static nprof_status
decode (void *data, const void *bytes, uint64_t len)
{
  Pprof *p = data;
  p->data = bytes;
  p->end = p->data + len;
  nprof_status status = pp_load (p);
  if (!status)
    status = p->host->origin (p->host, p->time_ns > 0 ? p->time_ns : NPROF_NO_EPOCH);
  if (!status)
    status = put_property (p, "duration_ns", p->duration_ns);
  if (!status)
    status = pp_tables (p);
  return status ? status : p->host->progress (p->host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "pprof",
  .summary = "profiles of sampled stacks: time of processors, heaps, device memory of JAX",
  .formats = "profile.proto of pprof: Go, C++, Python; jax.profiler.save_device_memory_profile",
  .tables = (const struct nprof_table *const[]){ &sample_types_table, &sample_places_table,
                                                 &sample_labels_table, &sample_stacks_table, NULL },
  .instance_size = sizeof (Pprof),
  .probe = probe,
  .open = open_pprof,
  .decode = decode,
  .close = close_pprof,
};

NPROF_PLUGIN ("pprof", NPROF_VERSION, "Apache-2.0", &decoder)
