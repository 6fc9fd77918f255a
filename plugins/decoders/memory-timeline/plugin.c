/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder memory-timeline: what PyTorch's export_memory_timeline writes as .raw.json.gz:
 * what memory was for, over time. */
#include "timeline.h"

/* Returns where a whole number ends; NULL: there is none. */
static const char *
behind_number (const char *p, const char *end)
{
  const char *from;
  p = te_space (p, end);
  p += p < end && *p == '-';
  for (from = p; p < end && g_ascii_isdigit (*p); p++)
    ;
  return p > from ? te_space (p, end) : NULL;
}

/* The first row is a list of four whole numbers. */
static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const char *p = head, *end = p + len;
  (void) size, (void) path;
  for (guint i = 0; i < 2; i++) {
    p = te_space (p, end);
    if (p == end || *p++ != '[')
      return 0;
  }
  for (guint i = 0; i < 4; i++) {
    p = behind_number (p, end);
    if (!p || p == end || *p++ != (i < 3 ? ',' : ']'))
      return 0;
  }
  p = te_space (p, end);
  return p < end && (*p == ']' || (*p == ',' && (p = te_space (p + 1, end)) < end && *p == '['
                                   && (p = te_space (p + 1, end)) < end && *p != '['))
             ? 60
             : 0;
}

static nprof_status
open_timeline (void *data, const struct nprof_host *host)
{
  Timeline *t = data;
  t->host = host;
  t->rows = g_array_new (FALSE, FALSE, sizeof (MtRow));
  return NPROF_OK;
}

static void
close_timeline (void *data)
{
  Timeline *t = data;
  g_clear_pointer (&t->rows, g_array_unref);
}

static nprof_status
decode (void *data, const void *bytes, uint64_t len)
{
  Timeline *t = data;
  t->data = bytes;
  t->end = t->data + len;
  t->w = t->host->writer (t->host);
  if (!t->w)
    return nprof_fail (t->host, NPROF_E_NOMEM, "no memory for the columns");
  nprof_status status = mt_load (t);
  if (!status)
    status = mt_write (t);
  return status ? status : t->host->progress (t->host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "memory-timeline",
  .summary = "memory of a device by category over time, as PyTorch's profiler exports it",
  .formats = "memory_timeline.raw.json.gz of PyTorch's export_memory_timeline",
  .attributes = NPROF_ATTRIBUTES (
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a counter's values")),
  .tables
  = (const struct nprof_table *const[]){ &memory_timeline_table, &memory_categories_table, NULL },
  .instance_size = sizeof (Timeline),
  .probe = probe,
  .open = open_timeline,
  .decode = decode,
  .close = close_timeline,
};

NPROF_PLUGIN ("memory-timeline", NPROF_VERSION, "Apache-2.0", &decoder)
