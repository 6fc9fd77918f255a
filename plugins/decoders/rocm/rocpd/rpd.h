/* SPDX-License-Identifier: Apache-2.0 */
/* rpd.h - databases of rocmProfileData (.rpd), an older format that is not rocprofv3's. */
#ifndef RPD_H
#define RPD_H

#include "rocpd.h"

/* Returns whether the database is one. */
bool rpd_is (const Db *db);
nprof_status rpd_decode (Rocpd *self);

#endif
