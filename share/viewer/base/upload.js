// SPDX-License-Identifier: Apache-2.0
// Sends files to the server.
import { ApiError, query, token } from './api.js'
import { base } from './packed.js'

/**
 * Sends one file; fetch tells no progress of a body, so this is the one use of XMLHttpRequest.
 * @param {File} file @param {import('./api.js').Params} params
 * @param {(part: number) => void} progress
 * @returns {Promise<import('./answers.d.ts').Uploaded>}
 */
export function upload(file, params, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', base + '/api/v1/upload' + query(params))
    request.setRequestHeader('X-Nprof-Token', token())
    request.setRequestHeader('X-Nprof-Name', encodeURIComponent(file.name))
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.upload.onprogress = event => progress(event.total ? event.loaded / event.total : 0)
    request.onerror = () =>
      reject(new ApiError(0, 'The upload of ' + file.name + ' was cut.', null, 'Send it again.'))
    request.onload = () => {
      let body
      try {
        body = JSON.parse(request.responseText)
      } catch {
        body = { error: { text: 'The server answered ' + request.status + '.', mend: '' } }
      }
      if (request.status < 400) resolve(body)
      else reject(new ApiError(request.status, body.error.text, null, body.error.mend))
    }
    request.send(file)
  })
}
