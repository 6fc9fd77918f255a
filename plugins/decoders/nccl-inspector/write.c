/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes a line as a row of table collective_log, and as a span where it has times of
 * kernels: the time at which a line was written says nothing of the collective's. */
#include "inspector.h"

#define SECOND_US 1000000
#define FAR_US (G_GINT64_CONSTANT (90) * 24 * 3600 * SECOND_US)

static struct nprof_maybe_int
known (gint64 number)
{
  return nprof_int_if (number != UNKNOWN, number);
}

static struct nprof_maybe_double
rate (double gbs)
{
  return nprof_some_double (gbs * 1e9);
}

static nprof_status
put_row (Inspector *self, const NiLine *l)
{
  gint64 ps = 0;
  const bool timed = l->us != UNKNOWN && !__builtin_mul_overflow (l->us, SECOND_US, &ps);
  const struct collective_log_row row = {
    .communicator = nprof_some_str (l->id),
    .comm_name = nprof_str_if (l->name && l->name != self->unknown, l->name),
    .rank = known (l->rank),
    .n_ranks = known (l->n_ranks),
    .collective = nprof_some_str (l->collective),
    .sequence = known (l->sequence),
    .peer = known (l->peer),
    .host = nprof_some_str (l->host),
    .pid = known (l->pid),
    .bytes = known (l->bytes),
    .duration = nprof_int_if (timed, ps),
    .timing = nprof_some_str (l->timing),
    .algbw = rate (l->algbw),
    .busbw = rate (l->busbw),
  };
  return self->host->row (self->host, &collective_log_table,
                          collective_log_cells (nprof_cell_own_input (self->host), &row).cells);
}

/* -- Spans ----------------------------------------------------------------- */

static nprof_track
track_of (Inspector *self, const NiLine *l)
{
  const struct nprof_host *host = self->host;
  char pid[32] = "process";
  if (l->pid != UNKNOWN)
    g_snprintf (pid, sizeof pid, "%" G_GINT64_FORMAT, l->pid);
  const nprof_track machine = host->track (host, 0, NPROF_TRACK_HOST,
                                           l->host ? l->host : self->unknown, 0, 0);
  const nprof_track process
      = machine ? host->track (host, machine, NPROF_TRACK_PROCESS, nprof_intern (host, pid), 0, 0)
                : 0;
  return process ? host->track (host, process, NPROF_TRACK_QUEUE, l->id,
                                l->name == self->unknown ? 0 : l->name, 0)
                 : 0;
}

static nprof_status
add_str (Inspector *self, guint key, nprof_str str)
{
  return str && self->want[key] ? nprof_attr_str (self->w, self->key[key], str) : NPROF_OK;
}

static nprof_status
add_int (Inspector *self, guint key, gint64 number)
{
  return number != UNKNOWN && self->want[key] ? nprof_attr_int (self->w, self->key[key], number)
                                              : NPROF_OK;
}

static nprof_status
put_attributes (Inspector *self, const NiLine *l)
{
  nprof_status status = add_str (self, NI_COLLECTIVE, l->collective);
  if (!status)
    status = add_str (self, NI_COMMUNICATOR, l->id);
  if (!status)
    status = add_str (self, NI_LABEL, l->name == self->unknown ? 0 : l->name);
  if (!status)
    status = add_int (self, NI_SIZE, l->n_ranks);
  if (!status)
    status = add_int (self, NI_RANK, l->rank);
  if (!status)
    status = add_int (self, NI_SEQUENCE, l->sequence);
  if (!status)
    status = add_int (self, NI_BYTES, l->bytes);
  return status ? status : add_int (self, NI_PEER, l->peer);
}

static nprof_status
put_span (Inspector *self, const NiLine *l)
{
  const gint64 from = l->start - self->base_us, lasts = l->stop - l->start;
  if (from < -FAR_US || from > FAR_US || lasts < 0 || lasts > FAR_US) {
    self->host->skip (
        self->host, "event_trace_ts", (guint64) (l->at - self->data),
        "its times are months from those of the first line, or end before they start");
    return NPROF_OK;
  }
  const nprof_track track = track_of (self, l);
  if (!track)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a track");
  nprof_status status
      = nprof_span (self->w, track, l->collective, from * SECOND_US, lasts * SECOND_US);
  if (status)
    return status;
  nprof_set_category (self->w, self->category);
  return put_attributes (self, l);
}

/* Time 0 is the second at which the first line was written. */
static nprof_status
begin (Inspector *self, const NiLine *l)
{
  const gint64 us = l->written != UNKNOWN ? l->written : l->start != UNKNOWN ? l->start : 0;
  const bool known_time = us > 0 && us < G_MAXINT64 / 1000;
  self->has_origin = true;
  self->base_us = known_time ? us - us % SECOND_US : 0;
  return self->host->origin (self->host, known_time ? self->base_us * 1000 : NPROF_NO_EPOCH);
}

nprof_status
ni_write (Inspector *self, const NiLine *l)
{
  nprof_status status = self->has_origin ? NPROF_OK : begin (self, l);
  if (!status)
    status = put_row (self, l);
  if (!status && l->start != UNKNOWN && l->stop != UNKNOWN)
    status = put_span (self, l);
  return status;
}
