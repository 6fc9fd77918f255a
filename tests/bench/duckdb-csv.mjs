// SPDX-License-Identifier: Apache-2.0
// duckdb-csv.mjs - the peer of the sink csv: node duckdb-csv.mjs NODE_MODULES IN.csv OUT.csv RUNS
// reads a table into DuckDB's memory, then times COPY TO of the same rows on one thread.  Prints a
// line of JSON a run: {rows, cpu, wall}; reading does not count.
import { createRequire } from 'node:module'

const [modules, input, output, runs] = process.argv.slice(2)
const { DuckDBInstance } = createRequire(`${modules}/x.js`)('@duckdb/node-api')
const instance = await DuckDBInstance.create(':memory:', {
  threads: '1',
  autoinstall_known_extensions: 'false',
})
const db = await instance.connect()
await db.run(
  `create table t as select * from read_csv('${input}', header = true, sample_size = 200000)`,
)
const rows = Number((await (await db.run('select count(*) from t')).getRows())[0][0])
for (let run = 0; run < Number(runs); run++) {
  const used = process.cpuUsage(),
    begin = process.hrtime.bigint()
  await db.run(`copy t to '${output}' (format csv, header true)`)
  const wall = Number(process.hrtime.bigint() - begin) / 1e9,
    more = process.cpuUsage(used)
  console.log(JSON.stringify({ rows, cpu: (more.user + more.system) / 1e6, wall }))
}
process.exit()
