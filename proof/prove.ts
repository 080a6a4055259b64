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

export function prove(row: Row): void {
  describe(`proof of ${row.name}`, () => {
    it(row.promise, async () => {
      const { violations, found } = await verdictOf(row.name)
      assert.deepEqual({ violations, found: found ?? [] }, { violations: 0, found: [] })
    })

    for (const { name, what } of faultsOf(row.name)) {
      it(`notices ${name}: ${what}`, async () => {
        const { skipped, violations } = await verdictOf(row.name, `--fault=${name}`)
        assert.ok(skipped !== undefined || violations > 0, `${name} went unnoticed`)
      })
    }
  })
}
