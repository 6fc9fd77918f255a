/* SPDX-License-Identifier: Apache-2.0 */
/* device-sweep.h - one sweep over time of all work of one device: it tells which spans are under
 * way between two moments, and, on each of its tracks, which of them are innermost.  Unions of
 * intervals, overlap and idle gaps follow from it; the analyzers decide what to make of them.  Feed
 * spans by start ascending, duration descending (NPROF_ORDER_DEVICE).  O(log open) a span; the
 * memory is that of the spans open at one time. */
#ifndef AN_DEVICE_SWEEP_H
#define AN_DEVICE_SWEEP_H

#include <glib.h>
#include <nprof/draft/clip.h>
#include <stdint.h>

#define AN_SWEEP_CLASSES 8
#define AN_NO_LANE G_MAXUINT32

/* The sweep must know this of a span. */
typedef struct {
  guint8 class;  /* below AN_SWEEP_CLASSES                                        */
  guint8 apart;  /* beside other work (AN_ASYNC): in no union of work            */
  guint8 linked; /* counted in `linked` as well                                  */
  guint32 lane;  /* track of the device, from 0; AN_NO_LANE: contains nothing    */
} AnKind;

/* The caller knows this of a span; it is kept until the span's end. */
typedef struct {
  guint8 known; /* of the numbers below: AN_KNOWS_FLOPS ... and AN_IS_CUSTOM    */
  guint32 name, layer;
  gint64 step; /* index of the step; -1: none                                  */
  gint64 flops, model_flops, bytes;
  gint64 time; /* ps that the device took by its own clock                     */
} AnItem;

enum {
  AN_KNOWS_FLOPS = 1,
  AN_KNOWS_MODEL = 2,
  AN_KNOWS_BYTES = 4,
  AN_KNOWS_DEVICE_TIME = 8,
  AN_KNOWS_WORK = 15, /* any of these */
  AN_KNOWS_TRANSPOSES = 16, /* which of the flops they are                    */
  AN_KNOWS_CORRELATION = 32,
  AN_KNOWS_STEP = 64,
  AN_IS_CUSTOM = 128,    /* flops are those of a custom call                  */
  AN_IS_COLLECTIVE = 256, /* the row says so; not kept in AnItem, as what follows */
  AN_KNOWS_TRANSFER = 512,
  AN_KNOWS_ACCESSED = 1024 /* transfer is what it accesses: the row states no bytes */
};

typedef struct {
  gint64 start, end; /* ps */
  gboolean leaf;     /* nothing lies within it */
  AnKind kind;
  AnItem item;
} AnSpan;

typedef struct _AnSweep AnSweep;

/* It counts how many innermost spans of each class are under way; spans that lie around others do
 * not count while they do. */
typedef struct {
  guint32 work[AN_SWEEP_CLASSES], linked[AN_SWEEP_CLASSES], apart[AN_SWEEP_CLASSES];
  guint32 any_work, any_linked, any_apart; /* bit sets of the classes that are not 0 */
} AnActive;

/* It is called with from < to. */
typedef void (*AnSweepPassed) (gpointer user, gint64 from, gint64 to, const AnActive *active);
typedef void (*AnSweepEnded) (gpointer user, const AnSpan *span);

/* Either function may be NULL; without the first, nothing is counted. */
typedef struct {
  AnSweepPassed passed;
  AnSweepEnded ended;
  gpointer user;
} AnSweepCalls;

AnSweep *an_sweep_new (const AnSweepCalls *calls);
/* Tells of no time beyond the window, by `passed`; spans stay whole.  Before the first span. */
void an_sweep_cut (AnSweep *sweep, const struct nprof_window *window);
void an_sweep_free (AnSweep *sweep);

/* Goes on in time until `to`, and ends what ends until then. */
void an_sweep_pass (AnSweep *sweep, gint64 to);
/* Adds a span with duration > 0; the sweep has been passed until its start.  Returns the room for
 * what the caller knows, to be filled before the next call: it holds what some other span left. */
AnItem *an_sweep_add (AnSweep *sweep, gint64 start, gint64 duration, AnKind kind);
/* Ends all spans; returns the end of the last. */
gint64 an_sweep_end (AnSweep *sweep);

#endif
