/* SPDX-License-Identifier: Apache-2.0 */
/* hostile.c - bytes that no producer wrote: random, cut off, changed, deeply nested.  The same
 * in every run, so that what is found can be found again. */

#include <string.h>
#include <time.h>

#include "check.h"

#define HEAD (64u << 10) /* what a probe sees */
#define N_RANDOM 24u
#define N_CUTS 96u
#define N_CHANGES 96u
/* This is CPU time of one probe; sanitizers take their share. */
#define PROBE_LIMIT_MS (NP_CHECK_SLOW ? 2000 : 100)

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define NP_CHECK_SLOW 1
#elif defined __has_feature
#define NP_CHECK_SLOW (__has_feature (address_sanitizer) || __has_feature (thread_sanitizer))
#else
#define NP_CHECK_SLOW 0
#endif

static guint64
next_random (guint64 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* -- Bytes ----------------------------------------------------------------- */

typedef struct {
  char *name;
  guint8 *data;
  gsize len;
} Bytes;

static void
bytes_free (gpointer p)
{
  Bytes *b = p;
  g_free (b->name);
  g_free (b->data);
  g_free (b);
}

static Bytes *
add_bytes (GPtrArray *all, char *name, const void *data, gsize len)
{
  Bytes *b = g_new0 (Bytes, 1);
  b->name = name;
  b->data = g_malloc0 (MAX (len, 1));
  b->len = len;
  if (data && len)
    memcpy (b->data, data, len);
  g_ptr_array_add (all, b);
  return b;
}

static void
add_repeated (GPtrArray *all, const char *name, const char *unit, gsize times)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (gsize i = 0; i < times; i++)
    g_string_append (text, unit);
  add_bytes (all, g_strdup (name), text->str, text->len);
}

/* Adds random bytes, behind the first bytes of each known format and behind nothing. */
static void
add_random (GPtrArray *all)
{
  static const char *const magics[] = { "",        "{\"traceEvents\":[", "[{\"ph\":\"X\"", "\x0a",
                                        "\177ELF", "\x1f\x8b\x08",       "PK\3\4",         "#" };
  guint64 state = 88172645463325252u;
  for (guint i = 0; i < N_RANDOM; i++) {
    const char *magic = magics[i % G_N_ELEMENTS (magics)];
    gsize len = (gsize) 1 << (next_random (&state) % 15), head = strlen (magic);
    Bytes *b = add_bytes (all, g_strdup_printf ("%u random bytes", (guint) (head + len)), NULL,
                          head + len);
    memcpy (b->data, magic, head);
    for (gsize k = head; k < head + len; k++)
      b->data[k] = (guint8) next_random (&state);
  }
}

static GPtrArray *
hostile_bytes (void)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (bytes_free);
  add_bytes (all, g_strdup ("no byte"), NULL, 0);
  add_bytes (all, g_strdup ("one zero"), NULL, 1);
  add_bytes (all, g_strdup ("zeros"), NULL, HEAD + 1);
  add_repeated (all, "bytes 255", "\xff", HEAD + 1);
  add_repeated (all, "open brackets", "[", 200000);
  add_repeated (all, "open objects", "{\"a\":", 50000);
  add_repeated (all, "nested messages", "\x0a\xff\xff\xff\xff\x0f", 10000);
  add_repeated (all, "one long number", "9", 100000);
  add_repeated (all, "an open string", "\"\\u0000", 20000);
  add_repeated (all, "empty lines", "\n", 10000);
  add_repeated (all, "commas", ",", 10000);
  add_random (all);
  return all;
}

/* -- probe ----------------------------------------------------------------- */

static gint64
cpu_ms (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Probes a copy behind whose last byte no memory may be read, so that reading too far crashes;
 * `watch` notes the call, so that the report can name it. */
static int
probe_once (NpCheck *check, const Bytes *b, const char *path, gint64 *took)
{
  gint64 begun = cpu_ms ();
  int sure = nprof_test_probe_guarded (check->component, b->data, b->len, path, &check->watch);
  *took = MIN (*took, cpu_ms () - begun);
  return sure;
}

#define TRIES 5u /* a busy machine's caches make one slow, not each */

static void
probe_twice (NpCheck *check, const Bytes *b, const char *path)
{
  gint64 took = G_MAXINT64;
  np_check_step (check, "%s", b->name);
  int sure = probe_once (check, b, path, &took), again = probe_once (check, b, path, &took);
  for (guint i = 2; i < TRIES && took > PROBE_LIMIT_MS; i++)
    probe_once (check, b, path, &took);
  if (sure < 0 || sure > 100)
    np_check_found (check, "it is %d sure of %s: 0 to 100 is the rule", sure, b->name);
  if (sure != again)
    np_check_found (check, "it is %d sure of %s, and %d the second time: it must be pure", sure,
                    b->name, again);
  if (took > PROBE_LIMIT_MS)
    np_check_found (check, "it took %d ms for %s, at most %d are the rule", (int) took, b->name,
                    PROBE_LIMIT_MS);
}

void
np_check_probe (NpCheck *check)
{
  g_autoptr (GPtrArray) all = hostile_bytes ();
  for (gsize len = 1; check->sample && len <= MIN (check->n_sample, 64); len++)
    add_bytes (all, g_strdup_printf ("the first %u bytes of the sample", (guint) len),
               check->sample, len);
  if (check->sample)
    add_bytes (all, g_strdup ("the sample"), check->sample, check->n_sample);
  for (guint i = 0; i < all->len; i++) {
    probe_twice (check, all->pdata[i], "");
    probe_twice (check, all->pdata[i], "/tmp/some.trace.json");
  }
}

/* -- decode ---------------------------------------------------------------- */

static void
decode_bytes (NpCheck *check, const void *data, gsize len, gboolean keep_going)
{
  NprofTestConfig config = np_check_config (check);
  config.hostile = TRUE;
  NprofTestLife life = np_check_life (check);
  life.data = data;
  life.len = len;
  config.keep_going = keep_going;
  g_autoptr (NprofTestRun) run = nprof_test_live (&life, &config);
  g_autofree char *problem = nprof_test_problem (run);
  if (problem)
    np_check_found (check, "%s: %s", check->report->step, problem);
}

void
np_check_hostile (NpCheck *check)
{
  g_autoptr (GPtrArray) all = hostile_bytes ();
  for (guint i = 0; i < all->len; i++) {
    const Bytes *b = all->pdata[i];
    np_check_step (check, "%s", b->name);
    decode_bytes (check, b->data, b->len, FALSE);
    decode_bytes (check, b->data, b->len, TRUE);
  }
}

static void
change_bytes (NpCheck *check, guint8 *copy)
{
  guint64 state = 2463534242u;
  for (guint i = 0; i < N_CHANGES && check->n_sample; i++) {
    gsize at = next_random (&state) % check->n_sample;
    guint8 was = copy[at], is = i % 3 ? (guint8) next_random (&state) : 0xff;
    np_check_step (check, "byte %u of the sample changed to 0x%02x", (guint) at, is);
    copy[at] = is;
    decode_bytes (check, copy, check->n_sample, i % 2);
    copy[at] = was;
  }
}

void
np_check_truncated (NpCheck *check)
{
  if (!check->sample) {
    np_check_untried (check, "there is nothing to cut: --input FILE gives it a small file");
    return;
  }
  gsize cuts = MIN (check->n_sample, N_CUTS);
  for (gsize i = 0; i < cuts; i++) {
    gsize len = i < cuts / 2 ? i : check->n_sample - check->n_sample * (cuts - i) / cuts;
    np_check_step (check, "the sample cut at byte %u", (guint) len);
    decode_bytes (check, check->sample, len, i % 2);
  }
  g_autofree guint8 *copy = g_memdup2 (check->sample, MAX (check->n_sample, 1));
  change_bytes (check, copy);
}
