/** Who hears of what: the table of kinds, row by row. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { AuthenticatorApp } from '../../test/console/authenticator-app.ts'
import { join as joinAs, ownerOf, password, Visitor } from '../../test/console/visitor.ts'
import { onEveryEngine } from '../../test/engines.ts'
import { fillInboxes } from '../../test/inbox.ts'
import { MailServer } from '../../test/mail-server.ts'
import { PushServer } from '../../test/push-server.ts'
import { openWorld, type World } from '../../test/world.ts'
import { commitSystemChange } from '../api/write/system-change.ts'
import { query } from '../db/query.ts'
import type { NotificationRow, WatchRow } from '../db/schema.ts'
import { seconds } from '../lib/clock.ts'
import { day_ms, hour_ms } from '../lib/units.ts'
import { automationRunFailed } from '../resources/automation_runs/events.ts'
import { startByHand } from '../resources/automation_runs/start-by-hand.ts'
import { automationAuthoritiesWorker } from '../workers/automations/authorities.ts'
import { drainRuns } from '../workers/automations/runs.ts'
import { inboxWorker } from '../workers/inbox.ts'
import { inboxClockWorker } from '../workers/inbox-clock.ts'
import { mailWorker } from '../workers/mail.ts'
import { pushWorker } from '../workers/push.ts'
import { rebuildInbox, tellNext } from './follow.ts'
import { type Kind, kinds, kindsTable } from './kinds.ts'

const names = ['ada', 'ben', 'cleo', 'dan', 'eve'] as const
type Name = (typeof names)[number]
interface Person {
  readonly user: string
  readonly key: string
}

const allEntries = query<NotificationRow, { realm: number }>((db, p) =>
  db.selectFrom('notifications').selectAll().where('realm', '=', p('realm')).orderBy('id'),
)
const allWatches = query<WatchRow, { realm: number }>((db, p) =>
  db
    .selectFrom('watches')
    .selectAll()
    .where('realm', '=', p('realm'))
    .orderBy('subject')
    .orderBy('user')
    .orderBy('since'),
)
const spoilEntries = query<never, { realm: number }>((db, p) =>
  db.updateTable('notifications').set({ kind: 'overdue' }).where('realm', '=', p('realm')).where('sequence', '>', 0),
)

it('the page of the inbox shows the table of kinds', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/inbox.md'), 'utf8')
  assert.ok(page.includes(kindsTable()), `docs/inbox.md must contain:\n${kindsTable()}`)
})

onEveryEngine('the inbox', (engine) => {
  let smtp: MailServer
  let service: PushServer
  let world: World
  let workspace: string
  let project: string
  let flow: string
  const people = {} as Record<Name, Person>
  const seen = new Set<string>()

  before(async () => {
    smtp = await MailServer.open()
    service = await PushServer.open()
    const environment = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>' }
    world = await openWorld(engine, { environment })
    const owner = await ownerOf(world)
    for (const name of names) {
      const visitor = await joinAs(owner, `${name}@acme.example`, name === 'eve' ? 'admin' : 'member')
      const user = (await visitor.arrive()).user.id
      await visitor.must('POST', 'push-subscriptions', service.subscribe(name))
      people[name] = { user, key: (await world.key({ owner: { type: 'user', id: user } })).secret }
    }
    workspace = (await world.make('/v1/workspaces', { title: 'Bugs' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Crashes' })).id
    const nodes = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'say', type: 'task.comment', config: { body: { $template: 'Hello' } } },
    ]
    const graph = { schema_version: 1, nodes, edges: [{ source: 'by_hand', target: 'say' }] }
    flow = (await as('cleo', '/v1/automation_flows', { workspace, name: 'Greet', graph })).id
    const task = await as('cleo', '/v1/tasks', { workspace, title: 'Try it' })
    const { preview_token } = await as('cleo', `/v1/automation_flows/${flow}/preview`, { workspace, task: task.id })
    const body = { workspace, preview_token, scope_acknowledged: true, mode: 'live' }
    await as('cleo', `/v1/automation_flows/${flow}/activate`, body)
    await fillInboxes(world.services)
    await heard()
  })
  after(async () => {
    await world.close()
    await service.close()
    await smtp.close()
  })

  const as = (name: Name, path: string, body?: object) => world.make(path, body, { key: people[name].key })
  const change = async (name: Name, path: string, body: object) => {
    const reply = await world.patch(path, body, { key: people[name].key })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const userOf = (name: Name) => people[name].user
  const mention = (name: Name) => `[@${name}](atrium:${people[name].user})`
  const inbox = async (name: Name, search = '') =>
    (await world.get(`/v1/notifications?limit=100${search}`, { key: people[name].key })).body.data

  /** The entries that came since the last call: `name kind`, in the order of the names. */
  async function heard(): Promise<string[]> {
    await fillInboxes(world.services)
    const found: string[] = []
    for (const name of names) {
      for (const entry of (await inbox(name)).toReversed()) {
        if (!seen.has(entry.id)) found.push(`${name} ${entry.kind}`)
        seen.add(entry.id)
      }
    }
    lines.push(...found)
    await send()
    return found
  }

  /** What `heard` has returned, and who has got a mail at once, a digest and a notice meanwhile, once for each. */
  const lines: string[] = []
  const sent = { mails: [] as string[], digests: [] as string[], notices: [] as string[] }
  async function send(): Promise<void> {
    const stop = new AbortController().signal
    for (const worker of [mailWorker, pushWorker])
      while ((await worker.run(world.services, worker.batch_max, stop)) > 0);
    for (const { to, headers } of smtp.take()) {
      const ways = headers.get('subject')?.startsWith('Your day in Atrium') ? sent.digests : sent.mails
      ways.push(...to.map((address) => address.replace('@acme.example', '')).filter((name) => name !== 'owner'))
    }
    sent.notices.push(...service.take().map(({ browser }) => browser))
  }
  /** Sends the digests of the day, and forgets what was sent. */
  async function nextMorning(): Promise<void> {
    world.clock.set(Math.ceil(world.clock.now() / day_ms) * day_ms + 8 * hour_ms)
    await send()
  }
  const forget = () => {
    for (const each of [lines, sent.mails, sent.digests, sent.notices]) each.length = 0
  }

  /** A task that Ada created and that is assigned to Ben; both have seen it. */
  async function task(fields: object = {}): Promise<string> {
    const { id } = await as('ada', '/v1/tasks', {
      workspace,
      project,
      title: 'It crashes',
      assignee: people.ben.user,
      ...fields,
    })
    await heard()
    return id
  }

  const rows: Readonly<Record<keyof typeof kinds, () => Promise<readonly string[]>>> = {
    async assigned() {
      const id = await task()
      await change('ada', `/v1/tasks/${id}`, { assignee: people.cleo.user })
      return ['cleo assigned']
    },
    async mentioned() {
      const id = await task()
      await change('ada', `/v1/tasks/${id}`, { description: `${mention('dan')} and ${mention('ada')}` })
      assert.deepEqual(await heard(), ['dan mentioned'])
      await change('ada', `/v1/tasks/${id}`, { description: `${mention('dan')}, ${mention('eve')}` })
      return ['eve mentioned']
    },
    async invitation() {
      const board = (await as('ada', '/v1/boards', { name: 'Map' })).id
      await as('ada', `/v1/boards/${board}/members`, { user: people.dan.user, role: 'editor' })
      return ['dan invitation']
    },
    async approval() {
      const id = await task()
      const people = [userOf('dan'), userOf('eve')]
      const nodes = [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'ask', type: 'approval.wait', config: { people, text: 'May we?' } },
      ]
      const graph = { schema_version: 4, nodes, edges: [{ source: 'by_hand', target: 'ask' }] }
      const { id: asks } = await as('dan', '/v1/automation_flows', { workspace, name: 'Ask', graph })
      const { preview_token } = await as('dan', `/v1/automation_flows/${asks}/preview`, { workspace, task: id })
      const consent = { workspace, preview_token, scope_acknowledged: true }
      await as('dan', `/v1/automation_flows/${asks}/activate`, consent)
      const run = (await startByHand(world.services, asks, id)).id
      await drainRuns(world.services)
      assert.deepEqual(await heard(), ['dan approval', 'eve approval'])
      const [asked] = await inbox('dan', `&subject=${run}`)
      await as('eve', `/v1/automation_approvals/${asked.details.approval}/decide`, { decision: 'approved' })
      assert.deepEqual(await heard(), [])
      await startByHand(world.services, asks, id)
      await drainRuns(world.services)
      return ['dan approval', 'eve approval']
    },
    async automation_failed() {
      const id = `run_01ARZ3NDEKTSV4RRFFQ69G5F${String(seen.size % 100).padStart(2, '0')}`
      const run = {
        id,
        object: 'automation_run',
        workspace,
        automation_flow: flow,
        flow_version: 1,
        mode: 'live',
        task: null,
      }
      const { id: organization, realms } = world.acme
      const where = {
        organization,
        realms: [{ realm: realms.live, mode: 'live' as const }],
        action: 'automation_runs.end',
      }
      await commitSystemChange(world.services, where, async ({ emit }) =>
        emit(automationRunFailed, run, { ...run, status: 'running' }),
      )
      return ['cleo automation_failed']
    },
    async automation_authority() {
      const check = () => automationAuthoritiesWorker.run(world.services, 50, new AbortController().signal)
      const consent = { scope_acknowledged: true }
      const renew = (key: string) => world.make(`/v1/automation_flows/${flow}/renew_authority`, consent, { key })
      const own = await world.key({ owner: { type: 'user', id: people.dan.user } })
      const shared = await world.key()
      await renew(own.secret)
      await world.delete(`/v1/api_keys/${own.id}`)
      await check()
      assert.deepEqual(await heard(), ['dan automation_authority'])
      const entry = async () => (await inbox('dan', `&subject=${flow}`))[0]
      const { title, details, read_at } = await entry()
      assert.deepEqual([title, details, read_at], ['Greet', { automation_flow: flow }, null])
      await renew(shared.secret)
      await fillInboxes(world.services)
      assert.notEqual((await entry()).read_at, null, 'nothing is left to do')
      await world.delete(`/v1/api_keys/${shared.id}`)
      await check()
      return ['eve automation_authority']
    },
    async comment() {
      const id = await task()
      await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: 'Me too.' })
      return ['ada comment', 'ben comment']
    },
    async board_comment() {
      const board = (await as('ada', '/v1/boards', { name: 'Map' })).id
      for (const name of ['ben', 'cleo', 'dan'] as const)
        await as('ada', `/v1/boards/${board}/members`, { user: people[name].user, role: 'commenter' })
      const comments = `/v1/boards/${board}/comments`
      const { id: thread } = await as('ben', comments, { body: 'True?', position: { x: 0, y: 0 } })
      await as('dan', comments, { body: 'Another.', position: { x: 9, y: 9 } })
      await heard()
      await as('cleo', comments, { body: `No, ${mention('dan')}`, thread })
      assert.deepEqual(await heard(), ['ben board_comment', 'dan mentioned'])
      const { id } = await as('ada', comments, { body: 'Yes.', thread })
      await fillInboxes(world.services)
      const [entry] = await inbox('ben', `&subject=${board}&kinds=board_comment`)
      assert.deepEqual([entry.title, entry.excerpt, entry.comment, entry.details], ['Map', 'Yes.', id, { thread }])
      return ['ben board_comment', 'cleo board_comment']
    },
    async status() {
      const id = await task()
      await change('ben', `/v1/tasks/${id}`, { status: 'in_progress' })
      assert.deepEqual(await heard(), ['ada status'])
      await as('cleo', `/v1/tasks/${id}/complete`)
      return ['ada status', 'ben status']
    },
    async due_tomorrow() {
      const day = nextDay()
      world.clock.set(day + 8 * hour_ms)
      await inboxClock()
      await task({ due_at: seconds(day + day_ms + hour_ms) })
      await task({ due_at: seconds(day + 2 * day_ms + hour_ms) })
      await task({ due_at: seconds(day + day_ms + hour_ms), status: 'canceled' })
      await inboxClock()
      assert.deepEqual(await heard(), [])
      world.clock.set(day + 9 * hour_ms)
      await inboxClock()
      await inboxClock()
      return ['ben due_tomorrow']
    },
    async overdue() {
      await inboxClock()
      const id = await task({ due_at: seconds(world.clock.now() + hour_ms) })
      await task({ due_at: seconds(world.clock.now() + hour_ms), status: 'done' })
      world.clock.advance(2 * hour_ms)
      await inboxClock()
      await inboxClock()
      const [entry] = await inbox('ben', `&subject=${id}&kinds=overdue`)
      assert.deepEqual([entry.actor, entry.event, entry.title], [null, null, 'It crashes'])
      return ['ben overdue']
    },
    async second_factor_reset() {
      const signedIn = async (name: string) => {
        const visitor = new Visitor(world.server.url)
        await visitor.signIn(`${name}@acme.example`, password)
        await visitor.must('POST', 'step-up', { password })
        return visitor
      }
      const dan = await signedIn('dan')
      const { secret, set_up } = await dan.must('POST', 'second-factor/authenticator/options', {})
      const code = new AuthenticatorApp(secret).code(world.clock.now())
      await dan.must('POST', 'second-factor/authenticator', { set_up, code })
      const owner = await signedIn('owner')
      await owner.must('DELETE', `people/${userOf('dan')}/second-factor`)
      const [{ title, subject, event, actor }] = await inbox('dan', '&kinds=second_factor_reset')
      const own = (await owner.arrive()).user.id
      assert.deepEqual([title, subject, event], [null, { object: 'user', id: userOf('dan') }, null])
      assert.deepEqual(actor, { type: 'user', id: own })
      return ['dan second_factor_reset']
    },
  }
  /** Midnight UTC after the next. */
  const nextDay = () => Math.ceil((world.clock.now() + day_ms) / day_ms) * day_ms
  const inboxClock = () => inboxClockWorker.run(world.services, 50, new AbortController().signal)

  for (const [kind, act] of Object.entries(rows)) {
    it(`${kind}: ${kinds[kind as keyof typeof kinds].hears} hear, once, and no person else, by mail and browser as in the table`, async () => {
      await nextMorning()
      // Tasks of other tests have become overdue.
      await inboxClock()
      await heard()
      forget()
      const expected = await act()
      assert.deepEqual(await heard(), expected)
      await fillInboxes(world.services)
      assert.deepEqual(await heard(), [])
      /** The people who have heard of kinds of a way, once for each entry. */
      const people = (isOfWay: (kind: Kind) => boolean) =>
        lines.flatMap((line) => {
          const [name = '', of = ''] = line.split(' ')
          return isOfWay(kinds[of as keyof typeof kinds]) ? [name] : []
        })
      assert.deepEqual(sent.mails.toSorted(), people(({ mail }) => mail === 'at_once').toSorted())
      assert.deepEqual(sent.notices.toSorted(), people(({ push }) => push).toSorted())
      await nextMorning()
      const ofDay = new Set(people(({ mail }) => mail === 'digest'))
      assert.deepEqual(sent.digests.toSorted(), [...ofDay].toSorted())
    })
  }

  it('of failures hears the person who renewed the authority of a flow, from then on', async () => {
    const failure = rows.automation_failed
    const renew = (key: string) =>
      world.make(`/v1/automation_flows/${flow}/renew_authority`, { scope_acknowledged: true }, { key })
    await renew(people.ben.key)
    await heard()
    await failure()
    assert.deepEqual(await heard(), ['ben automation_failed'])
    await renew(people.cleo.key)
    await failure()
    assert.deepEqual(await heard(), ['cleo automation_failed'])
  })

  it('tomorrow is a day in the time zone of the person', async () => {
    const day = nextDay()
    // Tasks of other tests become overdue meanwhile.
    const tomorrows = async () => (await heard()).filter((line) => line.endsWith('due_tomorrow'))
    const choice = {
      organization: world.acme.id,
      user: people.dan.user,
      time_zone: 'America/New_York',
      mail: '{}',
      push: '{}',
      favorites: '{}',
    }
    const unset = { language: null, week_starts_on: null, quiet_from: null, quiet_to: null, created: 0, updated: 0 }
    await world.services.store.write('system', async (tx) => tx.insert('preferences', Object.assign(choice, unset)))
    await inboxClock()
    // One in the morning of the day after tomorrow in UTC is still tomorrow in New York.
    await task({ due_at: seconds(day + 2 * day_ms + hour_ms), assignee: people.dan.user })
    world.clock.set(day + 9 * hour_ms)
    await inboxClock()
    assert.deepEqual(await tomorrows(), [])
    world.clock.set(day + 13 * hour_ms)
    await inboxClock()
    await inboxClock()
    assert.deepEqual(await tomorrows(), ['dan due_tomorrow'])
  })

  it('of several kinds about one event a person gets the one of most weight', async () => {
    const id = await task()
    await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: `${mention('ben')} look` })
    assert.deepEqual(await heard(), ['ada comment', 'ben mentioned'])
    await change('ada', `/v1/tasks/${id}`, {
      assignee: people.dan.user,
      status: 'blocked',
      description: mention('dan'),
    })
    assert.deepEqual(await heard(), ['ben status', 'dan assigned'])
  })

  it('a person who comments, is mentioned or was the assignee watches from then on; the author of an act never hears of it', async () => {
    const id = await task()
    await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: `${mention('eve')}` })
    await change('ada', `/v1/tasks/${id}`, { assignee: people.cleo.user })
    await heard()
    await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: 'Again.' })
    assert.deepEqual(await heard(), ['ada comment', 'ben comment', 'cleo comment', 'eve comment'])
    const { body } = await world.get(`/v1/tasks/${id}/watch`, { key: people.dan.key })
    assert.deepEqual([body.level, body.reason, body.watcher_count], ['watching', 'commenter', 5])
    assert.deepEqual(body.watchers, names.map((name) => people[name].user).sort())
  })

  it('watching, leaving and muting by hand hold from the next event on', async () => {
    const id = await task()
    const level = async (name: Name, path: string, to: string) => (await as(name, path, { level: to })).level
    const path = `/v1/tasks/${id}/watch`
    await world.markWritten()
    assert.equal(await level('eve', path, 'watching'), 'watching')
    await world.assertWritten({ events: [], audit: ['task_watch.set'] })
    assert.equal(await level('eve', path, 'watching'), 'watching')
    await world.assertWritten({ events: [], audit: [] })
    await level('ben', path, 'none')
    await level('ada', path, 'muted')
    await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: 'One.' })
    assert.deepEqual(await heard(), ['eve comment'])
    await change('dan', `/v1/tasks/${id}`, { description: mention('ada'), assignee: people.ada.user })
    assert.deepEqual(await heard(), [], 'a muted task tells nothing at all')
    await as('ben', `/v1/tasks/${id}/comments`, { workspace, body: 'Two.' })
    await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: 'Three.' })
    assert.deepEqual(await heard(), ['ben comment', 'dan comment', 'eve comment', 'eve comment'])
    await as('cleo', `/v1/projects/${project}/watch`, { level: 'watching' })
    const other = await task()
    await as('dan', `/v1/tasks/${other}/comments`, { workspace, body: 'Four.' })
    assert.deepEqual(await heard(), ['ada comment', 'ben comment', 'cleo comment'])
    await as('cleo', `/v1/projects/${project}/watch`, { level: 'none' })
  })

  it('imported tasks tell no person', async () => {
    const draft = { external_id: 'X-1', title: 'Old', created: 1_600_000_000, assignee: people.ben.user }
    await as('ada', '/v1/tasks/import', { workspace, source: 'jira', data: [draft] })
    assert.deepEqual(await heard(), [])
  })

  it('an entry belongs to its person: for everyone else it does not exist, byte for byte', async () => {
    await task()
    const [entry] = await inbox('ben')
    assert.deepEqual([entry.kind, entry.user, entry.actor.type], ['assigned', people.ben.user, 'api_key'])
    const own = await world.get(`/v1/notifications/${entry.id}`, { key: people.ben.key })
    assert.deepEqual(own.body, entry)
    for (const verb of ['', '/read', '/unread']) {
      const ask = (id: string, key: string) =>
        world.call(verb === '' ? 'GET' : 'POST', `/v1/notifications/${id}${verb}`, { key })
      for (const key of [people.ada.key, world.acme.key, world.globex.key, world.acme.testKey]) {
        const [foreign, missing] = [
          await ask(entry.id, key),
          await ask(`${entry.id.slice(0, -1)}!`.replace('!', '0'), key),
        ]
        assert.equal(foreign.status, 404)
        const plain = ({ error: { request_id: _, ...error } }: { error: Record<string, unknown> }) => error
        assert.deepEqual(plain(foreign.body), plain(missing.body))
      }
    }
    const cursor = await world.get(`/v1/notifications?starting_after=${entry.id}`, { key: people.ada.key })
    assert.deepEqual([cursor.status, cursor.body.error.code], [400, 'cursor_invalid'])
  })

  it('shows titles and excerpts only to credentials that may read them, as they are now', async () => {
    const id = await task()
    await as('ada', `/v1/tasks/${id}/comments`, { workspace, body: `The stack is here, ${mention('ben')}` })
    await heard()
    await change('ada', `/v1/tasks/${id}`, { title: 'It still crashes' })
    const [entry] = await inbox('ben')
    assert.deepEqual([entry.title, entry.excerpt], ['It still crashes', 'The stack is here, @ben'])
    const key = (await world.key({ scopes: ['tasks:read'], owner: { type: 'user', id: people.ben.user } })).secret
    const [shown] = (await world.get('/v1/notifications?limit=1', { key })).body.data
    assert.deepEqual([shown.id, shown.title, shown.excerpt], [entry.id, 'It still crashes', null])
  })

  it('is read, unread, put off and brought back; a mark that is set writes nothing', async () => {
    const id = await task()
    const [entry] = await inbox('ben', '&state=unread')
    const count = async () => (await world.get('/v1/notifications/count', { key: people.ben.key })).body.unread
    const before = await count()
    await world.markWritten()
    assert.equal((await as('ben', `/v1/notifications/${entry.id}/read`)).read_at, seconds(world.clock.now()))
    await world.assertWritten({ events: [], audit: ['notifications.read'] })
    await as('ben', `/v1/notifications/${entry.id}/read`)
    await world.assertWritten({ events: [], audit: [] })
    assert.equal(await count(), before - 1)
    assert.equal((await inbox('ben', '&state=read'))[0].id, entry.id)
    await as('ben', `/v1/notifications/${entry.id}/unread`)
    const until = seconds(world.clock.now() + hour_ms)
    await as('ben', `/v1/notifications/${entry.id}/snooze`, { until })
    await world.assertWritten({ events: [], audit: ['notifications.unread', 'notifications.snooze'] })
    assert.deepEqual([await count(), (await inbox('ben', '&state=snoozed')).length], [before - 1, 1])
    assert.ok((await inbox('ben', '&state=open')).every((each: { id: string }) => each.id !== entry.id))
    world.clock.advance(hour_ms)
    assert.equal(await count(), before)
    assert.deepEqual(await as('ben', '/v1/notifications/read_all', { subject: id }), {
      object: 'notifications_read',
      count: 1,
    })
    await world.assertWritten({ events: [], audit: ['notifications.read_all'] })
    await as('ben', '/v1/notifications/read_all', {})
    assert.equal(await count(), 0)
  })

  it('entries about a deleted comment or task go with it', async () => {
    const id = await task()
    const comment = await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: 'Oops' })
    await heard()
    const [told, assigned] = await inbox('ben', `&subject=${id}`)
    assert.deepEqual([told.kind, assigned.kind], ['comment', 'assigned'])
    await world.delete(`/v1/tasks/${id}/comments/${comment.id}`)
    await fillInboxes(world.services)
    assert.deepEqual(await inbox('ben', `&subject=${id}`), [assigned])
    assert.equal((await world.get(`/v1/notifications/${told.id}`, { key: people.ben.key })).status, 410)
    await world.delete(`/v1/tasks/${id}`)
    await fillInboxes(world.services)
    assert.deepEqual(await inbox('ben', `&subject=${id}`), [])
  })

  it('a rebuild gives the same entries and watchers, with the marks of their people', async () => {
    const realm = world.acme.realms.live
    const reader = world.services.store.reader('system')
    const read = async () => ({
      entries: (await reader.all(allEntries, { realm })).map(({ generation: _, deleted_at, ...row }) => ({
        ...row,
        isDeleted: deleted_at !== null,
      })),
      watches: await reader.all(allWatches, { realm }),
    })
    await fillInboxes(world.services)
    const expected = await read()
    assert.ok(expected.entries.length > 20 && expected.watches.length > 5)
    await world.services.store.write('system', async (tx) => {
      tx.write(spoilEntries, { realm })
      await rebuildInbox(tx, realm)
    })
    await fillInboxes(world.services)
    assert.deepEqual(await read(), expected)
  })

  it('an interrupted step leaves nothing behind and is repeated; two steps at once tell once', async () => {
    await as('ada', '/v1/tasks', { workspace, title: 'Cut', assignee: people.ben.user })
    const place = { realm: world.acme.realms.live, organization: world.acme.id }
    const scope = { organization: place.organization, realms: [place.realm] }
    const { store, clock } = world.services
    const cut = store.write(scope, async (tx) => {
      assert.equal((await tellNext(tx, place, clock.now())).entries, 1)
      throw new Error('interrupted')
    })
    await assert.rejects(cut, /interrupted/)
    const stop = new AbortController().signal
    await Promise.all([inboxWorker.run(world.services, 50, stop), inboxWorker.run(world.services, 50, stop)])
    assert.deepEqual(await heard(), ['ben assigned'])
  })
})
