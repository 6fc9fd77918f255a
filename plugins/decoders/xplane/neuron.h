/* SPDX-License-Identifier: Apache-2.0 */
/* neuron.h - shared by the files that read planes of the Neuron runtime. */
#ifndef XP_NEURON_H
#define XP_NEURON_H

#include "xplane.h"

/* -- neuron-device.c: what the threads of a timeline hold of the device ---------------- */

typedef struct _NeuronDevice NeuronDevice;

/* This is a span of a timeline: ps from its start. */
typedef struct {
  nprof_str pid, tid, name; /* texts; 0: none                            */
  int64_t start, end;
} NeuronSpan;

/* It says what becomes of rows of a thread. */
typedef struct {
  nprof_track track;
  nprof_str category; /* of work of the device; 0: its rows are none                 */
  bool hlo;           /* their names are operators of HLO                            */
  bool framework;     /* or of the framework                                         */
} NeuronPlace;

/* `device`: the timeline is one of a device; else all its rows are of a host's processes. */
NeuronDevice *neuron_device_new (const struct nprof_host *host, nprof_track track, bool device);
void neuron_device_free (NeuronDevice *d);

/* Takes the name of a process (tid 0), or of a thread.  Labels and spans come before the first
 * place is asked for. */
void neuron_device_label (NeuronDevice *d, nprof_str pid, nprof_str tid, nprof_str label);
/* Takes a span of any track; all together tell which track of a device is its work, and what lies
 * around it. */
void neuron_device_span (NeuronDevice *d, const NeuronSpan *span);

/* Returns NULL when there is no memory. */
const NeuronPlace *neuron_device_place (NeuronDevice *d, nprof_str pid, nprof_str tid);

/* Returns the operator of the framework around the span that came as number `n`; 0: none. */
nprof_str neuron_device_framework (NeuronDevice *d, uint32_t n);

/* -- neuron-timeline.c: trace events, one in each stat of an event --------------------- */

typedef struct {
  Xplane *x;
  const XpGroup *group;
  int64_t base;     /* ps from the origin of the records' time 0                       */
  GString *records; /* receives all records, as JSON; NULL: not wanted                 */
  bool more;        /* a record is there already                                       */
  bool copy;        /* no rows are written: another plane has them                     */
  NeuronDevice *device;
  GChecksum *digest;
  uint32_t n_spans; /* that were written                                               */
  uint64_t n_records;
} NeuronTimeline;

/* Writes all rows of the plane. */
nprof_status neuron_timeline (NeuronTimeline *t);

/* Returns a digest of all records in their order, for g_free; NULL: the plane has none. */
char *neuron_timeline_digest (NeuronTimeline *t);

/* Adds a record, behind a comma where another is there already. */
void neuron_add_record (GString *records, bool *more, PbSpan text);

/* -- neuron-ops.c: a record of an operator, in table neuron_ops -------------------------- */

nprof_status neuron_op_row (Xplane *x, nprof_str run, nprof_str file, const XpValue *value);

#endif
