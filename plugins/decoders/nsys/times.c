/* SPDX-License-Identifier: Apache-2.0 */
/* times.c - finds the origin: exported times count from the start of the session, or are Unix times
 * where the export was asked for that (--ts-normalize). */
#include "nsys.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define FAR (G_GINT64_CONSTANT (90) * 24 * 3600 * SECOND) /* no session lasts so long */

static const char *const starts[] = { "start", "timestamp", NULL };

/* Takes the least start of a table into *least. */
static nprof_status
least_of (Nsys *self, const char *table, gint64 *least)
{
  NsRows rows;
  gint64 start;
  nprof_status status = ns_rows_begin (self, table, &rows);
  int column = status ? -1 : ns_column_of (&rows, starts);
  while (!status && column >= 0 && ns_rows_next (&rows, &status))
    if (ns_int (&rows, column, &start))
      *least = MIN (*least, start);
  ns_rows_end_again (&rows);
  return status;
}

static nprof_status
session_start (Nsys *self, gint64 *unix_ns)
{
  NsRows rows;
  nprof_status status = NPROF_OK;
  *unix_ns = NPROF_NO_EPOCH;
  if (!ns_has (self, "TARGET_INFO_SESSION_START_TIME"))
    return status;
  status = ns_rows_begin (self, "TARGET_INFO_SESSION_START_TIME", &rows);
  int column = status ? -1 : ns_column (&rows, "utcEpochNs");
  if (!status && ns_rows_next (&rows, &status) && !ns_int (&rows, column, unix_ns))
    *unix_ns = NPROF_NO_EPOCH;
  ns_rows_end (&rows);
  return status;
}

static gint64
floor_second (gint64 ns)
{
  gint64 below = ns % SECOND;
  if (ns < G_MININT64 + SECOND)
    return ns; /* the second begins before what 64 bits hold */
  return ns - (below < 0 ? below + SECOND : below);
}

nprof_status
ns_times_begin (Nsys *self, const char *const *tables)
{
  gint64 least = G_MAXINT64, unix_ns;
  nprof_status status = session_start (self, &unix_ns);
  for (; *tables && !status; tables++)
    if (ns_has (self, *tables))
      status = least_of (self, *tables, &least);
  if (status)
    return status;
  bool far = least != G_MAXINT64 && (least > FAR || least < -FAR);
  self->base = far ? floor_second (least) : 0;
  if (far) /* Unix times when a start in Unix time is stated, else of a clock of its own */
    unix_ns = unix_ns == NPROF_NO_EPOCH ? NPROF_NO_EPOCH : self->base;
  return self->host->origin (self->host, unix_ns);
}

bool
ns_time (const Nsys *self, gint64 ns, gint64 *ps)
{
  gint64 since;
  return !__builtin_sub_overflow (ns, self->base, &since) && since < FAR && since > -FAR
         && !__builtin_mul_overflow (since, 1000, ps);
}
