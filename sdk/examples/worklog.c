/* SPDX-License-Identifier: Apache-2.0 */
/* worklog.c - a decoder that says what its rows mean, by nprof-semantics(7): so nprof has the steps
 * of its format, what they are made of, and who launched what. A line a row, times in us:
 *
 *   #worklog
 *   step STEP START DURATION
 *   call LAUNCH START DURATION NAME          block LAUNCH ..., where it returns when the work ends
 *   compute|communication|copy|transfer LAUNCH START DURATION NAME
 *   unknown|unaligned 0 START DURATION NAME  work or not; of a clock that no other row has */
#include <nprof/cursor.h>
#include <nprof/decimal.h>
#include <nprof/sdk.h>

enum { STEP, CALL, BLOCK, FIRST_WORK };
static const char *const words[] = { "step", "call",     "block",   "compute",  "communication",
                                     "copy", "transfer", "unknown", "unaligned" };
enum { N_WORDS = sizeof words / sizeof *words };

struct log {
  const struct nprof_host *host;
  struct nprof_writer *writer;
  nprof_track track[N_WORDS];
  nprof_str word[N_WORDS], work, step, launch, blocks;
};

static int
log_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return len >= 9 && memcmp (head, "#worklog\n", 9) == 0 ? 90 : 0;
}

static nprof_status
log_open (void *self, const struct nprof_host *host)
{
  struct log *l = self;
  l->host = host;
  l->work = nprof_intern (host, NPROF_KEY_WORK);
  l->step = nprof_intern (host, NPROF_KEY_STEP);
  l->launch = nprof_intern (host, NPROF_KEY_LAUNCH);
  l->blocks = nprof_intern (host, NPROF_KEY_BLOCKS);
  return NPROF_OK;
}

/* Each kind of work has a queue of its own, below the device; steps and calls are of two
 * threads. */
static nprof_status
make_tracks (struct log *l)
{
  const struct nprof_host *h = l->host;
  const nprof_track process = h->track (h, 0, NPROF_TRACK_PROCESS, nprof_intern (h, "host"), 0, 0);
  const nprof_track device
      = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "device 0"), 0, 1);
  bool good = process && device;
  for (uint32_t i = 0; good && i < N_WORDS; i++) {
    const bool work = i >= FIRST_WORK;
    l->word[i] = nprof_intern (h, words[i]);
    l->track[i] = i == BLOCK
                      ? l->track[CALL]
                      : h->track (h, work ? device : process,
                                  work ? NPROF_TRACK_QUEUE : NPROF_TRACK_THREAD, l->word[i], 0, i);
    good = l->track[i];
  }
  return good ? NPROF_OK : nprof_fail (h, NPROF_E_NOMEM, "no memory for tracks");
}

/* Takes the next word of the line; the last one is all that is left. */
static bool
take (struct nprof_cursor *c, bool last, const char **word, size_t *len)
{
  const size_t left = (size_t) nprof_cursor_left (c);
  const char *space = last || !left ? NULL : memchr (c->at, ' ', left);
  *word = (const char *) c->at;
  *len = space ? (size_t) (space - *word) : left;
  nprof_take (c, *len + (space != NULL));
  return *len > 0;
}

static nprof_status
add (struct log *l, uint32_t what, int64_t number, int64_t start, int64_t duration, nprof_str name)
{
  struct nprof_writer *w = l->writer;
  nprof_value yes = { .u = 1 };
  nprof_status status = nprof_span (w, l->track[what], name, start, duration);
  if (!status && (what == STEP || what >= FIRST_WORK))
    status = nprof_attr_str (w, l->work, l->word[what]);
  if (!status && what == STEP)
    return nprof_attr_int (w, l->step, number);
  if (!status && number)
    status = nprof_attr_uint (w, l->launch, (uint64_t) number);
  return status || what != BLOCK ? status : nprof_attr (w, l->blocks, NPROF_BOOL, yes);
}

/* Returns what is wrong with the line, or NULL. */
static const char *
read_line (struct log *l, struct nprof_cursor c, nprof_status *status)
{
  const char *text[5];
  size_t len[5];
  int64_t number, start, duration;
  uint32_t what = 0;
  *status = NPROF_OK;
  for (int i = 0; i < 4; i++)
    if (!take (&c, false, &text[i], &len[i]))
      return "expected KIND NUMBER START DURATION";
  while (what < N_WORDS
         && (strlen (words[what]) != len[0] || memcmp (words[what], text[0], len[0]) != 0))
    what++;
  if (what == N_WORDS)
    return "a kind that there is not";
  if (!take (&c, true, &text[4], &len[4])) /* a step's name says which one it is: "step 3" */
    text[4] = text[0], len[4] = (size_t) (text[1] + len[1] - text[0]);
  if (!nprof_read_decimal (text[1], len[1], 1, &number) || number < 0)
    return "expected a whole number behind the kind";
  if (nprof_read_scaled (text[2], len[2], 6, &start) > NPROF_DECIMAL_ROUNDED
      || nprof_read_scaled (text[3], len[3], 6, &duration) > NPROF_DECIMAL_ROUNDED || duration < 0
      || start > INT64_MAX - duration)
    return "a time that is no number, or beyond what fits";
  *status = add (l, what, number, start, duration, l->host->intern (l->host, text[4], len[4]));
  return NULL;
}

static nprof_status
log_decode (void *self, const void *data, uint64_t len)
{
  struct log *l = self;
  struct nprof_cursor c = nprof_cursor (data, len);
  l->writer = l->host->writer (l->host);
  const char *line;
  size_t n;
  nprof_status status
      = l->writer ? make_tracks (l) : nprof_fail (l->host, NPROF_E_NOMEM, "no memory for rows");
  for (uint64_t at = 0, told = 0; !status && nprof_take_line (&c, &line, &n);
       at = nprof_cursor_at (&c, data)) {
    const char *wrong = n && *line != '#' ? read_line (l, nprof_cursor (line, n), &status) : NULL;
    if (wrong && !(status = nprof_damage (l->host, at, "%s", wrong)))
      status = nprof_row (l->writer, NPROF_GAP, l->track[STEP],
                          nprof_intern (l->host, "damaged line"), 0, 0);
    if (!status && at - told > 1 << 20) {
      status = l->host->progress (l->host, told, at);
      told = at;
    }
  }
  return status;
}

static const struct nprof_component worklog = {
  .size = sizeof worklog,
  .kind = NPROF_DECODER,
  .name = "acme.worklog",
  .summary = "steps, calls and work of a device, a line each",
  .formats = "text that begins with #worklog",
  .attributes = NPROF_ATTRIBUTES (
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_WORK, "", "what the span is"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "number of the step"),
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_LAUNCH, "", "joins a call and its work"),
      NPROF_ATTRIBUTE (NPROF_BOOL, NPROF_KEY_BLOCKS, "", "it returns when its work ends")),
  .instance_size = sizeof (struct log),
  .probe = log_probe,
  .open = log_open,
  .decode = log_decode,
};

NPROF_PLUGIN ("worklog", "1.0", "Apache-2.0", &worklog)
