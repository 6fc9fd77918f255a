/* SPDX-License-Identifier: Apache-2.0 */
/* no-xla.c - in place of xla.c where nprof was built without libcurl. */

#include "base/error.h"
#include "capture.h"

int
np_capture_xla (const NpCapture *capture, const char *address, guint ms, const char *folder)
{
  (void) address, (void) ms, (void) folder;
  np_log (capture->log, NPROF_ERROR,
          "--xla: this nprof was built without libcurl: install libcurl4-openssl-dev and build it "
          "again (-Dxla=enabled)");
  return NP_EXIT_PLUGIN;
}
