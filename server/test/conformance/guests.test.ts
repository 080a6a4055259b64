/**
 * A guest sees the projects that were chosen and nothing else: in every place of every request, the id of anything else is answered
 * byte for byte like one that never existed, and no answer names anything else.
 */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { console_for_guests, isForGuests } from '../../src/api/declare/rights.ts'
import { catalogue } from '../../src/catalogue.ts'
import { endpoints } from '../../src/console/endpoints.ts'
import { newId } from '../../src/lib/ids.ts'
import { join, refusal, type Visitor } from '../console/visitor.ts'
import { admit, callAsGuest, openGuest } from '../guest.ts'
import { sendCall, type Things, urlOf, type ValidCall } from '../things.ts'
import { onEveryWorld, type World } from '../world.ts'
import { comparable } from './answers.ts'
import { placesOf } from './references.ts'

const operations = catalogue.filter(({ id }) => isForGuests(id))

onEveryWorld('A guest', (world) => {
  let own: Things
  let owner: Visitor
  let guest: Visitor
  let user: string
  let token: string
  let foreign: ReadonlyMap<string, readonly string[]>

  before(async () => {
    const scene = await openGuest(world)
    own = scene.own
    owner = scene.owner
    guest = scene.guest
    user = scene.user
    token = scene.token
    foreign = scene.foreign
  })

  const valid = (operation: (typeof catalogue)[number]) => callAsGuest(own, operation, { key: token, user, owner })

  /** The answer to a call, with the id masked: an error may quote it. */
  async function answerWith(call: ValidCall, id: string): Promise<string> {
    const reply = await sendCall(own, call, { key: token })
    return JSON.stringify(comparable(reply)).replaceAll(id, '<id>')
  }

  for (const operation of operations) {
    it(`cannot distinguish what is elsewhere from an unknown id in ${operation.id}, and sees nothing of it`, async () => {
      const call = await valid(operation)
      const known = [...foreign.values()].flat()
      for (const place of placesOf(operation, call)) {
        for (const prefix of place.prefixes) {
          const never = newId(prefix, world.clock.now())
          const expected = await answerWith(place.put(call, never), never)
          for (const id of foreign.get(prefix) ?? []) {
            const seen = await answerWith(place.put(call, id), id)
            assert.equal(seen, expected, `${operation.id}, ${place.name}: ${id}`)
          }
        }
      }
      const reply = await sendCall(own, call, { key: token })
      assert.equal(reply.status, 200, `${urlOf(call)}: ${reply.text}`)
      const shown = known.filter((id) => reply.text.includes(id))
      assert.deepEqual(shown, [], `${operation.id} shows what the guest does not see: ${reply.text.slice(0, 500)}`)
    })
  }

  it('is refused every other operation before anything of the request is read', async () => {
    for (const operation of catalogue.filter(({ id }) => !isForGuests(id))) {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'nothing')
      const reply = await own.send(operation.method, path, { key: token })
      assert.deepEqual(refusal(reply), [403, 'insufficient_scope'], operation.id)
    }
  })

  it('is refused every endpoint of the console that is not declared to be for guests', async () => {
    const others = endpoints.filter(
      ({ name, needs, operator }) => needs !== 'nothing' && !operator && !console_for_guests.includes(name),
    )
    assert.ok(others.length >= 25)
    for (const { method, path, name } of others) {
      const reply = await guest.send(method, path.map((part) => (part.startsWith('{') ? 'x' : part)).join('/'))
      assert.deepEqual(refusal(reply), [403, 'role_required'], name)
    }
  })

  it('sees nothing of what is elsewhere in the console, and cannot distinguish it from an unknown id', async () => {
    const text = async (path: string) => {
      const reply = await guest.get(path)
      return JSON.stringify([reply.status, reply.text.replace(String(reply.headers['x-request-id']), '')])
    }
    const paths = {
      prj: ['projects/ID/task-counts'],
      brd: ['boards/ID/images?file=a', 'boards/ID/versions'],
      tsk: ['tasks/relations?tasks=ID', 'tasks/ID/comment-authors?comments=x'],
      cmt: [`tasks/${own.id('task')}/comment-authors?comments=ID`],
    }
    for (const [prefix, ids] of foreign) {
      for (const path of [...(paths[prefix as keyof typeof paths] ?? []), 'open/ID', 'open/ID/organization']) {
        const never = newId(prefix, world.clock.now())
        const expected = (await text(path.replace('ID', never))).replaceAll(never, '<id>')
        for (const id of ids) {
          assert.equal((await text(path.replace('ID', id))).replaceAll(id, '<id>'), expected, `${path} ${id}`)
        }
      }
    }
    const known = [...foreign.values()].flat()
    for (const path of [
      'directory',
      'tasks/places',
      'tasks/groups?by=project',
      'tasks/groups?by=assignee',
      'session',
    ]) {
      const found = await text(path)
      const shown = known.filter((id) => found.includes(id))
      assert.deepEqual(shown, [], `${path}: ${found.slice(0, 500)}`)
    }
  })

  it('counts, groups and searches only what is in the projects', async () => {
    await admit(owner, user, [own.id('project')])
    const listed = (await world.get('/v1/tasks?limit=100', { key: token })).body.data
    const all = (await world.get(`/v1/tasks?limit=100&project=${own.id('project')}`)).body.data
    const outside = new Set(foreign.get('tsk'))
    assert.ok(all.some(({ parent }: { parent: string | null }) => outside.has(parent ?? '')))
    const seen = all.map((task: { parent: string | null }) =>
      outside.has(task.parent ?? '') ? { ...task, parent: null } : task,
    )
    assert.deepEqual(listed, seen)
    const count = all.length
    assert.equal((await world.get('/v1/tasks/count', { key: token })).body.count, count)
    assert.equal((await guest.must('GET', 'tasks/count')).count, count)
    for (const none of ['project=none', 'filter=project%20%3D%20none', `filter=project%20%3D%20%22Beside%22`]) {
      const reply = await world.get(`/v1/tasks?${none}`, { key: token })
      assert.deepEqual(reply.body.data ?? [], [], none)
    }
    const groups = await guest.must('GET', 'tasks/groups?by=project')
    assert.deepEqual(groups.groups, [{ value: own.id('project'), count }])
    const found = (await world.get('/v1/search?query=Beside', { key: token })).body
    assert.deepEqual([found.data, found.has_more], [[], false])
  })

  it('cannot put a task where the guest does not see it', async () => {
    const { id } = await own.make('/v1/tasks', {
      workspace: own.id('workspace'),
      project: own.id('project'),
      title: 'Stays',
    })
    const body = { workspace: own.id('workspace'), title: 'New' }
    for (const reply of [
      await world.patch(`/v1/tasks/${id}`, { project: null }, { key: token }),
      await world.post(`/v1/tasks/${id}/move`, { project: null, column: null }, { key: token }),
      await world.post('/v1/tasks', body, { key: token }),
      await world.post('/v1/tasks', { ...body, project: null }, { key: token }),
    ]) {
      assert.deepEqual(refusal(reply), [400, 'invalid_request_body', 'project'])
    }
    assert.equal((await world.get(`/v1/tasks/${id}`)).body.project, own.id('project'))
  })

  it('changes only own comments, and deletes no tasks', async () => {
    const path = `/v1/tasks/${own.id('task')}/comments`
    const { id } = await own.make(path, { workspace: own.id('workspace'), body: 'Of another person' })
    const text = { body: 'Changed' }
    assert.deepEqual(refusal(await world.patch(`${path}/${id}`, text, { key: token })), [403, 'insufficient_scope'])
    assert.deepEqual(refusal(await world.delete(`${path}/${id}`, { key: token })), [403, 'insufficient_scope'])
    const bulk = { workspace: own.id('workspace'), tasks: [own.id('task')], delete: true }
    const refused = await world.post('/v1/tasks/bulk', bulk, { key: token })
    assert.deepEqual(refusal(refused), [403, 'insufficient_scope', 'delete'])
    const mine = await world.make(path, { workspace: own.id('workspace'), body: 'Mine' }, { key: token })
    const authors = await guest.must('GET', `tasks/${own.id('task')}/comment-authors?comments=${mine.id},${id}`)
    assert.deepEqual(authors.data, [{ comment: mine.id, author: user, name: 'guest' }])
  })

  it('keeps filters private', async () => {
    const filter = { workspace: own.id('workspace'), name: 'Urgent', filter: 'priority = urgent' }
    const made = await world.make('/v1/saved_filters', filter, { key: token })
    assert.equal(made.visibility, 'private')
    const shared = await world.patch(`/v1/saved_filters/${made.id}`, { visibility: 'team' }, { key: token })
    assert.deepEqual(refusal(shared), [400, 'invalid_request_body', 'visibility'])
  })

  it('has no more with a key than in the console, and a key of a person who becomes a guest is limited at once', async () => {
    const member = await join(owner, 'soon@client.example', 'member')
    const person = (await member.arrive()).user.id
    const scopes = ['tasks:read', 'api:read', 'billing:read', 'automations:read'] as const
    const { secret } = await world.key({ owner: { type: 'user', id: person }, scopes: [...scopes] })
    const elsewhere = `/v1/tasks/${foreign.get('tsk')?.[0]}`
    assert.equal((await world.get(elsewhere, { key: secret })).status, 200)
    assert.equal((await world.get('/v1/expenses', { key: secret })).status, 200)
    await owner.must('PATCH', `people/${person}`, { role: 'guest', projects: [own.id('project')] })
    assert.deepEqual(refusal(await world.get(elsewhere, { key: secret })), [404, 'resource_not_found'])
    assert.deepEqual(refusal(await world.get('/v1/expenses', { key: secret })), [403, 'insufficient_scope'])
    assert.deepEqual(refusal(await world.get('/v1/events', { key: secret })), [403, 'insufficient_scope'])
    assert.equal((await world.get(`/v1/tasks/${own.id('task')}`, { key: secret })).status, 200)
  })

  it('loses a project at once, and a person who stops being a guest sees everything', async () => {
    const { id: project } = await own.make('/v1/projects', { workspace: own.id('workspace'), name: 'For a while' })
    const { id: task } = await own.make('/v1/tasks', {
      workspace: own.id('workspace'),
      project,
      title: 'Seen for a while',
    })
    const visitor = await join(owner, 'while@client.example', 'guest', [project])
    const person = (await visitor.arrive()).user.id
    const key = await visitor.token()
    assert.equal((await world.get(`/v1/tasks/${task}`, { key })).status, 200)
    assert.equal((await visitor.get(`projects/${project}/task-counts`)).status, 200)
    await admit(owner, person, [own.id('project')])
    assert.deepEqual(refusal(await world.get(`/v1/tasks/${task}`, { key })), [404, 'resource_not_found'])
    assert.equal((await visitor.get(`projects/${project}/task-counts`)).status, 404)
    await owner.must('PATCH', `people/${person}`, { role: 'member' })
    assert.equal((await world.get(`/v1/tasks/${task}`, { key })).status, 200)
    assert.equal(
      (await owner.must('GET', 'people')).data.find((each: { user: string }) => each.user === person).projects,
      null,
    )
  })

  it('is invited to at least one project of the organization, and only guests have projects', async () => {
    const elsewhere = (await populateProject(world)).id
    for (const [sent, param] of [
      [{ role: 'guest' }, 'projects'],
      [{ role: 'guest', projects: [] }, 'projects'],
      [{ role: 'guest', projects: [elsewhere] }, 'projects[0]'],
      [{ role: 'member', projects: [own.id('project')] }, 'projects'],
    ] as const) {
      const reply = await owner.post('invitations', { email: 'new@client.example', ...sent })
      assert.deepEqual(refusal(reply), [400, 'invalid_request_body', param], JSON.stringify(sent))
    }
    const reply = await owner.patch(`people/${user}`, { projects: [] })
    assert.deepEqual(refusal(reply), [400, 'invalid_request_body', 'projects'])
    const person = (await owner.must('GET', 'people')).data.find((each: { user: string }) => each.user === user)
    assert.deepEqual([person.role, person.projects.includes(own.id('project'))], ['guest', true])
  })
})

/** A project of the other organization. */
async function populateProject(world: World): Promise<{ id: string }> {
  const { key } = world.globex
  const { id: workspace } = await world.make('/v1/workspaces', { title: 'Theirs' }, { key })
  return await world.make('/v1/projects', { workspace, name: 'Theirs' }, { key })
}
