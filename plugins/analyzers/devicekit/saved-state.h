/* SPDX-License-Identifier: Apache-2.0 */
/* saved-state.h - the state of an analyzer as bytes (save, merge): integers, little-endian, texts
 * with their length before them, and distributions of durations.  The analyzers decide what stands
 * there and in which order. */
#ifndef AN_SAVED_STATE_H
#define AN_SAVED_STATE_H

#include "devicekit/distribution.h"

#include <nprof/sdk.h>
#include <stdbool.h>

/* These say of an analyzer's state that it is none, or is damaged; both return NPROF_E_FORMAT. */
nprof_status an_fail_foreign (const struct nprof_host *host, const char *name, const char *magic);
nprof_status an_fail_damaged (const struct nprof_host *host, const char *name, gsize at);

void an_put (GByteArray *to, guint64 value);
void an_put_text (const struct nprof_host *host, GByteArray *to, nprof_str str);
/* Writes all of a distribution that is not empty; exact ones in the order of their values. */
void an_put_dist (GByteArray *to, const Dist *dist);

/* These are bytes that are read; `damaged` stays from the first that cannot be: then all are 0 and
 * "". */
typedef struct {
  const struct nprof_host *host;
  const guint8 *at, *end;
  bool damaged;
} AnSaved;

guint64 an_get (AnSaved *in);
nprof_str an_get_text (AnSaved *in);
/* Calls `exact` for each duration of an exact one, else adds the histogram to `dist`, which is
 * empty.  Returns whether it is exact. */
bool an_get_dist (AnSaved *in, Dist *dist, void (*exact) (gpointer user, gint64 value),
                  gpointer user);

#endif
