// SPDX-License-Identifier: Apache-2.0
// What would tell what a profile does not: how to record it, by the format of its inputs.
import { html } from '../lib/lit.js'
import { unknown } from './frame.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {'roofline' | 'memory' | 'ranks'} Subject */
/** An option of the recorder, which the properties of an input name when it was on, and what it would tell. @typedef {{option?: string, text: string}} Tell */

/** By decoder; "": of all others. @type {Record<Subject, Record<string, Tell>>} */
const TELLS = {
  roofline: {
    chrome: {
      option: 'record_shapes',
      text: 'with PyTorch, record_shapes=True: flops and bytes of products follow from the shapes of their arguments',
    },
    xplane: {
      text: 'an XSpace that holds the HLO programs of the device: XLA states flops and bytes of their operators',
    },
    ntff: {
      text: 'the JSON that neuron-profile view --output-format json writes of it: that has flops and bytes of instructions',
    },
    nsys: { text: 'a trace of torch.profiler of the same steps, with record_shapes=True' },
    '': { text: 'rows with attributes flops and bytes_accessed, as nprof-model(7) has them' },
  },
  memory: {
    chrome: {
      option: 'profile_memory',
      text: 'with PyTorch, profile_memory=True, or a snapshot of torch.cuda.memory._dump_snapshot',
    },
    xplane: {
      text: 'host_tracer_level=2: the allocators of XLA and TensorFlow then write what they have in use',
    },
    ntff: {
      text: 'the system profile of the Neuron runtime, which NEURON_RT_INSPECT_SYSTEM_PROFILE has it write: it counts what is allocated',
    },
    nsys: { text: 'nsys profile --cuda-memory-usage=true' },
    '': { text: 'rows of an allocator, as nprof-analyzer-memory(7) lists them' },
  },
  ranks: {
    '': {
      text: 'the profiles of all ranks together: nprof view FOLDER, or nprof view RANK0 RANK1 ...',
    },
  },
}

/** What would tell a subject, for each format of the inputs once; what was recorded and did not tell is left out. Where formats have
 * no advice of their own, as a NEFF beside its NTFF, that of all others stands if none has. @param {Session} session @param {Subject} subject @returns {string[]} */
export function tellsOf(session, subject) {
  const by = TELLS[subject],
    { inputs } = session.profile
  const own = inputs.filter((/** @type {any} */ input) => by[input.decoder])
  const tells = own.map((/** @type {any} */ input) => ({
    ...by[input.decoder],
    properties: input.properties ?? {},
  }))
  const missing = tells.filter(
    (/** @type {any} */ one) => !/^(1|true)$/.test(one.properties[one.option ?? ''] ?? ''),
  )
  return own.length
    ? [...new Set(missing.map((/** @type {any} */ one) => one.text))]
    : [by[''].text]
}

/** The sentence in place of what is not known, and how to record what would tell. @param {Session} session @param {Subject} subject @param {string} reason */
export function untold(session, subject, reason) {
  const tells = tellsOf(session, subject)
  return html`${unknown(reason)}${tells.length ? html`<p class="tells"><b>what would tell:</b> ${tells.join('; ')}</p>` : ''}`
}
