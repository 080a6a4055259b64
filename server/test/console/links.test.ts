/** Account links: set-up, invitation and reset. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { query } from '../../src/db/query.ts'
import { addMember, setMember } from '../../src/resources/members/write.ts'
import { onEveryWorld } from '../world.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

const links = query((db) => db.selectFrom('account_links').selectAll())

onEveryWorld('A link', (world) => {
  let owner: Visitor

  before(async () => {
    owner = await ownerOf(world)
  })

  const arrive = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url)
    await visitor.arrive()
    return visitor
  }
  const use = async (token: string, chosen = password) => (await arrive()).post('set-up', { token, password: chosen })
  const look = async (token: string) => (await arrive()).post('set-up/link', { token })
  const invite = async (email: string, role = 'member', organization = owner) => {
    await organization.must('POST', 'step-up', { password })
    return await organization.must('POST', 'invitations', { email, role })
  }

  it('of the operator sets up the owner’s account once, within 15 minutes', async () => {
    const asked = { organization: world.globex.id, email: 'Owner@Globex.example' }
    const late = await createOperatorLink(world.services, asked)
    assert.match(late.url, new RegExp(`^${world.server.url}/set-up#[0-9A-Za-z]{43}$`))
    world.clock.advance(console_limits.set_up_link_ms)
    assert.deepEqual(refusal(await look(tokenOf(late.url))), [404, 'link_invalid'])
    assert.deepEqual(refusal(await use(tokenOf(late.url))), [404, 'link_invalid'])
    const link = await createOperatorLink(world.services, asked)
    const { body } = await look(tokenOf(link.url))
    assert.deepEqual(
      { ...body, expires_at: body.expires_at - Math.floor(world.clock.now() / 1000) },
      {
        kind: 'set_up',
        email: 'owner@globex.example',
        organization: { id: world.globex.id, name: 'Globex' },
        role: 'owner',
        expires_at: 900,
      },
    )
    const reply = await use(tokenOf(link.url))
    assert.deepEqual([reply.status, reply.body.role], [200, 'owner'])
    assert.deepEqual(refusal(await use(tokenOf(link.url))), [404, 'link_invalid'])
    assert.deepEqual(refusal(await look(tokenOf(link.url))), [404, 'link_invalid'])
  })

  it('used twice at the same time succeeds once', async () => {
    const { url } = await invite('two@acme.example')
    const replies = await Promise.all([use(tokenOf(url)), use(tokenOf(url)), use(tokenOf(url))])
    const statuses = replies.map((reply) => reply.status).sort()
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
    for (const reply of replies)
      if (reply.status !== 200) assert.match(reply.body.error.code, /link_invalid|sign_in_failed/)
  })

  it('is stored as a digest only', async () => {
    const { url } = await invite('digest@acme.example')
    const rows = await world.services.store.reader('system').all(links)
    assert.equal(JSON.stringify(rows).includes(tokenOf(url)), false)
    assert.ok(rows.every((row) => /^[0-9a-f]{64}$/.test(row.digest)))
  })

  it('refuses passwords that are short, common, repetitive or the email address', async () => {
    const { url } = await invite('careless@acme.example')
    for (const bad of ['short', 'nine char', 'Password123', 'aaaaaaaaaaaa', 'careless@acme.example', 'x'.repeat(257)]) {
      assert.deepEqual(refusal(await use(tokenOf(url), bad)), [400, 'invalid_request_body', 'password'], bad)
    }
    assert.equal(
      (await use(tokenOf(url), `${'Ω'.repeat(5)}🐎horse`)).status,
      200,
      'characters are counted as people see them',
    )
  })

  it('that invites creates a pending member, who becomes active by accepting; both events name their actor', async () => {
    const { invitation, url } = await invite('new@acme.example', 'admin')
    assert.match(url, /\/invite#/)
    const { user } = invitation
    const memberOf = async () =>
      (await world.get('/v1/members?limit=100')).body.data.find((each: { user: string }) => each.user === user)
    assert.deepEqual([(await memberOf()).status, (await memberOf()).email], ['pending', 'new@acme.example'])
    const [created] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual([created.type, created.actor], ['platform.member.created', { type: 'user', id: world.acme.user }])
    assert.equal((await use(tokenOf(url))).body.role, 'admin')
    assert.equal((await memberOf()).status, 'active')
    const [updated] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual([updated.type, updated.actor], ['platform.member.updated', { type: 'user', id: user }])
    const actions = (await world.get('/v1/audit_logs?limit=3')).body.data.map((each: { action: string }) => each.action)
    assert.deepEqual(actions, ['sessions.create', 'invitations.accept', 'invitations.create'])
  })

  it('that invites is valid for seven days, until it is revoked or replaced by a newer one', async () => {
    const old = await invite('slow@acme.example')
    world.clock.advance(console_limits.invitation_ms)
    assert.deepEqual(refusal(await use(tokenOf(old.url))), [404, 'link_invalid'])
    owner = await signedIn()
    const first = await invite('slow@acme.example')
    const second = await invite('slow@acme.example', 'admin')
    assert.equal(first.invitation.user, second.invitation.user)
    assert.deepEqual(refusal(await use(tokenOf(first.url))), [404, 'link_invalid'])
    const listed = (await owner.get('invitations')).body.data
    assert.equal(listed.filter((each: { email: string }) => each.email === 'slow@acme.example').length, 1)
    await owner.must('DELETE', `invitations/${second.invitation.id}`)
    assert.deepEqual(refusal(await use(tokenOf(second.url))), [404, 'link_invalid'])
    assert.equal((await owner.delete(`invitations/${second.invitation.id}`)).status, 404)
  })

  const signedIn = async (email = 'owner@acme.example'): Promise<Visitor> => {
    const visitor = await arrive()
    await visitor.must('POST', 'session', { email, password })
    return visitor
  }

  it('joins an existing account by its password and does not change it', async () => {
    const theirs = await ownerOf(world, world.globex)
    const { url } = await invite('owner@acme.example', 'member', theirs)
    const reply = await use(tokenOf(url), password)
    assert.deepEqual([reply.body.organization.id, reply.body.role], [world.globex.id, 'member'])
    assert.deepEqual(
      reply.body.organizations.map((each: { name: string; role: string }) => [each.name, each.role]).sort(),
      [
        ['Acme', 'owner'],
        ['Globex', 'member'],
      ],
    )
    assert.equal((await signedIn()).cookie === null, false)
  })

  it('to a second organization allows switching: a new session starts and the previous one ends', async () => {
    const visitor = await signedIn()
    const before = new Visitor(world.server.url)
    before.cookie = visitor.cookie
    const { body: here } = await visitor.get('session')
    const other = here.organization.id === world.acme.id ? world.globex.id : world.acme.id
    const body = await visitor.must('POST', 'session/organization', { organization: other })
    assert.equal(body.organization.id, other)
    const key = here.organization.id === world.acme.id ? world.acme.key : world.globex.key
    const ended = (await world.get('/v1/audit_logs?action=sessions.delete&limit=1', { key })).body.data[0]
    assert.deepEqual(ended.target, { object: 'session', id: here.session.id }, 'logged in the previous organization')
    assert.deepEqual(refusal(await before.get('sessions')), [401, 'session_required'])
    assert.deepEqual(refusal(await visitor.post('passkeys/options')), [403, 'step_up_required'])
    assert.equal((await world.get('/v1/me', { key: await visitor.token() })).body.organization.id, other)
    const foreign = await visitor.post('session/organization', { organization: 'org_01KZ0000000000000000000000' })
    assert.deepEqual(refusal(foreign), [404, 'resource_not_found', 'organization'])
    await visitor.must('POST', 'session/organization', { organization: world.acme.id })
  })

  it('to an object of a second organization says which one, and nothing of organizations that are not theirs', async () => {
    const visitor = await signedIn()
    await visitor.must('POST', 'session/organization', { organization: world.acme.id })
    const { key } = world.globex
    const space = await world.make('/v1/workspaces', { title: 'Second' }, { key })
    const task = await world.make('/v1/tasks', { workspace: space.id, title: 'Elsewhere' }, { key })
    const where = (id: string, of: Visitor = visitor) => of.get(`open/${id}/organization`)
    assert.deepEqual((await where(task.id)).body, {
      organization: { id: world.globex.id, name: 'Globex' },
      mode: 'live',
    })
    const tried = await world.make('/v1/workspaces', { title: 'Tried' }, { key: world.globex.testKey })
    assert.equal((await where(tried.id)).body.mode, 'test')

    const missing = await where('tsk_01AAAAAAAAAAAAAAAAAAAAAAAA')
    assert.deepEqual(refusal(missing), [404, 'resource_not_found', 'id'])
    const withoutId = ({ error }: { error: object }) => ({ ...error, request_id: '' })
    const outsider = await join(owner, 'only-acme@acme.example', 'owner')
    const replies = [
      await where(task.id, outsider),
      await where(world.globex.keyId),
      await where(task.key),
      await where('nothing'),
    ]
    for (const reply of replies) assert.deepEqual([reply.status, withoutId(reply.body)], [404, withoutId(missing.body)])
  })

  it('of the operator resets a password and ends all sessions of the account', async () => {
    owner = await signedIn()
    const visitor = await join(owner, 'forgetful@acme.example', 'admin')
    const token = await visitor.token()
    const link = await createOperatorLink(world.services, {
      organization: world.acme.id,
      email: 'forgetful@acme.example',
    })
    assert.deepEqual([link.kind, link.role], ['reset', 'admin'])
    assert.equal((await use(tokenOf(link.url), 'another horse that reads')).status, 200)
    assert.equal((await visitor.get('session')).body.signed_in, false)
    assert.equal((await world.get('/v1/me', { key: token })).status, 401)
    const old = await (await arrive()).post('session', { email: 'forgetful@acme.example', password })
    assert.deepEqual(refusal(old), [401, 'sign_in_failed'])
  })

  it('of the operator finds the account after the member’s address changed', async () => {
    owner = await signedIn()
    const visitor = await join(owner, 'maiden@acme.example', 'member')
    const { user } = await visitor.arrive()
    await setMember(world.services, user.member, { email: 'married@acme.example' })
    const link = await createOperatorLink(world.services, {
      organization: world.acme.id,
      email: 'married@acme.example',
    })
    assert.deepEqual([link.kind, link.email], ['reset', 'maiden@acme.example'])
    assert.equal((await use(tokenOf(link.url), 'another horse that reads')).body.user.id, user.id)
  })

  it('of the operator is for members only and sets the requested role', async () => {
    const input = { organization: world.acme.id, email: 'nobody@acme.example' }
    await assert.rejects(createOperatorLink(world.services, input), { code: 'resource_not_found' })
    await addMember(world.services, world.acme.id, { email: 'engineer@acme.example', role: 'Engineer' })
    const plain = await createOperatorLink(world.services, { ...input, email: 'engineer@acme.example' })
    assert.equal(plain.role, 'member')
    const raised = await createOperatorLink(world.services, { ...input, email: 'engineer@acme.example', role: 'owner' })
    assert.deepEqual(refusal(await look(tokenOf(plain.url))), [404, 'link_invalid'])
    assert.equal((await use(tokenOf(raised.url))).body.role, 'owner')
  })

  it('does not admit a member deactivated in the meantime', async () => {
    const { url, invitation } = await invite('undone@acme.example')
    const members = (await world.get('/v1/members?limit=100')).body.data
    const member = members.find((each: { user: string }) => each.user === invitation.user)
    await setMember(world.services, member.id, { status: 'inactive' })
    assert.deepEqual(refusal(await use(tokenOf(url))), [404, 'link_invalid'])
  })
})
