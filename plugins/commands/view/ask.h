/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h - what the parts of the server share, and one question while it is answered. */
#pragma once

#include "http.h"
#include "jobs.h"
#include "stored/cells.h"
#include "table/table-store.h"
#include "stored/listing.h"
#include "stored/opened.h"
#include "page.h"
#include "readers.h"
#include "uploads.h"

#include <producers/own-frames.h>
#include <pthread.h>
#include <signal.h>

/* So many rectangles a picture has at most, unless one lane alone has more: 300 kB. */
#define NP_TILE_RECTS 10000

/* Tracks of a damaged store may hold each other: nobody walks further up. */
#define NP_TRACK_DEPTH 256

struct NpView {
  const NpViewConfig *config;
  NpRegistry *modules;
  NpLog *log;
  char token[65], store_id[33];
  NpOpened *opened;
  NpListing *listing;
  NpReaders *readers;
  NpJobs *jobs;
  NpPage *page;
  NpUploads *uploads;
  NpHttp *http;
  OwnFramesList *own_frames;
  sigset_t signals; /* as they were before it served */
  atomic_int ending;
  atomic_int statements; /* of SQL, that run */
};

typedef struct {
  NpView *view;
  NpRequest *request;
  NpReply *reply;
  NpJson json;        /* of the reply */
  const char *id;     /* of the path; NULL: the route names none */
  NpProfile *profile; /* of routes below p/ID/GEN */
  struct nprof_store *store;
  struct nprof_query *query;
  gint64 looked; /* monotonic us: when it was last seen whether the client is there */
  /* The tables of the window that is asked about. window-rows.c sets them when they are first
   * needed. */
  NpTableStore *of_window;
  GPtrArray *held; /* of NpProfile: all that it read from; NULL: none */
  gboolean of_part; /* findings: of a part, of which it is unknown what the file states of all */
} NpAsk;

/* Makes the reply; FALSE: the reply is an error, or the query's error is the cause. */
typedef gboolean (*NpAnswer) (NpAsk *ask);

/* Returns a profile for the length of the answer, at whose end it is asked whether a place of it
 * that was read is damaged. NULL: the reply says why not. */
NpProfile *np_ask_hold (NpAsk *ask, const char *id);
/* The same, but says in `why`; "": there is none. */
NpProfile *np_ask_try_hold (NpAsk *ask, const char *id, char *why, gsize why_size);

/* -- Parameters: FALSE after the reply became an error that names them ---------- */

gboolean np_ask_i64 (NpAsk *ask, const char *name, gint64 fallback, gint64 *value);
gboolean np_ask_u32 (NpAsk *ask, const char *name, guint32 fallback, guint32 most, guint32 *value);
/* Reads t0 and t1, by default the whole profile; t0 <= t1. */
gboolean np_ask_range (NpAsk *ask, gint64 *t0, gint64 *t1);
/* Reads the row of a parameter. */
gboolean np_ask_row (NpAsk *ask, const char *name, struct nprof_event *event);
/* Returns the indices of the tracks whose numbers parameter `tracks` has; an empty array: all.
 * Transfer full, NULL: an error. */
GArray *np_ask_tracks (NpAsk *ask);
/* Does the same for a text that parameter `name` holds. */
GArray *np_tracks_of (NpAsk *ask, const char *name, const char *text);
/* Returns the indices of the tracks that have rows of decoders; transfer full. */
GArray *np_decoder_tracks (NpAsk *ask);
/* Returns whether sums hold this row.  Without chosen tracks only rows of decoders count, because
 * analyzers derive theirs from them. */
gboolean np_is_counted (NpAsk *ask, const struct nprof_event *event, const GArray *tracks);
/* Reads which of a list of words, apart by |, the parameter is; the first where it is absent. */
gboolean np_ask_word (NpAsk *ask, const char *name, const char *words, guint *index);
gboolean np_ask_missing (NpAsk *ask, const char *name);
gboolean np_ask_wrong (NpAsk *ask, const char *name, const char *expected);

/* Returns whether the answer is wanted no more, because the server ends or its client has gone.  It
 * is cheap: it looks now and then. */
gboolean np_ask_is_over (NpAsk *ask);
/* Runs a command of nprof, as np_child_run, as long as somebody waits for the answer. */
int np_ask_command (NpAsk *ask, const char *const *words, const char *input, GString **out,
                    char **err);

/* Begins a change of what people keep, as np_keeping_begin; -1: the reply says why not. */
int np_ask_keep (NpAsk *ask);

/* -- What many answers say ------------------------------------------------------ */

const char *np_ask_string (const NpAsk *ask, guint32 string);
const char *np_label_name (const NpAsk *ask, guint32 label);
const char *np_label_category (const NpAsk *ask, guint32 label);
/* Returns the layer, operator, source, unit or collective that all rows of the label state; of a
 * profile of more than 2,000,000 rows those that come first in each lane. NULL: they state none, or
 * differ. */
const char *np_label_stated (NpAsk *ask, guint32 label, NpStated what);
/* Is there a label whose rows differ in that?  Of a large profile those that were looked at. */
gboolean np_stated_differ (NpAsk *ask, NpStated what);
/* Returns the strings that rows state, guint32, in the order of their first rows; of a large
 * profile those of the rows that were looked at. NULL: no row states any. */
const GArray *np_stated_values (NpAsk *ask, NpStated what);
/* Returns the number of a track by its index. */
guint32 np_track_number (const NpAsk *ask, guint32 index);
/* Returns what people call the track: its label, else its key. */
const char *np_track_title (const NpAsk *ask, const struct nprof_store_track *t);
/* Returns the word for a kind of track. */
const char *np_track_kind (guint32 kind);
/* Returns the track that holds this one; NULL: it is a root, or the store is damaged. */
const struct nprof_store_track *np_track_parent (const NpAsk *ask,
                                                 const struct nprof_store_track *track);
/* Returns the nearest of the track and those that hold it which is of one of two kinds; NULL: none
 * is. */
const struct nprof_store_track *np_track_within (const NpAsk *ask,
                                                 const struct nprof_store_track *track,
                                                 guint32 kind, guint32 other);
/* Is it the track of this number, or does that one hold it? */
gboolean np_track_is_below (const NpAsk *ask, const struct nprof_store_track *track,
                            guint32 number);
/* Calls fn with each span of the lane; with none where the lane has other rows, or an analyzer
 * added them. FALSE: the query says why, or nobody waits any more. */
typedef void (*NpSpanFunc) (gpointer user, const struct nprof_event *span);
gboolean np_ask_each_span (NpAsk *ask, guint32 lane, NpSpanFunc fn, gpointer user);
/* Puts row, track, name, start and duration of a row, as members. */
void np_json_hit (NpAsk *ask, const struct nprof_event *event);
/* Puts the duration: null where the span has no end. */
void np_json_duration (NpJson *json, const char *key, const struct nprof_event *event);
/* Returns the word for what joins two rows. */
const char *np_link_family (const struct nprof_link *link);
/* Opens a table of the profile, as np_cells_open. */
gboolean np_ask_cells (NpAsk *ask, NpCells *cells, const char *table);
/* The string of an attribute of a row; G_MAXUINT32: it has none. */
guint32 np_event_string (NpAsk *ask, const struct nprof_event *event, const char *key);
/* The same as text; NULL: it has none. */
const char *np_event_text (NpAsk *ask, const struct nprof_event *event, const char *key);
/* The texts of such files, which have routes of their own? */
gboolean np_is_source_table (const char *name);
/* The number of a file that rows name as their source; G_MAXUINT32: none. */
guint32 np_source_index (NpAsk *ask, const char *path);

/* Puts a profile of the list; `tracks` adds the strips of an ingest. */
void np_json_profile (NpAsk *ask, const char *key, const NpEntry *entry, gboolean tracks);

/* Puts member `progress`: null unless it is being read. */
void np_json_progress (NpAsk *ask, const NpEntry *entry);
/* Appends a value of a search in quotes, in which it is one text whatever is in it. */
void np_put_quoted (GString *text, const char *value);
/* Returns the name as the text of a search, name="..."; transfer full. */
char *np_quote_name (const char *name);
/* Returns the labels that the first answer of route over draws, ascending, each once; transfer
 * full. NULL: an error. */
GArray *np_over_labels (NpAsk *ask);
/* Counts the places where rows may be missing, in the window that is asked of. */
guint64 np_ask_lost_rows (NpAsk *ask);
/* Puts member `findings` of a profile. */
void np_json_findings (NpAsk *ask);

/* -- Groups of answers ---------------------------------------------------------- */

gboolean np_ask_server (NpAsk *ask);
gboolean np_ask_profiles (NpAsk *ask);
gboolean np_ask_changes (NpAsk *ask);
gboolean np_ask_head (NpAsk *ask);
gboolean np_ask_profile (NpAsk *ask);
gboolean np_ask_meta (NpAsk *ask);
gboolean np_ask_names (NpAsk *ask);
gboolean np_ask_tile (NpAsk *ask);
gboolean np_ask_groups (NpAsk *ask);
gboolean np_ask_group (NpAsk *ask);
gboolean np_ask_over (NpAsk *ask);
gboolean np_ask_strip (NpAsk *ask);
gboolean np_ask_event (NpAsk *ask);
gboolean np_ask_rank (NpAsk *ask);
gboolean np_ask_overlaps (NpAsk *ask);
gboolean np_ask_at (NpAsk *ask);
gboolean np_ask_near (NpAsk *ask);
gboolean np_ask_edges (NpAsk *ask);
gboolean np_ask_links (NpAsk *ask);
gboolean np_ask_chain (NpAsk *ask);
gboolean np_ask_search (NpAsk *ask);
/* Returns a search in which whole names stand in place of those that the page shows; NULL: of NULL.
 * Transfer full. */
char *np_ask_whole_names (NpAsk *ask, const char *text);
typedef gboolean (*NpFits) (NpAsk *ask, const struct nprof_event *e, gconstpointer user);
/* The same for a text of ours, of those that fit; `fits` NULL: all. */
gboolean np_ask_search_text (NpAsk *ask, const char *text, NpFits fits, gconstpointer user);
/* Returns whether some row has an attribute of that name, or JSON that may have such a member. */
gboolean np_is_attribute (NpAsk *ask, const char *field);
gboolean np_ask_suggest (NpAsk *ask);
gboolean np_ask_sums (NpAsk *ask);
gboolean np_ask_places (NpAsk *ask);
gboolean np_ask_table (NpAsk *ask);
gboolean np_ask_page (NpAsk *ask);
gboolean np_ask_sums_of_two (NpAsk *ask);
gboolean np_ask_latency (NpAsk *ask);
gboolean np_ask_gaps (NpAsk *ask);
gboolean np_ask_steps (NpAsk *ask);
gboolean np_ask_operators (NpAsk *ask);
gboolean np_ask_roofline (NpAsk *ask);
gboolean np_ask_flame (NpAsk *ask);
gboolean np_ask_layers (NpAsk *ask);
gboolean np_ask_layers_tile (NpAsk *ask);
gboolean np_ask_layers_over (NpAsk *ask);
gboolean np_ask_layers_run (NpAsk *ask);
gboolean np_ask_critical (NpAsk *ask);
gboolean np_ask_memory (NpAsk *ask);
gboolean np_ask_ranks (NpAsk *ask);
gboolean np_ask_findings (NpAsk *ask);
gboolean np_ask_sources (NpAsk *ask);
gboolean np_ask_source (NpAsk *ask);
gboolean np_ask_line (NpAsk *ask);
gboolean np_ask_sql (NpAsk *ask);
gboolean np_has_sql (void); /* is SQLite there? */
gboolean np_ask_window (NpAsk *ask);
gboolean np_ask_gate (NpAsk *ask);
gboolean np_ask_export (NpAsk *ask);
gboolean np_ask_compare (NpAsk *ask);
gboolean np_ask_compare_flame (NpAsk *ask);
gboolean np_ask_rename (NpAsk *ask);
gboolean np_ask_tags (NpAsk *ask);
gboolean np_ask_delete (NpAsk *ask);
gboolean np_ask_open (NpAsk *ask);
gboolean np_ask_again (NpAsk *ask);
gboolean np_ask_upload (NpAsk *ask);
gboolean np_ask_kept_list (NpAsk *ask);
gboolean np_ask_kept_get (NpAsk *ask);
gboolean np_ask_kept_put (NpAsk *ask);
gboolean np_ask_kept_delete (NpAsk *ask);
gboolean np_ask_link_post (NpAsk *ask);
gboolean np_ask_link_get (NpAsk *ask);
