/* SPDX-License-Identifier: Apache-2.0 */
/* rank-groups.h - reads which ranks stand together, of texts that list all groups of a collective:
 * "[[0,1],[2,3]]", "{{0,1},{2,3}}", "[4,2]<=[2,4]T(1,0)".  How large groups are is told by
 * collective-kind.h. */
#ifndef AN_RANK_GROUPS_H
#define AN_RANK_GROUPS_H

#include <glib.h>

typedef struct {
  GArray *ranks; /* of gint64, group by group                  */
  GArray *ends;  /* of guint: in `ranks`, behind each group    */
} AnRankGroups;

/* Returns no groups where the text is cut or says something else.  Takes time in proportion to the
 * ranks: ask once for each text. */
AnRankGroups an_rank_groups_of (const char *text);
void an_rank_groups_clear (AnRankGroups *groups);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AnRankGroups, an_rank_groups_clear)

/* Returns the group that the rank is in, as "[0, 4]", and sets its size; NULL: it is in none.
 * Transfer full. */
char *an_rank_groups_with (const AnRankGroups *groups, gint64 rank, gint64 *size);

#endif
