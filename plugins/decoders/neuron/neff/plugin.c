/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the decoder neff: compiled models of AWS Neuron.  Declarations, the checks of the
 * header, and the order in which the other files work. */
#include "neff.h"

#define KNOWN_MAJOR 2 /* the newest that runtimes accept */
#define MAX_MAJOR 16

/* -- The header --------------------------------------------------------------------------- */

static nprof_status
check_header (Neff *n, uint64_t len)
{
  const NeffHeader *h = &n->header;
  if (h->header_size < NEFF_HEADER_SIZE || h->header_size > len)
    return nprof_fail (n->host, NPROF_E_FORMAT,
                       "header_size at byte 8 is %" G_GUINT64_FORMAT
                       ", expected is 1024: this is no NEFF",
                       h->header_size);
  if (h->major > MAX_MAJOR)
    return nprof_fail (n->host, NPROF_E_UNSUPPORTED,
                       "neff_version_major at byte 24 is %" G_GUINT64_FORMAT ", known are 0 to 2",
                       h->major);
  if (h->major > KNOWN_MAJOR)
    nprof_log (n->host, NPROF_WARNING,
               "NEFF version %" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT
               " is newer than what is known (2.0); it is read as 2.0",
               h->major, h->minor);
  if (h->pkg_version != NEFF_SHA256 && h->pkg_version != NEFF_MD5)
    nprof_log (n->host, NPROF_WARNING,
               "pkg_version %" G_GUINT64_FORMAT " is not known (1, 2), so the hash is not checked",
               h->pkg_version);
  return NPROF_OK;
}

/* Counts the bytes of payload that are there; *whole: they are all that data_size says. */
static nprof_status
payload_size (Neff *n, uint64_t len, uint64_t *size, gboolean *whole)
{
  const NeffHeader *h = &n->header;
  uint64_t there = len - h->header_size;
  *size = MIN (h->data_size, there);
  *whole = h->data_size <= there;
  if (h->data_size < there)
    n->host->skip (n->host, "bytes behind the payload", h->header_size + h->data_size,
                   "data_size ends before the file does");
  if (*whole)
    return NPROF_OK;
  n->lost = TRUE;
  return nprof_damage (n->host, len,
                       "data_size at byte 16 is %" G_GUINT64_FORMAT ", but only %" G_GUINT64_FORMAT
                       " bytes follow the header: the file is cut at byte %" G_GUINT64_FORMAT
                       "; copy it again",
                       h->data_size, there, len);
}

static nprof_status
read_payload (Neff *n, const uint8_t *data, uint64_t len)
{
  uint64_t size;
  gboolean whole;
  nprof_status status = payload_size (n, len, &size, &whole);
  if (status)
    return status;
  n->payload_at = n->header.header_size;
  n->packing = neff_packing (data + n->payload_at, size);
  if (n->packing == NEFF_NOT_PACKED)
    return nprof_fail (n->host, NPROF_E_FORMAT,
                       "the payload at byte %" G_GUINT64_FORMAT
                       " is neither gzip nor tar (%" G_GUINT64_FORMAT
                       " bytes): this is no NEFF, or it is damaged",
                       n->payload_at, (guint64) size);
  status = neff_header_properties (n);
  return status ? status : neff_payload (n, data + n->payload_at, size, whole);
}

/* -- The rest ----------------------------------------------------------------------------- */

static nprof_status
read_members (Neff *n)
{
  g_autofree char *kelf = NULL;
  nprof_status status = neff_facts (n);
  if (status == NPROF_OK)
    status = neff_graph (n, &kelf);
  if (status == NPROF_OK)
    status = neff_parameters (n);
  if (status == NPROF_OK)
    status = neff_subgraphs (n, kelf);
  return status;
}

static nprof_status
neff_decode (void *self, const void *data, uint64_t len)
{
  Neff *n = self;
  nprof_str label = n->host->input (n->host, n->host->own_input)->label;
  if (len < NEFF_HEADER_SIZE)
    return nprof_fail (n->host, NPROF_E_FORMAT,
                       "the file ends at byte %" G_GUINT64_FORMAT
                       ", within the header of a NEFF, which has 1024 bytes; copy it again",
                       (guint64) len);
  neff_header_read (&n->header, data);
  nprof_status status = check_header (n, len);
  if (status == NPROF_OK)
    status = read_payload (n, data, len);
  if (status == NPROF_OK)
    status = read_members (n);
  if (status == NPROF_OK && n->lost)
    status = neff_gap (n);
  if (status == NPROF_OK)
    status = neff_tables (n, label);
  return status ? status : neff_layers (n, label);
}

/* -- Life --------------------------------------------------------------------------------- */

static void
tensor_free (gpointer data)
{
  NeffTensor *t = data;
  g_free (t->name);
  g_free (t->usage);
  g_free (t->shape);
  g_free (t->dtype);
  g_free (t->parameter);
  g_free (t);
}

static void
queue_free (gpointer data)
{
  NeffQueue *q = data;
  g_free (q->name);
  g_free (q->type);
  g_hash_table_unref (q->by_use);
  g_ptr_array_unref (q->uses);
  g_free (q);
}

static nprof_status
neff_open (void *self, const struct nprof_host *host)
{
  Neff *n = self;
  n->host = host;
  n->tensors = g_ptr_array_new_with_free_func (tensor_free);
  n->interface = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  n->read = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  n->queues = g_ptr_array_new_with_free_func (queue_free);
  n->engines = g_ptr_array_new_with_free_func (g_free);
  return NPROF_OK;
}

static nprof_status
neff_finish (void *self)
{
  (void) self;
  return NPROF_OK;
}

static void
neff_close (void *self)
{
  Neff *n = self;
  g_clear_pointer (&n->members, g_hash_table_unref);
  g_hash_table_unref (n->interface);
  g_hash_table_unref (n->read);
  g_ptr_array_unref (n->tensors);
  g_ptr_array_unref (n->queues);
  g_ptr_array_unref (n->engines);
}

/* -- Declarations ------------------------------------------------------------------------- */

static const struct nprof_component neff = {
  .size = sizeof neff,
  .kind = NPROF_DECODER,
  .name = "neff",
  .summary = "compiled models of AWS Neuron: tensors, DMA, instructions, model flops",
  .formats = "NEFF versions 0 to 2 (*.neff), tar or gzip payload",
  .options = NPROF_OPTIONS (
      NPROF_SIZE_OPTION (Neff, member_limit, "member_limit", "1M", "4k..64M",
                         "largest JSON member that is read; what larger ones say is unknown"),
      NPROF_SIZE_OPTION (
          Neff, inflate_limit, "inflate_limit", "0", "0..1024G",
          "most bytes that the payload may inflate to; 0: 64 MB and 256 times its size")),
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MODEL_FLOPS, "flop",
                                                   "of one run of the model: 2 * MACs"),
                                  NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_ACCESSED, "byte",
                                                   "of one run of the model: traffic")),
  .tables
  = (const struct nprof_table *const[]){ &tensors_table, &dma_queues_table, &dma_tensors_table,
                                         &instructions_table, &neff_layers_table, NULL },
  .instance_size = sizeof (Neff),
  .probe = neff_probe,
  .open = neff_open,
  .decode = neff_decode,
  .finish = neff_finish,
  .close = neff_close,
};

NPROF_PLUGIN ("neff", NPROF_VERSION, "Apache-2.0", &neff)
