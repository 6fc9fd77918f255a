/* SPDX-License-Identifier: Apache-2.0 */
/* allocator-name.c - names types of devices. source: c10/core/DeviceType.h */
#include "devicekit/allocator-name.h"

#include <nprof/sdk.h>

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
