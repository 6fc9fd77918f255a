// SPDX-License-Identifier: Apache-2.0
// What the parts of a step are called, and the classes of their colours.

/** @typedef {{name: string, look: string}} Kind */

/** Parts of table verdict_parts; all but the first three are idle time, told by its cause. @type {Record<string, Kind>} */
const KINDS = {
  compute: { name: 'Compute', look: 'compute' },
  comm: { name: 'Communication alone', look: 'communication' },
  copy: { name: 'Copies alone', look: 'copy' },
  host: { name: 'Idle: the CPU is late', look: 'idle' },
  launch: { name: 'Idle: launch under way', look: 'idle other' },
  sync: { name: 'Idle: calls that block', look: 'idle other' },
  wait: { name: 'Idle: waits for other work', look: 'idle other' },
  input: { name: 'Idle: input', look: 'idle' },
  preprocess: { name: 'Idle: preprocessing', look: 'idle' },
  alloc: { name: 'Idle: allocations', look: 'idle' },
  stall: { name: 'Idle: the CPU does not run', look: 'idle' },
  first_use: { name: 'Idle: code is loaded', look: 'idle' },
  bubble: { name: 'Idle: pipeline bubble', look: 'idle' },
  unrecorded: { name: 'Idle: work not recorded', look: 'idle other' },
  unlinked: { name: 'Idle: launches not recorded', look: 'idle other' },
  profiler: { name: 'Idle: the profiler', look: 'idle other' },
  opaque: { name: 'Graphs recorded as one', look: 'control' },
}
/** @param {string} part @returns {Kind} */
export const kindOf = part => KINDS[part] ?? { name: part, look: 'control' }
