/* SPDX-License-Identifier: Apache-2.0 */
/* idle.h - tells why a device did nothing: the one rule for the cause of a gap, told by the work
 * that ends it. Times are ps where nothing else is said. */
#ifndef AN_IDLE_H
#define AN_IDLE_H

#include "devicekit/class.h"
#include "devicekit/launches.h"

#include <stdbool.h>

/* Tables list them in this order. */
typedef enum {
  AN_IDLE_HOST,       /* the work was not launched yet, or its program had not begun         */
  AN_IDLE_LAUNCH,     /* it was launched in the gap, and had not begun                       */
  AN_IDLE_WAIT,       /* it was ready for launch or launched before the gap: it waited for other
                         work, an event, or the device itself                               */
  AN_IDLE_DMA,        /* the end of a copy or a transfer was waited for                      */
  AN_IDLE_COLLECTIVE, /* the same of a collective, send or receive                           */
  AN_IDLE_UNLINKED,   /* its launch is not in the file: unknown                              */
  AN_IDLE_CAUSES
} AnIdleCause;

const char *an_idle_name (AnIdleCause cause);

/* A row of this kind ended the gap. */
typedef struct {
  gint64 launched; /* when its call began; when it is not linked, the last program; G_MININT64: none
                      did; G_MAXINT64: nothing follows                                       */
  union {
    nprof_track thread; /* linked: which thread called; 0: unknown                          */
    gint64 program_end; /* otherwise: of the programs under way when the device fell idle, the
                           latest; G_MININT64: none was                                      */
  };
  AnIdleCause other; /* cause since then, when it is not linked                             */
  bool linked;       /* its launch is in the file                                           */
} AnIdleEnd;

typedef struct {
  AnIdleCause cause;
  gint64 start, end;
} AnIdlePart;

/* Cuts the gap start < end into parts in the order of time; returns how many, 1 to 3.  A gap of
 * which a part is looked at is judged as that part alone. */
enum { AN_IDLE_PARTS = 3 };
guint an_idle_parts (const AnIdleEnd *ended_by, gint64 start, gint64 end,
                     AnIdlePart parts[AN_IDLE_PARTS]);

/* This is known of the programs of a device, while its rows come by start. */
typedef struct {
  gint64 begun;    /* the last one; G_MININT64: none                                        */
  gint64 end;      /* of those that began while the device worked, the latest               */
  gint64 idle_end; /* of those that began since, the latest                                 */
  gint64 covered;  /* end of all work so far                                                */
} AnIdlePrograms;

#define AN_IDLE_NO_PROGRAMS ((AnIdlePrograms){ G_MININT64, G_MININT64, G_MININT64, G_MININT64 })

/* end: G_MAXINT64: it is not in the file. */
static inline void
an_idle_program (AnIdlePrograms *p, gint64 start, gint64 end)
{
  gint64 *latest = start <= p->covered ? &p->end : &p->idle_end;
  p->begun = start;
  *latest = MAX (*latest, end);
}

/* Takes work that takes time, behind what it tells of the gap that it ends. */
static inline void
an_idle_work (AnIdlePrograms *p, gint64 end)
{
  p->covered = MAX (p->covered, end);
  p->end = MAX (p->end, p->idle_end);
}

/* Returns what tells of the time behind all work of a device. linked: of some of that the launch is
 * in the file; launchable: some is of a kind that has launches. */
AnIdleEnd an_idle_behind_all (const AnIdlePrograms *programs, bool linked, bool launchable);

typedef struct _AnWaits AnWaits;

AnWaits *an_waits_new (const struct nprof_host *host);
void an_waits_free (AnWaits *waits);
/* Returns what an_idle_without_launch does of work of class AN_COMMUNICATION or AN_MEMORY. */
AnIdleCause an_idle_behind_data (AnWaits *waits, AnClass class, nprof_str category, nprof_str name);

/* Returns AnIdleEnd.other of work.  `launchable`: it is of a kind that has launches, as the kernels
 * of a GPU. */
static inline AnIdleCause
an_idle_without_launch (AnWaits *w, AnClass class, nprof_str category, nprof_str name,
                        bool launchable)
{
  if (launchable)
    return AN_IDLE_UNLINKED;
  if (class != AN_COMMUNICATION && class != AN_MEMORY)
    return AN_IDLE_WAIT;
  return an_idle_behind_data (w, class, category, name);
}

#endif
