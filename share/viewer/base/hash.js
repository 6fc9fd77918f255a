// SPDX-License-Identifier: Apache-2.0
// A number for a text: colours are chosen by it, and addresses have it in place of long names.

/** FNV-1a over the letters; 32 bits. @param {string} text */
export function hashOf(text) {
  let hash = 2166136261
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return (hash ^ (hash >>> 15)) >>> 0
}
