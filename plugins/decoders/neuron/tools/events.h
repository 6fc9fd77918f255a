/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - what events.c, which pairs starts with stops, and event-row.c share. */
#pragma once

#include "tools.h"

typedef struct { /* what is needed of one record */
  const TeValue *type, *phase;
  int64_t core;
  bool has_core, has_exec, has_device_time, is_sync;
  int64_t exec;
  NtTime time, device_time, cpu_time;
  bool timed;
} NtEvent;

/* `inner` is room for its data. */
void nt_read_event (Nt *t, NtRecord *r, NtRecord *inner, NtEvent *e);
/* `stop` is the record of its end, or NULL. */
nprof_status nt_event_row (Nt *t, NtRecord *r, uint8_t kind, NtTime at, int64_t duration,
                           const NtRecord *stop);
