// SPDX-License-Identifier: Apache-2.0
// parquet-write.mjs - writes Parquet files with DuckDB and parquet-wasm.
// usage: node parquet-write.mjs FOLDER < LINES      FOLDER: holds node_modules (NPROF_PARQUET_READERS)
// A line is JSON: {folder, jobs}, which are done in that folder: statements for a DuckDB of their own, or
// {wasm: FILE, version, encoding, rows}.  For each one line of JSON is printed: the columns of its answer, or those that
// were written, as texts.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import readline from 'node:readline'
import { pathToFileURL } from 'node:url'

const require = createRequire(path.join(path.resolve(process.argv[2]), 'x.js'))
const load = name => import(pathToFileURL(require.resolve(name)).href)
const { DuckDBInstance } = await load('@duckdb/node-api')
let duck
async function fresh() {
  duck = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await duck.run("set TimeZone='UTC'; set autoinstall_known_extensions=false")
}

async function ask(sql) {
  const reader = await duck.runAndReadAll(sql)
  const columns = reader.getColumnsJson()
  return Object.fromEntries(reader.columnNames().map((name, k) => [name, columns[k] ?? []]))
}

async function writeWasm({ wasm: file, version, encoding, rows }) {
  const arrow = await load('apache-arrow')
  const wasm = require('parquet-wasm')
  const all = Array.from({ length: rows }, (_, i) => i)
  const big = BigInt64Array.from(all, i => BigInt(i) * 1000003n - 5n)
  const int = Int32Array.from(all, i => ((i * 7) % 1000) - 300)
  const text = all.map(i => (i % 4 ? `shared prefix ${i}` : null))
  const word = all.map(i => `w${i % 5}`)
  const table = new arrow.Table({
    big: arrow.vectorFromArray(big, new arrow.Int64()),
    int: arrow.vectorFromArray(int, new arrow.Int32()),
    text: arrow.vectorFromArray(text, new arrow.Utf8()),
    word: arrow.vectorFromArray(word, new arrow.Utf8()),
  })
  let builder = new wasm.WriterPropertiesBuilder()
    .setWriterVersion(version === 2 ? wasm.WriterVersion.V2 : wasm.WriterVersion.V1)
    .setCompression(wasm.Compression.SNAPPY)
  if (encoding === 'PLAIN')
    builder = builder.setDictionaryEnabled(false).setEncoding(wasm.Encoding.PLAIN)
  if (encoding === 'DELTA')
    builder = ['big', 'int'].reduce(
      (b, c) => b.setColumnEncoding(c, wasm.Encoding.DELTA_BINARY_PACKED),
      ['text', 'word'].reduce(
        (b, c) => b.setColumnEncoding(c, wasm.Encoding.DELTA_BYTE_ARRAY),
        builder.setDictionaryEnabled(false),
      ),
    )
  fs.writeFileSync(
    file,
    wasm.writeParquet(wasm.Table.fromIPCStream(arrow.tableToIPC(table, 'stream')), builder.build()),
  )
  return { big: Array.from(big, String), int: Array.from(int, String), text, word }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { folder, jobs } = JSON.parse(line)
  process.chdir(folder)
  await fresh()
  for (const job of jobs)
    console.log(JSON.stringify(typeof job === 'string' ? await ask(job) : await writeWasm(job)))
}
process.exit(0)
