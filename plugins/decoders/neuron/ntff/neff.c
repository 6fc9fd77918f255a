/* SPDX-License-Identifier: Apache-2.0 */
/* neff.c - finds the NEFF that a profile was taken of, and what it adds to the tracks.  There may
 * be none. */
#include "ntff.h"

#include "../common/header.h"

#include <nprof/draft/input-file.h>
#include <nprof/draft/sibling-head.h>
#include <stdio.h>

/* -- By the uuid ------------------------------------------------------------------------------ */

/* Compares uuids; one that was written as a C string ends before its first 0 byte. */
static bool
same_uuid (const Ntff *n, const uint8_t *head)
{
  NeffHeader header;
  neff_header_read (&header, head);
  return memcmp (header.uuid, n->uuid, MIN (n->uuid_len, sizeof header.uuid)) == 0;
}

typedef enum { UUID_UNKNOWN, UUID_SAME, UUID_OTHER } Uuid;

static Uuid
uuid_of (const Ntff *n, const char *name)
{
  uint8_t head[NEFF_HEADER_SIZE];
  const struct nprof_sibling_head *sibling = n->host->extension (n->host, NPROF_SIBLING_HEAD);
  if (!sibling || n->uuid_len == 0)
    return UUID_UNKNOWN;
  if (sibling->read (n->host, name, head, sizeof head) < sizeof head)
    return UUID_OTHER;
  return same_uuid (n, head) ? UUID_SAME : UUID_OTHER;
}

/* Returns the first of the uuid; one of another is no candidate any more. */
static const char *
by_uuid (const Ntff *n, GPtrArray *names)
{
  for (guint i = 0; i < names->len;) {
    const char *name = g_ptr_array_index (names, i);
    Uuid is = uuid_of (n, name);
    if (is == UUID_SAME)
      return name;
    if (is == UUID_OTHER)
      g_ptr_array_remove_index (names, i);
    else
      i++;
  }
  return NULL;
}

/* Returns one that has the name that the file says. */
static const char *
by_path (const Ntff *n, const GPtrArray *names)
{
  g_autofree char *own = n->neff_name && *n->neff_name ? g_path_get_basename (n->neff_name) : NULL;
  for (guint i = 0; own && i < names->len; i++) {
    g_autofree char *base = g_path_get_basename (g_ptr_array_index (names, i));
    if (g_str_equal (base, own))
      return g_ptr_array_index (names, i);
  }
  return NULL;
}

/* -- Which one --------------------------------------------------------------------------------- */

static int
collect (void *user, const char *name)
{
  if (g_str_has_suffix (name, ".neff"))
    g_ptr_array_add (user, g_strdup (name));
  return 0;
}

/* Returns the length of the longest number, digit by digit, that is in both names. */
static size_t
common_number (const char *a, const char *b)
{
  size_t longest = 0, n, k;
  for (const char *p = a; *p; p += MAX (n, 1)) {
    n = strspn (p, "0123456789");
    for (const char *q = b; n && *q; q += MAX (k, 1)) {
      k = strspn (q, "0123456789");
      if (k == n && memcmp (p, q, n) == 0)
        longest = MAX (longest, n);
    }
  }
  return longest;
}

static const char *
by_number (const GPtrArray *names, const char *own)
{
  const char *best = NULL;
  size_t longest = 0;
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *base = g_path_get_basename (g_ptr_array_index (names, i));
    size_t n = common_number (own, base);
    if (n && n == longest)
      best = NULL; /* two of them */
    if (n > longest) {
      longest = n;
      best = g_ptr_array_index (names, i);
    }
  }
  return best;
}

/* Returns the only NEFF among the inputs of the run, by its name as a sibling. */
static const char *
only_input (const Ntff *n, const GPtrArray *names)
{
  g_autofree char *found = NULL;
  for (uint32_t i = 0; i < n->host->run (n->host)->n_inputs; i++) {
    g_autofree char *base
        = g_path_get_basename (nprof_text (n->host, n->host->input (n->host, i)->label));
    if (!g_str_has_suffix (base, ".neff"))
      continue;
    if (found)
      return NULL;
    found = g_steal_pointer (&base);
  }
  for (guint i = 0; found && i < names->len; i++) {
    g_autofree char *base = g_path_get_basename (g_ptr_array_index (names, i));
    if (g_str_equal (base, found))
      return g_ptr_array_index (names, i);
  }
  return NULL;
}

static const char *
only_in_folder (const GPtrArray *names)
{
  const char *found = NULL;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    if (strchr (name, '/'))
      continue;
    if (found)
      return NULL;
    found = name;
  }
  return found;
}

/* Returns the chosen name, transfer full; NULL: none. */
static char *
choose (const Ntff *n, GPtrArray *names, const char **why)
{
  g_autofree char *own = g_path_get_basename (nprof_text (n->host, n->input_label));
  const char *name;
  if (*n->neff_path) {
    *why = "neff= names it";
    return g_file_test (n->neff_path, G_FILE_TEST_EXISTS)
               ? g_canonicalize_filename (n->neff_path, NULL)
               : g_strdup (n->neff_path);
  }
  if ((name = by_uuid (n, names)))
    *why = "it has the uuid that the file names";
  else if ((name = by_path (n, names)))
    *why = "it has the name that the file says";
  else if ((name = by_number (names, own)))
    *why = "its name has the same number";
  else if ((name = only_input (n, names)))
    *why = "the only NEFF among the inputs";
  else if ((name = only_in_folder (names)))
    *why = "the only NEFF in the folder";
  return g_strdup (name);
}

/* -- Strangers --------------------------------------------------------------------------------- */

/* Returns whether the file is a NEFF of another uuid. */
static bool
is_stranger (const Ntff *n, const char *path)
{
  uint8_t head[NEFF_HEADER_SIZE + 512]; /* and what tells how the payload is packed */
  FILE *file = fopen (path, "rbe");
  size_t len = file ? fread (head, 1, sizeof head, file) : 0;
  if (file)
    fclose (file);
  return len == sizeof head && neff_probe (head, len, 0, path) >= 60 && !same_uuid (n, head);
}

static bool
is_alone (const Ntff *n)
{
  const char *own = n->host->input (n->host, n->host->own_input)->decoder;
  uint32_t profiles = 0;
  for (uint32_t i = 0; i < n->host->run (n->host)->n_inputs; i++)
    profiles += g_str_equal (n->host->input (n->host, i)->decoder, own);
  return profiles == 1;
}

/* Says which NEFF among the inputs is not the one that was run. Beside another profile of a device
 * it may be that one's. */
static void
say_strangers (const Ntff *n)
{
  const struct nprof_input_file *file = n->host->extension (n->host, NPROF_INPUT_FILE);
  if (!file || n->uuid_len == 0 || !is_alone (n))
    return;
  for (uint32_t i = 0; i < n->host->run (n->host)->n_inputs; i++) {
    const char *path = i == n->host->own_input ? NULL : file->path (n->host, i);
    if (path && is_stranger (n, path))
      nprof_log (
          n->host, NPROF_WARNING,
          "%s is not the NEFF that was profiled, by its uuid: what is said of it is of another "
          "model",
          nprof_text (n->host, n->host->input (n->host, i)->label));
  }
}

/* -- What it adds ------------------------------------------------------------------------------ */

static nprof_status
properties (Ntff *n, const char *name)
{
  const struct nprof_host *h = n->host;
  g_autofree char *base = g_path_get_basename (name);
  nprof_status status = h->property (h, "neff", base);
  if (!status && n->neff.model)
    status = h->property (h, "model", n->neff.model);
  if (!status && n->neff.compiler)
    status = h->property (h, "compiler_version", n->neff.compiler);
  return status;
}

nprof_status
ntff_neff (Ntff *n)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *why = NULL;
  uint64_t len = 0;
  nprof_status status = n->host->siblings (n->host, collect, names);
  if (status)
    return status;
  say_strangers (n);
  g_autofree char *name = choose (n, names, &why);
  if (!name) {
    nprof_log (
        n->host, NPROF_INFO,
        "no NEFF was found beside it: no model name and no model flops; name it with neff=PATH");
    return n->host->property (n->host, "wants", "neff");
  }
  const void *data = n->host->sibling (n->host, name, &len);
  if (!data)
    return NPROF_E_IO;
  if (!ntff_neff_facts (data, len, &n->neff)) {
    if (*n->neff_path)
      return nprof_fail (
          n->host, NPROF_E_OPTION,
          "neff=%s: this is no NEFF; name the file that was run, or leave the option out",
          n->neff_path);
    nprof_log (n->host, NPROF_WARNING, "%s is no NEFF, though its name says so: not used", name);
    return n->host->property (n->host, "wants", "neff");
  }
  if (n->uuid_len && !same_uuid (n, data))
    return nprof_fail (
        n->host, NPROF_E_OPTION,
        "neff=%s: its uuid is not that of the NEFF which was profiled; name the file "
        "that was run, or leave the option out",
        name);
  nprof_log (n->host, NPROF_INFO, "its NEFF is %s: %s", name, why);
  return properties (n, name);
}
