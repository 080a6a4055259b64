/** A row as tests: its short run finds nothing, and each planted fault is found. A file a row, so that rows run side by side. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { faultsOf } from './faults.ts'
import type { Row } from './row.ts'
import type { Verdict } from './try.ts'

const seed = 20_261

async function verdictOf(...given: string[]): Promise<Verdict> {
  const program = join(import.meta.dirname, 'run.ts')
  const child = spawn(process.execPath, [program, ...given, `--seed=${seed}`], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [said, told] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  assert.ok(said.startsWith('{'), told)
  return JSON.parse(said) as Verdict
}

/**
 * `noticed` names the planted faults that are part of the tests: all of the row's if left out. Of a row whose faults cost
 * much time the cheapest stand for the others, and `npm run proof -- ROW --faults` tries every one.
 */
export function prove(row: Row, noticed: readonly string[] = faultsOf(row.name).map(({ name }) => name)): void {
  describe(`proof of ${row.name}`, () => {
    it(row.promise, async () => {
      const { violations, found } = await verdictOf(row.name)
      assert.deepEqual({ violations, found: found ?? [] }, { violations: 0, found: [] })
    })

    for (const name of noticed) {
      const fault = faultsOf(row.name).find((each) => each.name === name)
      if (fault === undefined) throw new RangeError(`${row.name} has no planted fault ${name}`)
      it(`notices ${name}: ${fault.what}`, async () => {
        const { skipped, violations } = await verdictOf(row.name, `--fault=${name}`)
        assert.ok(skipped !== undefined || violations > 0, `${name} went unnoticed`)
      })
    }
  })
}
