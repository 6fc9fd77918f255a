/* SPDX-License-Identifier: Apache-2.0 */
/* plugin-open.c - opens a plugin's file and says, where that fails, why and what mends it.
 * Whether its components keep the rules is component.c's. */

#include "plugin-open.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "trust.h"

static gboolean
read_header (const char *path, ElfW (Ehdr) * header)
{
  FILE *file = fopen (path, "re");
  if (!file)
    return FALSE;
  gboolean ok = fread (header, sizeof *header, 1, file) == 1
                && memcmp (header->e_ident, ELFMAG, SELFMAG) == 0;
  fclose (file);
  return ok;
}

/* Is it the file as such that cannot be opened by this program?  The dynamic linker says
 * little of use about files for other processors. */
static char *
machine_problem (const char *path)
{
  ElfW (Ehdr) theirs, ours;
  if (!read_header (path, &theirs))
    return g_strdup ("it is no shared object (ELF): build the plugin again");
  if (!read_header ("/proc/self/exe", &ours))
    return NULL;
  if (theirs.e_ident[EI_CLASS] == ours.e_ident[EI_CLASS]
      && theirs.e_ident[EI_DATA] == ours.e_ident[EI_DATA] && theirs.e_machine == ours.e_machine)
    return NULL;
  return g_strdup_printf ("it was built for another machine (ELF class %u, machine %u; nprof: "
                          "class %u, machine %u): build it for this one",
                          theirs.e_ident[EI_CLASS], theirs.e_machine, ours.e_ident[EI_CLASS],
                          ours.e_machine);
}

static char *
open_problem (const char *path, const char *why)
{
  char *machine = machine_problem (path);
  if (machine)
    return machine;
  gsize len = strlen (path);
  if (strncmp (why, path, len) == 0 && g_str_has_prefix (why + len, ": "))
    why += len + 2;
  const char *mend = "build it again for this machine";
  if (strstr (why, "undefined symbol"))
    mend = "link the plugin with what defines it; nprof itself is called through nprof_host only";
  else if (strstr (why, "cannot open shared object file"))
    mend = "install that library";
  return g_strdup_printf ("%s: %s", why, mend);
}

static char *
no_entry_problem (void *handle)
{
  for (guint v = 0; v <= 9; v++) {
    char symbol[] = "nprof_plugin_v0";
    symbol[sizeof symbol - 2] = (char) ('0' + v);
    if (v != 1 && dlsym (handle, symbol))
      return g_strdup_printf ("it speaks version %u of the plugin contract (symbol %s), this nprof "
                              "version 1: use %s",
                              v, symbol,
                              v > 1 ? "a newer nprof, or the plugin's build for version 1"
                                    : "a newer build of the plugin");
  }
  return g_strdup ("not an nprof plugin (no symbol nprof_plugin_v1): export it with NPROF_EXPORT");
}

char *
np_plugin_open (const char *path, const struct nprof_plugin **plugin)
{
  g_autofree char *distrust = np_trust_problem (path);
  if (distrust)
    return g_strdup_printf ("refused: %s", distrust);
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return open_problem (path, dlerror ());
  const struct nprof_plugin *(*entry) (void)
      = (const struct nprof_plugin *(*) (void) ) dlsym (handle, "nprof_plugin_v1");
  if (!entry)
    return no_entry_problem (handle);

  const struct nprof_plugin *p = entry ();
  if (!p)
    return g_strdup ("nprof_plugin_v1() returned NULL");
  if (p->size < sizeof *p)
    return g_strdup_printf ("its struct nprof_plugin has size %u, at least %u is needed", p->size,
                            (guint) sizeof *p);
  if (!p->name || !p->version || !p->components || p->contract == 0)
    return g_strdup ("its struct nprof_plugin lacks contract, name, version or components");
  *plugin = p;
  return NULL;
}
