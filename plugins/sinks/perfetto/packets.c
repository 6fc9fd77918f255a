/* SPDX-License-Identifier: Apache-2.0 */
/* packets.c - makes packets and writes them. Names, categories, keys and short texts are interned:
 * defined in the first packet that needs them, and numbered in that order, which does not depend on
 * threads. A trace that is split interns nothing, since it is unknown which packets stand in one
 * file. */
#include "perfetto.h"

#include "trace-out/parts.h"

#include <nprof/protobuf.h>

#define SEQUENCE 1
#define PACKET_MAX (1u << 30) /* bytes: no viewer takes more */
#define WAITING_BYTES (1u << 20)
#define READ_BYTES (1u << 20)
#define FORGET_BYTES (64u << 20) /* so much is interned before readers may forget it */
#define COMPRESSED_BYTES (512u << 10)
#define LINK_BYTES 10 /* of a field of an arrow: its tag of two bytes, and its number */

/* Puts U+FFFD for what is no UTF-8, and the picture of a NUL, at which Perfetto's page ends. */
void
perfetto_make_text (const void *user G_GNUC_UNUSED, struct nprof_buf *to, const char *text,
                    size_t len)
{
  const unsigned char *at = (const unsigned char *) text, *end = at + len;
  gboolean sound = TRUE;
  for (size_t n; at < end && sound; at += n) {
    n = nprof_utf8_length (at, (size_t) (end - at));
    sound = n && *at;
  }
  if (sound)
    return;
  at = (const unsigned char *) text;
  for (size_t n; at < end; at += n ? n : 1) {
    n = nprof_utf8_length (at, (size_t) (end - at));
    nprof_put (to,
               !n    ? "\xef\xbf\xbd"
               : *at ? (const void *) at
                     : "\xe2\x90\x80",
               n && *at ? n : 3);
  }
}

/* Returns the place of the number that a text has in a table; 0: it is not defined. */
static guint32 *
number_in (struct interned *table, nprof_str text)
{
  if (text >= table->n) {
    guint32 n = MAX (1024, table->n);
    while (n <= text)
      n *= 2;
    table->number = g_renew (guint32, table->number, n);
    memset (table->number + table->n, 0, (n - table->n) * sizeof *table->number);
    table->n = n;
  }
  return table->number + text;
}

static guint32
define (struct perfetto_sink *self, struct interned *table, const char *text, size_t len)
{
  size_t from = wire_begin (&self->fresh, table->field);
  wire_uint (&self->fresh, 1, ++table->last);
  wire_bytes (&self->fresh, 2, text, len);
  wire_end (&self->fresh, from);
  self->interned_bytes += len;
  return table->last;
}

/* What waits, or may stand in another file than its definition, is not. */
gboolean
perfetto_interns (const struct perfetto_sink *self, size_t len)
{
  return !self->split.limit && !self->plain && len <= INTERNED_LENGTH;
}

void
perfetto_put_name (struct perfetto_sink *self, struct nprof_buf *to, guint iid, guint plain,
                   guint kind, nprof_str text)
{
  struct interned *table = self->interned + kind;
  if (text < table->n && table->number[text] && !self->plain) {
    wire_uint (to, iid, table->number[text]);
    return;
  }
  struct nprof_cached_string made = nprof_string_cache_get (&self->texts, text);
  if (!perfetto_interns (self, made.len)) {
    wire_bytes (to, plain, made.text, made.len);
    return;
  }
  wire_uint (to, iid, *number_in (table, text) = define (self, table, made.text, made.len));
}

/* -- Words ----------------------------------------------------------------- */

static gboolean
is_own (struct perfetto_sink *self, const char *text, size_t len)
{
  for (guint k = 0; k < N_OWN; k++) {
    size_t own_len;
    const char *own = self->host->string (self->host, self->own[k], &own_len);
    if (own_len == len && memcmp (own, text, len) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_plain (const char *text, size_t len)
{
  for (size_t k = 0; k < len; k++)
    if ((guchar) text[k] < ' ' || (guchar) text[k] >= 0x7f || text[k] == '"' || text[k] == '\\')
      return FALSE;
  return TRUE;
}

guint32
perfetto_find_word (struct perfetto_sink *self, guint kind, const char *text, size_t len)
{
  Words *words = &self->interned[kind].words;
  gboolean fresh;
  guint32 k = words_find (words, text, len, &fresh);
  if (!fresh)
    return k;
  struct word *word = &g_array_index (words->all, struct word, k);
  word->plain = is_plain (text, len);
  word->own = kind == INTERNED_ARG_NAMES && is_own (self, text, len);
  if (self->split.limit)
    self->interned_bytes += len; /* nothing is defined, but it takes memory as well */
  return k;
}

static struct word *
word_at (struct perfetto_sink *self, guint kind, guint32 k)
{
  return &g_array_index (self->interned[kind].words.all, struct word, k);
}

/* The word of a key of an attribute. */
static struct word *
key_word (struct perfetto_sink *self, nprof_str key)
{
  guint32 *index = number_in (self->interned + INTERNED_ARG_NAMES, key);
  if (!*index) {
    struct nprof_cached_string made = nprof_string_cache_get (&self->texts, key);
    *index = 1 + perfetto_find_word (self, INTERNED_ARG_NAMES, made.text, made.len);
  }
  return word_at (self, INTERNED_ARG_NAMES, *index - 1);
}

static void
put_word (struct perfetto_sink *self, struct nprof_buf *to, guint kind, struct word *word)
{
  const gboolean is_name = kind == INTERNED_ARG_NAMES;
  if (!perfetto_interns (self, word->len)) {
    wire_bytes (to, is_name ? ARG_NAME : ARG_STRING, word->text, word->len);
    return;
  }
  if (!word->number)
    word->number = define (self, self->interned + kind, word->text, word->len);
  wire_uint (to, is_name ? ARG_NAME_IID : ARG_STRING_IID, word->number);
}

void
perfetto_put_word (struct perfetto_sink *self, struct nprof_buf *to, guint kind, guint32 word)
{
  put_word (self, to, kind, word_at (self, kind, word));
}

/* Attributes of the names that this sink puts itself become attr_NAME. */
static void
put_foreign_key (struct perfetto_sink *self, struct nprof_buf *to, struct word *word)
{
  if (!word->own) {
    put_word (self, to, INTERNED_ARG_NAMES, word);
    return;
  }
  size_t from = wire_begin (to, ARG_NAME);
  nprof_put_text (to, "attr_");
  nprof_put (to, word->text, word->len);
  wire_end (to, from);
}

void
perfetto_put_own_key (struct perfetto_sink *self, struct nprof_buf *to, nprof_str key)
{
  put_word (self, to, INTERNED_ARG_NAMES, key_word (self, key));
}

void
perfetto_put_attribute_key (struct perfetto_sink *self, struct nprof_buf *to, nprof_str key)
{
  put_foreign_key (self, to, key_word (self, key));
}

gboolean
perfetto_put_key (struct perfetto_sink *self, struct nprof_buf *to, guint32 key)
{
  struct word *word = word_at (self, INTERNED_ARG_NAMES, key);
  if (word->row == self->n_rows)
    return TRUE;
  put_foreign_key (self, to, word);
  return FALSE;
}

void
perfetto_mark_keys (struct perfetto_sink *self)
{
  for (guint k = 0; k < self->row_columns.n_unmapped; k++)
    key_word (self, self->row_columns.unmapped[k].key)->row = self->n_rows;
}

/* -- Packets that wait ----------------------------------------------------- */

/* They wait as they will stand in the trace, but for the arrows of their events.  In one that is
 * split, the place by which it is cut stands before each. */
static gsize
place_size (const struct perfetto_sink *self)
{
  return self->split.limit ? sizeof (gint64) : 0;
}

static void
spill_some (struct perfetto_sink *self)
{
  struct nprof_buf *to = &self->waiting;
  if (to->failed || to->len < WAITING_BYTES)
    return;
  spill_append (&self->spill, to->data, to->len);
  to->len = 0;
}

struct nprof_buf *
perfetto_begin_packet (struct perfetto_sink *self, gint64 place)
{
  struct nprof_buf *to = &self->waiting;
  nprof_put (to, &place, place_size (self));
  self->packet = wire_begin (to, TRACE_PACKET);
  wire_uint (to, PACKET_SEQUENCE, SEQUENCE);
  return to;
}

void
perfetto_end_packet (struct perfetto_sink *self)
{
  struct nprof_buf *to = &self->waiting;
  to->failed |= to->len - self->packet > PACKET_MAX;
  wire_end (to, self->packet);
  spill_some (self);
}

struct nprof_buf *
perfetto_begin_event (struct perfetto_sink *self, gint64 place, gint64 at, guint type,
                      guint32 track)
{
  struct nprof_buf *to = &self->body;
  to->len = 0;
  self->at = at;
  self->place = place;
  wire_uint (to, EVENT_TYPE, type);
  wire_uint (to, EVENT_TRACK, track);
  return to;
}

static void
forget (struct perfetto_sink *self)
{
  if (!self->split.limit) {
    wire_uint (perfetto_begin_packet (self, SPLIT_EVERYWHERE), PACKET_FLAGS, 1);
    perfetto_end_packet (self);
  }
  for (guint k = 0; k < N_INTERNED; k++) {
    struct interned *table = self->interned + k;
    table->last = 0;
    if (table->n)
      memset (table->number, 0, table->n * sizeof *table->number);
    words_forget (&table->words);
  }
  perfetto_forget_sets (self);
  self->interned_bytes = 0;
}

/* The event is the last field of its packet, and the time, which no other packet has, the one
 * behind the sequence. */
void
perfetto_end_event (struct perfetto_sink *self)
{
  struct nprof_buf *to = &self->waiting, *fresh = &self->fresh, *event = &self->body;
  char head[48], *end = wire_format_tag (head, PACKET_SEQUENCE, WIRE_VARINT);
  end = wire_format_tag (wire_format (end, SEQUENCE), PACKET_TIMESTAMP, WIRE_VARINT);
  end = wire_format (end, (guint64) (self->at + self->base - self->zero));
  if (!self->split.limit)
    end = wire_format (wire_format_tag (end, PACKET_FLAGS, WIRE_VARINT), 2);
  const guint64 interned = fresh->len ? wire_size (PACKET_INTERNED, fresh->len) : 0;
  const guint64 own = wire_size (PACKET_TRACK_EVENT, event->len);
  const guint64 len = (guint64) (end - head) + interned + own;
  to->failed |= len > PACKET_MAX || fresh->failed || event->failed;
  nprof_put (to, &self->place, place_size (self));
  wire_head (to, TRACE_PACKET, len);
  nprof_put (to, head, (size_t) (end - head));
  if (interned)
    wire_bytes (to, PACKET_INTERNED, fresh->data, fresh->len);
  wire_bytes (to, PACKET_TRACK_EVENT, event->data, event->len);
  fresh->len = 0;
  spill_some (self);
  self->n_events++;
  if (self->interned_bytes > FORGET_BYTES)
    forget (self);
}

/* -- Writing --------------------------------------------------------------- */

static int
compare_events (const void *a, const void *b)
{
  const struct link *x = a, *y = b;
  if (x->event != y->event)
    return x->event < y->event ? -1 : 1;
  return x->arrow < y->arrow ? -1 : x->arrow > y->arrow;
}

static int
compare_arrows (const void *a, const void *b)
{
  const struct link *x = a, *y = b;
  if (x->arrow != y->arrow)
    return x->arrow < y->arrow ? -1 : 1;
  return x->event < y->event ? -1 : x->event > y->event;
}

static void
sort_links (struct perfetto_sink *self, int (*compare) (const void *, const void *))
{
  if (self->links->len)
    qsort (self->links->data, self->links->len, sizeof (struct link), compare);
}

/* Makes one packet of those that wait to be compressed. */
static nprof_status
compress_packets (struct perfetto_sink *self)
{
  struct nprof_buf *raw = &self->raw, *to = &self->out.buf;
  uLongf len = compressBound (raw->len);
  g_autofree guint8 *packed = raw->failed || raw->len > G_MAXUINT32 ? NULL : g_try_malloc (len);
  if (!packed || compress (packed, &len, (const Bytef *) raw->data, raw->len) != Z_OK)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory to compress the trace");
  size_t from = wire_begin (to, TRACE_PACKET);
  wire_bytes (to, PACKET_COMPRESSED, packed, len);
  wire_end (to, from);
  raw->len = 0;
  return NPROF_OK;
}

static nprof_status
flush (struct perfetto_sink *self)
{
  if (self->split.limit) {
    split_flush (&self->split, &self->out.buf, FALSE);
    if (self->split.spill.failed)
      return spill_fail (&self->split.spill, self->host);
    return self->out.buf.failed ? stream_flush (&self->out) : NPROF_OK;
  }
  if (self->compress && (self->raw.len >= COMPRESSED_BYTES || self->raw.failed)) {
    nprof_status status = compress_packets (self);
    if (status)
      return status;
  }
  return stream_flush (&self->out);
}

/* A packet that waits, and its fields behind its length. */
struct packet {
  gint64 place;
  const guint8 *from, *fields, *end;
};

/* Reads the packet at `at`; FALSE: it is not all there. */
static gboolean
read_packet (const struct perfetto_sink *self, const guint8 *at, const guint8 *end,
             struct packet *packet)
{
  struct nprof_pb_field f;
  const gsize before = place_size (self);
  if ((gsize) (end - at) <= before)
    return FALSE;
  memcpy (&packet->place, at, before);
  packet->from = packet->end = at + before;
  if (!nprof_pb_read (&packet->end, end, &f))
    return FALSE;
  packet->fields = f.span.p;
  return TRUE;
}

/* How far those that wait were given. */
struct given {
  guint64 event;
  guint link;
};

/* Returns how many of the next links are of this packet's event. */
static guint
count_links (const struct perfetto_sink *self, struct given *given, const struct packet *packet)
{
  guint n = 0;
  if (packet->fields[2] != PACKET_TIMESTAMP << 3)
    return 0;
  while (given->link + n < self->links->len
         && g_array_index (self->links, struct link, given->link + n).event == given->event)
    n++;
  given->event++;
  given->link += n;
  return n;
}

/* Puts a packet with the n links that end before `link`. */
static void
put_linked (const struct perfetto_sink *self, struct nprof_buf *to, const struct packet *packet,
            guint link, guint n)
{
  struct nprof_pb_field f;
  const guint8 *p = packet->fields, *head_end = p;
  while (nprof_pb_read (&p, packet->end, &f) && p < packet->end)
    head_end = p;
  const guint64 head = (guint64) (head_end - packet->fields), event = f.value + n * LINK_BYTES;
  wire_head (to, TRACE_PACKET, head + wire_size (PACKET_TRACK_EVENT, event));
  nprof_put (to, packet->fields, head);
  wire_head (to, PACKET_TRACK_EVENT, event);
  nprof_put (to, f.span.p, f.value);
  for (guint i = link - n; i < link; i++) {
    const struct link *one = &g_array_index (self->links, struct link, i);
    wire_fixed64 (to, one->last ? EVENT_LAST_FLOW : EVENT_FLOW, one->arrow);
  }
}

/* Gives the packets that begin at `from`, those without arrows together, unless each is to be
 * looked at: to split the trace, or to compress some of them.  Returns the end of the last that
 * is all there. */
static const guint8 *
give (struct perfetto_sink *self, struct given *given, const guint8 *from, const guint8 *end,
      nprof_status *status)
{
  const gboolean alone = self->split.limit || self->compress;
  struct nprof_buf *to = self->compress ? &self->raw : &self->out.buf;
  const guint8 *at = from;
  for (struct packet packet; !*status && read_packet (self, at, end, &packet); at = packet.end) {
    const guint n = count_links (self, given, &packet);
    if (!n && !alone)
      continue;
    if (self->split.limit)
      split_begin (&self->split, to, packet.place);
    if (!alone)
      nprof_put (to, from, (size_t) (packet.from - from));
    if (n)
      put_linked (self, to, &packet, given->link, n);
    else
      nprof_put (to, packet.from, (size_t) (packet.end - packet.from));
    from = packet.end;
    *status = flush (self);
  }
  nprof_put (to, from, (size_t) (at - from));
  return at;
}

/* Gives all packets in the order in which they came. */
static nprof_status
replay (struct perfetto_sink *self)
{
  g_autoptr (GByteArray) buf = g_byte_array_new ();
  struct given given = { 0 };
  nprof_status status = NPROF_OK;
  for (guint64 at = 0; at < self->spill.size && !status;) {
    const guint have = buf->len;
    g_byte_array_set_size (buf, have + READ_BYTES);
    const gsize n = spill_read (&self->spill, at, buf->data + have, READ_BYTES);
    if (!n)
      return spill_fail (&self->spill, self->host);
    at += n;
    const guint8 *end = buf->data + have + n;
    const guint8 *rest = give (self, &given, buf->data, end, &status);
    g_byte_array_set_size (buf, have + (guint) n);
    g_byte_array_remove_range (buf, 0, (guint) (rest - buf->data));
    status = status ? status : flush (self);
  }
  return status;
}

/* Counts the arrows whose ends are in different parts, where Perfetto draws none. */
static void
count_cut (struct perfetto_sink *self)
{
  const struct link *links = (const struct link *) (const void *) self->links->data;
  sort_links (self, compare_arrows);
  for (guint k = 0, n; k < self->links->len; k += n) {
    gboolean cut = FALSE;
    for (n = 1; k + n < self->links->len && links[k + n].arrow == links[k].arrow; n++)
      cut |= split_part (&self->split, links[k + n].place)
             != split_part (&self->split, links[k].place);
    self->cut_arrows += cut;
  }
}

static nprof_status
write_parts (struct perfetto_sink *self)
{
  const struct parts parts = {
    .host = self->host, .split = &self->split, .gzip = self->gzip, .first = "", .separator = ""
  };
  split_flush (&self->split, &self->out.buf, TRUE);
  if (self->out.buf.failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for an event of this length");
  guint n = split_plan (&self->split);
  count_cut (self);
  nprof_status status = self->split.spill.failed ? NPROF_E_IO : parts_write (&parts, n);
  return self->split.spill.failed ? spill_fail (&self->split.spill, self->host) : status;
}

nprof_status
perfetto_write (struct perfetto_sink *self)
{
  struct nprof_buf *waiting = &self->waiting;
  if (waiting->failed)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for an event of this length");
  spill_append (&self->spill, waiting->data, waiting->len);
  waiting->len = 0;
  sort_links (self, compare_events);
  nprof_status status = self->spill.failed ? spill_fail (&self->spill, self->host) : replay (self);
  if (status || self->split.limit)
    return status ? status : write_parts (self);
  status = self->compress ? compress_packets (self) : NPROF_OK;
  return status ? status : stream_finish (&self->out);
}
