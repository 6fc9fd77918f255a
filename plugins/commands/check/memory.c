/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the places of a module where the dynamic linker has written the addresses of malloc
 * and its kin get other addresses, of functions that may fail.  So nothing but the module's own
 * calls comes here, and nprof needs no allocator of its own. */

#include "memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/guard-pages.h"

/* The function in malloc's place is given nothing but the call, so these are global; they belong to
 * the process of a rule. */
static gint calls, failing;

void
np_memory_begin (guint fail_at)
{
  g_atomic_int_set (&calls, 0);
  g_atomic_int_set (&failing, (gint) fail_at);
}

guint
np_memory_calls (void)
{
  return (guint) g_atomic_int_get (&calls);
}

/* -- In place of malloc ---------------------------------------------------- */

static gboolean
none_left (void)
{
  if (g_atomic_int_add (&calls, 1) + 1 != g_atomic_int_get (&failing))
    return FALSE;
  errno = ENOMEM;
  return TRUE;
}

static void *
take_malloc (size_t size)
{
  return none_left () ? NULL : malloc (size);
}

static void *
take_calloc (size_t n, size_t size)
{
  return none_left () ? NULL : calloc (n, size);
}

static void *
take_realloc (void *old, size_t size)
{
  return none_left () ? NULL : realloc (old, size);
}

static void *
take_reallocarray (void *old, size_t n, size_t size)
{
  return none_left () ? NULL : reallocarray (old, n, size);
}

static void *
take_aligned_alloc (size_t align, size_t size)
{
  return none_left () ? NULL : aligned_alloc (align, size);
}

static int
take_posix_memalign (void **memory, size_t align, size_t size)
{
  return none_left () ? ENOMEM : posix_memalign (memory, align, size);
}

static char *
take_strdup (const char *text)
{
  return none_left () ? NULL : strdup (text);
}

static char *
take_strndup (const char *text, size_t len)
{
  return none_left () ? NULL : strndup (text, len);
}

static gpointer
take_try_malloc (gsize size)
{
  return none_left () ? NULL : g_try_malloc (size);
}

static gpointer
take_try_malloc0 (gsize size)
{
  return none_left () ? NULL : g_try_malloc0 (size);
}

static gpointer
take_try_realloc (gpointer old, gsize size)
{
  return none_left () ? NULL : g_try_realloc (old, size);
}

static gpointer
take_try_malloc_n (gsize n, gsize size)
{
  return none_left () ? NULL : g_try_malloc_n (n, size);
}

static gpointer
take_try_malloc0_n (gsize n, gsize size)
{
  return none_left () ? NULL : g_try_malloc0_n (n, size);
}

static gpointer
take_try_realloc_n (gpointer old, gsize n, gsize size)
{
  return none_left () ? NULL : g_try_realloc_n (old, n, size);
}

#define PLACE(function) ((void (*) (void)) (function))

/* GLib's others end the process, and C++'s new throws from its own library. */
static const struct {
  const char *name;
  void (*code) (void);
} kin[] = {
  { "malloc", PLACE (take_malloc) },
  { "calloc", PLACE (take_calloc) },
  { "realloc", PLACE (take_realloc) },
  { "reallocarray", PLACE (take_reallocarray) },
  { "aligned_alloc", PLACE (take_aligned_alloc) },
  { "posix_memalign", PLACE (take_posix_memalign) },
  { "strdup", PLACE (take_strdup) },
  { "strndup", PLACE (take_strndup) },
  { "g_try_malloc", PLACE (take_try_malloc) },
  { "g_try_malloc0", PLACE (take_try_malloc0) },
  { "g_try_realloc", PLACE (take_try_realloc) },
  { "g_try_malloc_n", PLACE (take_try_malloc_n) },
  { "g_try_malloc0_n", PLACE (take_try_malloc0_n) },
  { "g_try_realloc_n", PLACE (take_try_realloc_n) },
};

/* -- The places ------------------------------------------------------------ */

typedef struct {
  gsize base;
  const ElfW (Sym) * symbols;
  const char *names;
} Module;

/* The places may be read-only since the module was opened, so their pages are made writable
 * first. */
static gboolean
write_place (gsize place, void (*code) (void))
{
  gsize page = np_guard_page (), from = place / page * page;
  if (mprotect ((void *) from, place + sizeof place - from, PROT_READ | PROT_WRITE))
    return FALSE;
  *(void (**) (void)) place = code;
  return TRUE;
}

static gboolean
take_place (const Module *m, gsize offset, gsize symbol)
{
  if (m->symbols[symbol].st_shndx != SHN_UNDEF)
    return FALSE; /* its own */
  const char *name = m->names + m->symbols[symbol].st_name;
  for (guint i = 0; i < G_N_ELEMENTS (kin); i++)
    if (strcmp (name, kin[i].name) == 0)
      return write_place (m->base + offset, kin[i].code);
  return FALSE;
}

/* Entries with and without an addend begin alike. */
static guint
take_table (const Module *m, gsize table, gsize bytes, gsize entry)
{
  guint n = 0;
  for (gsize at = 0; entry && at + entry <= bytes; at += entry) {
    const ElfW (Rel) *place = (const ElfW (Rel) *) (table + at);
#if __ELF_NATIVE_CLASS == 64
    gsize symbol = ELF64_R_SYM (place->r_info);
#else
    gsize symbol = ELF32_R_SYM (place->r_info);
#endif
    n += symbol && take_place (m, place->r_offset, symbol);
  }
  return n;
}

/* Returns a value of the dynamic section.  The linker has made some addresses final, but not all
 * everywhere. */
static gsize
value_of (const struct link_map *map, ElfW (Sxword) tag, gboolean is_address)
{
  for (const ElfW (Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
    if (d->d_tag == tag)
      return d->d_un.d_val + (is_address && d->d_un.d_val < map->l_addr ? map->l_addr : 0);
  return 0;
}

guint
np_memory_take (const char *path)
{
  struct link_map *map;
  void *handle = dlopen (path, RTLD_NOW | RTLD_NOLOAD);
  if (!handle || dlinfo (handle, RTLD_DI_LINKMAP, &map))
    return 0;
  const Module m = { map->l_addr, (const ElfW (Sym) *) value_of (map, DT_SYMTAB, TRUE),
                     (const char *) value_of (map, DT_STRTAB, TRUE) };
  gsize calls_entry
      = value_of (map, DT_PLTREL, FALSE) == DT_RELA ? sizeof (ElfW (Rela)) : sizeof (ElfW (Rel));
  guint n = take_table (&m, value_of (map, DT_JMPREL, TRUE), value_of (map, DT_PLTRELSZ, FALSE),
                        calls_entry);
  n += take_table (&m, value_of (map, DT_RELA, TRUE), value_of (map, DT_RELASZ, FALSE),
                   sizeof (ElfW (Rela)));
  return n
         + take_table (&m, value_of (map, DT_REL, TRUE), value_of (map, DT_RELSZ, FALSE),
                       sizeof (ElfW (Rel)));
}
