/**
 * Every write in the console names its user as the actor: the writes of `/app/api` and, with a session's token, the writes
 * of `/v1`. The tests assert the exact audit entries and events.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import { endpoints } from '../../src/console/endpoints.ts'
import type { EndpointName } from '../../src/console/shapes.ts'
import { newKeyPair } from '../../src/lib/p256.ts'
import { mailWorker } from '../../src/workers/mail.ts'
import { passwordResetsWorker } from '../../src/workers/password-resets.ts'
import type { Reply } from '../call.ts'
import { giveUpMail } from '../dead-mail.ts'
import { onEveryEngine } from '../engines.ts'
import { MailServer } from '../mail-server.ts'
import { newVerifier, registerApplication, requestOf, tokensFor } from '../oauth-client.ts'
import { addProvider, ForgingProvider } from '../openid-provider.ts'
import { populate, sendCall, type Things } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { Authenticator } from './authenticator.ts'
import { AuthenticatorApp } from './authenticator-app.ts'
import { OpenIdVisitor } from './openid-visitor.ts'
import { join, ownerOf, password, tokenOf, Visitor } from './visitor.ts'

/** A prepared write with its expected audit entries and events. */
interface PreparedWrite {
  readonly send: () => Promise<Reply>
  readonly audit: readonly string[]
  readonly events?: readonly string[]
  /** The writer's user id; default: the owner's. */
  readonly by?: string
}

type Prepare = () => Promise<PreparedWrite>

/** Endpoints that write neither audit entries nor events: options, lookups, tokens of the page itself, what a link for guests opens. */
const silent: readonly EndpointName[] = [
  'POST session/passkey/options',
  'POST step-up/passkey/options',
  'POST passkeys/options',
  'POST second-factor/authenticator/options',
  'POST set-up/link',
  'POST password/forgot',
  'POST password/reset/link',
  'POST token',
  'POST board-guests/link',
  'POST board-guests/images',
  'POST board-guests/images/store',
  'POST board-guests/comments/read',
  'POST automation-flows/{id}/formula',
]

/** Their author is the link, not a user (`board_links.test.ts`, `guest-comments.test.ts`). */
const of_guest: readonly EndpointName[] = [
  'POST board-guests',
  'POST board-guests/comments',
  'POST board-guests/comments/delete',
  'POST board-guests/comments/update',
]

const domain = 'localhost'
/** Where a browser receives notices. */
const browser = {
  endpoint: 'https://push.example.net/browser',
  p256dh: newKeyPair().publicKey,
  auth: Buffer.alloc(16).toString('base64url'),
}
/** A PNG of one pixel, in base64. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

onEveryEngine('A write in the console', (engine) => {
  let world: World
  let owner: Visitor
  let origin: string
  let things: Things
  let smtp: MailServer
  const forger = new ForgingProvider()

  before(async () => {
    smtp = await MailServer.open()
    world = await openWorld(engine, {
      environment: { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'atrium@acme.example' },
    })
    origin = `http://${domain}:${new URL(world.server.url).port}`
    await ownerOf(world)
    owner = await entered()
    things = await populate(world)
    await forger.open()
    const settings = { id: 'forger', organization: world.acme.id, domains: ['acme.example'] }
    addProvider(world.services, forger.issuer, settings)
  })
  after(async () => {
    await forger.close()
    await world.close()
    await smtp.close()
  })

  const arrived = async (): Promise<Visitor> => {
    const visitor = new Visitor(world.server.url, origin)
    await visitor.arrive()
    return visitor
  }
  const entered = async (email = 'owner@acme.example'): Promise<Visitor> => {
    const visitor = await arrived()
    await visitor.signIn(email, password)
    return visitor
  }
  let count = 0
  const newEmail = () => `person-${++count}@acme.example`
  const invited = async (email = newEmail()) => await owner.must('POST', 'invitations', { email, role: 'member' })
  const newMember = async () => {
    // What was sent to others is over.
    await mailedToken('')
    const email = newEmail()
    const visitor = await join(owner, email, 'member')
    return { email, visitor, user: (await visitor.arrive()).user.id as string }
  }
  /** A person who has signed in at the provider. */
  const byProvider = async () => {
    const email = newEmail()
    forger.claims = { sub: email, email, email_verified: true }
    const visitor = new OpenIdVisitor(world.server.url, origin)
    const { body } = await visitor.back('forger', forger.answer(await visitor.start('forger')))
    return { visitor, user: body.user.id as string }
  }
  const registered = async (visitor: Visitor, authenticator: Authenticator) => {
    const { challenge, user } = await visitor.must('POST', 'passkeys/options', {})
    const response = authenticator.create({ challenge, origin, domain }, user.id)
    return () => visitor.post('passkeys', { name: 'Laptop', response })
  }
  /** An authenticator app that a page shows and whose code is not sent yet. */
  const shownApp = async (visitor: Visitor) => {
    await visitor.must('POST', 'step-up', { password })
    const { secret, set_up } = await visitor.must('POST', 'second-factor/authenticator/options', {})
    const app = new AuthenticatorApp(secret)
    const code = app.code(world.clock.now())
    return { app, send: () => visitor.post('second-factor/authenticator', { set_up, code }) }
  }
  const memberWithApp = async () => {
    const member = await newMember()
    const { app, send } = await shownApp(member.visitor)
    assert.equal((await send()).status, 200)
    return { ...member, app }
  }
  /** The token of the link to a page in the mails that are due. */
  const mailedToken = async (page: string): Promise<string> => {
    const stop = new AbortController().signal
    while ((await passwordResetsWorker.run(world.services, 20, stop)) > 0);
    while ((await mailWorker.run(world.services, mailWorker.batch_max, stop)) > 0);
    const text = smtp
      .take()
      .map((mail) => mail.text)
      .join('\n')
    return new RegExp(`/${page}#([0-9A-Za-z]{43})`).exec(text)?.[1] ?? ''
  }
  /** The token of a link to a new password of a person, whose address is confirmed. */
  const resetLinkOf = async (visitor: Visitor): Promise<string> => {
    const { account } = await visitor.must('POST', 'address/confirm', { token: await mailedToken('confirm-address') })
    await visitor.must('POST', 'password/forgot', { email: account.email })
    return await mailedToken('reset-password')
  }
  const application = async (): Promise<string> =>
    (await owner.must('POST', 'applications', { name: 'Calendar', scopes: ['tasks:read'] })).id
  const drawing = JSON.stringify({ type: 'excalidraw', version: 2, elements: [] })
  const drawnBoard = async (): Promise<string> =>
    (await owner.must('POST', 'boards/import', { scene: drawing, name: 'Drawn' })).id
  const frame = () => ({ workspace: things.id('workspace') })

  const signingIn: Partial<Record<EndpointName, Prepare>> = {
    'POST session': async () => {
      const visitor = await arrived()
      const send = () => visitor.post('session', { email: 'owner@acme.example', password })
      return { send, audit: ['sessions.create'] }
    },
    'DELETE session': async () => {
      const visitor = await entered()
      return { send: () => visitor.delete('session'), audit: ['sessions.delete'] }
    },
    'POST session/organization': async () => {
      const { email, visitor, user } = await newMember()
      const globex = await ownerOf(world, world.globex)
      const { url } = await globex.must('POST', 'invitations', { email, role: 'member' })
      await visitor.must('POST', 'set-up', { token: tokenOf(url), password })
      const organization = world.acme.id
      return {
        send: () => visitor.post('session/organization', { organization }),
        audit: ['sessions.create'],
        by: user,
      }
    },
    'POST session/passkey': async () => {
      const [visitor, authenticator] = [await arrived(), new Authenticator()]
      await (await registered(owner, authenticator))()
      const { challenge } = await visitor.must('POST', 'session/passkey/options', {})
      const response = authenticator.get({ challenge, origin, domain })
      return { send: () => visitor.post('session/passkey', { response }), audit: ['sessions.create'] }
    },
    'POST session/openid': async () => {
      const visitor = await arrived()
      return { send: () => visitor.post('session/openid', { provider: 'forger', next: '/' }), audit: [] }
    },
    'POST session/openid/return': async () => {
      const { user } = await byProvider()
      const visitor = new OpenIdVisitor(world.server.url, origin)
      const query = forger.answer(await visitor.start('forger'))
      return { send: () => visitor.back('forger', query), audit: ['sessions.create'], by: user }
    },
    'POST step-up/openid': async () => {
      const { visitor } = await byProvider()
      return { send: () => visitor.post('step-up/openid', { provider: 'forger', next: '/' }), audit: [] }
    },
    'DELETE sessions': async () => {
      const { email, visitor, user } = await newMember()
      await entered(email)
      await entered(email)
      return { send: () => visitor.delete('sessions'), audit: ['sessions.delete', 'sessions.delete'], by: user }
    },
    'DELETE sessions/{id}': async () => {
      const { session } = await (await entered()).arrive()
      return { send: () => owner.delete(`sessions/${session.id}`), audit: ['sessions.delete'] }
    },
    'POST step-up': async () => ({ send: () => owner.post('step-up', { password }), audit: ['sessions.confirm'] }),
    'POST step-up/passkey': async () => {
      const authenticator = new Authenticator()
      await (await registered(owner, authenticator))()
      const { challenge } = await owner.must('POST', 'step-up/passkey/options', {})
      const response = authenticator.get({ challenge, origin, domain })
      return { send: () => owner.post('step-up/passkey', { response }), audit: ['sessions.confirm'] }
    },
    'POST set-up': async () => {
      const [visitor, { url, invitation }] = [await arrived(), await invited()]
      return {
        send: () => visitor.post('set-up', { token: tokenOf(url), password }),
        audit: ['invitations.accept', 'sessions.create'],
        events: ['platform.member.updated'],
        by: invitation.user,
      }
    },
    'POST password/reset': async () => {
      const { visitor, user } = await newMember()
      const token = await resetLinkOf(visitor)
      const sent = { token, password: 'another horse that reads' }
      const send = async () => (await arrived()).post('password/reset', sent)
      return { send, audit: ['accounts.reset', 'sessions.create'], by: user }
    },
    'POST address': async () => {
      const { visitor, user } = await newMember()
      return { send: () => visitor.send('POST', 'address'), audit: ['links.create'], by: user }
    },
    'POST address/confirm': async () => {
      const { visitor, user } = await newMember()
      const token = await mailedToken('confirm-address')
      return { send: () => visitor.post('address/confirm', { token }), audit: ['accounts.update'], by: user }
    },
    'POST password': async () => {
      const { visitor, user } = await newMember()
      const sent = { current: password, next: 'another horse that reads' }
      return { send: () => visitor.post('password', sent), audit: ['accounts.update'], by: user }
    },
    'POST passkeys': async () => ({ send: await registered(owner, new Authenticator()), audit: ['passkeys.create'] }),
    'POST second-factor': async () => {
      const { email, user, app } = await memberWithApp()
      const visitor = await entered(email)
      world.clock.advance(30_000)
      const send = () => visitor.post('second-factor', { code: app.code(world.clock.now()) })
      return { send, audit: ['sessions.confirm'], by: user }
    },
    'POST second-factor/authenticator': async () => {
      const { visitor, user } = await newMember()
      const send = (await shownApp(visitor)).send
      return { send, audit: ['authenticators.create'], by: user }
    },
    'DELETE second-factor/authenticator': async () => {
      const { visitor, user } = await memberWithApp()
      return { send: () => visitor.delete('second-factor/authenticator'), audit: ['authenticators.delete'], by: user }
    },
    'POST second-factor/recovery-codes': async () => {
      const { visitor, user } = await memberWithApp()
      const send = () => visitor.post('second-factor/recovery-codes', {})
      return { send, audit: ['recovery_codes.create'], by: user }
    },
    'DELETE passkeys/{id}': async () => {
      const { body } = await (await registered(owner, new Authenticator()))()
      return { send: () => owner.delete(`passkeys/${body.id}`), audit: ['passkeys.delete'] }
    },
  }

  const people: Partial<Record<EndpointName, Prepare>> = {
    'PATCH people/{user}': async () => {
      const { user } = await newMember()
      const send = () => owner.patch(`people/${user}`, { role: 'admin' })
      return { send, audit: ['members.update'], events: ['platform.member.updated'] }
    },
    'POST invitations': async () => ({
      send: () => owner.post('invitations', { email: newEmail(), role: 'member' }),
      audit: ['invitations.create'],
      events: ['platform.member.created'],
    }),
    'DELETE invitations/{id}': async () => {
      const { invitation } = await invited()
      return { send: () => owner.delete(`invitations/${invitation.id}`), audit: ['invitations.delete'] }
    },
    'PATCH organization': async () => {
      const send = () => owner.patch('organization', { name: `Acme ${++count}` })
      return { send, audit: ['organizations.update'], events: ['platform.organization.updated'] }
    },
    'PATCH organization/second-factor': async () => {
      const email = newEmail()
      const visitor = await join(owner, email, 'owner')
      const user = (await visitor.arrive()).user.id
      await (await shownApp(visitor)).send()
      await visitor.must('PATCH', 'organization/second-factor', { required: true })
      // The other tests' people have none.
      const send = () => visitor.patch('organization/second-factor', { required: false })
      return { send, audit: ['organizations.update'], events: ['platform.organization.updated'], by: user }
    },
    'POST teams': async () => ({
      send: () => owner.post('teams', { name: `Team ${++count}` }),
      audit: ['teams.create'],
      events: ['platform.team.created'],
    }),
    'PATCH teams/{id}': async () => {
      const { user } = await newMember()
      const { id } = await owner.must('POST', 'teams', { name: `Team ${++count}` })
      const send = () => owner.patch(`teams/${id}`, { name: 'Design', add: [user] })
      return { send, audit: ['teams.update'], events: ['platform.team.updated', 'platform.team_member.created'] }
    },
    'DELETE teams/{id}': async () => {
      const { id } = await owner.must('POST', 'teams', { name: `Team ${++count}` })
      return { send: () => owner.delete(`teams/${id}`), audit: ['teams.delete'], events: ['platform.team.deleted'] }
    },
    'POST scim-tokens': async () => ({
      send: () => owner.post('scim-tokens', { name: 'Okta' }),
      audit: ['scim_tokens.create'],
    }),
    'DELETE scim-tokens/{id}': async () => {
      const { id } = await owner.must('POST', 'scim-tokens', { name: 'Okta' })
      return { send: () => owner.delete(`scim-tokens/${id}`), audit: ['scim_tokens.delete'] }
    },
    'PATCH profile': async () => ({
      send: () => owner.patch('profile', { first_name: `Ada ${++count}`, last_name: null }),
      audit: ['members.update'],
      events: ['platform.member.updated'],
    }),
    'PATCH preferences': async () => ({
      send: () => owner.patch('preferences', { week_starts_on: 1 }),
      audit: ['preferences.update'],
    }),
    'POST push-subscriptions': async () => ({
      send: () => owner.post('push-subscriptions', browser),
      audit: ['push_subscriptions.create'],
    }),
    'POST push-subscriptions/{id}/keep': async () => {
      const { id } = await owner.must('POST', 'push-subscriptions', browser)
      // It moves to the session that signed in, which has an entry.
      return { send: () => owner.post(`push-subscriptions/${id}/keep`, undefined, { body: undefined }), audit: [] }
    },
    'DELETE push-subscriptions/{id}': async () => {
      const { id } = await owner.must('POST', 'push-subscriptions', browser)
      return { send: () => owner.delete(`push-subscriptions/${id}`), audit: ['push_subscriptions.delete'] }
    },
  }

  const developing: Partial<Record<EndpointName, Prepare>> = {
    'POST endpoints/{id}/example': async () => ({
      send: () => owner.post(`endpoints/${things.id('webhook_endpoint')}/example`, { type: 'workflow.task.created' }),
      audit: ['webhook_endpoints.send_example'],
    }),
    'POST applications': async () => ({
      send: () => owner.post('applications', { name: 'Calendar', scopes: ['tasks:read'] }),
      audit: ['applications.create'],
    }),
    'PATCH applications/{id}': async () => {
      const { id } = await registerApplication(owner)
      const body = { redirect_uris: ['https://app.example/other'] }
      return { send: () => owner.patch(`applications/${id}`, body), audit: ['applications.update'] }
    },
    'POST applications/{id}/secret': async () => {
      const { id } = await registerApplication(owner, { kind: 'confidential' })
      return { send: () => owner.post(`applications/${id}/secret`), audit: ['applications.rotate_secret'] }
    },
    'POST oauth/authorization': async () => {
      const request = requestOf(await registerApplication(owner), newVerifier())
      return { send: () => owner.post('oauth/authorization', { request }), audit: ['applications.authorize'] }
    },
    'DELETE oauth/grants/{id}': async () => {
      await tokensFor(owner, await registerApplication(owner))
      const [{ id }] = (await owner.must('GET', 'oauth/grants')).data
      return { send: () => owner.delete(`oauth/grants/${id}`), audit: ['oauth_grants.delete'] }
    },
    'DELETE people/{user}/second-factor': async () => {
      const { user } = await memberWithApp()
      return { send: () => owner.delete(`people/${user}/second-factor`), audit: ['second_factors.reset'] }
    },
    'DELETE organization/oauth-grants/{id}': async () => {
      await tokensFor(owner, await registerApplication(owner))
      const [{ id }] = (await owner.must('GET', 'organization/oauth-grants')).data
      return { send: () => owner.delete(`organization/oauth-grants/${id}`), audit: ['oauth_grants.delete'] }
    },
    'DELETE applications/{id}': async () => {
      const id = await application()
      return { send: () => owner.delete(`applications/${id}`, { body: {} }), audit: ['applications.delete'] }
    },
    'POST applications/{id}/tokens': async () => {
      const id = await application()
      return { send: () => owner.post(`applications/${id}/tokens`), audit: ['access_tokens.create'] }
    },
    'DELETE tokens/{id}': async () => {
      const { id } = await owner.must('POST', `applications/${await application()}/tokens`, {})
      return { send: () => owner.delete(`tokens/${id}`, { body: {} }), audit: ['access_tokens.delete'] }
    },
  }

  const filter = { name: 'Late', filter: 'priority >= high' }
  const template = { name: 'Bug', defaults: { title: 'Bug: ' } }
  const working: Partial<Record<EndpointName, Prepare>> = {
    'POST saved-filters': async () => ({
      send: () => owner.post('saved-filters', { ...frame(), ...filter }),
      audit: ['saved_filters.create'],
      events: ['workflow.saved_filter.created'],
    }),
    'PATCH saved-filters/{id}': async () => {
      const { id } = await owner.must('POST', 'saved-filters', { ...frame(), ...filter })
      return {
        send: () => owner.patch(`saved-filters/${id}`, { name: 'Very late' }),
        audit: ['saved_filters.update'],
        events: ['workflow.saved_filter.updated'],
      }
    },
    'DELETE saved-filters/{id}': async () => {
      const { id } = await owner.must('POST', 'saved-filters', { ...frame(), ...filter })
      return {
        send: () => owner.delete(`saved-filters/${id}`, { body: {} }),
        audit: ['saved_filters.delete'],
        events: ['workflow.saved_filter.deleted'],
      }
    },
    'POST task-templates': async () => ({
      send: () => owner.post('task-templates', { ...frame(), ...template }),
      audit: ['task_templates.create'],
      events: ['workflow.task_template.created'],
    }),
    'PATCH task-templates/{id}': async () => {
      const { id } = await owner.must('POST', 'task-templates', { ...frame(), ...template })
      return {
        send: () => owner.patch(`task-templates/${id}`, { name: 'Fault' }),
        audit: ['task_templates.update'],
        events: ['workflow.task_template.updated'],
      }
    },
    'DELETE task-templates/{id}': async () => {
      const { id } = await owner.must('POST', 'task-templates', { ...frame(), ...template })
      return {
        send: () => owner.delete(`task-templates/${id}`, { body: {} }),
        audit: ['task_templates.delete'],
        events: ['workflow.task_template.deleted'],
      }
    },
    'POST expenses/{id}/status': async () => {
      const id = await things.fresh('expense')
      const send = () => owner.post(`expenses/${id}/status`, { status: 'submitted' })
      return { send, audit: ['expenses.update'], events: ['workflow.expense.updated'] }
    },
    'POST boards/{id}/restore': async () => {
      const id = await things.fresh('board')
      await things.send('DELETE', `/v1/boards/${id}`)
      const send = () => owner.post(`boards/${id}/restore`)
      return { send, audit: ['boards.restore'], events: ['whiteboard.board.restored'] }
    },
    'POST boards/import': async () => ({
      send: () => owner.post('boards/import', { scene: drawing, name: 'How it goes' }),
      audit: ['boards.create', 'boards.import'],
      events: ['whiteboard.board.created', 'whiteboard.board_member.created', 'whiteboard.board.snapshot_published'],
    }),
    'POST boards/{id}/images': async () => {
      const image = { file: 'pixel', data_url: `data:image/png;base64,${pixel}` }
      const id = await drawnBoard()
      // As strokes, which have no audit entries: the publication of the board has one.
      return { send: () => owner.post(`boards/${id}/images`, image), audit: [] }
    },
    'POST boards/{id}/versions': async () => {
      const id = await drawnBoard()
      return { send: () => owner.post(`boards/${id}/versions`, { name: 'First' }), audit: ['boards.version'] }
    },
    'POST boards/{id}/versions/{sequence}/restore': async () => {
      const id = await drawnBoard()
      const { sequence } = await owner.must('POST', `boards/${id}/versions`, { name: 'First' })
      const later = { items: [{ type: 'text', text: 'Later' }] }
      const drawn = await things.send('POST', `/v1/boards/${id}/items`, { key: await owner.token(), body: later })
      assert.equal(drawn.status, 200, drawn.text)
      return {
        send: () => owner.post(`boards/${id}/versions/${sequence}/restore`, {}),
        audit: ['boards.restore_version'],
        events: ['whiteboard.board.snapshot_published'],
      }
    },
    'POST automation-flows/{id}/run': async () => ({
      send: () => owner.post(`automation-flows/${things.id('active_flow')}/run`, { task: things.id('task') }),
      audit: ['automation_runs.start'],
      events: ['automation.run.queued'],
    }),
    'POST automation-secrets': async () => ({
      send: () => owner.post('automation-secrets', { name: 'team_chat', value: 'https://chat.example.com/hooks/1' }),
      audit: ['automation_secrets.set'],
    }),
    'POST operator/dead-letters/{id}/retry': async () => {
      const id = await giveUpMail(world, world.acme, (await owner.arrive()).user.id)
      return { send: () => owner.send('POST', `operator/dead-letters/${id}/retry`), audit: ['dead_letters.retry'] }
    },
    // The other entries are in the new organization's log (`organizations.test.ts`).
    'POST organizations': async () => {
      const operator = await entered()
      return { send: () => operator.post('organizations', { name: 'Own' }), audit: ['sessions.delete'] }
    },
  }

  const writes = { ...signingIn, ...people, ...developing, ...working }

  /** The entries after a sequence, oldest first. */
  const entriesAfter = async (path: string, after: number) => {
    const { data } = (await world.get(`${path}?limit=20`)).body as { data: { sequence: number; actor: object }[] }
    return data.filter(({ sequence }) => sequence > after).toSorted((a, b) => a.sequence - b.sequence)
  }
  const lastSequence = async (path: string): Promise<number> =>
    (await world.get(`${path}?limit=1`)).body.data[0]?.sequence ?? 0
  const withActor = (entries: object[], name: string) =>
    entries.map((entry) => [(entry as Record<string, unknown>)[name], (entry as { actor: object }).actor])
  const byUser = (user: string, names: readonly string[]) => names.map((name) => [name, { type: 'user', id: user }])

  for (const { name } of endpoints.filter(
    ({ method, name }) => method !== 'GET' && !of_guest.includes(name) && !silent.includes(name),
  )) {
    it(`by ${name} of /app/api names the user`, async () => {
      const prepare = writes[name]
      assert.ok(prepare !== undefined, `add ${name} to the writes above, with its audit entries and events`)
      const { send, audit, events = [], by = world.acme.user } = await prepare()
      const from = { audit: await lastSequence('/v1/audit_logs'), events: await lastSequence('/v1/events') }
      const reply = await send()
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual(withActor(await entriesAfter('/v1/audit_logs', from.audit), 'action'), byUser(by, audit))
      assert.deepEqual(withActor(await entriesAfter('/v1/events', from.events), 'type'), byUser(by, events))
    })
  }

  /** The owner draws on the board of the other calls, and has an inbox. */
  const becomeEditor = async () => {
    things.person = world.acme.user
    await things.make(`/v1/boards/${things.id('board')}/members`, { user: world.acme.user, role: 'editor' })
  }

  for (const operation of catalogue.filter(({ kind }) => kind === 'write')) {
    it(`by ${operation.id} of /v1 names the user`, async () => {
      const key = await owner.token({ manage: true })
      await becomeEditor()
      if (operation.id === 'notifications.read_all') await things.fresh('notification')
      const call = await things.call(operation, key)
      const from = { audit: await lastSequence('/v1/audit_logs'), events: await lastSequence('/v1/events') }
      const reply = await sendCall(things, call, { key })
      assert.equal(reply.status, 200, reply.text)
      const audit = withActor(await entriesAfter('/v1/audit_logs', from.audit), 'action')
      assert.deepEqual(audit, byUser(world.acme.user, [operation.id]))
      const events = await entriesAfter('/v1/events', from.events)
      for (const { actor } of events) assert.deepEqual(actor, { type: 'user', id: world.acme.user })
    })
  }

  it('that changes nothing visible writes no audit entry and no event', async () => {
    const { url } = await invited()
    await becomeEditor()
    const { secret } = await world.make(`/v1/boards/${things.id('board')}/links`, { name: 'Guests', role: 'editor' })
    const guest = await owner.must('POST', 'board-guests', { secret, name: 'Gus' })
    const sent: Readonly<Record<string, object>> = {
      'board-guests/link': { secret },
      'board-guests/images': { token: guest.token, file: 'none' },
      'board-guests/images/store': { token: guest.token, file: 'pixel', data_url: `data:image/png;base64,${pixel}` },
      'board-guests/comments/read': { token: guest.token },
      'set-up/link': { token: tokenOf(url) },
      token: { mode: 'live' },
      'password/forgot': { email: newEmail() },
      'password/reset/link': { token: await resetLinkOf((await newMember()).visitor) },
      'automation-flows/{id}/formula': {
        graph: { nodes: [{ id: 'begin', type: 'trigger.manual', config: {} }], edges: [] },
        node: 'begin',
        path: 'when',
      },
    }
    const from = { audit: await lastSequence('/v1/audit_logs'), events: await lastSequence('/v1/events') }
    for (const path of silent.map((name) => name.slice('POST '.length)))
      await owner.must('POST', path.replace('{id}', things.id('automation_flow')), sent[path] ?? {})
    const { first_name, last_name } = (await owner.arrive()).user
    await owner.must('PATCH', 'profile', { first_name, last_name })
    assert.deepEqual(await entriesAfter('/v1/audit_logs', from.audit), [])
    assert.deepEqual(await entriesAfter('/v1/events', from.events), [])
  })
})
