// SPDX-License-Identifier: Apache-2.0
// Asks the server (docs/formats/view-api.md) and turns its errors into ApiError.

import { base, isOneFile, packedAnswer } from './packed.js'

/** An answer that is an error, or none at all (status 0). */
export class ApiError extends Error {
  /** @param {number} status @param {string} text @param {number | null} at @param {string} mend */
  constructor(status, text, at, mend) {
    super(text)
    this.status = status
    this.at = at
    this.mend = mend
  }
}

/** What was wrong and what to do about it, as sentences. @param {ApiError} error */
export const sentences = error =>
  [error.message, error.mend]
    .filter(Boolean)
    .map(text => text[0].toUpperCase() + text.slice(1).replace(/\.?$/, '.'))
    .join(' ')

export const token = () =>
  document.querySelector('meta[name="nprof-token"]')?.getAttribute('content') ?? ''

/** Takes the token of the server that answers now: each has its own. */
export async function renewToken() {
  const found = /name="nprof-token" content="([^"]*)"/.exec(await (await fetch(base + '/')).text())
  if (found) document.querySelector('meta[name="nprof-token"]')?.setAttribute('content', found[1])
}

/** @param {Response} answer @returns {Promise<ApiError>} */
async function errorOf(answer) {
  try {
    const { error } = await answer.json()
    return new ApiError(answer.status, error.text, error.at ?? null, error.mend ?? '')
  } catch {
    return new ApiError(
      answer.status,
      'The server answered ' + answer.status + ' ' + answer.statusText + '.',
      null,
      '',
    )
  }
}

/** What a page that is one file has with it; what it has not, and all that is written, is refused. @param {string} path @param {RequestInit} [init] @returns {Promise<Response>} */
async function askFile(path, init) {
  const found = init?.method ? null : await packedAnswer(path)
  if (found) return new Response(found)
  throw new ApiError(
    404,
    'This page is a saved file: it has no server to ask, and this was not saved in it.',
    null,
    'To see it, run nprof view with the profile.',
  )
}

/** @param {string} path @param {RequestInit} [init] @returns {Promise<Response>} */
async function ask(path, init) {
  if (isOneFile) return askFile(path, init)
  let answer
  try {
    answer = await fetch(base + '/api/v1/' + path, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(
      0,
      'The server does not answer.',
      null,
      'Is it running, and is its port forwarded?',
    )
  }
  if (!answer.ok) throw await errorOf(answer)
  return answer
}

/** @typedef {Record<string, string | number | bigint | boolean | null | undefined | string[]>} Params */

/** Writes a query; what is null or undefined is left out, a list repeats its name. @param {Params} params */
export function query(params) {
  const out = new URLSearchParams()
  for (const [key, value] of Object.entries(params)) {
    if (value === null || value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) out.append(key, String(one))
  }
  const text = out.toString()
  return text ? '?' + text : ''
}

/** Long work. @typedef {{progress: number | null, stage: string}} Job */
/** @typedef {{signal?: AbortSignal, progress?: (job: Job) => void}} How */

/** Too much is being computed: it is asked again as long as somebody waits for it. */
const BUSY = 429

const pause = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms))

/**
 * Asks for JSON. Long work answers 202, and 429 before it begins: it is asked for again until it is done, and told to progress.
 * @template {string} Path @param {Path} path @param {Params} [params]
 * @param {How} [how]
 * @returns {Promise<import('./answers.d.ts').Answer<Path>>}
 */
export async function get(path, params = {}, how = {}) {
  for (let wait = 100; ; wait = Math.min(wait * 1.5, 1000)) {
    const answer = await ask(path + query(params), { signal: how.signal }).catch(error => {
      if (error instanceof ApiError && error.status === BUSY) return null
      throw error
    })
    const body = answer
      ? await answer.json()
      : { progress: null, stage: 'waiting for what is being computed' }
    if (answer && answer.status !== 202) return body
    how.progress?.(body)
    await pause(wait)
  }
}

/** @param {string} path @param {Params} params @param {AbortSignal} [signal] */
export async function getBytes(path, params, signal) {
  return (await ask(path + query(params), { signal })).arrayBuffer()
}

/** @param {string} path @param {Params} params */
export async function getText(path, params) {
  return (await ask(path + query(params))).text()
}

/**
 * Writes: with the token of the page.
 * @template {'POST' | 'PUT' | 'DELETE'} Method @template {string} Path @param {Method} method
 * @param {Path} path @param {unknown} [body]
 * @returns {Promise<import('./answers.d.ts').Written<Method, Path>>}
 */
export async function write(method, path, body) {
  const headers = { 'Content-Type': 'application/json', 'X-Nprof-Token': token() }
  const answer = await ask(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return answer.json()
}
