/** Each planted fault in the sign-in of applications is noticed by the test that guards against it, which passes without it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { oauth_faults } from './oauth-plants.ts'
import type { Plant } from './plant.ts'
import { planted } from './plant.ts'

const root = join(import.meta.dirname, '..')

/** Runs the named tests on SQLite, as the suite does. */
function passes(
  tests: readonly string[],
  plants: readonly Plant[],
): { readonly passed: boolean; readonly output: string } {
  const pattern = tests.map((name) => RegExp.escape(`(sqlite) ${name}`)).join('|')
  // Without the variable of this test's own process, the inner one reports for itself.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const ended = spawnSync(
    process.execPath,
    [`--test-name-pattern=/${pattern}/u`, 'server/test/console/oauth.test.ts'],
    { cwd: root, env: { ...environment, ...planted(plants) }, encoding: 'utf8' },
  )
  return { passed: ended.status === 0, output: `${ended.stdout}${ended.stderr}` }
}

it('the guards of the sign-in of applications pass without a fault', () => {
  const tests = [...new Set(oauth_faults.map(([name]) => name))]
  const { passed, output } = passes(tests, [])
  assert.ok(passed, output)
  for (const name of tests) assert.ok(output.includes(`✔ ${name}`), `no test has the name “${name}”`)
})

for (const [guard, { what, plants }] of oauth_faults) {
  it(`is noticed: ${what}`, () => {
    const { passed, output } = passes([guard], plants)
    assert.equal(passed, false, 'the guard passes with the planted fault')
    assert.ok(output.includes(`✖ ${guard}`), output)
  })
}
