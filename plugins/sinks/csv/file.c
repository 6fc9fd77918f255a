/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - one table as CSV, in one file or several. */
#include "file.h"

#define WRITE_BYTES (1u << 20)

static char *
without_suffix (const char *name)
{
  gsize len = strlen (name);
  return g_strndup (name, g_str_has_suffix (name, CSV_SUFFIX) ? len - strlen (CSV_SUFFIX) : len);
}

void
csv_file_init (struct csv_file *file, const struct nprof_host *host, const char *stem,
               guint64 split, gboolean excel)
{
  const struct nprof_target *target = host->target (host);
  *file = (struct csv_file){ .host = host, .split = split, .excel = excel, .unnamed = !stem };
  if (stem)
    file->stem = g_strdup (stem);
  else if (target->kind == NPROF_TARGET_FILE)
    file->stem = without_suffix (target->name);
  else
    file->stem = g_strdup ("stdout");
}

void
csv_file_clear (struct csv_file *file)
{
  g_free (file->stem);
  nprof_buf_clear (&file->header);
  nprof_buf_clear (&file->buf);
}

static char *
part_name (const struct csv_file *file)
{
  if (file->part < 2)
    return g_strdup_printf ("%s" CSV_SUFFIX, file->stem);
  return g_strdup_printf ("%s-%u" CSV_SUFFIX, file->stem, file->part);
}

nprof_status
csv_file_start (struct csv_file *file)
{
  file->part++;
  g_autofree char *name = file->unnamed && file->part == 1 ? NULL : part_name (file);
  file->output = file->host->output (file->host, name);
  if (!file->output)
    return NPROF_E_IO;
  if (file->excel)
    nprof_put (&file->buf, "\xef\xbb\xbf", 3); /* UTF-8, for spreadsheets */
  nprof_put (&file->buf, file->header.data, file->header.len);
  file->buf.failed |= file->header.failed;
  file->lines = 1;
  return NPROF_OK;
}

static nprof_status
next_part (struct csv_file *file)
{
  nprof_status status = csv_file_flush (file, TRUE);
  if (status == NPROF_OK)
    status = file->output->close (file->output);
  return status == NPROF_OK ? csv_file_start (file) : status;
}

nprof_status
csv_file_line (struct csv_file *file)
{
  if (file->split && file->lines == file->split) {
    nprof_status status = next_part (file);
    if (status)
      return status;
  }
  file->lines++;
  return NPROF_OK;
}

nprof_status
csv_file_flush (struct csv_file *file, gboolean all)
{
  if (file->buf.failed)
    return nprof_fail (file->host, NPROF_E_NOMEM, "%s: no memory for a line of this length",
                       file->stem);
  if (!file->buf.len || (!all && file->buf.len < WRITE_BYTES))
    return NPROF_OK;
  nprof_status status = file->output->write (file->output, file->buf.data, file->buf.len);
  file->buf.len = 0;
  return status;
}

nprof_status
csv_file_finish (struct csv_file *file)
{
  nprof_status status = csv_file_flush (file, TRUE);
  if (file->excel && file->lines > CSV_EXCEL_LINES)
    nprof_log (file->host, NPROF_WARNING,
               "%s has %" G_GUINT64_FORMAT " lines; Excel shows the first 1,048,576: use "
               "split_rows=1048576, and a file or folder",
               file->stem, file->lines);
  return status == NPROF_OK ? file->output->close (file->output) : status;
}
