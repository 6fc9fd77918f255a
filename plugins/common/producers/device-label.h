/* SPDX-License-Identifier: Apache-2.0 */
/* device-label.h - what tables call a device or core, from the labels of their tracks. Knows
 * nothing of nprof. */
#ifndef PRODUCERS_DEVICE_LABEL_H
#define PRODUCERS_DEVICE_LABEL_H

#include <glib.h>

/* Returns "DEVICE/CORE", but the core alone where it names its device itself; one of the two may be
 * NULL. Transfer full. */
static inline char *
device_label (const char *device, const char *core)
{
  if (!core || !device)
    return g_strdup (core ? core : device);
  return g_str_has_prefix (core, device) ? g_strdup (core) : g_strconcat (device, "/", core, NULL);
}

#endif
