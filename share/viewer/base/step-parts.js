// SPDX-License-Identifier: Apache-2.0
// What the parts of a step and the causes of gaps are called, here and in the report, and the classes of their colours.

/** @typedef {{name: string, look: string}} Kind */

/**
 * Parts of table verdict_parts; those that look idle are idle time by its cause.
 * @type {Record<string, Kind>}
 */
const KINDS = {
  compute: { name: 'Compute', look: 'compute' },
  comm: { name: 'Communication alone', look: 'communication' },
  copy: { name: 'Copies alone', look: 'copy' },
  control: { name: 'Control', look: 'control' },
  lost: { name: 'Rows that may be missing', look: 'control' },
  host: { name: 'Idle: late launches', look: 'idle' },
  launch: { name: 'Idle: launch latency', look: 'idle other' },
  sync: { name: 'Idle: calls that block', look: 'idle other' },
  wait: { name: 'Idle: gaps in queued work', look: 'idle other' },
  input: { name: 'Idle: waiting for input', look: 'idle' },
  preprocess: { name: 'Idle: preprocessing', look: 'idle' },
  alloc: { name: 'Idle: allocations', look: 'idle' },
  stall: { name: 'Idle: stalled CPU', look: 'idle' },
  capture: { name: 'Idle: capturing graphs', look: 'idle' },
  first_use: { name: 'Idle: loading code', look: 'idle' },
  bubble: { name: 'Idle: pipeline bubble', look: 'idle' },
  unrecorded: { name: 'Idle: work that was not recorded', look: 'idle other' },
  unlinked: { name: 'Idle: launch not recorded', look: 'idle other' },
  profiler: { name: 'Idle: the profiler', look: 'idle other' },
  opaque: { name: 'Graphs recorded as one', look: 'control' },
}
/** Causes that table gaps alone has, and those that hold several parts: code is loaded before a
 * launch and within one. @type {Record<string, string>} */
const CAUSES = {
  host: 'not launched yet',
  launch: 'from launch to start',
  dma: 'waiting for a transfer',
  collective: 'waiting for a collective',
}

/** What a device waits for in a gap of table gaps. @param {string} cause */
export const causeName = cause => CAUSES[cause] ?? idleName(cause)

/** A part of idle time of table verdict_parts. @param {string} part */
export const idleName = part => kindOf(part).name.replace(/^Idle: /, '')

/** @param {string} part @returns {Kind} */
export const kindOf = part => KINDS[part] ?? { name: part, look: 'control' }
