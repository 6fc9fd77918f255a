/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c - says of an instruction which semaphores it waits for and which it raises, by the
 * 64 bytes of its code.  format: ntff.md, "Slots" */
#include "file.h"

#include "profile/semaphore-keys.h"

typedef struct {
  uint8_t mode, id;
  uint32_t value;
  bool has_value;
} Word;

static uint32_t
number_at (const uint8_t *code)
{
  uint32_t number;
  memcpy (&number, code, 4);
  return GUINT32_FROM_LE (number);
}

static void
separate (GString *text)
{
  if (text->len)
    g_string_append_c (text, ' ');
}

static void
add_wait (GString *text, Word w)
{
  if (!w.mode)
    return;
  separate (text);
  if (w.mode == 7)
    g_string_append_printf (text, "E[%u]==1", w.id);
  else if (w.mode == 1 || w.mode == 5)
    g_string_append_printf (text, "S[%u]%s%u", w.id, w.mode == 1 ? "==" : ">=", w.value);
  else
    g_string_append_printf (text, "S[%u]?%u", w.id, w.mode);
}

static void
add_signal (GString *text, Word w)
{
  if (!w.mode)
    return;
  separate (text);
  if (w.mode == 0x11)
    g_string_append_printf (text, "E[%u]=1", w.id);
  else if (w.mode == 0x13 || w.mode == 0x14)
    g_string_append_printf (text, "S[%u]%s", w.id, w.mode == 0x13 ? "++" : "--");
  else if ((w.mode == 0x15 || w.mode == 0x19) && w.has_value)
    g_string_append_printf (text, "S[%u]%s%u", w.id, w.mode == 0x15 ? "+=" : "=", w.value);
  else
    g_string_append_printf (text, "S[%u]?%u", w.id, w.mode);
}

static void
read_own_words (const uint8_t *code, GString *waits, GString *signals)
{
  add_wait (waits, (Word){ code[32], code[33], number_at (code + 36), true });
  add_signal (signals, (Word){ code[34], code[35], number_at (code + 40), true });
}

static nprof_str
intern (const NtffWalk *w, const GString *text)
{
  return text->len ? w->n->host->intern (w->n->host, text->str, text->len) : 0;
}

/* Returns the texts of a slot, which are made once. */
static const NtffWaits *
waits_of (NtffWalk *w, const uint8_t *code)
{
  if (!w->waits)
    w->waits = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  NtffWaits *found = g_hash_table_lookup (w->waits, code);
  if (found)
    return found;
  g_autoptr (GString) waits = g_string_new (NULL), signals = g_string_new (NULL),
                      dma = g_string_new (NULL);
  add_wait (waits, (Word){ code[4], code[5], number_at (code + 8), true });
  add_signal (signals, (Word){ code[6], code[7], 0, false });
  if (code[0] == NTFF_OP_EVENT_SEMAPHORE)
    read_own_words (code, waits, signals);
  if (code[0] == NTFF_OP_DMA_DIRECT2D)
    g_string_append_printf (dma, "S[%u]+=%u", code[13], code[14]);
  found = g_new (NtffWaits, 1);
  *found = (NtffWaits){ intern (w, waits), intern (w, signals), intern (w, dma) };
  g_hash_table_insert (w->waits, (gpointer) code, found);
  return found;
}

nprof_status
ntff_put_waits (NtffWalk *w, const uint8_t *code)
{
  static const int keys[] = { NTFF_KEY_WAITS, NTFF_KEY_SIGNALS, NTFF_KEY_DMA_SIGNALS };
  const Ntff *n = w->n;
  if (!n->want[NTFF_KEY_WAITS] && !n->want[NTFF_KEY_SIGNALS] && !n->want[NTFF_KEY_DMA_SIGNALS])
    return NPROF_OK;
  const NtffWaits *texts = waits_of (w, code);
  const nprof_str text[] = { texts->waits, texts->signals, texts->dma };
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < G_N_ELEMENTS (keys) && !status; i++)
    if (text[i] && n->want[keys[i]])
      status = nprof_attr_str (n->w, n->key[keys[i]], text[i]);
  return status;
}
