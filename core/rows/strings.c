/* SPDX-License-Identifier: Apache-2.0 */
/* strings.c - interning: shards with a lock each hold the hash tables and the text, one
 * array without a lock leads from handle to text. */

#include "rows/strings.h"

#include "base/arena.h"
#include "rows/text-limit.h"

#include <pthread.h>
#include <string.h>

#define SHARD_BITS 4
#define N_SHARDS (1u << SHARD_BITS)
#define TEXT_IN_MEMORY (64u << 20) /* bytes; what comes behind them lies in files */

typedef struct {
  const char *text; /* published last, with release */
  gsize len;
} Entry;

typedef struct {
  guint32 hash;
  nprof_str str; /* 0: free */
} Slot;

typedef struct {
  pthread_mutex_t lock;
  Slot *slots;
  guint32 mask, used;
  NpArena text;
} Shard;

struct NpStrings {
  Shard shards[N_SHARDS];
  NpSlots entries;
  gsize most; /* bytes of one text */
  guint count;
  guint64 text; /* bytes of all shards     */
  gint lost;    /* a text found no memory */
  pthread_mutex_t lock;
  GHashTable *told; /* handles of cut texts; NULL: none */
};

static guint64
mix_bits (guint64 a, guint64 b)
{
  unsigned __int128 product = (unsigned __int128) a * b;
  return (guint64) product ^ (guint64) (product >> 64);
}

static guint64
load8 (const char *p, gsize n)
{
  guint64 v = 0;
  memcpy (&v, p, n);
  return v;
}

/* Hashes eight bytes a step, after the manner of wyhash. */
static guint64
hash_text (const char *text, gsize len)
{
  const guint64 k0 = 0xa0761d6478bd642fu, k1 = 0xe7037ed1a0b428dbu;
  guint64 hash = len ^ k0;
  for (; len >= 8; text += 8, len -= 8)
    hash = mix_bits (load8 (text, 8) ^ k1, hash ^ k0);
  return mix_bits (mix_bits (load8 (text, len) ^ k1, hash ^ k0), k1);
}

static gboolean
is_ascii (const char *text, gsize len)
{
  guint64 seen = 0;
  for (; len >= 8; text += 8, len -= 8)
    seen |= load8 (text, 8);
  return ((seen | load8 (text, len)) & 0x8080808080808080u) == 0;
}

/* Returns NULL when the text is valid as it is, else a copy with U+FFFD for each bad byte. */
static GString *
repair (const char *text, gsize len)
{
  GString *fixed = NULL;
  const char *from = text, *end = text + len;
  while (from < end) {
    const char *bad;
    gboolean valid = g_utf8_validate_len (from, (gsize) (end - from), &bad);
    if (valid && !fixed)
      return NULL;
    if (!fixed)
      fixed = g_string_sized_new (len + 16);
    g_string_append_len (fixed, from, bad - from);
    if (bad == end)
      break;
    if (*bad == '\0') /* GLib stops at NUL, which is text like any other here */
      g_string_append_c (fixed, '\0');
    else
      g_string_append (fixed, "\xEF\xBF\xBD");
    from = bad + 1;
  }
  return fixed;
}

NpStrings *
np_strings_new (void)
{
  NpStrings *strings = g_new0 (NpStrings, 1);
  strings->most = NP_TEXT_MOST;
  pthread_mutex_init (&strings->lock, NULL);
  for (guint i = 0; i < N_SHARDS; i++) {
    Shard *shard = &strings->shards[i];
    pthread_mutex_init (&shard->lock, NULL);
    shard->mask = 63;
    shard->slots = g_new0 (Slot, shard->mask + 1);
  }
  return strings;
}

void
np_strings_free (NpStrings *strings)
{
  if (!strings)
    return;
  for (guint i = 0; i < N_SHARDS; i++) {
    pthread_mutex_destroy (&strings->shards[i].lock);
    g_free (strings->shards[i].slots);
    np_arena_clear (&strings->shards[i].text);
  }
  np_slots_clear (&strings->entries, sizeof (Entry));
  pthread_mutex_destroy (&strings->lock);
  g_clear_pointer (&strings->told, g_hash_table_unref);
  g_free (strings);
}

void
np_strings_limit (NpStrings *strings, gsize most)
{
  strings->most = most;
}

static Slot *
find (NpStrings *strings, Shard *shard, guint32 hash, const char *text, gsize len)
{
  for (guint32 i = hash & shard->mask;; i = (i + 1) & shard->mask) {
    Slot *slot = &shard->slots[i];
    if (!slot->str)
      return slot;
    if (slot->hash != hash)
      continue;
    const Entry *entry = np_slots_get (&strings->entries, slot->str, sizeof *entry);
    if (entry->len == len && memcmp (entry->text, text, len) == 0)
      return slot;
  }
}

static void
grow (Shard *shard)
{
  guint32 mask = shard->mask * 2 + 1;
  Slot *slots = g_new0 (Slot, (gsize) mask + 1);
  for (guint32 i = 0; i <= shard->mask; i++) {
    if (!shard->slots[i].str)
      continue;
    guint32 at = shard->slots[i].hash & mask;
    while (slots[at].str)
      at = (at + 1) & mask;
    slots[at] = shard->slots[i];
  }
  g_free (shard->slots);
  shard->slots = slots;
  shard->mask = mask;
}

/* Returns 0 when out of memory, or of handles. */
static nprof_str
add (NpStrings *strings, Shard *shard, const char *text, gsize len)
{
  if (__atomic_add_fetch (&strings->text, len + 1, __ATOMIC_RELAXED) > TEXT_IN_MEMORY)
    shard->text.chunk = NP_LARGE_BYTES;
  char *copy = np_arena_alloc (&shard->text, len + 1);
  if (!copy)
    return 0;
  nprof_str str = __atomic_add_fetch (&strings->count, 1, __ATOMIC_RELAXED);
  Entry *entry = str ? np_slots_make (&strings->entries, str, sizeof *entry) : NULL;
  if (!entry)
    return 0;
  memcpy (copy, text, len);
  copy[len] = '\0';
  entry->len = len;
  __atomic_store_n (&entry->text, copy, __ATOMIC_RELEASE);
  return str;
}

static nprof_str
intern (NpStrings *strings, const char *text, gsize len)
{
  guint64 hash = hash_text (text, len);
  Shard *shard = &strings->shards[hash >> (64 - SHARD_BITS)];
  pthread_mutex_lock (&shard->lock);
  Slot *slot = find (strings, shard, (guint32) hash, text, len);
  nprof_str str = slot->str;
  if (!str && (str = add (strings, shard, text, len))) {
    *slot = (Slot){ (guint32) hash, str };
    if (++shard->used > shard->mask / 4 * 3)
      grow (shard);
  }
  pthread_mutex_unlock (&shard->lock);
  if (!str)
    g_atomic_int_set (&strings->lost, TRUE);
  return str;
}

static nprof_str
intern_cut (NpStrings *strings, const char *text, gsize len)
{
  gsize kept;
  g_autofree char *cut = np_text_cut (text, len, strings->most, &kept);
  return np_strings_intern (strings, cut, kept);
}

nprof_str
np_strings_intern (NpStrings *strings, const char *text, size_t len)
{
  if (len == 0)
    return 0;
  if (len > strings->most)
    return intern_cut (strings, text, len);
  GString *fixed = is_ascii (text, len) ? NULL : repair (text, len);
  if (!fixed)
    return intern (strings, text, len);
  nprof_str str = fixed->len > strings->most ? intern_cut (strings, fixed->str, fixed->len)
                                             : intern (strings, fixed->str, fixed->len);
  g_string_free (fixed, TRUE);
  return str;
}

gboolean
np_strings_tell_cut (NpStrings *strings, nprof_str str)
{
  pthread_mutex_lock (&strings->lock);
  if (!strings->told)
    strings->told = g_hash_table_new (NULL, NULL);
  gboolean first = g_hash_table_add (strings->told, GUINT_TO_POINTER (str));
  pthread_mutex_unlock (&strings->lock);
  return first;
}

const char *
np_strings_get (NpStrings *strings, nprof_str str, size_t *len)
{
  const Entry *entry = str ? np_slots_get (&strings->entries, str, sizeof *entry) : NULL;
  const char *text = entry ? __atomic_load_n (&entry->text, __ATOMIC_ACQUIRE) : NULL;
  if (len)
    *len = text ? entry->len : 0;
  return text ? text : "";
}

gboolean
np_strings_lost (NpStrings *strings)
{
  return g_atomic_int_get (&strings->lost);
}

guint
np_strings_count (NpStrings *strings)
{
  return __atomic_load_n (&strings->count, __ATOMIC_RELAXED);
}
