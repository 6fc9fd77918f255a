// SPDX-License-Identifier: Apache-2.0
// The answers that a page which is one file has with it (plugins/commands/view/one-file.c): then
// there is no server to ask.

/** Parts of the page are read without one, too, by their tests. */
const element = globalThis.document?.querySelector?.('#answers') ?? null,
  {
    profile = '',
    rows = '0',
    kept = '0',
  } = element ? /** @type {HTMLElement} */ (element).dataset : {}

export const isOneFile = element !== null

/** The profile of the file. */
export const packedProfile = profile

/** How many rows the profile has, and of how many it has with it what can be told. */
export const packedRows = { all: Number(rows), kept: Number(kept) }

/** What stands before all paths of the server, where another one passes them on: the page lies in /page-VERSION/lib/ below it. */
export const base =
  element || !globalThis.location ? '' : new URL('../..', import.meta.url).pathname.slice(0, -1)

/** Where the page of a profile is. @param {string} id */
export const pageOfProfile = id => (isOneFile ? location.pathname : base + '/profile/' + id)

/** Pictures are kept of all lanes, in pieces that begin with a lane. */
const FROM = '\nfrom='

/** @typedef {{bytes: Uint8Array<ArrayBuffer>, pieces: {from: number, bytes: Uint8Array<ArrayBuffer>}[]}} Answer */

/** @type {Promise<Map<string, Answer>> | null} */
let reading = null

/** What was packed, by the question. @returns {Promise<Map<string, Answer>>} */
async function read() {
  const packed = Uint8Array.from(atob(element?.textContent ?? ''), letter => letter.charCodeAt(0)),
    stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')),
    all = await new Response(stream).arrayBuffer(),
    head = new DataView(all)
  /** @type {Map<string, Answer>} */
  const answers = new Map()
  let at = 0
  const part = () => {
    const bytes = new Uint8Array(all, at + 4, head.getUint32(at, true))
    at += 4 + bytes.length
    return bytes
  }
  while (at < all.byteLength) {
    const key = new TextDecoder().decode(part()),
      bytes = part(),
      cut = key.indexOf(FROM),
      name = cut < 0 ? key : key.slice(0, cut),
      answer = answers.get(name) ?? { bytes, pieces: [] }
    if (cut >= 0) answer.pieces.push({ from: Number(key.slice(cut + FROM.length)), bytes })
    answers.set(name, answer)
  }
  return answers
}

/** As key_of of one-file.c writes it. @param {string} path @param {[string, string][]} params */
const keyOf = (path, params) =>
  [
    path.split('/').map(decodeURIComponent).join('/'),
    ...params.map(([name, value]) => name + '=' + value).sort(),
  ].join('\n')

/** The answer to a question below /api/v1/; null: the file has none. @param {string} question @returns {Promise<Uint8Array<ArrayBuffer> | null>} */
export async function packedAnswer(question) {
  const answers = await (reading ??= read()),
    [path, text = ''] = question.split('?'),
    params = [...new URLSearchParams(text)],
    whole = answers.get(keyOf(path, params))
  if (whole && !whole.pieces.length) return whole.bytes
  const { pieces = [] } =
      answers.get(
        keyOf(
          path,
          params.filter(([name]) => name !== 'lanes'),
        ),
      ) ?? {},
    lane = Number.parseInt(params.find(([name]) => name === 'lanes')?.[1] ?? '0')
  return pieces.findLast(one => one.from <= lane)?.bytes ?? null
}
