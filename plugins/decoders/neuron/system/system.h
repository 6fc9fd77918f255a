/* SPDX-License-Identifier: Apache-2.0 */
/* system.h - what the files of the decoder neuron-system share: the system profile of the Neuron
 * runtime, which lies in a folder as ntrace.pb, trace_info.pb, cpu_util.pb and host_mem.pb, and
 * metaneff. Times are ns since 1970 until a row is written. format: more-neuron.md, "System
 * profile" */
#pragma once

#include "columns.h"
#include "../common/sync.h"
#include "../common/tables.h"
#include "../common/wire.h"

#include <glib.h>
#include <nprof/draft/declare.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

typedef enum {
  SYSTEM_NONE,
  SYSTEM_TRACE,
  SYSTEM_CPU,
  SYSTEM_MEMORY,
  SYSTEM_INFO,
  SYSTEM_METANEFF
} SystemKind;

typedef struct {                /* a file of the profile */
  SystemKind kind;
  char *name;                   /* of a file beside the input; NULL: the input itself */
  const uint8_t *data;
  uint64_t len;
} SystemFile;

enum { PHASE_START = 1, PHASE_STOP, PHASE_INSTANT };

#define NOT_PAIRED UINT32_MAX

typedef struct {                /* a record of ntrace.pb */
  int64_t time;
  uint64_t thread, sequence, id, at, to; /* at, to: its message in the file */
  uint32_t type, phase;
  uint32_t other;               /* index of its stop or start; or NOT_PAIRED */
} SystemRecord;

typedef struct {                /* cells of the columns that repeat */
  nprof_str args, bytes, neff, execution, usage, phase, begin, end;
} SystemKeys;

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  bool private;
  bool has_origin;
  int64_t origin;
  GArray *files;                /* of SystemFile: the input, then those beside it */
  GHashTable *types, *models;   /* number -> nprof_str, of trace_info.pb */
  uint64_t stated;              /* records that trace_info.pb states; 0: none */
  bool has_info;
  GHashTable *threads, *cores;  /* number -> nprof_track */
  nprof_track process, device, machine;
  nprof_str runtime, hardware, execution, setup; /* categories */
  nprof_str running, switching; /* names that say what a row of the device is */
  SystemKeys key;
  GArray *syncs;                /* of NeuronSync */
  GArray *steps, *counters;     /* memory.c */
  GHashTable *counter_of;
  GHashTable *launches;         /* rows.c */
  uint64_t moved, unnamed;      /* device rows off their sync point; types without a name */
} System;

/* -- Which file it is (kind.c), and what lies beside it (profile.c) ---------------------------- */

SystemKind system_kind (const uint8_t *head, size_t len, const char *path);
int system_probe (const void *head, size_t len, uint64_t size, const char *path);
bool system_is_time (uint64_t ns);
/* Fills s->files with the input and those of its folder that are no input themselves. */
nprof_status system_files (System *s, const uint8_t *data, uint64_t len);
/* Returns whether another file of the folder stands for its profile. */
bool system_is_part (System *s, const uint8_t *data, uint64_t len, nprof_status *status);
void system_file_clear (gpointer file);

/* -- Its parts --------------------------------------------------------------------------------- */

/* These read a trace_info.pb (info.c): its time, names and properties, which are given before the
 * first row, and then what damage ends it, which is a row. */
nprof_status system_info_time (System *s, const SystemFile *file);
nprof_status system_info (System *s, const SystemFile *file);
nprof_status system_info_end (System *s, const SystemFile *file);
/* Writes its dictionaries into the table neuron_details. */
nprof_status system_dictionaries (System *s, const SystemFile *file);
/* Appends the records of an ntrace.pb to an array of SystemRecord, and joins starts and stops
 * (pairs.c). */
nprof_status system_records (System *s, const SystemFile *file, GArray *records);
/* Writes them as rows (rows.c). */
nprof_status system_rows (System *s, const SystemFile *file, const GArray *records);
void system_launches_open (System *s);
/* Writes cpu_util.pb or host_mem.pb as counters (samples.c). */
nprof_status system_samples (System *s, const SystemFile *file);
/* Writes the tensors of a metaneff (metaneff.c). */
nprof_status system_metaneff (System *s, const SystemFile *file);

/* -- Attributes of a record and its stop (attributes.c) ---------------------------------------- */

typedef struct {
  NeuronPair pair;
  bool of_stop, used;
} SystemPair;

/* Returns those of the start, and those of the stop that differ, by key; array of SystemPair,
 * transfer full. */
GArray *system_pairs (System *s, const SystemFile *file, const SystemRecord *start,
                      const SystemRecord *stop);
/* Returns the number with that key, and marks it as used; false: there is none, or it is no
 * number. */
bool system_number (GArray *pairs, const char *key, int64_t *number);
/* Does the same, but marks nothing as used. */
bool system_see_number (const GArray *pairs, const char *key, bool of_stop, int64_t *number);
/* Returns the text with that key, marked as used; NULL: there is none. */
const NeuronPair *system_text (GArray *pairs, const char *key);
/* Adds all that is not used to the row just begun, as one JSON object. */
nprof_status system_args (System *s, const GArray *pairs);

/* -- Memory of the device (memory.c) ----------------------------------------------------------- */

void system_memory_open (System *s);
void system_memory_close (System *s);
/* Notes what an allocation or a free changes at that time, if this is one. */
nprof_status system_memory_step (System *s, const SystemRecord *stop, GArray *pairs);
/* Writes the counters, when all records are read. */
nprof_status system_memory_rows (System *s);

/* -- Small things (plugin.c) ------------------------------------------------------------------- */

/* Makes the first time that is seen the origin, rounded down to a second. */
nprof_status system_origin (System *s, int64_t time);
/* Returns false where a time lies more than 100 days from the origin. */
bool system_ps (const System *s, int64_t time, int64_t *ps);
/* Reports bytes that cannot be read, and writes a row of kind gap when the run goes on. */
__attribute__ ((format (printf, 4, 5))) nprof_status
system_damage (System *s, const SystemFile *file, uint64_t at, const char *format, ...);
nprof_track system_machine (System *s);
nprof_track system_device (System *s);
