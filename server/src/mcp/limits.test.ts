/** `/mcp` respects switched-off operations, plans and credits. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { call } from '../../test/call.ts'
import { onEveryEngine } from '../../test/engines.ts'
import { type Agent, overHttp, textOf } from '../../test/mcp.ts'
import { openWorld, type World } from '../../test/world.ts'
import { setOrganization } from '../resources/organizations/write.ts'

onEveryEngine('the tools', (engine) => {
  let world: World
  let agent: Agent
  before(async () => {
    world = await openWorld(engine, {
      environment: { ATRIUM_CREDITS_PER_MINUTE: '520', ATRIUM_DISABLED_OPERATIONS: 'teams.list' },
    })
    agent = await overHttp(world.server.url, world.acme.key)
  })
  after(async () => {
    await agent.close()
    await world.close()
  })

  it('of switched-off operations are not listed and are refused', async () => {
    assert.equal((await agent.tools()).includes('teams_list'), false)
    const error = await agent.fail('teams_list')
    assert.deepEqual([error.code, error.status, error.retry_after], ['endpoint_disabled', 503, undefined])
  })

  it('cost what their operations cost and say when credits are available again', async () => {
    const paid = await agent.call('exports_create', { resource: 'tasks' })
    assert.deepEqual([paid._meta?.['atrium/credits'], paid._meta?.['atrium/credits_remaining']], [500, 20])
    const refused = await agent.call('exports_create', { resource: 'tasks' })
    const { error } = refused.structuredContent as { error: Record<string, unknown> }
    assert.deepEqual([error.code, error.status, error.retry_after], ['rate_limit_exceeded', 429, 60])
    assert.ok(textOf(refused).includes('retry_after: 60 seconds'))
    assert.ok(String(error.what_to_do).startsWith('Wait, then call again'))
    world.clock.advance(60_000)
    assert.equal((await agent.call('usage_retrieve')).isError ?? false, false)
  })

  it('are refused without an active plan', async () => {
    await setOrganization(world.services, world.acme.id, { plan: 'none' })
    world.clock.advance(2000)
    assert.equal((await agent.fail('workspaces_list')).code, 'plan_required')
    assert.equal((await call(world.server.url, 'GET', '/v1/workspaces', { key: world.acme.key })).status, 402)
  })
})
