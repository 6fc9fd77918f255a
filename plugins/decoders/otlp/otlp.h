/* SPDX-License-Identifier: Apache-2.0 */
/* otlp.h - what the files of the decoder otlp share: a span as it is read, and what becomes of it.
 * source: opentelemetry.io, OTLP file exporter and JSON encoding; API of Jaeger's query service */
#pragma once

#include "json/scan.h"
#include "system/large.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

#define UNKNOWN G_MININT64

/* Times of a request in ps, and its tokens; UNKNOWN: not told. */
typedef enum {
  OT_TTFT,
  OT_E2E,
  OT_QUEUE,
  OT_PREFILL,
  OT_DECODE,
  OT_PROMPT,
  OT_OUTPUT,
  OT_CACHED,
  OT_N_FIGURES
} OtFigure;

typedef struct {
  const char *at; /* in the input */
  guint8 trace[16];
  guint64 id, parent;
  nprof_str name;
  nprof_track process;
  gint64 kind;             /* 3: a client's         */
  gint64 start, end;       /* ns, Unix; 0: not told */
  bool error;
  /* Of its attributes: */
  GString *args;           /* "\"key\":value,..."   */
  nprof_str rid, thread;   /* 0: not told           */
  gint64 pid, tp_rank;
  bool named, latencies, queue_time, inference_time;
  gint64 figure[OT_N_FIGURES];
} OtSpan;

enum {
  OT_KEY_TRACE,
  OT_KEY_ARGS,
  OT_KEY_ERROR,
  OT_KEY_RID,
  OT_KEY_LAID_OUT,
  OT_KEY_SERVER,
  OT_KEY_TPOT,
  OT_KEY_FIGURES,
  OT_KEYS = OT_KEY_FIGURES + OT_N_FIGURES
};

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  const TeScanner *with;
  const char *data, *end;
  nprof_str key[OT_KEYS], otel, request, event, phase[3];
  bool want[OT_KEYS];
  bool has_base;
  gint64 base_ns;
  guint64 *seen;     /* hashes of spans, open addressing; 0: free */
  gsize n_seen, max_seen;
  guint64 again, unended, unfit; /* unfit: phases longer than the time to the first token */
  GString *args;
  NpLargeArray *slices; /* of OtSlice: spans of SGLang, joined at the end */
} Otlp;

/* numbers.c */
/* Reads a decimal number, with or without exponent, as 10^scale of its units, to the nearest. */
bool ot_decimal (const char *text, size_t len, int scale, gint64 *value);
/* Reads what Rust prints of a duration, "12.345ms", in ps. */
bool ot_rust_duration (const char *text, size_t len, gint64 *ps);
/* Reads an id in hex or base64 of `room` bytes; false: it is none. */
bool ot_id (const TeValue *value, guint8 *id, gsize room);
guint64 ot_number_of_id (const guint8 *id);

/* attributes.c */
typedef struct {
  TeScan scan;
  Otlp *self;
} OtReader;
void ot_span_clear (Otlp *self, OtSpan *span, const char *at);
/* Takes an attribute of a span: what requests need of it, and all as a member of args. typed: value
 * is OTLP's object, {"stringValue": ...}. */
void ot_attribute (OtReader *r, OtSpan *span, const TeValue *key, const TeValue *value, bool typed);
/* Returns the member of an object, the last of that name; of kind TE_NONE: it has none. */
TeValue ot_member (OtReader *r, const TeValue *object, const char *name);
nprof_track ot_process (Otlp *self, nprof_str service, nprof_str host, const char *pid);

/* spans.c, jaeger.c: one document. */
nprof_status ot_document (Otlp *self, const TeValue *document);
nprof_status ot_jaeger (Otlp *self, const TeValue *data);

/* write.c */
/* Writes the span, unless it came before; sets *track where it did. */
nprof_status ot_write (Otlp *self, const OtSpan *span, nprof_track *track);
nprof_status ot_event (Otlp *self, nprof_track track, nprof_str name, gint64 ns);
bool ot_time (const Otlp *self, gint64 ns, gint64 *ps);
nprof_status ot_attr_int (Otlp *self, guint key, gint64 value);

/* requests.c */
typedef struct {
  guint64 id, parent;
  guint8 trace[16];
  nprof_str name, rid; /* rid: it is the request itself */
  nprof_track track;
  gint64 start, end;
  bool error;
} OtSlice;
nprof_status ot_request (Otlp *self, const OtSpan *span, nprof_track track);
nprof_status ot_joined_requests (Otlp *self);
