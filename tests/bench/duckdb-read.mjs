// SPDX-License-Identifier: Apache-2.0
// duckdb-read.mjs - times DuckDB (one thread) reading columns of a Parquet file: each is summed, texts by
// their length, so that each value is decoded and nothing is kept.
// usage: node duckdb-read.mjs FOLDER IN.parquet ROUNDS     FOLDER: holds node_modules
// prints {"rows", "cpu": [s], "wall": [s]}
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, from, rounds] = process.argv.slice(2)
const require = createRequire(path.join(path.resolve(folder), 'x.js'))
const { DuckDBInstance } = await import(pathToFileURL(require.resolve('@duckdb/node-api')).href)
const duck = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
const numbers = ['start_ps', 'duration_ps', 'track', 'id', 'parent', 'flow', 'value']
const texts = ['kind', 'category', 'name']
const terms = [...numbers.map(c => `sum(${c}::double)`), ...texts.map(c => `sum(strlen(${c}))`)]
const sql = `select count(*), ${terms.join(', ')} from read_parquet('${from}')`
const found = { rows: 0, cpu: [], wall: [] }
for (let round = 0; round <= Number(rounds); round++) {
  const cpu = process.cpuUsage(),
    wall = performance.now()
  found.rows = Number((await duck.runAndReadAll(sql)).getRowsJS()[0][0])
  const used = process.cpuUsage(cpu)
  if (round) {
    // the first warms the caches
    found.cpu.push((used.user + used.system) / 1e6)
    found.wall.push((performance.now() - wall) / 1e3)
  }
}
console.log(JSON.stringify(found))
process.exit(0)
