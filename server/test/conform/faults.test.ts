/** Each planted fault is found by its rule, and by no other fault's. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { conforms } from '../../src/conform/report.ts'
import { rules } from '../../src/conform/rules/index.ts'
import { onOneEngine } from '../engines.ts'
import { faults } from './faults.ts'
import { openTried, type Tried, violations } from './server.ts'

onOneEngine('atrium conform', (engine) => {
  let tried: Tried
  before(async () => {
    tried = await openTried(engine)
  })
  after(() => tried.close())

  for (const planted of faults) {
    const { rule, operation, name } = planted
    it(`finds a server that ${name}: ${rule} of ${operation}`, async () => {
      const options = { url: tried.faulty.url, only: [rule], operations: [operation] }
      tried.faulty.plant({})
      assert.deepEqual(violations(await tried.run(options)), [], 'nothing is found without the fault')
      tried.faulty.plant(planted)
      const report = await tried.run(options)
      assert.deepEqual(
        violations(report).map((cell) => [cell.rule, cell.operation]),
        [[rule, operation]],
      )
      assert.equal(conforms(report), false)
    })
  }
})

it('every rule has a planted fault', () => {
  const found = new Set(faults.map(({ rule }) => rule))
  assert.deepEqual(
    rules.filter(({ name }) => !found.has(name)).map(({ name }) => name),
    [],
  )
})
