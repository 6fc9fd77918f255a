/* SPDX-License-Identifier: Apache-2.0 */
/* served.h - what devices did for requests: their steps, and when they were busy. Times are ps
 * where nothing else is said. */
#pragma once

#include "devicekit/traits.h"
#include "system/large.h"

#include <nprof/sdk.h>

typedef struct {
  gint64 start, end;
  gint64 requests; /* -1: its name does not say */
  bool makes_first; /* tokens */
} ServedStep;

/* A time of work, of as many streams as overlap. */
typedef struct {
  gint64 start, end, before; /* before: ps busy until then, of served_end */
} ServedBusy;

typedef struct {
  nprof_track device;
  nprof_str label;
  guint32 input;
  GArray *steps;      /* of ServedStep */
  NpLargeArray *busy; /* of ServedBusy */
  gint64 all;         /* ps busy, of served_end */
  gint64 longest;     /* of its steps */
  bool decodes;       /* some step makes later tokens than first ones */
} ServedDevice;

typedef struct {
  const struct nprof_host *host;
  AnPlaces *places;
  AnTraitsReader traits;
  GByteArray *names;  /* of an_names_server_step */
  GArray *devices;    /* of ServedDevice */
} Served;

/* What a device did between two moments. */
typedef struct {
  gint64 busy, steps;
  gint64 requests, counted; /* sum over those steps whose names say it, and how many these are */
} ServedPart;

nprof_status served_init (Served *served, const struct nprof_host *host);
void served_clear (Served *served);
/* Returns whether the row is a step of a device. */
bool served_is_step (Served *served, const struct nprof_batch *batch, uint32_t i);
void served_choose (Served *served, const struct nprof_batch *batch, uint8_t *rows);
void served_take (Served *served, const struct nprof_batch *batch);
/* Sorts all; call it once behind the last row. */
void served_end (Served *served);
/* Returns when steps of the devices of an input ended that make first tokens, sorted; transfer
 * full. */
GArray *served_first_ends (const Served *served, guint32 input);
/* Returns the device of the input that has steps and was busy most; NULL: none has any. */
const ServedDevice *served_busiest (const Served *served, guint32 input);
/* Whether a device was busy longer than another; of two that were as long, its place decides. */
bool served_goes_before (const Served *served, const ServedDevice *a, const ServedDevice *b);
/* Sums what lies between two moments; a step counts whose middle does. */
ServedPart served_part (const ServedDevice *device, gint64 from, gint64 to);
