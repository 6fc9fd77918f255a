/* SPDX-License-Identifier: Apache-2.0 */
/* plugin-open.c - opens a plugin's file and says, where that fails, why and what mends it.
 * component.c checks that its components keep the rules. */

#include "plugin/plugin-open.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fence.h"
#include "plugin/extension-ids.h"
#include "plugin/trust.h"

/* This is the size of struct nprof_plugin in the first release; members added later are
 * optional. */
#define FIRST_SIZE (offsetof (struct nprof_plugin, components) + sizeof (void *))

/* The linker puts this where the file begins that holds this code. */
extern const ElfW (Ehdr) __ehdr_start __attribute__ ((visibility ("hidden")));

/* The file must be as long as its headers say: the dynamic linker maps what they name, and a
 * process that touches a page beyond the end of the file is killed. */
static char *
length_problem (int fd, const ElfW (Ehdr) * header)
{
  struct stat st;
  if (fstat (fd, &st))
    return g_strdup (g_strerror (errno));
  guint64 size = (guint64) st.st_size, bytes = header->e_phnum * sizeof (ElfW (Phdr));
  guint64 needed = header->e_phoff + bytes;
  g_autofree ElfW (Phdr) *segments = g_malloc (bytes);
  if (needed <= size && pread (fd, segments, bytes, (off_t) header->e_phoff) == (gssize) bytes)
    for (guint i = 0; i < header->e_phnum; i++)
      if (segments[i].p_type == PT_LOAD)
        needed = MAX (needed, segments[i].p_offset + segments[i].p_filesz);
  if (needed <= size)
    return NULL;
  return g_strdup_printf ("it ends at byte %" G_GUINT64_FORMAT
                          ", before what its headers name: build or copy it again",
                          size);
}

/* Says why this program cannot open the file at all: the dynamic linker says little of use about
 * files for other processors. */
static char *
elf_problem (int fd)
{
  ElfW (Ehdr) theirs;
  const ElfW (Ehdr) *ours = &__ehdr_start;
  if (pread (fd, &theirs, sizeof theirs, 0) != sizeof theirs
      || memcmp (theirs.e_ident, ELFMAG, SELFMAG) != 0)
    return g_strdup ("it is no shared object (ELF): build the plugin again");
  if (theirs.e_ident[EI_CLASS] == ours->e_ident[EI_CLASS]
      && theirs.e_ident[EI_DATA] == ours->e_ident[EI_DATA] && theirs.e_machine == ours->e_machine)
    return length_problem (fd, &theirs);
  return g_strdup_printf ("it was built for another machine (ELF class %u, machine %u; nprof: "
                          "class %u, machine %u): build it for this one",
                          theirs.e_ident[EI_CLASS], theirs.e_machine, ours->e_ident[EI_CLASS],
                          ours->e_machine);
}

static char *
file_problem (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  char *problem = elf_problem (fd);
  if (fd >= 0)
    close (fd);
  return problem;
}

static char *
open_problem (const char *path, const char *why)
{
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

#define HAS(p, member) ((p)->size >= offsetof (struct nprof_plugin, member) + sizeof ((p)->member))

static gboolean
has_extension (const char *id)
{
#define ID(id, extension) id,
  static const char *const ids[] = { NP_EXTENSIONS (ID) NULL };
#undef ID
  return g_strv_contains (ids, id);
}

static char *
needs_problem (const struct nprof_plugin *p)
{
  guint least = HAS (p, least) && p->least ? p->least : p->contract;
  if (least > NPROF_CONTRACT)
    return g_strdup_printf (
        "it needs contract %u of nprof/plugin.h, this nprof has %u: update nprof, "
        "or use the plugin's build for contract %u",
        least, NPROF_CONTRACT, NPROF_CONTRACT);
  for (const char *const *id = HAS (p, needs) ? p->needs : NULL; id && *id; id++)
    if (!has_extension (*id))
      return g_strdup_printf (
          "it needs the extension \"%s\", which this nprof does not have: use the "
          "nprof that it was built for",
          *id);
  return NULL;
}

char *
np_plugin_open (const char *path, const struct nprof_plugin **plugin)
{
  g_autofree char *distrust = np_trust_problem (path);
  if (distrust)
    return g_strdup_printf ("refused: %s", distrust);
  char *problem = file_problem (path);
  if (problem)
    return problem;
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return open_problem (path, dlerror ());
  const struct nprof_plugin *(*entry) (void)
      = (const struct nprof_plugin *(*) (void) ) dlsym (handle, "nprof_plugin_v1");
  if (!entry)
    return no_entry_problem (handle);

  np_call
      = (NpFenceCall){ (const void *) (uintptr_t) entry, "it", "nprof_plugin_v1", NP_CALL_OF_FILE };
  const struct nprof_plugin *p = entry ();
  np_call = (NpFenceCall){ 0 };
  if (!p)
    return g_strdup ("nprof_plugin_v1() returned NULL");
  if (p->size < FIRST_SIZE)
    return g_strdup_printf ("its struct nprof_plugin has size %u, at least %u is needed", p->size,
                            (guint) FIRST_SIZE);
  if (!p->name || !p->version || !p->components || p->contract == 0)
    return g_strdup ("its struct nprof_plugin lacks contract, name, version or components");
  problem = needs_problem (p);
  if (!problem)
    *plugin = p;
  return problem;
}
