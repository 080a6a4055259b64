/** Each planted fault is noticed by the test that guards against it, which passes without it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { type Plant, planted } from './plant.ts'
import type { PlantedFault } from './planted-fault.ts'

const root = join(import.meta.dirname, '..')

/** The name of a test, and a fault that it has to notice. */
export type Guard = readonly [test: string, fault: PlantedFault]

/** Registers a test for each guard of `subject` in `file`, which run on SQLite, as the suite does. */
export function tryGuards(subject: string, file: string, guards: readonly Guard[]): void {
  it(`the guards of ${subject} pass without a fault`, () => {
    const tests = [...new Set(guards.map(([name]) => name))]
    const { passed, output } = run(file, tests, [])
    assert.ok(passed, output)
    for (const name of tests) assert.ok(output.includes(`✔ ${name}`), `no test has the name “${name}”`)
  })
  for (const [guard, { what, plants }] of guards) {
    it(`is noticed: ${what}`, () => {
      const { passed, output } = run(file, [guard], plants)
      assert.equal(passed, false, 'the guard passes with the planted fault')
      assert.ok(output.includes(`✖ ${guard}`), output)
    })
  }
}

function run(file: string, tests: readonly string[], plants: readonly Plant[]) {
  const pattern = tests.map((name) => RegExp.escape(`(sqlite) ${name}`)).join('|')
  // Without the variable of this test's own process, the inner one reports for itself.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const fastImports = `--import=${join(root, 'server/test/fast-imports.ts')}`
  const ended = spawnSync(process.execPath, [fastImports, `--test-name-pattern=/${pattern}/u`, file], {
    cwd: root,
    env: { ...environment, ...planted(plants) },
    encoding: 'utf8',
  })
  return { passed: ended.status === 0, output: `${ended.stdout}${ended.stderr}` }
}
