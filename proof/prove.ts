/** A row as tests: its short run finds no violation, and it notices each planted fault. One file per row, so rows run in parallel. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { faultsOf } from './faults.ts'
import type { Row } from './row.ts'
import type { Verdict } from './try.ts'

/** A planted fault has to be noticed with one of these; the first also tries the unchanged product. */
const seeds = [20_261, 20_262] as const

const program = [
  `--import=${join(import.meta.dirname, '../server/test/fast-imports.ts')}`,
  join(import.meta.dirname, 'run.ts'),
]

async function verdictOf(seed: number, ...args: string[]): Promise<Verdict> {
  const child = spawn(process.execPath, [...program, ...args, `--seed=${seed}`], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  assert.ok(stdout.startsWith('{'), stderr)
  return JSON.parse(stdout) as Verdict
}

/**
 * `noticed` names the planted faults that the tests try; all if left out. Slow rows name their cheapest faults here, and
 * `npm run proof -- ROW --faults` tries all of them.
 */
export function prove(row: Row, noticed: readonly string[] = faultsOf(row.name).map(({ name }) => name)): void {
  describe(`proof of ${row.name}`, () => {
    it(row.promise, async () => {
      const { violations, found } = await verdictOf(seeds[0], row.name)
      assert.deepEqual({ violations, found: found ?? [] }, { violations: 0, found: [] })
    })

    for (const name of noticed) {
      const fault = faultsOf(row.name).find((each) => each.name === name)
      if (fault === undefined) throw new RangeError(`Row ${row.name} has no planted fault "${name}".`)
      it(`notices ${name}: ${fault.what}`, async () => {
        for (const seed of seeds) {
          const { skipped, violations } = await verdictOf(seed, row.name, `--fault=${name}`)
          if (skipped !== undefined || violations > 0) return
        }
        assert.fail(`${name} went unnoticed with the seeds ${seeds.join(' and ')}`)
      })
    }
  })
}
