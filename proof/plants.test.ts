import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { faults } from './faults.ts'

for (const [row, planted] of Object.entries(faults)) {
  it(`every fault of ${row} finds the text that it changes, once`, () => {
    for (const { name, plants } of planted) {
      for (const { file, find } of plants ?? []) {
        const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
        assert.equal(text.split(find).length - 1, 1, `${name} in ${file}: ${find}`)
      }
    }
  })
}
