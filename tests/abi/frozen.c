/* SPDX-License-Identifier: Apache-2.0 */
/* frozen.c - a plugin of each kind, compiled against the headers of each release and run by
 * today's core.  GROWN: as by a later release, whose structs have grown and which knows types
 * that this one does not.  SHORT: as by an earlier one, whose component ended before `save`.
 *
 * The format: `frozen`, then a span of 1 ns for each byte behind it. */

#include <nprof/keys.h>
#include <nprof/sdk.h>

#ifndef GROWN
#define GROWN 0
#endif
#ifndef SHORT
#define SHORT 0
#endif

/* A later release might put this behind a struct; it is never read, so it may be anything. */
#define LATER (void *) 0x5a5a5a5a5a5a5a5a
#define GROW(type, name)                                                                           \
  struct name {                                                                                    \
    struct type known;                                                                             \
    void *later[GROWN ? 3 : 1];                                                                    \
  }
#define SIZE(type) (GROWN ? sizeof (struct type##_grown) : sizeof (struct type))

GROW (nprof_plugin, nprof_plugin_grown);
GROW (nprof_component, nprof_component_grown);
GROW (nprof_option, nprof_option_grown);
GROW (nprof_attribute, nprof_attribute_grown);
GROW (nprof_table, nprof_table_grown);
GROW (nprof_table_column, nprof_table_column_grown);

#define COMPONENT_SIZE (SHORT ? offsetof (struct nprof_component, save) : SIZE (nprof_component))

/* -- Declarations ---------------------------------------------------------- */

static const struct nprof_attribute_grown step
    = { { SIZE (nprof_attribute), NPROF_INT64, NPROF_KEY_STEP, "", "place of the byte" },
        { LATER } };
#if GROWN
static const struct nprof_attribute_grown strange
    = { { SIZE (nprof_attribute), 99, "strange", "", "a type from tomorrow" }, { LATER } };
#endif
static const struct nprof_attribute *const attributes[] = { &step.known,
#if GROWN
                                                            &strange.known,
#endif
                                                            NULL };

#define COLUMN(name, type, column, role)                                                           \
  static const struct nprof_table_column_grown name                                                \
      = { { SIZE (nprof_table_column), type, column, "", "", role, 0 }, { LATER } }
COLUMN (input_column, NPROF_STRING, "input", NPROF_ROLE_KEY);
COLUMN (name_column, NPROF_STRING, "name", NPROF_ROLE_KEY);
COLUMN (count_column, NPROF_INT64, "count", NPROF_ROLE_VALUE);
static const struct nprof_table_column *const columns[]
    = { &input_column.known, &name_column.known, &count_column.known, NULL };
static const struct nprof_table_grown letters
    = { { SIZE (nprof_table), 0, "letters", "Letters", "", columns }, { LATER } };
static const struct nprof_table *const tables[] = { &letters.known, NULL };

typedef struct {
  const struct nprof_host *host;
  struct nprof_output *out;
  int64_t length; /* of a span, ps: the option */
  int64_t counts[256];
} Self;

static const struct nprof_option_grown length
    = { { SIZE (nprof_option), NPROF_OPT_INT, "length", "ps a byte", "1000", "1..1000000",
          offsetof (Self, length), 0 },
        { LATER } };
static const struct nprof_option *const options[] = { &length.known, NULL };

/* -- Decoder --------------------------------------------------------------- */

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return len >= 6 && memcmp (head, "frozen", 6) == 0 ? 100 : 0;
}

static nprof_status
open_any (void *self, const struct nprof_host *host)
{
  ((Self *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  Self *s = self;
  const struct nprof_host *host = s->host;
  if (len < 6 || memcmp (data, "frozen", 6) != 0)
    return nprof_fail (host, NPROF_E_FORMAT, "byte 0: expected `frozen`");
  struct nprof_writer *w = host->writer (host);
  nprof_track track
      = host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "device"), 0, 0);
  nprof_str key = nprof_intern (host, NPROF_KEY_STEP);
  if (!w || !track)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory");
  for (uint64_t i = 6; i < len; i++) {
    nprof_status status = nprof_span (w, track, host->intern (host, (const char *) data + i, 1),
                                      (int64_t) i * s->length, s->length);
    if (!status)
      status = nprof_attr_int (w, key, (int64_t) i);
    if (!status && i % 10000 == 0)
      status = host->progress (host, 0, i);
    if (status)
      return status;
  }
  return host->progress (host, 0, len);
}

/* -- Analyzer -------------------------------------------------------------- */

static nprof_status
count (void *self, const struct nprof_batch *batch)
{
  Self *s = self;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    s->counts[(uint8_t) *nprof_text (s->host, batch->name[i])]++;
  return NPROF_OK;
}

static nprof_status
finish_count (void *self)
{
  Self *s = self;
  nprof_str input = s->host->input (s->host, 0)->label;
  for (int c = 0; c < 256; c++) {
    char text = (char) c;
    struct nprof_cell cells[3]
        = { nprof_cell_str (input), nprof_cell_str (s->host->intern (s->host, &text, 1)),
            nprof_cell_int (s->counts[c]) };
    nprof_status status = s->counts[c] ? s->host->row (s->host, &letters.known, cells) : NPROF_OK;
    if (status)
      return status;
  }
  return NPROF_OK;
}

/* -- Sink ------------------------------------------------------------------ */

static nprof_status
open_sink (void *self, const struct nprof_host *host)
{
  Self *s = self;
  s->host = host;
  s->out = host->output (host, NULL);
  return s->out ? NPROF_OK : NPROF_E_IO;
}

static nprof_status
write_rows (void *self, const struct nprof_batch *batch)
{
  Self *s = self;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    char text[200];
    int n = snprintf (text, sizeof text, "row %.20s %lld %lld\n",
                      nprof_text (s->host, batch->name[i]), (long long) batch->start[i],
                      (long long) batch->duration[i]);
    nprof_status status = s->out->write (s->out, text, (size_t) n);
    if (status)
      return status;
  }
  return NPROF_OK;
}

static nprof_status
write_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
             uint32_t n_rows)
{
  Self *s = self;
  if (strcmp (table->name, "letters") != 0)
    return NPROF_OK;
  for (uint32_t i = 0; i < n_rows; i++, cells += 3) {
    char text[200];
    int n = snprintf (text, sizeof text, "letter %s %lld\n", nprof_text (s->host, cells[1].v.s),
                      (long long) cells[2].v.i);
    nprof_status status = s->out->write (s->out, text, (size_t) n);
    if (status)
      return status;
  }
  return NPROF_OK;
}

/* -- Entry ----------------------------------------------------------------- */

static const struct nprof_component_grown decoder = {
  .known = { .size = COMPONENT_SIZE,
             .kind = NPROF_DECODER,
             .name = "frozen",
             .summary = "a decoder of its release",
             .options = options,
             .attributes = attributes,
             .instance_size = sizeof (Self),
             .probe = probe,
             .open = open_any,
             .decode = decode },
  .later = { LATER },
};

static const struct nprof_component_grown analyzer = {
  .known = { .size = COMPONENT_SIZE,
             .kind = NPROF_ANALYZER,
             .name = "frozen",
             .summary = "an analyzer of its release",
             .tables = tables,
             .instance_size = sizeof (Self),
             .open = open_any,
             .consume = count,
             .finish = finish_count },
  .later = { LATER },
};

static const struct nprof_component_grown sink = {
  .known = { .size = COMPONENT_SIZE,
             .kind = NPROF_SINK,
             .name = "frozen",
             .summary = "a sink of its release",
             .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
             .default_name = "frozen.txt",
             .instance_size = sizeof (Self),
             .open = open_sink,
             .consume = write_rows,
             .table = write_table },
  .later = { LATER },
};

static const struct nprof_component *const components[]
    = { &decoder.known, &analyzer.known, &sink.known, NULL };

static const struct nprof_plugin_grown plugin = {
  .known = { .size = SIZE (nprof_plugin),
             .contract = NPROF_CONTRACT + GROWN,
             .name = "frozen",
             .version = "1",
             .components = components,
             .least = NPROF_CONTRACT },
  .later = { LATER },
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin.known;
}
