/* SPDX-License-Identifier: Apache-2.0 */
/* check-again.c - what one run cannot show of a decoder or an analyzer, for a checked run: nprof
 * check has it live again, in a process of its own, a decoder on the file that the run has read.
 * Sinks do not, as what they write to would get all of it once more. */

#include "pipeline/check-again.h"

#include "base/fence.h"
#include "plugin/checked-files.h"
#include "plugin/component.h"
#include "plugin/option.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MOST_BYTES (1u << 20) /* of a file that is decoded some hundred times */
#define BROKEN 5              /* NP_EXIT_PLUGIN of nprof check */
#define CALL_LIMIT "2"        /* s: what hangs or is slow is not tried further */
#define INPUT "--input="
#define FIRST_OWN 3 /* of the words: behind the program, its name and the command */

static void
add_options (GPtrArray *words, const NpSpec *spec, const struct nprof_component *c)
{
  for (guint i = 0; spec && i < spec->keys->len; i++) {
    const char *key = spec->keys->pdata[i];
    const struct nprof_option *o = np_option_find (c, key);
    if (o && o->type == NPROF_OPT_SECRET) /* others would see it */
      continue;
    g_ptr_array_add (words, g_strdup ("-o"));
    g_ptr_array_add (words, g_strdup_printf ("%s=%s", key, (const char *) spec->values->pdata[i]));
  }
}

static gboolean
is_small_file (const char *path)
{
  GStatBuf found;
  return path && g_stat (path, &found) == 0 && S_ISREG (found.st_mode)
         && found.st_size <= MOST_BYTES;
}

char **
np_check_again_words (const NpRegistryEntry *entry, const NpSpec *spec, const char *input)
{
  const struct nprof_component *c = entry->component;
  GPtrArray *words = g_ptr_array_new ();
  g_ptr_array_add (words, g_strdup ("/proc/self/exe"));
  g_ptr_array_add (words, g_strdup ("nprof"));
  g_ptr_array_add (words, g_strdup ("check"));
  g_ptr_array_add (words, g_strdup ("--time-limit=" CALL_LIMIT));
  g_ptr_array_add (words, g_strdup_printf ("--again=%s %s", np_kind_name (c->kind), c->name));
  if (is_small_file (input))
    g_ptr_array_add (words, g_strconcat (INPUT, input, NULL));
  add_options (words, spec, c);
  g_ptr_array_add (words, g_strdup (entry->file));
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (words, FALSE);
}

#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define WATCHED_THREADS
#endif
#endif

/* What the sanitizer of threads says of a life would be said of the component. */
static gboolean
can_be_tried (void)
{
#ifdef WATCHED_THREADS
  return FALSE;
#else
  return TRUE;
#endif
}

/* What of the command says how it lives. Which file a decoder reads, and where the plugin lies, do
 * not. Transfer full. */
static char *
what_lives (char **words)
{
  GString *what = g_string_new (NULL);
  for (guint i = FIRST_OWN; words[i + 1]; i++) {
    const gboolean is_input = g_str_has_prefix (words[i], INPUT);
    g_string_append (what, is_input ? INPUT : words[i]);
    g_string_append_c (what, '\n');
  }
  return g_string_free (what, FALSE);
}

gboolean
np_check_again_is_known (const NpRegistryEntry *entry, char **words)
{
  g_autofree char *what = what_lives (words);
  return np_checked_files_have (NP_FILES_TRIED, entry->file, what);
}

/* A run makes no home for who has none, as users of services: it is tried again after the next one,
 * as where the list cannot be written. */
static void
keep_tried (const char *file, const char *what)
{
  const char *data = g_getenv ("XDG_DATA_HOME");
  if ((data && *data) || g_file_test (g_get_home_dir (), G_FILE_TEST_IS_DIR))
    np_checked_files_add (NP_FILES_TRIED, file, what, NULL);
}

/* What took too long would take as long behind the next run. */
static gboolean
has_ended (int status)
{
  return WIFEXITED (status) ? WEXITSTATUS (status) == 0
                            : WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM;
}

char *
np_check_again_find (const NpRegistryEntry *entry, char **words)
{
  if (!can_be_tried ())
    return NULL;
  const GSpawnFlags flags = G_SPAWN_FILE_AND_ARGV_ZERO | G_SPAWN_STDERR_TO_DEV_NULL;
  g_autofree char *said = NULL, *what = what_lives (words);
  int status = 0;
  np_fence_own_processes (1);
  const gboolean begun
      = g_spawn_sync (NULL, words, NULL, flags, NULL, NULL, &said, NULL, &status, NULL);
  np_fence_own_processes (-1);
  if (begun && has_ended (status))
    keep_tried (entry->file, what);
  if (!begun || !WIFEXITED (status) || WEXITSTATUS (status) != BROKEN || !*said)
    return NULL;
  return g_strchomp (g_steal_pointer (&said));
}
