/* SPDX-License-Identifier: Apache-2.0 */
/* command-buffers.c - finds which instruction a kernel of XLA's command buffers is. These are
 * graphs of a device: each of their kernels says the command buffer as its HLO operator, and is
 * named as its instruction, whose computation is the command buffer. sources: XLA's names of
 * kernels, llvm_ir::SanitizeFunctionName; openxla/xprof issues 2544 and 3070 */
#include "operators.h"

#include <string.h>

#define COMPUTATION "command_buffer"

typedef struct {
  nprof_str name, framework, opcode;
  bool several; /* names that are the same kernel's */
} Node;

void
command_buffers_init (Operators *self)
{
  an_key_table_init (&self->instructions.kernels, INSTRUCTION_WORDS);
  self->instructions.nodes = np_large_array_new (sizeof (Node));
}

void
command_buffers_clear (Operators *self)
{
  an_key_table_clear (&self->instructions.kernels);
  g_clear_pointer (&self->instructions.nodes, np_large_array_free);
}

/* Returns what the kernel of an instruction is called: add_fusion_3 of add_fusion.3. */
static nprof_str
kernel_of (const Operators *self, nprof_str instruction)
{
  g_autofree char *name = g_strdup (nprof_text (self->host, instruction));
  for (char *p = name; *p; p++)
    if (!g_ascii_isalnum (*p))
      *p = '_';
  return nprof_intern (self->host, name);
}

void
command_buffers_take (Operators *self, const guint32 *instruction, nprof_str computation,
                      nprof_str framework, nprof_str opcode)
{
  Instructions *in = &self->instructions;
  guint32 words[INSTRUCTION_WORDS];
  if (!g_str_has_prefix (nprof_text (self->host, computation), COMPUTATION))
    return;
  memcpy (words, instruction, sizeof words);
  words[INSTRUCTION_NAME] = kernel_of (self, instruction[INSTRUCTION_NAME]);
  const guint number = an_key_table_get (&in->kernels, words);
  const bool is_new = number == in->nodes->len;
  if (is_new)
    np_large_array_extend (in->nodes, number + 1);
  Node *node = &g_array_index (in->nodes, Node, number);
  if (is_new)
    *node = (Node){ instruction[INSTRUCTION_NAME], framework, opcode, false };
  else
    node->several |= node->name != instruction[INSTRUCTION_NAME];
}

void
command_buffers_resolve (const Operators *self, guint32 *tuple)
{
  const Instructions *in = &self->instructions;
  const struct nprof_host *h = self->host;
  if (!in->nodes->len || !tuple[OP_HLO]
      || !g_str_has_prefix (nprof_text (h, tuple[OP_HLO]), COMPUTATION))
    return;
  const uint32_t input = h->track_info (h, tuple[OP_DEVICE])->input;
  const guint32 words[INSTRUCTION_WORDS] = { [INSTRUCTION_INPUT] = h->input (h, input)->label,
                                             [INSTRUCTION_LOW] = tuple[OP_PROGRAM_LOW],
                                             [INSTRUCTION_HIGH] = tuple[OP_PROGRAM_HIGH],
                                             [INSTRUCTION_NAME] = tuple[OP_NAME] };
  guint number;
  if (!an_key_table_find (&in->kernels, words, &number))
    return;
  const Node *node = &g_array_index (in->nodes, Node, number);
  if (node->several)
    return;
  tuple[OP_HLO] = node->name;
  tuple[OP_OPCODE] = node->opcode;
  if (node->framework)
    tuple[OP_FRAMEWORK] = node->framework;
}
