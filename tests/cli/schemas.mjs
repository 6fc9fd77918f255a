// SPDX-License-Identifier: Apache-2.0
// schemas.mjs - holds what nprof prints as JSON against share/schema with ajv, in its strict mode:
// node schemas.mjs NODE_MODULES SCHEMAS FILE...  A FILE is NAME.ANYTHING, NAME of a schema.  Prints
// a line of each that does not fit; a schema that ajv does not take is an error.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const [modules, folder, ...files] = process.argv.slice(2)
const Ajv = createRequire(modules + '/')('ajv/dist/2020.js').default
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true })
const read = file => JSON.parse(fs.readFileSync(file, 'utf8'))
const fits = Object.fromEntries(
  fs
    .readdirSync(folder)
    .map(file => [path.parse(file).name, ajv.compile(read(path.join(folder, file)))]),
)
for (const file of files) {
  const fit = fits[path.basename(file).split('.')[0]]
  if (!fit(read(file))) console.log(`${file}: ${ajv.errorsText(fit.errors)}`)
}
