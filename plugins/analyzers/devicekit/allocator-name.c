/* SPDX-License-Identifier: Apache-2.0 */
/* allocator-name.c - names types of devices of PyTorch, and reads names that XLA prints. source:
 * c10/core/DeviceType.h, tsl/profiler/lib/scoped_memory_debug_annotation.h */
#include "devicekit/allocator-name.h"

#include <nprof/sdk.h>
#include <string.h>

static const char *const types[]
    = { "CPU",  "CUDA", "MKLDNN", "OPENGL", "OPENCL", "IDEEP", "HIP",
        "FPGA", "MAIA", "XLA",    "VULKAN", "METAL",  "XPU",   "MPS",
        "META", "HPU",  "VE",     "LAZY",   "IPU",    "MTIA",  "PRIVATEUSE1" };
enum { TYPE_CPU };

nprof_str
an_allocator_name (const struct nprof_host *host, gint64 type, gint64 device)
{
  g_autofree char *known = type >= 0 && type < (gint64) G_N_ELEMENTS (types)
                               ? g_strdup (types[type])
                               : g_strdup_printf ("type %" G_GINT64_FORMAT, type);
  g_autofree char *name = type == TYPE_CPU && device <= 0
                              ? g_strdup (known)
                              : g_strdup_printf ("%s %" G_GINT64_FORMAT, known, device);
  return nprof_intern (host, name);
}

nprof_str
an_text_of_xla (const struct nprof_reader *row, uint32_t field)
{
  nprof_str text = nprof_reader_str (row, field);
  return text && strcmp (nprof_text (row->host, text), "(null)") ? text : 0;
}

nprof_str
an_allocator_of_xla (const struct nprof_reader *row, uint32_t name, uint32_t ordinal,
                     uint32_t index)
{
  nprof_str text = an_text_of_xla (row, name);
  int64_t number;
  if (text
      || ((!nprof_reader_int (row, ordinal, &number) || number < 0)
          && (!nprof_reader_int (row, index, &number) || number < 0)))
    return text;
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) number);
  return nprof_intern (row->host, digits);
}
