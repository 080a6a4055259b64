/** What the declarations name is tested: error codes, event types, and faults of every write. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { errorKinds } from '../../src/api/declare/errors.ts'
import { catalogue, operationIds } from '../../src/catalogue.ts'
import { allEventTypes } from '../../src/derive/event-types.ts'
import { root } from '../docs/page.ts'
import { repositoryFiles } from '../docs/repository.ts'
import { wrongRequests } from './wrong-requests/index.ts'

const tests = repositoryFiles('.ts')
  .filter((path) => /\.test\.ts$|\/wrong-requests\//.test(path) && path.startsWith('server/'))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

it('every error code is expected by a test', () => {
  const missing = Object.keys(errorKinds).filter((code) => !tests.includes(`'${code}'`))
  const advice =
    'Add a case to server/test/conformance/wrong-requests/, or assert the code with assertRefused in a test.'
  assert.deepEqual(missing, [], `No test expects these codes. ${advice}`)
})

it('every event type is expected by a test', async () => {
  const missing = (await allEventTypes()).map(({ type }) => type).filter((type) => !tests.includes(`'${type}'`))
  const advice = "Assert each where it is emitted: world.assertWritten({ events: ['…'], audit: ['…'] })."
  assert.deepEqual(missing, [], `No test expects these events. ${advice}`)
})

it('every write that takes fields has wrong requests', () => {
  const tried = new Set(wrongRequests.map(({ operation }) => operation))
  const missing = catalogue
    .filter(
      ({ kind, id, body }) => kind === 'write' && Object.keys(body?.properties ?? {}).length > 1 && !tried.has(id),
    )
    .map(({ id }) => id)
  assert.deepEqual(missing, [], 'Add wrong requests for these operations to server/test/conformance/wrong-requests/.')
})

it('wrong requests name operations and codes that exist', () => {
  for (const { operation, code } of wrongRequests) {
    assert.ok(
      operationIds.has(operation),
      `wrong-requests names ${operation}, which is not in the catalogue. Rename it.`,
    )
    assert.ok(code in errorKinds, `wrong-requests expects ${code} of ${operation}, which is no error code.`)
  }
})
