/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c - finds where stores lie, and which one a name means. */
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 40
#define LEAST 6

bool
nprof_store_folder (char *path, size_t size)
{
  const char *data = getenv ("XDG_DATA_HOME"), *home = getenv ("HOME");
  int n = -1;
  if (data && *data == '/')
    n = snprintf (path, size, "%s/nprof/profiles", data);
  else if (home && *home)
    n = snprintf (path, size, "%s/.local/share/nprof/profiles", home);
  return n > 0 && (size_t) n < size;
}

static size_t
count_digits (const char *text)
{
  return strspn (text, "0123456789abcdef");
}

/* Returns whether it is "n_" and hex digits, `least` to 40 of them. */
static bool
is_name (const char *name, size_t least)
{
  size_t n = !strncmp (name, "n_", 2) ? count_digits (name + 2) : 0;
  return n >= least && n <= DIGITS && !name[2 + n];
}

static int
look_in_folder (DIR *dir, const char *folder, const char *name, char *path, size_t size)
{
  char first[DIGITS + 3] = "", second[DIGITS + 3] = "";
  for (struct dirent *entry; (entry = readdir (dir));) {
    if (!is_name (entry->d_name, DIGITS) || strncmp (entry->d_name, name, strlen (name)))
      continue;
    memcpy (*first ? second : first, entry->d_name, DIGITS + 3);
  }
  if (!*first)
    return 0;
  if (*second) {
    snprintf (path, size, "%s and %s", strcmp (first, second) < 0 ? first : second,
              strcmp (first, second) < 0 ? second : first);
    return -1;
  }
  int n = snprintf (path, size, "%s/%s", folder, first);
  return n > 0 && (size_t) n < size;
}

int
nprof_store_find (const char *folder, const char *name, char *path, size_t size)
{
  char own[4096];
  if (!is_name (name, LEAST))
    return -2;
  if (!folder) {
    if (!nprof_store_folder (own, sizeof own))
      return 0;
    folder = own;
  }
  DIR *dir = opendir (folder);
  if (!dir)
    return 0;
  int found = look_in_folder (dir, folder, name, path, size);
  closedir (dir);
  return found;
}
