/* SPDX-License-Identifier: Apache-2.0 */
/* device-rates.h - share/devices/NAME.json: what accelerators can do at best, by the names that
 * files give them. Which of it counts for a track of a run is left to the analyzers.
 * [any-thread] */
#pragma once

#include <glib.h>
#include <nprof/draft/devices.h>

typedef struct NpDeviceRates NpDeviceRates;

NpDeviceRates *np_device_rates_new (void);
void np_device_rates_free (NpDeviceRates *rates);
/* Reads all files of a folder, by name, the first time; what this process read of them for others,
 * when they are as they were then (name, size, time of the last change). FALSE: the error names the
 * file, the device, and what was expected. */
gboolean np_device_rates_read (NpDeviceRates *rates, const char *folder, GError **error);
/* Returns the first whose pattern matches, case ignored; NULL: none, or the folder was not read. */
const struct nprof_device *np_device_rates_find (NpDeviceRates *rates, const char *folder,
                                                 const char *device_type);
/* Does `find` of struct nprof_devices, for any host.  data: nprof's own data files, or NULL. */
nprof_status np_device_rates_answer (NpDeviceRates *rates, const struct nprof_host *host,
                                     const char *data, const char *folder, const char *device_type,
                                     const struct nprof_device **device);
