// SPDX-License-Identifier: Apache-2.0
// A picture as PNG with at most 256 colours: those that most pixels have, and all others as the nearest of them.
import { deflateSync } from 'node:zlib'

/** Bits of a channel that tell colours apart. */
const BITS = 5

/** @param {{width: number, height: number, data: number[]}} picture four bytes a pixel @returns {Buffer} */
export function indexed({ width, height, data }) {
  const keys = Array.from({ length: width * height }, (_, i) =>
    [0, 1, 2].reduce((key, c) => (key << BITS) | (data[4 * i + c] >> (8 - BITS)), 0),
  )
  /** Of each kind of colour, how many pixels have it, and their sum. */
  const kinds = new Map()
  keys.forEach((key, i) => {
    const kind = kinds.get(key) ?? { key, count: 0, sum: [0, 0, 0] }
    kind.count++
    for (const c of [0, 1, 2]) kind.sum[c] += data[4 * i + c]
    kinds.set(key, kind)
  })
  const all = [...kinds.values()].sort((a, b) => b.count - a.count || a.key - b.key)
  for (const kind of all) kind.colour = kind.sum.map(one => Math.round(one / kind.count))
  const palette = all.slice(0, 256).map(one => one.colour),
    far = (a, b) => a.reduce((sum, one, c) => sum + (one - b[c]) ** 2, 0)
  all.forEach((kind, i) => {
    kind.at =
      i < palette.length
        ? i
        : palette.reduce(
            (best, one, k) => (far(one, kind.colour) < far(palette[best], kind.colour) ? k : best),
            0,
          )
  })
  const rows = Buffer.alloc((width + 1) * height)
  keys.forEach((key, i) => {
    rows[Math.floor(i / width) * (width + 1) + 1 + (i % width)] = kinds.get(key).at
  })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8) // 8 bits a pixel, of a palette
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The checksum of PNG. @param {Uint8Array} bytes */
const crc32 = bytes =>
  ~bytes.reduce((sum, byte) => {
    sum ^= byte
    for (let i = 0; i < 8; i++) sum = (sum >>> 1) ^ (sum & 1 && 0xedb88320)
    return sum
  }, -1) >>> 0

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const out = Buffer.alloc(data.length + 12)
  out.writeUInt32BE(data.length, 0)
  out.write(type, 4, 'latin1')
  out.set(data, 8)
  out.writeUInt32BE(crc32(out.subarray(4, -4)), out.length - 4)
  return out
}
