/** A text that mentions a team: who of its people hears, once each, and what it does not reveal. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { join, ownerOf, type Visitor } from '../../test/console/visitor.ts'
import { onEveryEngine } from '../../test/engines.ts'
import { fillInboxes } from '../../test/inbox.ts'
import { MailServer } from '../../test/mail-server.ts'
import { openWorld, type World } from '../../test/world.ts'
import { second_ms } from '../lib/units.ts'
import type { Team } from '../resources/teams/team.ts'
import { addTeam } from '../resources/teams/write.ts'
import { mailWorker } from '../workers/mail.ts'
import { rebuildInbox } from './follow.ts'
import { inbox_limits } from './limits.ts'

const names = ['ada', 'ben', 'cleo', 'dan', 'gus'] as const
type Name = (typeof names)[number]

onEveryEngine('a mention of a team', (engine) => {
  let smtp: MailServer
  let world: World
  let owner: Visitor
  let workspace: string
  let project: string
  let secret: string
  let design: Team
  let sales: Team
  const people = {} as Record<Name, { readonly user: string; readonly key: string }>
  const seen = new Set<string>()

  before(async () => {
    smtp = await MailServer.open()
    const environment = { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>' }
    world = await openWorld(engine, { environment })
    owner = await ownerOf(world)
    workspace = (await world.make('/v1/workspaces', { title: 'Site' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Shared' })).id
    secret = (await world.make('/v1/projects', { workspace, name: 'Secret' })).id
    for (const name of names) {
      const address = `${name}@acme.example`
      const visitor =
        name === 'gus' ? await join(owner, address, 'guest', [project]) : await join(owner, address, 'member')
      const user = (await visitor.arrive()).user.id
      const key =
        name === 'gus' ? await visitor.token() : (await world.key({ owner: { type: 'user', id: user } })).secret
      people[name] = { user, key }
    }
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })
  beforeEach(async () => {
    design = await addTeam(world.services, world.acme.id, { name: 'Design' })
    sales = await addTeam(world.services, world.acme.id, { name: 'Sales' })
    for (const name of ['ada', 'ben', 'cleo', 'gus'] as const) await enter(design, name)
    for (const name of ['cleo', 'dan'] as const) await enter(sales, name)
    await heard()
  })

  const enter = (team: Team, name: Name) => world.make(`/v1/teams/${team.id}/members`, { user: people[name].user })
  const leave = (team: Team, name: Name) => world.delete(`/v1/teams/${team.id}/members/${people[name].user}`)
  const as = (name: Name, path: string, body?: object) => world.make(path, body, { key: people[name].key })
  const change = async (name: Name, path: string, body: object) => {
    const reply = await world.patch(path, body, { key: people[name].key })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const named = (name: Name) => `[@${name}](atrium:${people[name].user})`
  const of = ({ id, name }: Team) => `[@${name}](atrium:${id})`
  const teamName = (id: string | undefined) => (id === design.id ? ' of Design' : id === sales.id ? ' of Sales' : '')
  const entriesOf = async (name: Name) =>
    (await world.get('/v1/notifications?limit=100', { key: people[name].key })).body.data

  /** The entries that came since the last call: `name kind`, and by which team. */
  async function heard(): Promise<string[]> {
    await fillInboxes(world.services)
    const found: string[] = []
    for (const name of names)
      for (const { id, kind, details } of (await entriesOf(name)).toReversed()) {
        if (!seen.has(id)) found.push(`${name} ${kind}${teamName(details.team)}`)
        seen.add(id)
      }
    return found
  }

  async function mails() {
    await fillInboxes(world.services)
    const stop = new AbortController().signal
    while ((await mailWorker.run(world.services, mailWorker.batch_max, stop)) > 0);
    return smtp.take()
  }

  const task = async (description: string | null, fields: object = {}) =>
    await as('ada', '/v1/tasks', { workspace, project, title: 'Draw it', description, ...fields })

  it('tells everyone in the team who sees the task once, but not its author', async () => {
    const { id, mentions } = await task(`Please look, ${of(design)}`)
    assert.deepEqual(mentions, [design.id])
    assert.deepEqual(await heard(), ['ben mentioned of Design', 'cleo mentioned of Design', 'gus mentioned of Design'])
    await change('ada', `/v1/tasks/${id}`, { description: `Please look today, ${of(design)}` })
    assert.deepEqual(await heard(), [], 'the text mentioned the team before')
    await task(`Please look, ${of(design)}`, { project: secret })
    assert.deepEqual(
      await heard(),
      ['ben mentioned of Design', 'cleo mentioned of Design'],
      'a guest of another project',
    )
  })

  it('tells a person once who is also named, in another team mentioned, assigned, or watches', async () => {
    const { id } = await task(`${of(design)}, ${of(sales)} and ${named('dan')}`, { assignee: people.ben.user })
    assert.deepEqual(await heard(), [
      'ben assigned',
      'cleo mentioned of Design',
      'dan mentioned',
      'gus mentioned of Design',
    ])
    await as('ada', `/v1/tasks/${id}/comments`, { workspace, body: `${of(design)}?` })
    assert.deepEqual(await heard(), [
      'ben mentioned of Design',
      'cleo mentioned of Design',
      // Mentioned by name before, so he watches.
      'dan comment',
      'gus mentioned of Design',
    ])
  })

  it('that is added to a text reaches only those whom the text did not mention before, by name or by a team', async () => {
    const { id } = await task(of(design))
    await heard()
    await change('ada', `/v1/tasks/${id}`, { description: `${of(design)} ${of(sales)}` })
    assert.deepEqual(await heard(), ['dan mentioned of Sales'])
    const { id: other } = await task(named('cleo'))
    await heard()
    await change('ada', `/v1/tasks/${other}`, { description: `${named('cleo')} ${of(sales)}` })
    assert.deepEqual(await heard(), ['dan mentioned of Sales'])
  })

  it('adds no watchers, and does not reach people who have muted the task', async () => {
    const { id } = await task(null)
    await as('ben', `/v1/tasks/${id}/watch`, { level: 'muted' })
    await heard()
    await change('ada', `/v1/tasks/${id}`, { description: of(design) })
    assert.deepEqual(await heard(), ['cleo mentioned of Design', 'gus mentioned of Design'])
    const { watchers } = (await world.get(`/v1/tasks/${id}/watch`, { key: people.gus.key })).body
    assert.deepEqual(watchers, [people.ada.user], 'a guest does not learn who is in the team')
    await as('dan', `/v1/tasks/${id}/comments`, { workspace, body: 'Done.' })
    assert.deepEqual(await heard(), ['ada comment'])
  })

  it('reaches those who are in the team when it is written, also in a rebuilt inbox', async () => {
    await leave(design, 'ben')
    world.clock.advance(second_ms)
    await task(of(design))
    world.clock.advance(second_ms)
    await enter(design, 'dan')
    await leave(design, 'cleo')
    const expected = ['cleo mentioned of Design', 'gus mentioned of Design']
    assert.deepEqual(await heard(), expected)
    const ids = async () =>
      Promise.all(names.map(async (name) => (await entriesOf(name)).map(({ id }: { id: string }) => id)))
    const before = await ids()
    await world.services.store.write('system', (tx) => rebuildInbox(tx, world.acme.realms.live))
    assert.deepEqual(await heard(), [])
    assert.deepEqual(await ids(), before)
  })

  it('has no effect for a team that was deleted, of another organization, or that never existed', async () => {
    assert.equal((await owner.delete(`teams/${design.id}`)).status, 200)
    const foreign = await addTeam(world.services, world.globex.id, { name: 'Foreign' })
    const never = { ...design, id: 'team_01K00000000000000000000000' }
    world.clock.advance(second_ms)
    const { mentions } = await task(`${of(design)} ${of(foreign)} ${of(never)}`)
    assert.deepEqual(mentions, [design.id, foreign.id, never.id])
    assert.deepEqual(await heard(), [])
  })

  it('of a guest has no effect, because a guest sees no team; those named hear', async () => {
    const { id } = await task(null)
    await heard()
    await as('gus', `/v1/tasks/${id}/comments`, { workspace, body: `${of(sales)} and ${named('ben')}` })
    assert.deepEqual(await heard(), ['ada comment', 'ben mentioned'])
    assert.equal((await world.get('/v1/teams', { key: people.gus.key })).status, 403)
  })

  it('works in comments on boards', async () => {
    const board = (await as('ada', '/v1/boards', { name: 'Map', project })).id
    const comments = `/v1/boards/${board}/comments`
    const { mentions, thread } = await as('ada', comments, { body: of(design), position: { x: 0, y: 0 } })
    assert.deepEqual(mentions, [design.id])
    assert.deepEqual(await heard(), ['ben mentioned of Design', 'cleo mentioned of Design', 'gus mentioned of Design'])
    const [entry] = await entriesOf('ben')
    assert.deepEqual([entry.details, entry.excerpt], [{ thread, team: design.id }, '@Design'])
  })

  it('is mailed with the name that the team has then, in the excerpt as it was written', async () => {
    const { id } = await task(null)
    await mails()
    await as('ada', `/v1/tasks/${id}/comments`, { workspace, body: `Here, ${of(design)}.` })
    assert.equal((await owner.patch(`teams/${design.id}`, { name: 'Shape' })).status, 200)
    const sent = await mails()
    assert.deepEqual(
      sent.flatMap(({ to }) => to).sort(),
      ['ben', 'cleo', 'gus'].map((name) => `${name}@acme.example`),
    )
    for (const { to, text } of sent) {
      // A guest sees no team, and reads the text as it was written.
      assert.match(text, to[0] === 'gus@acme.example' ? / mentioned you\./ : / mentioned your team Shape\./)
      assert.match(text, /Here, @Design\./)
    }
  })

  it('reaches a bounded number of people, those first who are longest in the team that the text mentions first', async () => {
    const now = world.clock.now()
    const crowd = await addTeam(world.services, world.acme.id, { name: 'Crowd' })
    const { organization, rows } = { organization: world.acme.id, rows: inbox_limits.inbox_team_people_max }
    await world.services.store.write('system', async (tx) => {
      for (let i = 0; i < rows; i++) {
        const [user, stamps] = [`usr_crowd_${i}`, { created: now, updated: now }]
        tx.insert('members', {
          ...{ organization, id: `mbr_crowd_${i}`, user, ...stamps, email: null, first_name: null, last_name: null },
          ...{ profile_picture_url: null, role: null, status: 'active' },
        })
        tx.insert('team_members', {
          organization,
          id: `tmb_crowd_${i}`,
          team: crowd.id,
          user,
          deleted_at: null,
          ...stamps,
        })
      }
    })
    await task(`${of(crowd)} ${of(sales)}`)
    assert.deepEqual(await heard(), [])
    await task(`${of(sales)} ${of(crowd)}`)
    assert.deepEqual(await heard(), ['cleo mentioned of Sales', 'dan mentioned of Sales'])
  })
})
