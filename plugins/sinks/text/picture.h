/* SPDX-License-Identifier: Apache-2.0 */
/* picture.h - what the pictures of a page share: their texts, their numbers, and the table of what
 * each draws, for who cannot see it. */
#pragma once

#include "reasons.h"
#include "store.h"

typedef struct PictureFlame PictureFlame;

/* Appends safe text that is escaped, for elements and attributes. */
void picture_text (GString *out, const char *text);
/* Returns "1.5 ms"; transfer full. */
char *picture_number (const char *unit, double value);
/* Returns the look of the n-th of several things that are of no kind: a class of report.css, as
 * every look is. */
const char *picture_look (guint n);

/* Appends an element of that name with the text, which is freed. */
void picture_say (GString *out, const char *element, char *text);
/* Begins a picture that is `height` high where its width is 1000; `label` says what it shows. */
void picture_begin (GString *out, double height, const char *label);
void picture_end (GString *out);

/* Writes a bar, 1000 wide and 16 high: its beginning, with what it says; each part, and what it is;
 * its end. */
void picture_bar_begin (GString *out, const char *label);
void picture_bar_part (GString *out, double at, double width, const char *look, const char *name,
                       const char *value);
void picture_bar_end (GString *out);
/* Appends a small square of that look, for a legend. */
void picture_swatch (GString *out, const char *look);

/* Writes the table of numbers below a picture: heads, "a+b"; each row; its end. A look may be
 * NULL. */
void picture_numbers_begin (GString *out, const char *heads);
void picture_numbers_row (GString *out, const char *look, const char *const *cells,
                          guint n_cells);
void picture_numbers_end (GString *out);

/* Returns the number in a row, NAN: unknown. */
double picture_value (const Table *table, const Row *row, const char *column);
/* Returns the text in a row, "": there is none; transfer full. */
char *picture_cell (const Table *table, const Row *row, const char *column);
/* Returns the name with its input before it, where there are several; transfer full. */
char *picture_name (const Table *table, const Row *row, const char *name);

/* These draw, or say in a line why they cannot; tables may be NULL: they were not made. */
void picture_steps (GString *out, const Table *verdict, const Table *parts);
void picture_roofline (GString *out, const Reasons *reasons, const Table *mfu);
void picture_memory (GString *out, const Reasons *reasons, const Table *memory,
                     const Table *holders, const Table *programs);

PictureFlame *picture_flame_new (void);
void picture_flame_free (PictureFlame *flame);
/* Adds rows of table stacks, whose columns `stacks` has. */
void picture_flame_add (PictureFlame *flame, const Table *stacks, const struct nprof_cell *cells,
                        guint n_rows);
void picture_flame (GString *out, const PictureFlame *flame);
