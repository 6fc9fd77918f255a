/* SPDX-License-Identifier: Apache-2.0 */
/* pickle.h - reads Python's pickle, protocols 2 to 5, as far as it is data: dicts, lists, tuples,
 * texts and numbers; and JSON as the same values. An opcode that names or calls something is
 * refused, so nothing of a file is ever run. source: Lib/pickletools.py of CPython */
#ifndef COMMON_PICKLE_H
#define COMMON_PICKLE_H

#include <glib.h>

typedef enum {
  PK_NONE,
  PK_BOOL,
  PK_INT,
  PK_FLOAT,
  PK_DECIMAL, /* a number of JSON that is no integer of 64 bits: its text */
  PK_TEXT,
  PK_LIST,
  PK_DICT
} PkType;

typedef struct PkItems PkItems;

typedef struct {
  guint8 type;   /* of PkType; a tuple is a list                      */
  guint32 len;   /* of text or decimal                                */
  union {
    gint64 i;
    double f;
    const char *text; /* in the input, or kept until pk_free          */
    PkItems *items;   /* of a list, or key, value, ... of a dict      */
  };
} PkValue;

struct PkItems {
  guint32 n, max;
  PkValue *value;
  gboolean walked; /* for the reader: a list that is used twice      */
  guint32 number;  /* for the reader: what it has made of it         */
};

typedef struct Pickle Pickle;

/* Returns NULL with the text and the byte of what is wrong. problem: transfer full. */
Pickle *pk_read (const void *data, guint64 len, PkValue *root, char **problem, guint64 *at);
/* Does the same for JSON; lists and dicts lie at most
 * PK_DEPTH within each other. */
Pickle *pk_read_json (const void *data, guint64 len, PkValue *root, char **problem, guint64 *at);
void pk_free (Pickle *pickle);
#define PK_DEPTH 64

/* Returns the value of a key of a dict; NULL: no dict, no such key, or a dict of more than 128
 * keys. */
const PkValue *pk_get (const PkValue *dict, const char *key);
/* Returns the items of a list, also of the list at a key of a dict; NULL: there is none. */
PkItems *pk_list (const PkValue *dict, const char *key);
/* Returns the integer at a key; `other` when there is none. */
gint64 pk_int (const PkValue *dict, const char *key, gint64 other);
/* Returns whether it is this text. */
gboolean pk_is (const PkValue *value, const char *text);

#endif
