/** Operations that the operator switched off: 503 without Retry-After, and nothing else is (decisions §2). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { ConfigError, readConfig } from '../../src/config.ts'
import { onEveryEngine } from '../engines.ts'
import { openWorld } from '../world.ts'
import { assertRefused } from './answers.ts'

const ids = catalogue.map((operation) => operation.id)

onEveryEngine('switched off', (engine) => {
  it('every operation is refused, whatever its input, by name', async () => {
    const world = await openWorld(engine, { environment: { ATRIUM_DISABLED_OPERATIONS: ids.join(',') } })
    try {
      await world.markWritten()
      for (const operation of catalogue) {
        const reply = await world.call(operation.method, operation.path.replaceAll(/\{\w+\}/g, 'x'))
        assertRefused(reply, 'endpoint_disabled', null, operation.id)
      }
      await world.assertWritten({ events: [], audit: [] })
    } finally {
      await world.close()
    }
  })

  it('one operation leaves its neighbours on', async () => {
    const world = await openWorld(engine, { environment: { ATRIUM_DISABLED_OPERATIONS: 'workspaces.create' } })
    try {
      assertRefused(await world.post('/v1/workspaces', { title: 'Off' }), 'endpoint_disabled')
      assert.equal((await world.get('/v1/workspaces')).status, 200)
    } finally {
      await world.close()
    }
  })
})

it('a name that no operation has stops the start', () => {
  const environment = { ATRIUM_DISABLED_OPERATIONS: 'workspaces.create,workspaces.crate' }
  assert.throws(() => readConfig(environment, new Set(ids)), ConfigError)
})
