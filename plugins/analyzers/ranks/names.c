/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - which rank a device is, on which host, and what people read of ranks and groups. */
#include "devicekit/property.h"
#include "ranks.h"

#include <string.h>

static gint64
whole_number (const char *text, gint64 unknown)
{
  gint64 n;
  return text && g_ascii_string_to_signed (text, 10, 0, G_MAXINT32, &n, NULL) ? n : unknown;
}

gint64
rk_property (const Ranks *r, uint32_t input, const char *key, gint64 unknown)
{
  return whole_number (an_property (r->host->input (r->host, input), key), unknown);
}

static nprof_str
host_of (const Ranks *r, const Device *d)
{
  const char *name = an_property (r->host->input (r->host, d->input), "host_name");
  return name ? nprof_intern (r->host, name) : 0;
}

/* Returns what the first group of the pattern matches. */
static gint64
number_by (const char *pattern, const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  if (!regex || !text || !g_regex_match (regex, text, 0, &match))
    return NO_RANK;
  g_autofree char *digits = g_match_info_fetch (match, 1);
  return whole_number (digits, NO_RANK);
}

bool
rk_check_pattern (const Ranks *r)
{
  g_autoptr (GRegex) regex = g_regex_new (r->rank, G_REGEX_CASELESS, 0, NULL);
  return *r->rank == '\0' || whole_number (r->rank, -1) >= 0
         || (regex && g_regex_get_capture_count (regex) > 0);
}

#define IN_A_NAME "rank[ _.-]*([0-9]+)"

Rank
rk_who (const Ranks *r, const Device *d)
{
  return (Rank){ .input = r->host->input (r->host, d->input)->label,
                 .host = host_of (r, d),
                 .device = d->label,
                 .number = d->number };
}

gint64
rk_device_place (const Ranks *r, const Device *d, bool of_input)
{
  Rank who = rk_who (r, d);
  who.number = NO_RANK;
  gint64 before = 0;
  for (guint i = 0; i < r->devices->len; i++) {
    const Device *other = g_ptr_array_index (r->devices, i);
    Rank they = rk_who (r, other);
    they.number = NO_RANK;
    before += (!of_input || other->input == d->input) && job_compare_who (&r->job, &they, &who) < 0;
  }
  return before;
}

/* The first of these that states a number counts: the user, the file about its only device,
 * the name of the device ("RANK 3 - GPU" in TraceLens's fused traces), the name of the file. */
gint64
rk_number (const Ranks *r, const Device *d)
{
  guint devices = d->of_input;
  const struct nprof_input_info *input = r->host->input (r->host, d->input);
  gint64 said = whole_number (r->rank, NO_RANK);
  const char *name = nprof_text (r->host, input->label);
  if (said == NO_RANK && *r->rank)
    said = number_by (r->rank, name);
  if (said != NO_RANK && devices > 1) /* of the profile */
    return said * devices + rk_device_place (r, d, true);
  if (said == NO_RANK && devices == 1)
    said = rk_property (r, d->input, "rank", NO_RANK);
  if (said == NO_RANK)
    said = number_by (IN_A_NAME, nprof_text (r->host, d->label));
  if (said == NO_RANK && devices == 1)
    said = number_by (IN_A_NAME, input->file ? input->file : name);
  return said;
}

/* -- For people -------------------------------------------------------------------------------- */

const char *
group_name (const Job *job, guint32 group)
{
  static const guint order[] = { G_NAME, G_LABEL, G_MEMBERS, G_COMMUNICATOR };
  const guint32 *key = group_key (job, group);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (key[order[i]])
      return nprof_text (job->host, key[order[i]]);
  return "all";
}

/* Libraries number groups, and several may have one number. */
char *
group_text (const Job *job, guint32 group)
{
  const char *name = group_name (job, group);
  const guint32 *key = group_key (job, group);
  bool alone = true;
  for (guint i = 0; i < job->group_keys.n && alone; i++)
    alone = i == group || strcmp (group_name (job, i), name) != 0;
  if (alone || (!key[G_MEMBERS] && !key[G_COMMUNICATOR]))
    return g_strdup (name);
  return g_strdup_printf ("%s %s%s%s", name, nprof_text (job->host, key[G_MEMBERS]),
                          key[G_MEMBERS] && key[G_COMMUNICATOR] ? " " : "",
                          nprof_text (job->host, key[G_COMMUNICATOR]));
}

nprof_str
who_text (const Whole *whole, const Culprit *culprit)
{
  const Job *job = whole->job;
  g_autofree char *text
      = culprit->cause == BY_NETWORK
            ? group_text (job, culprit->who)
            : g_strdup_printf ("rank %" G_GINT64_FORMAT, whole->numbers[culprit->who]);
  return nprof_intern (job->host, text);
}

void
append_numbers (GString *text, gint64 first, gint64 last)
{
  if (last < first)
    return;
  g_string_append_printf (text, "%s%" G_GINT64_FORMAT, text->len ? ", " : "", first);
  if (last > first)
    g_string_append_printf (text, "-%" G_GINT64_FORMAT, last);
}

char *
numbers_text (const Whole *w, bool (*has) (gconstpointer user, guint32 rank), gconstpointer user)
{
  GString *text = g_string_new (NULL);
  gint64 first = 0, last = -1; /* none */
  for (guint i = 0; i < w->job->ranks->len; i++) {
    gint64 number = w->numbers[w->ranks[i]];
    if (!has (user, w->ranks[i]))
      continue;
    if (last < first || number != last + 1) {
      append_numbers (text, first, last);
      first = number;
    }
    last = number;
  }
  append_numbers (text, first, last);
  return g_string_free (text, FALSE);
}
