/* SPDX-License-Identifier: Apache-2.0 */
/* listing.h - which profiles there are, and what changed since: the folder alone tells, so that
 * profiles that another nprof stores appear. */
#pragma once

#include "stored/kept.h"
#include "stored/opened.h"
#include "stored/summary.h"

typedef enum { NP_READY, NP_READING, NP_FAILED, NP_OLD, NP_DAMAGED } NpProfileStatus;

typedef struct { /* but for `opened` it never changes once it is made; a change makes another */
  gint refs;
  char id[44];
  NpProfileStatus status;
  NpSummary *summary; /* of NP_READY, and of NP_DAMAGED where what it needs could be read */
  NpAbout *about;
  _Atomic gint64 opened; /* Unix ms; 0: never                      */
  char *error;           /* of NP_FAILED, NP_OLD, NP_DAMAGED, and what could not be read again */
  char *mend;
  char *label;   /* of an input that is not stored yet; may be NULL */
  guint64 mark;  /* of what lay there when this was made           */
  guint64 items; /* likewise, of what people keep of it           */
} NpEntry;

typedef struct {
  char id[44];
  const char *what; /* added, changed, removed, progress, annotations */
} NpChange;

typedef struct NpListing NpListing;

NpListing *np_listing_new (const char *store, NpOpened *opened);
void np_listing_free (NpListing *listing);
/* Looks at the folder, unless that was done a moment ago and `now` is FALSE, which is for those who
 * ask again and again. [any-thread] */
void np_listing_look (NpListing *listing, gboolean now);
/* Returns all of them; each with a reference, freed with the array. */
GPtrArray *np_listing_all (NpListing *listing);
/* Returns NULL when there is none. */
NpEntry *np_listing_get (NpListing *listing, const char *id);
/* As np_listing_get(), after a look at this one, because another nprof may have removed it or read
 * it again a moment ago. [any-thread] */
NpEntry *np_listing_find (NpListing *listing, const char *id);
void np_entry_unref (NpEntry *entry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpEntry, np_entry_unref)

/* These say that an ingest of this server begins, fails, or has ended well. */
void np_listing_expect (NpListing *listing, const char *id, const char *label);
void np_listing_fail (NpListing *listing, const char *id, const char *label, const char *error,
                      const char *mend);
void np_listing_done (NpListing *listing, const char *id);
/* Returns whether what was expected has come into the folder, looked at anew; also where somebody
 * removed it since. [any-thread] */
gboolean np_listing_came (NpListing *listing, const char *id);
/* Says that an answer met a damaged place of a profile; that is told until it is read again. */
void np_listing_damaged (NpListing *listing, const char *id, const char *why);
/* Says that somebody changed what is kept of a profile. */
void np_listing_changed (NpListing *listing, const char *id, const char *what);

guint64 np_listing_seq (NpListing *listing);
/* Returns the changes that came after `since`; FALSE: so many that all is to be asked again. */
gboolean np_listing_changes (NpListing *listing, guint64 since, GArray *changes, guint64 *seq);

/* Returns what is told of a profile that is being read, as JSON; with the strips of its tracks
 * where they are wanted. Transfer full. */
char *np_progress_read (const char *store, const char *id, gboolean tracks);
