/* plugin.c - the decoder `@NAME@`.  Its format is a line of text for each span, below a first
 * line that says what it is; put yours in its place:
 *
 *   #@NAME@
 *   START DURATION LANE NAME     times in ns with up to 3 decimals; DURATION - is not known
 */

#include <nprof/keys.h>
#include <nprof/sdk.h>

#define MAGIC "#@NAME@\n" /* in hex also in @NAME@.plugin: other files do not open this plugin */
#define PROGRESS_BYTES (1u << 20) /* nprof wants to hear of us at least every 8 MB */

/* One for each input; nprof clears it and stores the options in it. */
typedef struct {
  const struct nprof_host *host;
  int32_t unit; /* index of "ns|us|ms" */

  struct nprof_writer *writer;
  const char *data;
  nprof_str line_key;
  int64_t line; /* number of the line, from 1 */
  int64_t last; /* ps: where the last span began */
} Decoder;

/* -- Reading --------------------------------------------------------------- */

typedef struct {
  const char *at, *end;
} Text;

static bool
is_digit (const Text *text)
{
  return text->at < text->end && *text->at >= '0' && *text->at <= '9';
}

/* A decimal number of `scale` ps, exactly: times never pass through a double. */
static bool
read_time (Text *text, int64_t scale, int64_t *ps)
{
  int64_t whole = 0, rest = 0;
  bool negative = text->at < text->end && *text->at == '-';
  text->at += negative;
  if (!is_digit (text))
    return false;
  for (; is_digit (text); text->at++)
    if (__builtin_mul_overflow (whole, 10, &whole)
        || __builtin_add_overflow (whole, *text->at - '0', &whole))
      return false;
  if (__builtin_mul_overflow (whole, scale, &whole))
    return false;
  if (text->at < text->end && *text->at == '.')
    for (text->at++; is_digit (text); text->at++) {
      scale /= 10;
      if (scale == 0 && *text->at != '0')
        return false; /* finer than a picosecond */
      rest += (*text->at - '0') * scale;
    }
  if (__builtin_add_overflow (whole, rest, &whole))
    return false;
  *ps = negative ? -whole : whole;
  return true;
}

static bool
read_space (Text *text)
{
  if (text->at == text->end || *text->at != ' ')
    return false;
  text->at++;
  return true;
}

/* Reads up to the next space; false: there is nothing. */
static bool
read_word (Text *text, Text *word)
{
  const char *space = memchr (text->at, ' ', (size_t) (text->end - text->at));
  word->at = text->at;
  word->end = text->at = space ? space : text->end;
  return word->at < word->end;
}

typedef struct {
  int64_t start, duration;
  Text lane, name;
} Span;

static bool
read_span (Text text, int64_t scale, Span *span)
{
  if (!read_time (&text, scale, &span->start) || !read_space (&text))
    return false;
  if (text.end - text.at >= 2 && text.at[0] == '-' && text.at[1] == ' ') {
    span->duration = -1; /* the file has no end for it */
    text.at++;
  } else if (!read_time (&text, scale, &span->duration) || span->duration < 0) {
    return false;
  }
  if (!read_space (&text) || !read_word (&text, &span->lane) || !read_space (&text))
    return false;
  span->name = text;
  return text.at < text.end;
}

/* -- Rows ------------------------------------------------------------------ */

static nprof_str
intern (const Decoder *d, Text text)
{
  return d->host->intern (d->host, text.at, (size_t) (text.end - text.at));
}

static nprof_status
add_span (Decoder *d, const Span *span)
{
  const struct nprof_host *host = d->host;
  nprof_track track = host->track (host, 0, NPROF_TRACK_THREAD, intern (d, span->lane),
                                   0 /* label: the key */, 0);
  if (!track)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for a track");
  d->last = span->start;
  nprof_status status
      = nprof_span (d->writer, track, intern (d, span->name), span->start, span->duration);
  if (!status && host->wanted (host, "line"))
    status = nprof_attr_int (d->writer, d->line_key, d->line);
  return status;
}

/* nprof stops here, or counts it and goes on (--keep-going): then a gap shows where it was. */
static nprof_status
add_damage (Decoder *d, const char *at)
{
  const struct nprof_host *host = d->host;
  nprof_status status
      = nprof_damage (host, (uint64_t) (at - d->data), "expected START DURATION LANE NAME");
  if (status)
    return status;
  nprof_track root = host->input (host, host->own_input)->root;
  return nprof_row (d->writer, NPROF_GAP, root, nprof_intern (host, "damaged line"), d->last, 0);
}

static nprof_status
add_line (Decoder *d, Text text)
{
  static const int64_t scales[] = { 1000, 1000000, 1000000000 }; /* ps of ns, us, ms */
  Span span;
  if (text.at == text.end)
    return NPROF_OK;
  return read_span (text, scales[d->unit], &span) ? add_span (d, &span) : add_damage (d, text.at);
}

/* -- What nprof calls ------------------------------------------------------ */

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return len >= strlen (MAGIC) && memcmp (head, MAGIC, strlen (MAGIC)) == 0 ? 90 : 0;
}

static nprof_status
open_decoder (void *self, const struct nprof_host *host)
{
  Decoder *d = self;
  d->host = host;
  d->line_key = nprof_intern (host, "line");
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  Decoder *d = self;
  if (probe (data, len, len, NULL) == 0)
    return nprof_fail (d->host, NPROF_E_FORMAT, "byte 0: expected the line #@NAME@");
  d->data = data;
  d->writer = d->host->writer (d->host);
  if (!d->writer)
    return nprof_fail (d->host, NPROF_E_NOMEM, "no memory for rows");

  uint64_t at = strlen (MAGIC), told = 0;
  nprof_status status = NPROF_OK;
  for (d->line = 2; !status && at < len; d->line++) {
    const char *line = d->data + at, *end = memchr (line, '\n', (size_t) (len - at));
    status = add_line (d, (Text){ line, end ? end : d->data + len });
    at = end ? (uint64_t) (end - d->data) + 1 : len;
    if (!status && at - told >= PROGRESS_BYTES) {
      status = d->host->progress (d->host, told, at);
      told = at;
    }
  }
  return status ? status : d->host->progress (d->host, told, len);
}

/* -- What it declares ------------------------------------------------------ */

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "@NAME@",
  .summary = "spans written down as lines of text",
  .formats = "text that begins with #@NAME@",
  .options = NPROF_OPTIONS (
      NPROF_CHOICE_OPTION (Decoder, unit, "unit", "ns", "ns|us|ms", "what times are counted in")),
  .attributes
  = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_INT64, "line", "", "number of its line, from 1")),
  .instance_size = sizeof (Decoder),
  .probe = probe,
  .open = open_decoder,
  .decode = decode,
};

NPROF_PLUGIN ("@NAME@", PLUGIN_VERSION, "unknown", &decoder)
