// SPDX-License-Identifier: Apache-2.0
// duckdb-copy.mjs - times DuckDB's COPY TO parquet (zstd, one thread) of the rows of a Parquet file,
// which are in memory then.
// usage: node duckdb-copy.mjs FOLDER IN.parquet OUT.parquet ROUNDS     FOLDER: holds node_modules
// prints {"rows", "cpu": [s], "wall": [s]}
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, from, to, rounds] = process.argv.slice(2)
const require = createRequire(path.join(path.resolve(folder), 'x.js'))
const { DuckDBInstance } = await import(pathToFileURL(require.resolve('@duckdb/node-api')).href)
const duck = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
await duck.run(`create table t as select * from read_parquet('${from}')`)
const rows = Number((await duck.runAndReadAll('select count(*) from t')).getRowsJS()[0][0])
const found = { rows, cpu: [], wall: [] }
for (let round = 0; round <= Number(rounds); round++) {
  const cpu = process.cpuUsage(),
    wall = performance.now()
  await duck.run(`copy t to '${to}' (format parquet, compression zstd)`)
  const used = process.cpuUsage(cpu)
  if (round) {
    // the first warms the caches
    found.cpu.push((used.user + used.system) / 1e6)
    found.wall.push((performance.now() - wall) / 1e3)
  }
}
console.log(JSON.stringify(found))
process.exit(0)
