/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - finds texts of events by their bytes, so that a text is unescaped and interned once for
 * each worker and not for each event. */
#include "system/large.h"
#include "trace-event/trace-event.h"

#define MULTIPLIER UINT64_C (0x9e3779b97f4a7c15)
#define FIRST_SLOTS 512
#define KEPT_BYTES (1u << 20) /* of a text that is found again by its bytes */

static inline uint64_t
mix_word (uint64_t h, uint64_t w)
{
  h = (h ^ w) * MULTIPLIER;
  return h ^ h >> 29;
}

/* Returns fewer than 8 bytes as one number, the first byte highest. */
static inline uint64_t
short_word (const char *p, size_t len)
{
  uint64_t w = 0;
  if (len >= 4) { /* both halves, which say the same where they overlap */
    uint32_t first, last;
    memcpy (&first, p, 4);
    memcpy (&last, p + len - 4, 4);
    return (uint64_t) GUINT32_FROM_BE (first) << (len - 4) * 8 | GUINT32_FROM_BE (last);
  }
  for (const char *end = p + len; p < end; p++)
    w = w << 8 | (unsigned char) *p;
  return w;
}

uint64_t
ch_hash (uint64_t seed, const char *p, size_t len)
{
  uint64_t h = seed ^ len * MULTIPLIER, w;
  const char *end = p + len;
  if (len < 8)
    return mix_word (mix_word (h, short_word (p, len)), len);
  for (; end - p > 8; p += 8) {
    memcpy (&w, p, 8);
    h = mix_word (h, w);
  }
  memcpy (&w, end - 8, 8);
  return mix_word (mix_word (h, w), len);
}

/* Mixes 16 bytes at a time; its values stay within the table. */
static uint64_t
hash_text (const char *p, size_t len)
{
  uint64_t h = len * MULTIPLIER, a = 0, b = 0;
  const char *end = p + len;
  if (len < 8)
    return mix_word (mix_word (h, short_word (p, len)), len);
  for (; end - p > 16; p += 16) {
    memcpy (&a, p, 8);
    memcpy (&b, p + 8, 8);
    unsigned __int128 product = (unsigned __int128) (h ^ a) * (b ^ MULTIPLIER);
    h ^= (uint64_t) product ^ (uint64_t) (product >> 64);
  }
  memcpy (&a, len > 16 ? end - 16 : p, 8);
  memcpy (&b, end - 8, 8);
  return mix_word (mix_word (h, a), b);
}

void
ch_names_init (ChNames *names, const struct nprof_host *host)
{
  names->host = host;
  names->n = names->bytes = 0;
  names->n_slots = FIRST_SLOTS;
  names->slots = np_large_grow (NULL, 0, names->n_slots * sizeof *names->slots);
  names->texts = g_string_chunk_new (16384);
}

void
ch_names_clear (ChNames *names)
{
  np_large_free (names->slots, names->n_slots * sizeof *names->slots);
  names->slots = NULL;
  g_clear_pointer (&names->texts, g_string_chunk_free);
}

/* Moves names by their hashes: their texts lie far apart. */
static void
grow (ChNames *names)
{
  size_t n_slots = names->n_slots * 2;
  ChName *slots = np_large_grow (NULL, 0, n_slots * sizeof *slots);
  for (size_t i = 0; i < names->n_slots; i++) {
    if (!names->slots[i].text)
      continue;
    size_t at = names->slots[i].hash & (n_slots - 1);
    while (slots[at].text)
      at = (at + 1) & (n_slots - 1);
    slots[at] = names->slots[i];
  }
  np_large_free (names->slots, names->n_slots * sizeof *slots);
  names->slots = slots;
  names->n_slots = n_slots;
}

static nprof_str
intern (const ChNames *names, const TeValue *text)
{
  if (!text->escaped)
    return names->host->intern (names->host, text->p, text->len);
  g_autofree char *plain = g_malloc (text->len);
  return names->host->intern (names->host, plain, te_unescape (plain, text->p, text->len));
}

/* Returns the text as it stands in the file: the core's, which stays for the run, where that is the
 * same. */
static const char *
keep (ChNames *names, const TeValue *text, nprof_str str)
{
  size_t len;
  const char *kept = names->host->string (names->host, str, &len);
  if (len == text->len && memcmp (kept, text->p, len) == 0)
    return kept;
  names->bytes += text->len;
  return g_string_chunk_insert_len (names->texts, text->p, (gssize) text->len);
}

static nprof_str
add (ChNames *names, size_t at, uint32_t hash, const TeValue *text)
{
  nprof_str str = intern (names, text);
  if (text->len > KEPT_BYTES)
    return str;
  names->slots[at] = (ChName){
    .hash = hash, .len = (uint32_t) text->len, .text = keep (names, text, str), .str = str
  };
  if (++names->n * 2 > names->n_slots)
    grow (names);
  return str;
}

nprof_str
ch_name (ChNames *names, const TeValue *text)
{
  if (text->len == 0)
    return 0;
  uint32_t hash = (uint32_t) hash_text (text->p, text->len);
  size_t mask = names->n_slots - 1, at = hash & mask;
  for (; names->slots[at].text; at = (at + 1) & mask) {
    const ChName *name = &names->slots[at];
    if (name->hash == hash && name->len == text->len
        && ch_same_bytes (name->text, text->p, text->len))
      return name->str;
  }
  return add (names, at, hash, text);
}
