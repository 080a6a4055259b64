/** Operations that the operator disabled: 503 without Retry-After (contract/02#disabled-operations). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { ConfigError, readConfig } from '../../src/config.ts'
import { onEveryEngine } from '../engines.ts'
import { openWorld } from '../world.ts'
import { assertRefused } from './answers.ts'

const ids = catalogue.map((operation) => operation.id)

onEveryEngine('a disabled operation', (engine) => {
  it('answers 503 whatever its input, for every operation', async () => {
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

  it('leaves the other operations enabled', async () => {
    const world = await openWorld(engine, { environment: { ATRIUM_DISABLED_OPERATIONS: 'workspaces.create' } })
    try {
      assertRefused(await world.post('/v1/workspaces', { title: 'Off' }), 'endpoint_disabled')
      assert.equal((await world.get('/v1/workspaces')).status, 200)
    } finally {
      await world.close()
    }
  })
})

it('the server refuses to start with an unknown operation in ATRIUM_DISABLED_OPERATIONS', () => {
  const environment = { ATRIUM_DISABLED_OPERATIONS: 'workspaces.create,workspaces.crate' }
  assert.throws(() => readConfig(environment, new Set(ids)), ConfigError)
})
