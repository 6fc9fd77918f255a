/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - opens a store: sizes, checksums of pages, the arrays of the index. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const np_store_files[] = NPROF_STORE_FILE_NAMES;

static const uint8_t sizes[] = NPROF_STORE_SECTION_SIZES;

struct opening {
  int folder;
  const char *path;
  char *error;
  size_t error_size;
  int err; /* as nprof_store_open() leaves errno */
};

static bool
fail (const struct opening *o, const char *format, ...)
{
  char why[512];
  va_list args;
  va_start (args, format);
  vsnprintf (why, sizeof why, format, args);
  va_end (args);
  snprintf (o->error, o->error_size, "%s%s%s", o->path, *o->path ? "/" : "", why);
  return false;
}

static bool
fail_errno (struct opening *o, const char *file, int err, const char *what)
{
  o->err = err;
  return fail (o, "%s: %s%s", file, strerror (err), what);
}

int
nprof_store_file (int folder, const char *name)
{
  struct stat st;
  int fd = openat (folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || (!fstat (fd, &st) && S_ISREG (st.st_mode)))
    return fd;
  close (fd);
  errno = EINVAL;
  return -1;
}

/* -- meta ------------------------------------------------------------------------- */

static bool
read_whole (int fd, void *data, size_t len)
{
  uint8_t *p = data;
  for (size_t done = 0; done < len;) {
    ssize_t n = pread (fd, p + done, len - done, (off_t) done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += (size_t) n;
  }
  return true;
}

static bool
check_meta (struct opening *o, struct nprof_store_meta *meta)
{
  uint64_t hash = meta->hash;
  if (memcmp (meta->magic, NPROF_STORE_MAGIC, 8) || meta->version != NPROF_STORE_VERSION) {
    o->err = EPROTONOSUPPORT;
    return fail (o,
                 "meta: byte 0: this is no store of version " NPROF_STORE_MAGIC
                 ".%u: read the profile again with nprof view --force",
                 NPROF_STORE_VERSION);
  }
  int64_t length;
  meta->hash = 0;
  bool ok
      = nprof_store_hash (meta, sizeof *meta) == hash
        && (meta->first > meta->last || !__builtin_sub_overflow (meta->last, meta->first, &length));
  meta->hash = hash;
  if (!ok || meta->done != 1 || memchr (meta->id, 0, sizeof meta->id) == NULL)
    return fail (
        o, "meta: byte 0: the checksum is wrong: the store is damaged; read the profile again with "
           "nprof view --force");
  return true;
}

static bool
open_meta (struct opening *o, struct nprof_store *s)
{
  struct stat st;
  s->lock = nprof_store_file (o->folder, "meta");
  if (s->lock < 0)
    return fail_errno (o, "meta", errno, ": this is no finished store");
  if (fstat (s->lock, &st) || (uint64_t) st.st_size != sizeof s->meta
      || !read_whole (s->lock, &s->meta, sizeof s->meta)) {
    o->err = EPROTONOSUPPORT;
    return fail (o,
                 "meta: byte 0: expected a file of %zu bytes: the store is damaged, or of another "
                 "version; read the "
                 "profile again with nprof view --force",
                 sizeof s->meta);
  }
  flock (s->lock, LOCK_SH | LOCK_NB);
  return check_meta (o, &s->meta);
}

/* -- Files ------------------------------------------------------------------------- */

static bool
map_file (struct opening *o, struct nprof_store *s, uint32_t f)
{
  struct stat st;
  int fd = nprof_store_file (o->folder, np_store_files[f]);
  if (fd < 0 || fstat (fd, &st)) {
    fail_errno (o, np_store_files[f], errno, "");
    if (fd >= 0)
      close (fd);
    return false;
  }
  uint64_t want = s->meta.bytes[f];
  bool right = s->part ? (uint64_t) st.st_size <= want : (uint64_t) st.st_size == want;
  s->file[f].n = s->part ? (uint64_t) st.st_size : want;
  if (right && s->file[f].n) {
    void *p = mmap (NULL, s->file[f].n, PROT_READ, MAP_SHARED, fd, 0);
    s->file[f].p = p == MAP_FAILED ? NULL : p;
    if (p == MAP_FAILED)
      s->file[f].n = 0;
    right = p != MAP_FAILED || fail_errno (o, np_store_files[f], errno, "");
  } else if (!right) {
    s->file[f].n = 0;
    fail (o,
          "%s: byte %llu: expected a file of %llu bytes: the store is damaged; read the profile "
          "again with nprof "
          "view --force",
          np_store_files[f], (unsigned long long) st.st_size, (unsigned long long) want);
  }
  close (fd);
  return right;
}

static _Atomic uint64_t *
new_bits (uint64_t n)
{
  size_t bytes = (n / 64 + 1) * sizeof (uint64_t);
  void *p = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static void
free_bits (_Atomic uint64_t *bits, uint64_t n)
{
  if (bits)
    munmap ((void *) bits, (n / 64 + 1) * sizeof (uint64_t));
}

bool
np_store_bit (_Atomic uint64_t *bits, uint64_t i)
{
  return atomic_load_explicit (bits + i / 64, memory_order_relaxed) >> (i % 64) & 1;
}

void
np_store_set_bit (_Atomic uint64_t *bits, uint64_t i)
{
  atomic_fetch_or_explicit (bits + i / 64, 1ull << (i % 64), memory_order_relaxed);
}

static uint64_t
pages_of (uint64_t bytes)
{
  return (bytes + NPROF_STORE_PAGE - 1) / NPROF_STORE_PAGE;
}

static bool
open_sums (struct opening *o, struct nprof_store *s)
{
  uint64_t pages = 0;
  for (uint32_t f = NPROF_STORE_F_INDEX; f < NPROF_STORE_F_SUMS; f++) {
    s->first_page[f] = pages;
    pages += pages_of (s->file[f].n);
  }
  s->pages = new_bits (pages);
  for (uint32_t f = 0; f < NPROF_STORE_F_INDEX; f++)
    s->blocks[f] = new_bits (s->file[f].n / 64);
  for (uint32_t f = 0; f < NPROF_STORE_F_INDEX; f++)
    if (!s->pages || !s->blocks[f])
      return fail_errno (o, "sums", ENOMEM, "");
  if (s->part)
    return true;
  uint64_t bytes = s->file[NPROF_STORE_F_SUMS].n;
  if (bytes != pages * sizeof (uint32_t)
      || nprof_store_hash (bytes ? s->file[NPROF_STORE_F_SUMS].p : (const uint8_t *) "", bytes)
             != s->meta.sums_hash)
    return fail (o, "sums: byte 0: the checksum is wrong: the store is damaged; read the profile "
                    "again with nprof view "
                    "--force");
  return true;
}

static bool
open_sections (const struct opening *o, struct nprof_store *s)
{
  uint64_t bytes = s->file[NPROF_STORE_F_INDEX].n;
  for (uint32_t k = 0; k < NPROF_STORE_SECTIONS; k++) {
    const struct nprof_store_section *x = s->meta.section + k;
    if (x->at % 8 || x->at > bytes || x->n > (bytes - x->at) / sizes[k])
      return fail (o, "meta: section %u lies beyond the end of `index`: the store is damaged", k);
    s->section[k] = s->file[NPROF_STORE_F_INDEX].p + x->at;
    s->n[k] = x->n;
  }
  if (!s->n[NPROF_STORE_S_STRING_AT] || s->n[NPROF_STORE_S_FENCES] != 257
      || s->n[NPROF_STORE_S_LANES] >= UINT32_MAX
      || s->n[NPROF_STORE_S_OVER] != s->n[NPROF_STORE_S_LANES])
    return fail (o, "meta: the sections of `index` do not fit each other: the store is damaged");
  return true;
}

static bool
open_claims (const struct opening *o, struct nprof_store *s)
{
  char why[700];
  if (!np_store_claims (s, why, sizeof why))
    return fail (o, "%s", why);
  if (!nprof_store_damage (s, why, sizeof why))
    return true;
  snprintf (o->error, o->error_size, "%s", why);
  return false;
}

/* -- Opening and closing -------------------------------------------------------------- */

/* Returns whether another folder is at the path by now: who reads a profile again puts it there,
 * and removes the one that was opened. */
static bool
is_replaced (const struct opening *o)
{
  struct stat opened, present;
  return !fstat (o->folder, &opened) && !stat (o->path, &present)
         && (opened.st_ino != present.st_ino || opened.st_dev != present.st_dev);
}

static struct nprof_store *
open_folder (struct opening *o)
{
  struct nprof_store *s = calloc (1, sizeof *s);
  if (!s) {
    o->err = ENOMEM;
    snprintf (o->error, o->error_size, "%s: no memory", o->path);
    return NULL;
  }
  s->lock = -1;
  s->path = strdup (o->path);
  bool ok = (s->path || fail_errno (o, "meta", ENOMEM, "")) && open_meta (o, s);
  for (uint32_t f = 0; ok && f < NPROF_STORE_FILES; f++)
    ok = map_file (o, s, f);
  ok = ok && open_sums (o, s) && open_sections (o, s) && open_claims (o, s);
  if (ok)
    return s;
  nprof_store_close (s);
  return NULL;
}

struct nprof_store *
nprof_store_open (const char *path, char *error, size_t error_size)
{
  struct nprof_store *s = NULL;
  for (bool again = true; !s && again;) {
    struct opening o = { -1, path, error, error_size, EBADMSG };
    o.folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (o.folder < 0) {
      o.err = errno;
      snprintf (error, error_size, "%s: %s", path, strerror (errno));
      errno = o.err;
      return NULL;
    }
    s = open_folder (&o);
    again = !s && is_replaced (&o);
    close (o.folder);
    if (!s)
      errno = o.err;
  }
  if (s && s->file[NPROF_STORE_F_ROWS].n)
    madvise ((void *) s->file[NPROF_STORE_F_ROWS].p, s->file[NPROF_STORE_F_ROWS].n, MADV_RANDOM);
  return s;
}

struct nprof_store *
nprof_store_open_part (int folder, const struct nprof_store_meta *meta,
                       const struct nprof_store_lane *lanes, uint32_t n_lanes, char *error,
                       size_t error_size)
{
  struct opening o = { folder, "", error, error_size, EBADMSG };
  struct nprof_store *s = calloc (1, sizeof *s);
  if (!s) {
    snprintf (error, error_size, "no memory for the picture");
    return NULL;
  }
  s->lock = -1;
  s->part = true;
  s->meta = *meta;
  s->path = strdup ("");
  bool ok = s->path || fail (&o, "no memory");
  for (uint32_t f = 0; ok && f < NPROF_STORE_F_INDEX; f++)
    ok = map_file (&o, s, f);
  if (ok && open_sums (&o, s)) {
    s->section[NPROF_STORE_S_LANES] = (const uint8_t *) lanes;
    s->n[NPROF_STORE_S_LANES] = n_lanes;
    return s;
  }
  nprof_store_close (s);
  return NULL;
}

void
nprof_store_close (struct nprof_store *s)
{
  if (!s)
    return;
  uint64_t pages = 0;
  for (uint32_t f = NPROF_STORE_F_INDEX; f < NPROF_STORE_F_SUMS; f++)
    pages += pages_of (s->file[f].n);
  free_bits (s->pages, pages);
  for (uint32_t f = 0; f < NPROF_STORE_F_INDEX; f++)
    free_bits (s->blocks[f], s->file[f].n / 64);
  for (uint32_t f = 0; f < NPROF_STORE_FILES; f++)
    if (s->file[f].n)
      munmap ((void *) s->file[f].p, s->file[f].n);
  if (s->lock >= 0)
    close (s->lock);
  free (s->path);
  free (s);
}

const struct nprof_store_meta *
nprof_store_meta (const struct nprof_store *store)
{
  return &store->meta;
}

/* -- Arrays --------------------------------------------------------------------------- */

/* -- Damage --------------------------------------------------------------------------- */

/* It is one number, so that threads need no lock. */
#define NP_DAMAGE(file, at) (((uint64_t) (file) + 1) << 56 | (at))

bool
np_store_damaged (struct nprof_store *s, uint32_t file, uint64_t at)
{
  uint64_t none = 0;
  atomic_compare_exchange_strong (&s->damage, &none, NP_DAMAGE (file, at & (UINT64_MAX >> 8)));
  return false;
}

bool
nprof_store_damage (struct nprof_store *s, char *text, size_t size)
{
  uint64_t damage = atomic_load (&s->damage);
  if (damage)
    snprintf (
        text, size,
        "%s/%s: byte %llu: what lies there is not what was written: the store is damaged; read the "
        "profile again with nprof view --force",
        s->path, np_store_files[(damage >> 56) - 1],
        (unsigned long long) (damage & (UINT64_MAX >> 8)));
  return damage != 0;
}

/* -- Pages ---------------------------------------------------------------------------- */

static bool
check_page (struct nprof_store *s, uint32_t file, uint64_t page)
{
  uint64_t bit = s->first_page[file] + page, at = page * NPROF_STORE_PAGE;
  uint64_t len = s->file[file].n - at < NPROF_STORE_PAGE ? s->file[file].n - at : NPROF_STORE_PAGE;
  uint32_t want;
  if (np_store_bit (s->pages, bit))
    return true;
  memcpy (&want, s->file[NPROF_STORE_F_SUMS].p + bit * sizeof want, sizeof want);
  if ((uint32_t) nprof_store_hash (s->file[file].p + at, len) != want)
    return np_store_damaged (s, file, at);
  np_store_set_bit (s->pages, bit);
  return true;
}

bool
np_store_pages (struct nprof_store *s, uint32_t file, uint64_t at, uint64_t len)
{
  if (at > s->file[file].n || len > s->file[file].n - at)
    return np_store_damaged (s, file, at);
  if (s->part || !len)
    return true;
  for (uint64_t page = at / NPROF_STORE_PAGE; page <= (at + len - 1) / NPROF_STORE_PAGE; page++)
    if (!check_page (s, file, page))
      return false;
  return true;
}

const void *
np_store_elements (struct nprof_store *s, uint32_t section, uint64_t i, uint64_t n)
{
  if (i > s->n[section] || n > s->n[section] - i)
    return NULL;
  const uint8_t *p = s->section[section] + i * sizes[section];
  if (s->part)
    return p;
  return np_store_pages (s, NPROF_STORE_F_INDEX, s->meta.section[section].at + i * sizes[section],
                         n * sizes[section])
             ? p
             : NULL;
}

#define ELEMENT(function, type, section)                                                           \
  const struct type *function (struct nprof_store *s, uint32_t i)                                  \
  {                                                                                                \
    return np_store_elements (s, section, i, 1);                                                   \
  }
ELEMENT (nprof_store_lane_at, nprof_store_lane, NPROF_STORE_S_LANES)
ELEMENT (nprof_store_track_at, nprof_store_track, NPROF_STORE_S_TRACKS)
ELEMENT (nprof_store_label_at, nprof_store_label, NPROF_STORE_S_LABELS)
ELEMENT (nprof_store_key_at, nprof_store_key, NPROF_STORE_S_KEYS)
ELEMENT (nprof_store_input_at, nprof_store_input, NPROF_STORE_S_INPUTS)
ELEMENT (nprof_store_property_at, nprof_store_property, NPROF_STORE_S_PROPERTIES)
ELEMENT (nprof_store_attribute_at, nprof_store_attribute, NPROF_STORE_S_ATTRIBUTES)
ELEMENT (nprof_store_table_at, nprof_store_table, NPROF_STORE_S_TABLES)
ELEMENT (nprof_store_table_column_at, nprof_store_table_column, NPROF_STORE_S_TABLE_COLUMNS)

uint64_t
nprof_store_n (const struct nprof_store *store, uint32_t section)
{
  return section < NPROF_STORE_SECTIONS ? store->n[section] : 0;
}

const char *
nprof_store_string (struct nprof_store *s, uint32_t string, size_t *len)
{
  const uint64_t *at = np_store_elements (s, NPROF_STORE_S_STRING_AT, string, 2);
  const char *p = (const char *) s->file[NPROF_STORE_F_STRINGS].p;
  *len = 0;
  if (!at || at[0] >= at[1] || !np_store_pages (s, NPROF_STORE_F_STRINGS, at[0], at[1] - at[0]))
    return "";
  if (p[at[1] - 1]) {
    np_store_damaged (s, NPROF_STORE_F_STRINGS, at[1] - 1);
    return "";
  }
  *len = (size_t) (at[1] - at[0] - 1);
  return p + at[0];
}

const char *
nprof_store_origin (struct nprof_store *s, uint32_t origin)
{
  const uint32_t *string = np_store_elements (s, NPROF_STORE_S_ORIGINS, origin, 1);
  size_t len;
  return string ? nprof_store_string (s, *string, &len) : "";
}

uint32_t
nprof_store_track_of (struct nprof_store *s, uint32_t number)
{
  uint64_t low = 0, high = s->n[NPROF_STORE_S_TRACKS];
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    const struct nprof_store_track *t = nprof_store_track_at (s, (uint32_t) middle);
    if (!t)
      return UINT32_MAX;
    if (t->number == number)
      return (uint32_t) middle;
    if (t->number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return UINT32_MAX;
}
