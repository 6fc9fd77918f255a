/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h - share/devices/NAME.json: what accelerators can do at best, by the names that files
 * give them.  Which of it counts for a track of a run is left to peaks.c. */
#ifndef AN_DEVICES_H
#define AN_DEVICES_H

#include <glib.h>

typedef struct {
  char *precision;
  double rate; /* flop/s, or flop of a core in a cycle */
} AnDeviceRate;

typedef struct {
  char *name;                 /* "TPU v5e"                                               */
  char *file;                 /* "tpu.json"                                              */
  char **match;               /* patterns of device_type, in lower case; * matches all   */
  char *precision;            /* of flops: "bf16"                                        */
  double flops;               /* flop/s; NAN: by per_cycle                               */
  double per_cycle;           /* flop of one core in one cycle of its clock; NAN: by flops */
  GArray *rates;              /* of AnDeviceRate: dense ones, of all precisions           */
  double bandwidth;           /* byte/s of the main memory; NAN: unknown                 */
  double link;                /* byte/s of all links between devices, one way; NAN: unknown */
  double link_group;          /* so many devices it joins, at most                       */
} AnDevice;

/* All files of a folder, by name; elements are AnDevice.  Transfer full.  NULL: the error names
 * the file, the device, and what was expected. */
GPtrArray *an_devices_read (const char *folder, GError **error);

/* Flop/s of a precision, or flop of a core in a cycle where per_cycle is known; NAN: not known. */
double an_device_rate (const AnDevice *device, const char *precision);

/* The first whose pattern matches, case ignored; NULL: none. */
const AnDevice *an_devices_find (const GPtrArray *devices, const char *device_type);

#endif
