/* SPDX-License-Identifier: Apache-2.0 */
/* memo.h - answers about what never changes, kept for who asks the same again.  [any-thread] */
#pragma once

#include <glib.h>

typedef struct NpMemo NpMemo;

/* most: bytes; beyond it those go that nobody asked for longest. */
NpMemo *np_memo_new (gsize most);
void np_memo_free (NpMemo *memo);
/* Transfer full; NULL: it is not kept. */
GBytes *np_memo_get (NpMemo *memo, const char *key);
/* One that is larger than a quarter of all is not kept. */
void np_memo_put (NpMemo *memo, const char *key, const void *data, gsize len);
