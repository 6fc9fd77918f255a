/* SPDX-License-Identifier: Apache-2.0 */
/* chances.h - what the files of the analyzer chances share: rows of devices with their launches,
 * pairs of communication and compute, and patterns of kernels. Times are ps where nothing else is
 * said. */
#ifndef CHANCES_H
#define CHANCES_H

#include "columns.h"
#include "devicekit/graph-row.h"
#include "devicekit/kernel-family.h"
#include "devicekit/key-table.h"
#include "devicekit/launch-links.h"
#include "devicekit/row-launch.h"
#include "devicekit/traits.h"
#include "system/large.h"

#include <nprof/draft/clip.h>

/* Work of a stream. */
typedef struct {
  gint64 start, end, launch; /* ps; launch: -1: it is not in the file     */
  gint64 written;            /* bytes of its operator's result; -1: unknown */
  nprof_str kernel, operator; /* operator 0: none around its launch         */
  nprof_track stream;
  AnClass class;
  bool hidden;
} Row;

/* Communication, until the next compute of its device has begun. */
typedef struct {
  Row row;
  Row before;     /* compute that ended last, by its start; kernel 0: none, or some ran then */
  gint64 covered; /* ps of it while something computed */
} Communication;

typedef struct {
  guint64 times;
  gint64 exposed, gain; /* ps */
} Pair;

typedef struct {
  guint32 device, number;
  guint n;                  /* kernels */
  guint64 times, unknown;
  gint64 total, passed;     /* ps, bytes */
  gint64 start, longest;    /* ps: of the longest, the first of them */
  nprof_str *kernels, *operators; /* by place; operators: the first known */
  char *families;           /* transfer full */
} Pattern;

/* Kernels of a stream that follow each other and need few flops for a byte. */
typedef struct {
  nprof_track stream;
  GArray *rows; /* of Row */
} Chain;

typedef struct {
  nprof_track track;
  nprof_str label;
  guint32 input, number;
  gint64 work;            /* ps: sum of durations */
  Row last;               /* compute that ends last so far; kernel 0: none */
  GArray *communications; /* of Communication */
  GArray *chains;         /* of Chain */
} Device;

/* These words tell pairs apart. */
enum { PAIR_DEVICE, PAIR_COMMUNICATION, PAIR_COMPUTE, PAIR_AFTER, PAIR_WORDS };
/* And these what operators write. */
enum { WROTE_OPERATOR, WROTE_ARGUMENTS, WROTE_WORDS };

typedef struct {
  const struct nprof_host *host;
  struct nprof_window clip; /* rows are cut at it */
  AnPlaces *places;
  AnTraitsReader traits;
  AnLinks *links;
  AnLaunchKeys launch_keys;
  AnGraphKeys graph_keys;
  nprof_str collective;
  AnFamilies *families;
  GHashTable *family;   /* name -> its family */
  GPtrArray *devices;   /* of Device, by number */
  GPtrArray *by_track;  /* these */
  GPtrArray *waits; /* by input: NpLargeArray of gint64, starts of calls that make something wait */
  GByteArray *waiting;  /* by name: 0 not looked at, 1 no, 2 it is such a call */
  GByteArray *chains;   /* by name of a kernel: 0 not looked at, else of patterns.c */
  AnKeyTable wrote;     /* operator, arguments */
  GArray *bytes;        /* of gint64, by `wrote` */
  AnKeyTable pair_keys;
  NpLargeArray *pairs;  /* of Pair, by pair_keys */
  GHashTable *patterns; /* GBytes of the device and the kernels -> Pattern */
  GHashTable *alike;    /* device and families -> how many patterns have them */
} Chances;

/* rows.c */
nprof_status chances_rows (Chances *c, const struct nprof_batch *batch);
void chances_choose_rows (Chances *c, const struct nprof_batch *batch, uint8_t *rows);
void chances_host_span (gpointer chances, const AnHostSpan *span);
guint32 chances_operator (gpointer chances, const AnHostSpan *span, guint32 outer);
void chances_device_free (gpointer device);
const char *chances_family (Chances *c, nprof_str kernel);

/* overlap.c: rows of a device come by start. */
void overlap_row (Chances *c, Device *d, const Row *row);
void overlap_end (Chances *c, Device *d);

/* patterns.c: the same. */
void patterns_row (Chances *c, Device *d, const Row *row);
void patterns_end (Chances *c, Device *d);
void pattern_free (gpointer pattern);

/* write.c */
nprof_status chances_write (Chances *c);

#endif
