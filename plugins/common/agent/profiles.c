/* SPDX-License-Identifier: Apache-2.0 */
/* profiles.c - the profiles that an agent has open: found by the bytes of their files, read once by
 * a process of their own into the cache, and kept open. */
#include "agent/agent.h"

#include "agent/cache.h"
#include "agent/cause.h"
#include "base/error.h"
#include "base/install-paths.h"
#include "stored/child.h"

#include <string.h>
#include <unistd.h>

#define LOOK_US 200000    /* how often a call that waits looks around */
#define TEXT_BYTES 65536  /* of a text or row in SQL: no call within a statement takes long */
#define PATTERN_BYTES 200 /* of LIKE and GLOB */

/* A profile that is being read, by a thread that waits for the process. */
typedef struct {
  NpAgent *agent;
  char *folder, *path; /* of the cache, and of what is read into it */
  gboolean done;
  int status;
  char *said;
} Reading;

struct _NpAgent {
  NpRoots *roots;
  char *cache;
  GMutex lock;
  GCond changed;
  GHashTable *profiles; /* id -> NpAgentProfile */
  GHashTable *readings; /* id -> Reading        */
  guint running;        /* threads of readings  */
  atomic_int closing;
  NpRegistry *modules; /* NULL: nothing was analyzed here yet */
};

/* -- Life -------------------------------------------------------------------------------------- */

static void
profile_free (gpointer data)
{
  NpAgentProfile *p = data;
  g_hash_table_unref (p->parts); /* which read the store, too */
  np_sql_close (p->sql);
  nprof_store_close (p->store);
  g_free (p->id);
  g_free (p->path);
  g_free (p->folder);
  g_free (p->shown);
  g_mutex_clear (&p->lock);
  g_free (p);
}

static void
reading_free (gpointer data)
{
  Reading *r = data;
  g_free (r->folder);
  g_free (r->path);
  g_free (r->said);
  g_free (r);
}

NpAgent *
np_agent_new (const char *const *folders, GError **error)
{
  NpRoots *roots = np_roots_new (folders, error);
  if (!roots)
    return NULL;
  NpAgent *agent = g_new0 (NpAgent, 1);
  agent->roots = roots;
  agent->cache = g_build_filename (g_get_user_cache_dir (), "nprof", "mcp", NULL);
  agent->profiles = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, profile_free);
  agent->readings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, reading_free);
  g_mutex_init (&agent->lock);
  g_cond_init (&agent->changed);
  return agent;
}

void
np_agent_free (NpAgent *agent)
{
  if (!agent)
    return;
  g_mutex_lock (&agent->lock);
  atomic_store (&agent->closing, 1);
  while (agent->running)
    g_cond_wait (&agent->changed, &agent->lock);
  g_mutex_unlock (&agent->lock);
  g_hash_table_unref (agent->profiles);
  g_hash_table_unref (agent->readings);
  np_registry_free (agent->modules);
  np_roots_free (agent->roots);
  g_mutex_clear (&agent->lock);
  g_cond_clear (&agent->changed);
  g_free (agent->cache);
  g_free (agent);
}

NpRegistry *
np_agent_modules (NpAgent *agent)
{
  g_autofree char *installed = np_installed_plugins ();
  g_mutex_lock (&agent->lock);
  if (!agent->modules) {
    agent->modules = np_registry_new (installed);
    for (guint kind = NPROF_DECODER; kind <= NPROF_ANALYZER; kind++) /* threads only read it then */
      g_ptr_array_unref (np_registry_of_kind (agent->modules, kind));
  }
  g_mutex_unlock (&agent->lock);
  return agent->modules;
}

const NpRoots *
np_agent_roots (const NpAgent *agent)
{
  return agent->roots;
}

/* -- One that is open -------------------------------------------------------------------------- */

/* [thread of the guard] */
static gboolean
is_unwanted (gpointer user)
{
  const NpAgentProfile *p = user;
  return p->call && atomic_load (&p->call->cancelled);
}

/* Texts are so short that SQLite soon answers to an interrupt: nothing is to be done. */
static void
wait_longer (gpointer user, gboolean late)
{
  (void) user, (void) late;
}

NpSql *
np_agent_sql (NpAgentProfile *p, const NpTableStore *made, GError **error)
{
  const NpSqlCaller caller = { NULL, is_unwanted, wait_longer, p };
  NpSql *sql = np_sql_open (p->store, made, &caller, error);
  if (!sql)
    return NULL;
  sqlite3_limit (np_sql_db (sql), SQLITE_LIMIT_LENGTH, TEXT_BYTES);
  sqlite3_limit (np_sql_db (sql), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES);
  return sql;
}

static NpAgentProfile *
open_stored (NpCall *call, const char *id, const char *path)
{
  char why[700];
  g_autoptr (GError) error = NULL;
  NpAgentProfile *p = g_new0 (NpAgentProfile, 1);
  g_mutex_init (&p->lock);
  p->parts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, np_agent_part_free);
  p->id = g_strdup (id);
  p->path = g_strdup (path);
  p->shown = g_strdup (np_roots_shown (call->agent->roots, path));
  p->folder = np_cache_store (call->agent->cache, id);
  p->store = p->folder ? nprof_store_open (p->folder, why, sizeof why) : NULL;
  p->sql = p->store ? np_agent_sql (p, NULL, &error) : NULL;
  if (!p->sql) {
    np_call_fail (call, "internal", "the profile was read, and cannot be opened: %s",
                  error ? error->message : "nothing was stored");
    profile_free (p);
    return NULL;
  }
  sqlite3_stmt *stmt = NULL;
  if (!sqlite3_prepare_v2 (np_sql_db (p->sql), "select min(start_ps) from inputs", -1, &stmt, NULL)
      && sqlite3_step (stmt) == SQLITE_ROW)
    p->first_ps = sqlite3_column_int64 (stmt, 0);
  sqlite3_finalize (stmt);
  np_cache_touch (call->agent->cache, id);
  return p;
}

/* Returns the open profile, opened now if it lies in the cache; NULL: it does not. */
static NpAgentProfile *
find (NpCall *call, const char *id, const char *path)
{
  NpAgent *agent = call->agent;
  g_mutex_lock (&agent->lock);
  NpAgentProfile *p = g_hash_table_lookup (agent->profiles, id);
  g_autofree char *folder = p ? NULL : np_cache_store (agent->cache, id);
  if (folder && (p = open_stored (call, id, path)))
    g_hash_table_insert (agent->profiles, p->id, p);
  g_mutex_unlock (&agent->lock);
  return p;
}

NpAgentProfile *
np_agent_profile (NpCall *call, const char *id)
{
  NpAgent *agent = call->agent;
  g_mutex_lock (&agent->lock);
  NpAgentProfile *p = g_hash_table_lookup (agent->profiles, id);
  g_mutex_unlock (&agent->lock);
  g_autofree char *path = p ? NULL : np_cache_path (agent->cache, id), *real = NULL;
  int fd = path ? np_roots_open (agent->roots, path, &real) : -1;
  if (fd >= 0)
    close (fd);
  p = fd >= 0 ? find (call, id, real) : p;
  if (p && !call->id) { /* the first of two: diff is of its base */
    call->id = g_strdup (id);
    call->shown = g_strdup (p->shown);
  }
  if (p)
    return p;
  np_call_fail (call, "unknown_profile", "no profile of this id is open: open its file first");
  return NULL;
}

gboolean
np_profile_hold (NpAgentProfile *profile, NpCall *call)
{
  g_mutex_lock (&profile->lock);
  profile->call = call;
  call->sql = profile->sql;
  if (atomic_load (&call->cancelled)) {
    np_profile_let_go (profile);
    return FALSE;
  }
  np_sql_begin (profile->sql, call->tool->seconds);
  return TRUE;
}

void
np_profile_let_go (NpAgentProfile *profile)
{
  if (profile->call->sql != profile->sql)
    np_sql_end (profile->call->sql);
  np_sql_end (profile->sql);
  profile->call = NULL;
  g_mutex_unlock (&profile->lock);
}

/* -- Reading one ------------------------------------------------------------------------------- */

static gboolean
is_closing (gpointer user)
{
  return atomic_load (&((NpAgent *) user)->closing);
}

static gpointer
read_thread (gpointer data)
{
  Reading *r = data;
  NpAgent *agent = r->agent;
  char *said;
  const char *const words[] = { "ask", "--into", r->folder, "-q", "--", r->path, NULL };
  int status = np_child_run (words, NULL, NULL, &said, is_closing, agent);
  g_mutex_lock (&agent->lock);
  r->status = status;
  r->said = said;
  r->done = TRUE;
  agent->running--;
  g_cond_broadcast (&agent->changed);
  g_mutex_unlock (&agent->lock);
  return NULL;
}

/* [lock] Returns the reading of this profile, begun now unless it is under way. */
static Reading *
begin (NpAgent *agent, const char *id, const char *folder, const char *real)
{
  Reading *r = g_hash_table_lookup (agent->readings, id);
  if (r && !r->done)
    return r;
  r = g_new0 (Reading, 1);
  r->agent = agent;
  r->folder = g_strdup (folder);
  r->path = g_strdup (real);
  g_hash_table_replace (agent->readings, g_strdup (id), r);
  agent->running++;
  g_thread_unref (g_thread_new ("reading", read_thread, r));
  return r;
}

/* Returns whether the reading ended well; the call has the error otherwise, or abstains. */
static gboolean
wait_for (NpCall *call, const char *id, const char *folder, const char *real)
{
  NpAgent *agent = call->agent;
  gint64 until = g_get_monotonic_time () + (gint64) call->tool->seconds * G_USEC_PER_SEC;
  guint looks = 0;
  g_mutex_lock (&agent->lock);
  Reading *r = begin (agent, id, folder, real);
  while (!r->done && !atomic_load (&call->cancelled) && g_get_monotonic_time () < until) {
    g_cond_wait_until (&agent->changed, &agent->lock, g_get_monotonic_time () + LOOK_US);
    if (call->progress && ++looks % 3 == 0)
      call->progress (call, looks);
  }
  gboolean good = r->done && (r->status == NP_EXIT_OK || r->status == NP_EXIT_LOSSES);
  if (!r->done) {
    np_call_abstain (call, "verdict", "too_slow", NULL);
    np_call_say (call, "the file is still being read: ask the same again");
    np_call_next (call, "open", "joins the reading that goes on", "path", call->args.path, NULL);
  } else if (!good) {
    g_autofree char *cause = np_cause (r->said, r->status);
    np_call_fail (call, r->status == NP_EXIT_ROOM ? "internal" : "unreadable",
                  "no profile can be read from it: %s; nprof info on the file says more",
                  cause ? cause : "the reason has words of the file");
  }
  g_mutex_unlock (&agent->lock);
  return good;
}

/* -- Opening ----------------------------------------------------------------------------------- */

static gboolean
is_inside (const NpRoots *roots, const char *path)
{
  const GPtrArray *folders = np_roots_folders (roots);
  for (guint i = 0; i < folders->len; i++) {
    g_autofree char *whole = g_canonicalize_filename (path, folders->pdata[i]);
    if (np_roots_shown (roots, whole) != whole)
      return !g_file_test (whole, G_FILE_TEST_EXISTS);
  }
  return !folders->len;
}

static void
fail_path (NpCall *call, const char *path)
{
  if (is_inside (call->agent->roots, path))
    np_call_fail (call, "not_found", "there is no file or folder of that name");
  else
    np_call_fail (call, "outside_roots", "the path is no file or folder inside the roots");
}

NpAgentProfile *
np_agent_open (NpCall *call, const char *path)
{
  NpAgent *agent = call->agent;
  g_autofree char *real = NULL, *id = NULL;
  g_autoptr (GPtrArray) paths = NULL;
  int fd = np_roots_open (agent->roots, path, &real);
  if (fd < 0) {
    fail_path (call, path);
    return NULL;
  }
  g_autofree char *shown = g_strdup (np_roots_shown (agent->roots, real));
  call->shown = g_steal_pointer (&shown);
  paths = np_cache_files (agent->roots, fd, real, call);
  id = paths ? np_cache_id (agent->cache, agent->roots, paths, call) : NULL;
  close (fd);
  if (!id || atomic_load (&call->cancelled))
    return NULL;
  call->id = g_strdup (id);
  NpAgentProfile *p = find (call, id, real);
  if (p || call->error.code)
    return p;
  g_autofree char *folder = np_cache_make (agent->cache, id, real, call);
  if (!folder || !wait_for (call, id, folder, real)) {
    if (call->error.code) /* there is no profile of that id */
      g_clear_pointer (&call->id, g_free);
    return NULL;
  }
  np_cache_trim (agent->cache, id);
  return find (call, id, real);
}
