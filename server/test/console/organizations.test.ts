/** An operator creates an organization of their own in the console. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { addOperator, listOperators } from '../../src/console/operator/operators.ts'
import { demo_owner_email } from '../../src/console/sessions/show.ts'
import { query } from '../../src/db/query.ts'
import { foundOrganization } from '../../src/resources/organizations/found.ts'
import { onEveryEngine } from '../engines.ts'
import { MailServer } from '../mail-server.ts'
import { openWorld, type World } from '../world.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

const countOrganizations = query((db) =>
  db.selectFrom('organizations').select((eb) => eb.fn.countAll<number>().as('count')),
)
const pendingAddresses = query((db) =>
  db
    .selectFrom('account_links')
    .select(['email', 'account'])
    .where('kind', '=', 'address')
    .where('used_at', 'is', null),
)

onEveryEngine('An organization created in the console', (engine) => {
  let world: World
  let smtp: MailServer
  let owner: Visitor

  before(async () => {
    smtp = await MailServer.open()
    const environment = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'atrium@acme.example' }
    world = await openWorld(engine, { environment })
    owner = await ownerOf(world)
    await owner.must('PATCH', 'profile', { first_name: 'Ada', last_name: 'Lovelace' })
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })

  const count = async () => Number((await world.services.store.reader('system').first(countOrganizations))?.count)

  /** The owner of a demo, an operator, signed in with an account of the demo's address. */
  const demoOwner = async (): Promise<{ visitor: Visitor; organization: string }> => {
    const founding = { name: 'Demo', ownerEmail: demo_owner_email, plan: 'studio', domains: [] } as const
    const { organization } = await foundOrganization(world.services, founding)
    await addOperator(world.services, { email: demo_owner_email, organization })
    const link = await createOperatorLink(world.services, { organization, email: demo_owner_email, role: 'owner' })
    const visitor = new Visitor(world.server.url)
    await visitor.arrive()
    await visitor.must('POST', 'set-up', { token: tokenOf(link.url), password: `${password} in ${organization}` })
    return { visitor, organization }
  }

  it('has the operator as owner and operator, with their name, and is open at once', async () => {
    const before = await owner.arrive()
    const made = await owner.must('POST', 'organizations', { name: 'Babbage' })
    assert.deepEqual(
      [made.organization.name, made.role, made.operator, made.demo, made.account],
      ['Babbage', 'owner', true, false, before.account],
    )
    assert.deepEqual(
      [made.user.first_name, made.user.last_name, made.user.email],
      ['Ada', 'Lovelace', 'owner@acme.example'],
    )
    assert.notEqual(made.user.id, before.user.id)
    assert.deepEqual(
      made.organizations.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ['Acme', 'owner'],
        ['Babbage', 'owner'],
      ],
    )
    const key = await owner.token()
    assert.equal((await world.get('/v1/me', { key })).body.organization.id, made.organization.id)
    assert.deepEqual((await world.get('/v1/tasks', { key })).body.data, [])
    await world.make('/v1/workspaces', { title: 'Engines' }, { key })
    await owner.must('POST', 'session/organization', { organization: world.acme.id })
    assert.equal((await owner.arrive()).organization.id, world.acme.id)
  })

  it('is in its own audit log by the person, and changes nothing elsewhere', async () => {
    await owner.must('POST', 'step-up', { password })
    await world.markWritten()
    const made = await owner.must('POST', 'organizations', { name: 'Jacquard' })
    await world.assertWritten({ events: [], audit: ['sessions.delete', 'sessions.delete'] })
    await owner.must('POST', 'step-up', { password })
    const key = await owner.token({ manage: true })
    const { data } = (await world.get('/v1/audit_logs', { key })).body
    assert.deepEqual(
      data
        .slice(1)
        .map(({ action, actor, target }: { action: string; actor: object; target: object }) => [action, actor, target]),
      [
        ['sessions.create', { type: 'user', id: made.user.id }, data[1].target],
        [
          'organizations.create',
          { type: 'user', id: made.user.id },
          { object: 'organization', id: made.organization.id },
        ],
      ],
    )
    await owner.must('POST', 'session/organization', { organization: world.acme.id })
  })

  it('is created once: a second one of its name is refused', async () => {
    await owner.must('POST', 'step-up', { password })
    await owner.must('POST', 'organizations', { name: 'Once' })
    await owner.must('POST', 'step-up', { password })
    const [before, operators] = [await count(), await listOperators(world.services)]
    const again = await owner.post('organizations', { name: 'Once' })
    assert.deepEqual(refusal(again), [409, 'resource_conflict', 'name'])
    assert.match(again.body.error.message, /"Once"/)
    assert.equal(await count(), before)
    assert.deepEqual(await listOperators(world.services), operators)
    await owner.must('POST', 'session/organization', { organization: world.acme.id })
  })

  it('is refused to everybody but operators as a missing endpoint', async () => {
    const admin = await join(owner, 'admin@acme.example', 'admin')
    const before = await count()
    for (const visitor of [admin, await ownerOf(world, world.globex)]) {
      const { error } = (await visitor.post('organizations', { name: 'Mine' })).body
      const missing = (await visitor.post('nothing', { name: 'Mine' })).body.error
      assert.deepEqual({ ...error, request_id: '' }, { ...missing, request_id: '' })
    }
    assert.equal(await count(), before)
  })

  it('needs a name within its bounds, and an address only of the demo’s owner', async () => {
    await owner.must('POST', 'step-up', { password })
    for (const name of ['', ' ', 'x'.repeat(501)]) {
      assert.deepEqual(refusal(await owner.post('organizations', { name })), [400, 'invalid_request_body', 'name'])
    }
    const body = { name: 'Elsewhere', email: 'ada@elsewhere.example' }
    assert.deepEqual(refusal(await owner.post('organizations', body)), [400, 'invalid_request_body', 'email'])
    const malformed = await owner.post('organizations', { name: 'Elsewhere', email: 'elsewhere' })
    assert.deepEqual(refusal(malformed), [400, 'invalid_request_body', 'email'])
  })

  it('of the demo’s owner has the chosen address, which signs in to both from now on', async () => {
    const { visitor, organization } = await demoOwner()
    const secret = `${password} in ${organization}`
    assert.equal((await visitor.arrive()).demo, true)
    world.clock.advance(1000)
    const made = await visitor.must('POST', 'organizations', { name: 'Real', email: 'Grace@Real.example' })
    assert.deepEqual(
      [made.account.email, made.account.email_proved, made.user.email, made.demo],
      ['grace@real.example', false, 'grace@real.example', false],
    )
    const pending = await world.services.store.reader('system').all(pendingAddresses)
    assert.deepEqual(
      pending.filter(({ account }) => account === made.account.id).map(({ email }) => email),
      ['grace@real.example'],
    )
    const next = new Visitor(world.server.url)
    const signed = await next.signIn('grace@real.example', secret)
    assert.equal(signed.organization.name, 'Real')
    const demo = await next.must('POST', 'session/organization', { organization })
    assert.deepEqual([demo.demo, demo.user.email, demo.operator], [true, demo_owner_email, true])
    const former = new Visitor(world.server.url)
    await former.arrive()
    const refused = await former.post('session', { email: demo_owner_email, password: secret })
    assert.deepEqual(refusal(refused), [401, 'sign_in_failed'])
  })

  it('of the demo’s owner does not take the address of another account', async () => {
    const { visitor } = await demoOwner()
    const before = await count()
    const taken = await visitor.post('organizations', { name: 'Taken', email: 'OWNER@acme.example' })
    assert.deepEqual(refusal(taken), [409, 'resource_conflict', 'email'])
    assert.equal(await count(), before)
    assert.equal((await visitor.arrive()).account.email, demo_owner_email)
  })

  it(`is refused when the account is in ${console_limits.own_organizations_max} organizations`, async () => {
    await owner.must('POST', 'step-up', { password })
    let { organizations } = await owner.arrive()
    for (let i = 0; organizations.length < console_limits.own_organizations_max; i++) {
      organizations = (await owner.must('POST', 'organizations', { name: `Branch ${i}` })).organizations
      await owner.must('POST', 'step-up', { password })
    }
    const before = await count()
    const refused = await owner.post('organizations', { name: 'One more' })
    assert.deepEqual(refusal(refused), [409, 'resource_conflict'])
    assert.match(refused.body.error.message, new RegExp(`${console_limits.own_organizations_max} organizations`))
    assert.equal(await count(), before)
  })
})
