/** Whose rights a flow acts with: shown, found to have ended, and renewed by a person who has them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { chain, comment, delay } from '../../../test/automations/graphs.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { join, ownerOf } from '../../../test/console/visitor.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { automationAuthoritiesWorker } from '../../workers/automations/authorities.ts'
import { drainRuns } from '../../workers/automations/runs.ts'
import { startByHand } from '../automation_runs/start-by-hand.ts'
import { setMember } from '../members/write.ts'

const consent = { scope_acknowledged: true }

onEveryWorld('the authority of a flow', (world) => {
  const desk = openFirst(() => openDesk(world))
  const owner = openFirst(() => ownerOf(world))

  const now = () => Math.floor(world.clock.now() / 1000)
  const flowOf = async (id: string) => (await world.get(`/v1/automation_flows/${id}`)).body
  const renew = (id: string, key = world.acme.key, body: object = consent) =>
    world.post(`/v1/automation_flows/${id}/renew_authority`, body, { key })
  const check = () => automationAuthoritiesWorker.run(world.services, 1, new AbortController().signal)
  const drain = () => drainRuns(world.services)
  const runOf = async (id: string) => (await world.get(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)).body
  const carryOut = async (flow: string) => {
    const { id } = await startByHand(world.services, flow, desk.task)
    await drain()
    return await runOf(id)
  }
  const valid = { status: 'valid', reason: null, ended_at: null, renewed_at: null }

  /** A flow of a key that was deleted since. */
  async function orphan() {
    const key = await world.key()
    const flow = await desk.activate(smallGraph(), { call: { key: key.secret } })
    await world.delete(`/v1/api_keys/${key.id}`)
    return flow
  }

  /** The same with a run that had begun, and which sleeps for a minute. */
  async function orphanWithRun() {
    const key = await world.key()
    const flow = await desk.activate(chain(delay('nap', 60), comment('awake')), { call: { key: key.secret } })
    const { id: run, status } = await carryOut(flow.id)
    assert.equal(status, 'sleeping')
    await world.delete(`/v1/api_keys/${key.id}`)
    return { flow, run: run as string }
  }

  /** A person of the console with a flow that depends on the membership. */
  async function person(email: string) {
    const visitor = await join(owner, email, 'member')
    const { id } = (await visitor.arrive()).user
    const { data } = (await world.get('/v1/members?limit=100')).body
    const member = data.find(({ user }: { user: string }) => user === id).id
    const key = await visitor.token()
    return { user: id as string, member: member as string, key }
  }

  it('is shown from the activation on: a person, or the organization', async () => {
    const draft = await desk.draft(smallGraph())
    assert.equal(draft.authority, null)
    const own = await desk.activate(smallGraph())
    assert.deepEqual(own.authority, { acts_for: { type: 'organization', id: world.acme.id }, ...valid })
    const ada = await person('ada.shown@acme.example')
    const hers = await desk.activate(smallGraph(), { call: { key: ada.key } })
    assert.deepEqual(hers.authority, { acts_for: { type: 'user', id: ada.user }, ...valid })
    await world.markWritten()
    assert.equal(await check(), 0)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('that has ended is found once, with its reason, an event and an audit entry; the flow stays active', async () => {
    const flow = await orphan()
    await world.markWritten()
    await check()
    await check()
    await world.assertWritten({
      events: ['automation.flow.authority_ended'],
      audit: ['automation_flows.check_authority'],
    })
    const ended = { status: 'ended', reason: 'credential_deleted', ended_at: now(), renewed_at: null }
    assert.deepEqual(await flowOf(flow.id), {
      ...{ ...flow, authority: { ...flow.authority, ...ended }, revision: flow.revision + 1, updated: now() },
    })
    const { status, failure } = await carryOut(flow.id)
    assert.deepEqual([status, failure.code], ['failed', 'insufficient_scope'])
    await world.make(`/v1/automation_flows/${flow.id}/pause`, { workspace: desk.workspace })
  })

  it('has a reason for each way to end', async () => {
    const expiring = await world.key({ expiresAt: world.clock.now() + 60_000 })
    const expired = await desk.activate(smallGraph(), { call: { key: expiring.secret } })
    const [left, visiting] = [await person('left@acme.example'), await person('visiting@acme.example')]
    const leaver = await desk.activate(smallGraph(), { call: { key: left.key } })
    const guest = await desk.activate(smallGraph(), { call: { key: visiting.key } })
    await setMember(world.services, left.member, { status: 'inactive' })
    await owner.must('POST', 'step-up', { password: 'a horse that reads' })
    await owner.must('PATCH', `people/${visiting.user}`, { role: 'guest', projects: [desk.project] })
    world.clock.advance(60_000)
    await check()
    const reasons = await Promise.all(
      [expired, leaver, guest].map(async ({ id }) => (await flowOf(id)).authority.reason),
    )
    assert.deepEqual(reasons, ['credential_expired', 'member_inactive', 'guest'])
    for (const { id } of [expired, leaver, guest]) assert.equal((await carryOut(id)).failure.code, 'insufficient_scope')
  })

  it('is valid again when the person is back: an event says so, and runs succeed', async () => {
    const back = await person('back@acme.example')
    const { id, authority } = await desk.activate(smallGraph(), { call: { key: back.key } })
    await setMember(world.services, back.member, { status: 'inactive' })
    await check()
    await setMember(world.services, back.member, { status: 'active' })
    await world.markWritten()
    await check()
    await world.assertWritten({
      events: ['automation.flow.authority_renewed'],
      audit: ['automation_flows.check_authority'],
    })
    assert.deepEqual((await flowOf(id)).authority, authority)
    assert.equal((await carryOut(id)).status, 'succeeded')
  })

  it('is renewed by a person with its scopes: steps and version stay, runs succeed, also one that has begun', async () => {
    const { flow, run: asleep } = await orphanWithRun()
    await check()
    const ben = await person('ben.renews@acme.example')
    const before = await flowOf(flow.id)
    world.clock.advance(1000)
    await world.markWritten()
    const reply = await renew(flow.id, ben.key)
    assert.equal(reply.status, 200, reply.text)
    await world.assertWritten({
      events: ['automation.flow.authority_renewed'],
      audit: ['automation_flows.renew_authority'],
    })
    const authority = { acts_for: { type: 'user', id: ben.user }, ...valid, renewed_at: now() }
    assert.deepEqual(reply.body, { ...before, authority, revision: before.revision + 1, updated: now() })
    assert.deepEqual(await flowOf(flow.id), reply.body)
    world.clock.advance(60_000)
    await drain()
    assert.equal((await runOf(asleep)).status, 'succeeded')
    await check()
    await world.markWritten()
    assert.deepEqual((await renew(flow.id, ben.key)).body, await flowOf(flow.id))
    await world.assertWritten({ events: [], audit: [] })
    await setMember(world.services, ben.member, { status: 'inactive' })
    await check()
    assert.equal((await flowOf(flow.id)).authority.reason, 'member_inactive')
  })

  it('is taken over while it is valid, by a person with its scopes', async () => {
    const flow = await desk.activate(smallGraph())
    const cleo = await person('cleo.takes@acme.example')
    assert.deepEqual((await renew(flow.id, cleo.key)).body.authority.acts_for, { type: 'user', id: cleo.user })
    const { versions } = (await world.get(`/v1/automation_flows/${flow.id}/versions`)).body
    assert.deepEqual(versions[0].activated_by, { type: 'organization', id: world.acme.id })
  })

  it('needs consent, all scopes of the version, and a version', async () => {
    const { id } = await orphan()
    for (const scope_acknowledged of [false, undefined, 'true']) {
      const reply = await renew(id, world.acme.key, { scope_acknowledged })
      assertRefused(reply, 'invalid_request_body', 'scope_acknowledged')
    }
    const lesser = await world.key({ scopes: ['automations:write', 'automations:read', 'tasks:read'] })
    const refused = await renew(id, lesser.secret)
    assertRefused(refused, 'insufficient_scope', null)
    assert.match(refused.body.error.message, /comments:write/)
    assertRefused(await renew((await desk.draft(smallGraph())).id), 'resource_conflict', null)
    assert.equal((await renew(id, world.globex.key)).status, 404)
    assert.equal((await carryOut(id)).status, 'failed')
  })

  it('of an earlier version stays as it is: its runs fail, those of the newest have the new rights', async () => {
    const { flow, run: earlier } = await orphanWithRun()
    await world.make(`/v1/automation_flows/${flow.id}/pause`, { workspace: desk.workspace })
    const { preview_token } = await desk.preview(flow.id)
    const body = { workspace: desk.workspace, preview_token, ...consent }
    const again = await world.make(`/v1/automation_flows/${flow.id}/activate`, body)
    assert.deepEqual(again.authority, { acts_for: { type: 'organization', id: world.acme.id }, ...valid })
    const dan = await person('dan.newest@acme.example')
    assert.equal((await renew(flow.id, dan.key)).status, 200)
    world.clock.advance(60_000)
    await drain()
    const { failure } = await runOf(earlier)
    assert.deepEqual([failure.code, failure.node], ['insufficient_scope', 'awake'])
    assert.equal(failure.message, 'The authority of version 1 of the flow has ended. Renew it.')
  })

  it('of an earlier version is shown with the versions, and renewed when it is named: its run goes on', async () => {
    const { flow, run: earlier } = await orphanWithRun()
    await world.make(`/v1/automation_flows/${flow.id}/pause`, { workspace: desk.workspace })
    const { preview_token } = await desk.preview(flow.id)
    await world.make(`/v1/automation_flows/${flow.id}/activate`, {
      workspace: desk.workspace,
      preview_token,
      ...consent,
    })
    const rightsOf = async () => {
      const { versions } = (await world.get(`/v1/automation_flows/${flow.id}/versions`)).body
      return versions.map(({ version, required_scopes, authority }: Record<string, unknown>) => {
        return { version, required_scopes, authority }
      })
    }
    const organization = { type: 'organization', id: world.acme.id }
    const required_scopes = ['tasks:read', 'comments:write']
    const present = { acts_for: organization, status: 'valid', reason: null, renewed_at: null }
    const ended = { ...present, status: 'ended', reason: 'credential_deleted' }
    assert.deepEqual(await rightsOf(), [
      { version: 2, required_scopes, authority: present },
      { version: 1, required_scopes, authority: ended },
    ])
    const fay = await person('fay.earlier@acme.example')
    const before = await flowOf(flow.id)
    await world.markWritten()
    const reply = await renew(flow.id, fay.key, { ...consent, version: 1 })
    assert.deepEqual([reply.status, reply.body], [200, before], reply.text)
    await world.assertWritten({
      events: ['automation.flow.authority_renewed'],
      audit: ['automation_flows.renew_authority'],
    })
    const renewed = { acts_for: { type: 'user', id: fay.user }, status: 'valid', reason: null, renewed_at: now() }
    assert.deepEqual(await rightsOf(), [
      { version: 2, required_scopes, authority: present },
      { version: 1, required_scopes, authority: renewed },
    ])
    await renew(flow.id, fay.key, { ...consent, version: 1 })
    await world.assertWritten({ events: [], audit: [] })
    world.clock.advance(60_000)
    await drain()
    assert.equal((await runOf(earlier)).status, 'succeeded')
    const unknown = await renew(flow.id, fay.key, { ...consent, version: 3 })
    assertRefused(unknown, 'invalid_request_body', 'version')
    assert.match(unknown.body.error.message, /The flow has no version 3\. Its versions are 1 to 2\./)
    const lesser = await world.key({ scopes: ['automations:write', 'automations:read', 'tasks:read'] })
    assertRefused(await renew(flow.id, lesser.secret, { ...consent, version: 1 }), 'insufficient_scope', null)
  })

  it('is that of the activation again after the next one', async () => {
    const flow = await orphan()
    await check()
    await renew(flow.id, (await person('eve.once@acme.example')).key)
    await world.make(`/v1/automation_flows/${flow.id}/pause`, { workspace: desk.workspace })
    const { preview_token } = await desk.preview(flow.id)
    const body = { workspace: desk.workspace, preview_token, ...consent }
    const again = await world.make(`/v1/automation_flows/${flow.id}/activate`, body)
    assert.deepEqual(again.authority, { acts_for: { type: 'organization', id: world.acme.id }, ...valid })
    assert.equal((await carryOut(flow.id)).status, 'succeeded')
  })
})
