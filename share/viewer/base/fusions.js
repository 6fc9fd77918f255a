// SPDX-License-Identifier: Apache-2.0
// How a fusion came about, as column how of table fusions has it.

/** @type {Record<string, {text: string, meaning: string}>} */
const HOW = {
  compiler: {
    text: 'Fused by the compiler',
    meaning: 'The compiler made one operator of these',
  },
  parallel: {
    text: 'Fused, in parallel',
    meaning: 'One of these ran in another section of the device at the same time',
  },
}

/** @param {unknown} how */
export const howFused = how =>
  HOW[String(how)] ?? {
    text: 'Fused',
    meaning:
      'Whether the compiler made one operator of these, or they ran on the device at the same time, is unknown: the file has too little of it',
  }
