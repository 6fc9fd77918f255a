/* SPDX-License-Identifier: Apache-2.0 */
/* operands.c - finds in the operands of an instruction, a text of the vendor's, which semaphores it
 * waits for and which it raises: "S[5] (Tensor)>=4 S[4] (Scalar)++@complete src=fp32@0x2000000",
 * "setter=0 $S[2]==3 $S[2]++@complete", "semaphore=24 sem_increment=16". */
#include "tools.h"

#include "profile/semaphore-keys.h"

#define COMPLETE "@complete"

typedef struct {
  GString *waits, *signals, *dma;
} Words;

static const char *
skip_digits (const char *p)
{
  while (g_ascii_isdigit (*p))
    p++;
  return p;
}

/* Adds the operand at p, behind "S[" or "E[". */
static const char *
add_word (const Words *words, char kind, const char *p)
{
  const char *id = p, *id_end = skip_digits (p);
  if (id_end == id || *id_end != ']')
    return p;
  p = id_end + 1;
  if (g_str_has_prefix (p, " (")) /* the name of the semaphore */
    p += strcspn (p, ")") + (strchr (p, ')') ? 1 : 0);
  const char *end = p + strcspn (p, " ");
  bool signal
      = end - p >= (long) strlen (COMPLETE) && g_str_has_prefix (end - strlen (COMPLETE), COMPLETE);
  GString *to = signal ? words->signals : words->waits;
  const char *what_end = signal ? end - strlen (COMPLETE) : end;
  if (to->len)
    g_string_append_c (to, ' ');
  g_string_append_printf (to, "%c[%.*s]", kind, (int) (id_end - id), id);
  if (kind == 'E') /* its "==1-" takes the event away when it came, and its "+" sets it */
    g_string_append (to, signal ? "=1" : "==1");
  else
    g_string_append_len (to, p, what_end - p);
  return end;
}

static void
add_transfer (const Words *words, const char *text)
{
  const char *id = strstr (text, " semaphore="), *by = strstr (text, " sem_increment=");
  if (!id || !by)
    return;
  id += strlen (" semaphore=");
  by += strlen (" sem_increment=");
  g_string_append_printf (words->dma, "S[%.*s]+=%.*s", (int) (skip_digits (id) - id), id,
                          (int) (skip_digits (by) - by), by);
}

static void
read_words (const Words *words, const char *text)
{
  bool begins = true; /* an operand begins here */
  for (const char *p = text; *p;) {
    if (begins && (*p == 'S' || *p == 'E') && p[1] == '[') {
      p = add_word (words, *p, p + 2);
      continue;
    }
    begins = *p == ' ' || *p == '$';
    p++;
  }
  add_transfer (words, text);
}

nprof_status
nt_operands (Nt *t, const NtRecord *r)
{
  static const char *const keys[]
      = { SEMAPHORE_KEY_WAITS, SEMAPHORE_KEY_SIGNALS, SEMAPHORE_KEY_DMA };
  const TeValue *v = nt_see (r, NT_K_OPERANDS);
  if (!t->want_waits || !v || v->kind != TE_TEXT)
    return NPROF_OK;
  g_autofree char *text = nt_dup (v);
  g_autoptr (GString) waits = g_string_new (NULL), signals = g_string_new (NULL),
                      dma = g_string_new (NULL);
  const Words words = { waits, signals, dma };
  read_words (&words, text);
  const GString *const made[] = { waits, signals, dma };
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < G_N_ELEMENTS (keys) && !status; i++)
    if (made[i]->len && t->host->wanted (t->host, keys[i]))
      status = nprof_attr_str (t->w, nt_literal (t, keys[i]),
                               t->host->intern (t->host, made[i]->str, made[i]->len));
  return status;
}
