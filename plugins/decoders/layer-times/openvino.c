/* SPDX-License-Identifier: Apache-2.0 */
/* openvino.c - reads counters of layers as OpenVINO's benchmark_app reports them, a line each: of
 * one inference, or the average of all.
 * shape: benchmark_app of OpenVINO, statistics_report.cpp; of versions also a column numaId */
#include "layers.h"

#include <string.h>

enum { NAME, STATUS, TYPE, HOW, REAL, CPU, N_COLUMNS };
enum { MOST_COLUMNS = 16 };

static const char *const heads[N_COLUMNS]
    = { "layerName", "execStatus", "layerType", "execType", "realTime (ms)", "cpuTime (ms)" };

typedef struct {
  const char *at;
  size_t len;
} Field;

/* Splits a line; returns how many fields it has. */
static guint
split (const char *p, const char *end, Field *fields)
{
  guint n = 0;
  while (n < MOST_COLUMNS) {
    const char *to = memchr (p, ';', (size_t) (end - p));
    fields[n++] = (Field){ p, (size_t) ((to ? to : end) - p) };
    if (!to)
      break;
    p = to + 1;
  }
  return n;
}

static bool
is (const Field *f, const char *text)
{
  return f->len == strlen (text) && memcmp (f->at, text, f->len) == 0;
}

static nprof_str
text_of (Layers *self, const Field *f)
{
  return f->len ? self->host->intern (self->host, f->at, f->len) : 0;
}

/* What a layer does and how: "Convolution jit_avx512_FP32". */
static nprof_str
type_of (Layers *self, const Field *type, const Field *how)
{
  if (!how->len)
    return text_of (self, type);
  g_autofree char *both
      = g_strdup_printf ("%.*s %.*s", (int) type->len, type->at, (int) how->len, how->at);
  return nprof_intern (self->host, both);
}

/* Layers that were not run have no time; the last line is the sum of all. */
static nprof_status
take_line (Layers *self, const Field *fields, guint n, const int *place)
{
  const Field none = { "", 0 }, *f[N_COLUMNS];
  for (guint i = 0; i < N_COLUMNS; i++)
    f[i] = place[i] >= 0 && (guint) place[i] < n ? &fields[place[i]] : &none;
  if (is (f[NAME], "Total") || is (f[STATUS], "NOT_RUN") || is (f[STATUS], "OPTIMIZED_OUT"))
    return NPROF_OK;
  LtLayer l = lt_layer (text_of (self, f[NAME]));
  l.type = type_of (self, f[TYPE], f[HOW]);
  l.average = lt_time (f[REAL]->at, f[REAL]->len, 9);
  l.cpu = lt_time (f[CPU]->at, f[CPU]->len, 9);
  if (!l.name || l.average == LT_NONE)
    return lt_damage (self, (uint64_t) (fields[0].at - self->data),
                      "it has no name, or its realTime is no time");
  g_array_append_val (self->layers, l);
  return NPROF_OK;
}

static nprof_status
find_columns (Layers *self, const Field *fields, guint n, int *place)
{
  for (guint i = 0; i < N_COLUMNS; i++) {
    place[i] = -1;
    for (guint k = 0; k < n; k++)
      if (is (&fields[k], heads[i]))
        place[i] = (int) k;
  }
  return place[NAME] >= 0 && place[REAL] >= 0
             ? NPROF_OK
             : nprof_fail (self->host, NPROF_E_FORMAT,
                           "byte 0: the first line has no column layerName or realTime (ms): "
                           "write the report again");
}

nprof_status
lt_openvino (Layers *self)
{
  const char *p = self->data, *end = p + self->len;
  int place[N_COLUMNS];
  Field fields[MOST_COLUMNS];
  nprof_status status = NPROF_OK;
  for (bool first = true; p < end && !status; first = false) {
    const char *to = memchr (p, '\n', (size_t) (end - p)), *next = to ? to + 1 : end;
    to = to ? to : end;
    to -= to > p && to[-1] == '\r';
    const guint n = split (p, to, fields);
    if (first)
      status = find_columns (self, fields, n, place);
    else if (to > p)
      status = take_line (self, fields, n, place);
    p = next;
  }
  return status ? status : lt_write (self);
}
