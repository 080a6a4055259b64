/** The versions of a flow: every activation keeps its graph, and going back is an update with an older one. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Desk, openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { automation_limits } from '../../automations/limits.ts'

onEveryEngine('the versions of a flow', (engine) => {
  let world: World
  let desk: Desk
  before(async () => {
    world = await openWorld(engine)
    desk = await openDesk(world)
  })
  after(async () => world?.close())

  const versionsOf = async (flow: string) => (await world.get(`/v1/automation_flows/${flow}/versions`)).body
  const update = async (flow: string, body: object) => {
    const reply = await world.call('PATCH', `/v1/automation_flows/${flow}`, { body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  async function activateAgain(flow: string, graph: object): Promise<void> {
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    await update(flow, { graph })
    const { preview_token } = await desk.preview(flow)
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true, mode: 'shadow' }
    await world.make(`/v1/automation_flows/${flow}/activate`, body)
  }

  it('are shown newest first with graph, mode, time and person; a draft has none', async () => {
    const draft = (await desk.draft(smallGraph())).id
    assert.deepEqual(await versionsOf(draft), {
      ...{ object: 'automation_versions', automation_flow: draft, versions: [], has_more: false },
    })
    const first = await desk.activate(smallGraph('One'))
    await activateAgain(first.id, smallGraph('Two'))
    const { versions, has_more } = await versionsOf(first.id)
    assert.equal(has_more, false)
    assert.deepEqual(
      versions.map(({ version, mode, graph }: { version: number; mode: string; graph: object }) => [
        version,
        mode,
        graph,
      ]),
      [
        [2, 'shadow', smallGraph('Two')],
        [1, 'live', smallGraph('One')],
      ],
    )
    assert.deepEqual(
      [versions[1].graph_hash, versions[1].activated_at, versions[1].activated_by],
      [first.graph_hash, first.activated_at, first.activated_by],
    )
  })

  it('can be gone back to: an update with the graph of a version has its hash', async () => {
    const { id, graph_hash } = await desk.activate(smallGraph('Before'))
    await activateAgain(id, smallGraph('After'))
    await world.make(`/v1/automation_flows/${id}/pause`, { workspace: desk.workspace })
    const [, older] = (await versionsOf(id)).versions
    const restored = await update(id, { graph: older.graph })
    assert.deepEqual([restored.graph_hash, restored.status, restored.version], [graph_hash, 'draft', 2])
  })

  it('are at most 20; older ones are counted as more', async () => {
    const { id } = await desk.activate(smallGraph('0'))
    const most = automation_limits.automation_versions_shown_max
    for (let i = 1; i <= most; i++) await activateAgain(id, smallGraph(String(i)))
    const { versions, has_more } = await versionsOf(id)
    assert.deepEqual(
      [versions.length, versions[0].version, versions.at(-1).version, has_more],
      [most, most + 1, 2, true],
    )
  })

  it('are named, renamed and unnamed, also of an active flow, whose steps and state stay as they are', async () => {
    const first = await desk.activate(smallGraph('One'))
    await activateAgain(first.id, smallGraph('Two'))
    const flow = (await world.get(`/v1/automation_flows/${first.id}`)).body
    const name = (version: number, text: string | null) =>
      world.make(`/v1/automation_flows/${first.id}/name_version`, { version, name: text })
    const names = async () => (await versionsOf(first.id)).versions.map(({ name: each }: { name: unknown }) => each)
    assert.deepEqual(await names(), [null, null])
    await world.markWritten()
    const named = await name(1, 'Before the summer')
    const [, { ...shown }] = (await versionsOf(first.id)).versions
    assert.deepEqual(named, { object: 'automation_version', automation_flow: first.id, ...shown })
    await world.assertWritten({
      events: ['automation.flow.version_named'],
      audit: ['automation_flows.name_version'],
    })
    assert.deepEqual(await names(), [null, 'Before the summer'])
    assert.deepEqual(await name(1, 'Before the summer'), named)
    await world.assertWritten({ events: [], audit: [] })
    await name(1, 'Quiet')
    await name(2, 'Quiet')
    assert.deepEqual(await names(), ['Quiet', 'Quiet'])
    await name(2, null)
    assert.deepEqual(await names(), [null, 'Quiet'])
    const { updated: _, ...after } = (await world.get(`/v1/automation_flows/${first.id}`)).body
    const { updated: __, ...unchanged } = flow
    const last_named_version = { version: 2, name: null }
    assert.deepEqual(after, { ...unchanged, last_named_version, revision: flow.revision + 4 })
  })

  it('that do not exist have no name: the message says which there are', async () => {
    const name = async (flow: string, version: number) => {
      const reply = await world.post(`/v1/automation_flows/${flow}/name_version`, { version, name: 'First' })
      return [reply.status, reply.body.error.param, reply.body.error.message]
    }
    const { id } = await desk.activate(smallGraph('One'))
    const draft = (await desk.draft(smallGraph())).id
    const text = 'The flow has no version 2.'
    assert.deepEqual(await name(id, 2), [400, 'version', `${text} Its only version is 1.`])
    assert.deepEqual(await name(draft, 2), [400, 'version', `${text} It was never activated.`])
    await activateAgain(id, smallGraph('Two'))
    assert.deepEqual(await name(id, 3), [400, 'version', 'The flow has no version 3. Its versions are 1 to 2.'])
  })

  it('of a foreign flow are missing, and need the right to read automations', async () => {
    const { id } = await desk.activate(smallGraph())
    const foreign = await world.get(`/v1/automation_flows/${id}/versions`, { key: world.globex.key })
    assert.equal(foreign.status, 404)
    const path = `/v1/automation_flows/${id}/name_version`
    const body = { version: 1, name: 'Mine' }
    assert.equal((await world.post(path, body, { key: world.globex.key })).status, 404)
    const { secret: reader } = await world.make('/v1/api_keys', { name: 'Reads', scopes: ['automations:read'] })
    assert.equal((await world.post(path, body, { key: reader })).status, 403)
    assert.equal((await versionsOf(id)).versions[0].name, null)
    const { secret: key } = await world.make('/v1/api_keys', { name: 'Tasks', scopes: ['tasks:read'] })
    assert.equal((await world.get(`/v1/automation_flows/${id}/versions`, { key })).status, 403)
  })
})
