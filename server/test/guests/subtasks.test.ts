/**
 * Parents and subtasks may be in other projects of the workspace. To a guest a task has the parent that the guest sees, or none, and
 * counts the subtasks that the guest sees: in every answer and in every filter.
 */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import type { Reply } from '../call.ts'
import { join, ownerOf, refusal } from '../console/visitor.ts'
import { onEveryWorld, openFirst } from '../world.ts'

onEveryWorld('a guest whose tasks have parents and subtasks elsewhere', (world, engine) => {
  const owner = openFirst(() => ownerOf(world))
  let key: string
  let workspace: string
  let project: string
  let elsewhere: string
  /** A task elsewhere that is the parent of `child`. */
  let above: { id: string; key: string }
  let child: string
  /** A task of the project with two subtasks there, one of them done, and two elsewhere, both done. */
  let parent: string
  let hidden: string[]

  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Site' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Shared' })).id
    elsewhere = (await world.make('/v1/projects', { workspace, name: 'Secret' })).id
    const guest = await join(owner, 'guest@client.example', 'guest', [project])
    key = await guest.token()
    above = await make({ project: elsewhere, title: 'Secret plan' })
    child = (await make({ project, title: 'Child', parent: above.id })).id
    parent = (await make({ project, title: 'Parent' })).id
    await make({ project, title: 'Open', parent })
    await make({ project, title: 'Done', parent, status: 'done' })
    const others = [
      await make({ project: elsewhere, title: 'Secret', parent, status: 'done' }),
      await make({ title: 'In no project', parent, status: 'done' }),
    ]
    hidden = [above.id, above.key, elsewhere, ...others.flatMap((task) => [task.id, task.key])]
  })

  const make = (fields: object) => world.make('/v1/tasks', { workspace, ...fields })
  const asGuest = { get: (path: string) => world.get(path, { key }) }
  /** The body of an answer that is right and names nothing elsewhere. */
  const shown = (reply: Reply) => {
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      hidden.filter((word) => reply.text.includes(`"${word}"`)),
      [],
      reply.text,
    )
    return reply.body
  }
  const family = ({ parent: of, subtask_count, subtask_done_count }: Reply['body']) => [
    of,
    subtask_count,
    subtask_done_count,
  ]
  const titles = (reply: Reply) =>
    shown(reply)
      .data.map(({ title }: { title: string }) => title)
      .toSorted()

  it('a task shows no parent elsewhere and counts only subtasks that the guest sees; other people see all of it', async () => {
    assert.deepEqual(family(shown(await asGuest.get(`/v1/tasks/${child}`))), [null, 0, 0])
    assert.deepEqual(family(shown(await asGuest.get(`/v1/tasks/${parent}?expand=project,column`))), [null, 2, 1])
    assert.deepEqual(family((await world.get(`/v1/tasks/${child}`)).body), [above.id, 0, 0])
    assert.deepEqual(family((await world.get(`/v1/tasks/${parent}`)).body), [null, 4, 3])
  })

  it('so do lists in every form: plain, with fields, expanded, sorted', async () => {
    await world.make('/v1/custom_fields', { workspace, key: 'size', name: 'Size', type: 'number' })
    for (const search of ['', '&fields=id,parent,subtask_count,subtask_done_count', '&expand=project', '&sort=title']) {
      const { data } = shown(await asGuest.get(`/v1/tasks?limit=100${search}`))
      const found = Object.fromEntries(data.map((task: { id: string }) => [task.id, family(task)]))
      assert.deepEqual(
        [found[child], found[parent]],
        [
          [null, 0, 0],
          [null, 2, 1],
        ],
        search,
      )
    }
    const sorted = shown(await asGuest.get(`/v1/tasks?limit=100&workspace=${workspace}&sort=custom_fields.size`))
    assert.deepEqual(family(sorted.data.find(({ id }: { id: string }) => id === parent)), [null, 2, 1])
  })

  it('a task with a parent elsewhere has no parent in filters, and naming that parent is naming a task that never existed', async () => {
    const top = ['Child', 'Parent']
    for (const search of ['parent=none', 'filter=parent%20%3D%20none', 'filter=-parent:*', 'filter=NOT%20parent:*'])
      assert.deepEqual(titles(await asGuest.get(`/v1/tasks?limit=100&${search}`)), top, search)
    for (const search of [
      'filter=parent:*',
      'filter=parent%20!%3D%20none',
      `parent=${parent}`,
      `filter=parent%3D${parent}`,
    ])
      assert.deepEqual(titles(await asGuest.get(`/v1/tasks?limit=100&${search}`)), ['Done', 'Open'], search)
    const { count } = shown(await asGuest.get('/v1/tasks/count?parent=none'))
    assert.equal(count, 2)
    const never = newId('tsk', world.clock.now())
    const answerTo = async (search: string, name: string) => {
      const { status, text } = await asGuest.get(`/v1/tasks?limit=100&${search}${name}`)
      return [status, text.replaceAll(name, '<id>').replaceAll(/req_\w+/g, '<request>')]
    }
    for (const search of ['parent=', 'filter=parent%3D', 'filter=parent!%3D', 'filter=NOT%20parent%3D'])
      assert.deepEqual(await answerTo(search, above.id), await answerTo(search, never), search)
    assert.deepEqual(await answerTo('filter=parent%3D', above.key), await answerTo('filter=parent%3D', 'ZZZZZZ-99'))
  })

  it('so do the answers of every write, also of a repeated one and of a dry run, which names no events', async () => {
    const write = (path: string, body: object, more: object = {}) => world.post(path, body, { key, ...more })
    const answers: Record<string, Reply> = {
      update: await world.patch(`/v1/tasks/${child}`, { priority: 'high' }, { key }),
      move: await write(`/v1/tasks/${child}/move`, { project, column: null }),
      bulk: await write('/v1/tasks/bulk', { workspace, tasks: [child, parent], add_labels: ['x'] }),
      unchanged: await world.patch(`/v1/tasks/${child}`, { priority: 'high' }, { key }),
      complete: await write(`/v1/tasks/${child}/complete`, {}, { idempotencyKey: `complete-${engine}` }),
      repeated: await write(`/v1/tasks/${child}/complete`, {}, { idempotencyKey: `complete-${engine}` }),
      reopen: await world.patch(`/v1/tasks/${child}`, { status: 'todo' }, { key }),
    }
    for (const [name, reply] of Object.entries(answers)) {
      const [of] = shown(reply).data ?? [reply.body]
      assert.equal(of.parent, null, name)
    }
    assert.deepEqual(family(answers.bulk?.body.data[1]), [null, 2, 1])
    assert.equal(answers.repeated?.text, answers.complete?.text)
    const made = shown(await write('/v1/tasks', { workspace, project, title: 'Third', parent }))
    assert.equal(made.parent, parent)
    assert.deepEqual(family(shown(await asGuest.get(`/v1/tasks/${parent}`))), [null, 3, 1])
    const dry = await write(`/v1/tasks/${child}/complete`, {}, { headers: { prefer: 'dry-run' } })
    const { answer, events, event_count } = shown(dry)
    assert.deepEqual([answer.parent, events, event_count], [null, [], 0])
    const asMember = await world.post(`/v1/tasks/${child}/complete`, {}, { headers: { prefer: 'dry-run' } })
    assert.equal(asMember.body.event_count, 2, 'the task and its parent')
  })

  it('a guest cannot choose a parent elsewhere, and taking away none leaves the one elsewhere; a seen one takes its place', async () => {
    const refused = await world.patch(`/v1/tasks/${child}`, { parent: above.id }, { key })
    assert.deepEqual(refusal(refused), [400, 'invalid_request_body', 'parent'])
    const { revision } = (await world.get(`/v1/tasks/${child}`)).body
    const none = shown(await world.patch(`/v1/tasks/${child}`, { parent: null }, { key }))
    assert.deepEqual([none.parent, none.revision], [null, revision])
    assert.equal((await world.get(`/v1/tasks/${child}`)).body.parent, above.id)
    const moved = shown(await world.patch(`/v1/tasks/${child}`, { parent }, { key }))
    assert.equal(moved.parent, parent)
    const removed = shown(await world.patch(`/v1/tasks/${child}`, { parent: null }, { key }))
    assert.equal(removed.parent, null)
    assert.equal((await world.get(`/v1/tasks/${child}`)).body.parent, null)
    await world.patch(`/v1/tasks/${child}`, { parent: above.id })
  })

  it('an entity tag is that of what the guest sees: a subtask that comes into the project changes it', async () => {
    const first = await asGuest.get(`/v1/tasks/${parent}`)
    const etag = String(first.headers.etag)
    const again = await world.get(`/v1/tasks/${parent}`, { key, headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    const [, , , secret] = hidden
    await world.patch(`/v1/tasks/${secret}`, { project })
    const changed = await world.get(`/v1/tasks/${parent}`, { key, headers: { 'if-none-match': etag } })
    assert.deepEqual([changed.status, ...family(changed.body)], [200, null, 4, 2])
    assert.equal(changed.body.revision, first.body.revision)
    await world.patch(`/v1/tasks/${secret}`, { project: elsewhere })
    assert.equal((await asGuest.get(`/v1/tasks/${parent}`)).headers.etag, etag)
  })
})
