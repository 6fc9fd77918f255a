/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/devices.h - what accelerators can do at best.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_DEVICES_H
#define NPROF_DRAFT_DEVICES_H

#include <nprof/plugin.h>

/* Analyzers: what accelerators can do at best, by the names that files give them. */
#define NPROF_DEVICES "draft.devices"

struct nprof_device_rate {
  const char *precision; /* "bf16"                                  */
  double rate;           /* flop/s, or flop of a core in a cycle    */
};

struct nprof_device {
  uint32_t size, n_rates;
  const char *name;      /* "TPU v5e"                                               */
  const char *file;      /* "tpu.json"                                              */
  const char *precision; /* of flops: "bf16"                                        */
  double flops;          /* flop/s; NAN: by per_cycle                               */
  double per_cycle;      /* flop of one core in one cycle of its clock; NAN: by flops */
  double bandwidth;      /* byte/s of the main memory; NAN: unknown                 */
  double link;           /* byte/s of all links between devices, one way; NAN: unknown */
  double link_group;     /* so many devices it joins, at most                       */
  double host_link;      /* byte/s of its link to a host, one way; NAN: unknown     */
  const struct nprof_device_rate *rates; /* n_rates: dense ones, of all precisions  */
};

struct nprof_devices {
  uint32_t size, reserved;
  /* The first device whose patterns match the type, case ignored; NULL: none. folder: holds *.json,
   * which are read once a run; NULL: the one that came with nprof, and no device where there is
   * none. device_type NULL: only reads. NPROF_E_OPTION when a file cannot be read: the cause is
   * recorded. What is found is valid for the run. [instance] */
  nprof_status (*find) (const struct nprof_host *host, const char *folder, const char *device_type,
                        const struct nprof_device **device);
};

#endif
