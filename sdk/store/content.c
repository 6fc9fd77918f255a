/* SPDX-License-Identifier: Apache-2.0 */
/* content.c - the checksum of a whole file, by which a store knows its sources again. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <nprof/store-reader.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE ((size_t) 1 << 20)

/* Adds the rest of the file to the checksum; 0 or an errno. */
static int
add_rest (struct nprof_store_hasher *hasher, int fd)
{
  void *buffer = malloc (PIECE);
  int error = buffer ? 0 : ENOMEM;
  for (ssize_t n = 1; !error && n;) {
    n = read (fd, buffer, PIECE);
    if (n > 0)
      nprof_store_hash_add (hasher, buffer, (size_t) n);
    else if (n < 0 && errno != EINTR)
      error = errno;
  }
  free (buffer);
  return error;
}

int
nprof_store_content (const char *path, struct stat *st, uint64_t *content)
{
  struct nprof_store_hasher hasher;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY), error = 0;
  *content = 0;
  if (fd < 0)
    return errno;
  nprof_store_hash_begin (&hasher);
  error = fstat (fd, st) ? errno : add_rest (&hasher, fd);
  close (fd);
  if (!error)
    *content = nprof_store_hash_end (&hasher);
  return error;
}
