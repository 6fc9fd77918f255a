/* plugin.c - the sink `@NAME@`: a line of text for each span, "START DURATION LANE NAME" with tabs
 * between them, times in ns.  Put what you write in its place. */

#include <nprof/format.h>
#include <nprof/sdk.h>

#define WRITE_BYTES (256u << 10) /* what is handed on at once */

/* One for the run; nprof clears it and stores the options in it. */
typedef struct {
  const struct nprof_host *host;
  bool title; /* a first line that names the columns */

  struct nprof_output *output;
  struct nprof_buf text;
  uint64_t left_out; /* rows that are no spans */
} Sink;

/* Hands on what is written, at once or when there is enough of it. */
static nprof_status
write_text (Sink *s, size_t enough)
{
  if (s->text.failed)
    return nprof_fail (s->host, NPROF_E_NOMEM, "no memory for the text");
  if (s->text.len < enough)
    return NPROF_OK;
  nprof_status status = s->output->write (s->output, s->text.data, s->text.len);
  s->text.len = 0;
  return status;
}

/* Text may hold any character: those that would end a field or a line become spaces. */
static void
put_field (Sink *s, nprof_str str)
{
  size_t len;
  const char *text = s->host->string (s->host, str, &len);
  for (size_t i = 0; i < len; i++)
    nprof_put_char (&s->text,
                    text[i] == '\t' || text[i] == '\n' || text[i] == '\r' ? ' ' : text[i]);
}

static void
put_span (Sink *s, const struct nprof_batch *batch, uint32_t i)
{
  nprof_put_decimal (&s->text, batch->start[i], 3, '.'); /* ps as ns, exactly */
  nprof_put_char (&s->text, '\t');
  if (batch->duration[i] < 0)
    nprof_put_char (&s->text, '-'); /* the file has no end for it */
  else
    nprof_put_decimal (&s->text, batch->duration[i], 3, '.');
  nprof_put_char (&s->text, '\t');
  put_field (s, nprof_track_label (s->host->track_info (s->host, batch->track[i])));
  nprof_put_char (&s->text, '\t');
  put_field (s, batch->name[i]);
  nprof_put_char (&s->text, '\n');
}

/* -- What nprof calls ------------------------------------------------------ */

static nprof_status
open_sink (void *self, const struct nprof_host *host)
{
  Sink *s = self;
  s->host = host;
  s->output = host->output (host, NULL);
  if (!s->output)
    return NPROF_E_IO; /* the host knows why */
  if (s->title)
    nprof_put_text (&s->text, "start_ns\tduration_ns\tlane\tname\n");
  return NPROF_OK;
}

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  Sink *s = self;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] == NPROF_SPAN)
      put_span (s, batch, i);
    else
      s->left_out++;
  }
  return write_text (s, WRITE_BYTES);
}

static nprof_status
finish (void *self)
{
  Sink *s = self;
  if (s->left_out)
    nprof_log (s->host, NPROF_WARNING, "%llu rows that are no spans were not written",
               (unsigned long long) s->left_out);
  return write_text (s, 1);
}

static void
close_sink (void *self)
{
  nprof_buf_clear (&((Sink *) self)->text);
}

/* -- What it declares ------------------------------------------------------ */

static const struct nprof_component sink = {
  .size = sizeof sink,
  .kind = NPROF_SINK,
  .name = "@NAME@",
  .summary = "spans as lines of text with tabs",
  .options = NPROF_OPTIONS (
      NPROF_BOOL_OPTION (Sink, title, "title", "yes", "a first line that names the columns")),
  .order = NPROF_ORDER_INPUT,
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "@NAME@.txt",
  .instance_size = sizeof (Sink),
  .open = open_sink,
  .consume = consume,
  .finish = finish,
  .close = close_sink,
};

NPROF_PLUGIN ("@NAME@", PLUGIN_VERSION, "unknown", &sink)
