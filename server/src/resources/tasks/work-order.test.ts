import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Reply } from '../../../test/call.ts'
import { onEveryWorld, type World } from '../../../test/world.ts'
import { query, updateQuery } from '../../db/query.ts'
import { workspaceOf } from './rows.test.ts'
import { type Task, task_statuses } from './task.ts'

const due_at = 1_800_000_000

onEveryWorld('the start of a task', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await workspaceOf(world)).id
  })

  const make = (fields: object) => world.make('/v1/tasks', { workspace, title: 'Task', ...fields })

  it('is set by create, batch and import, changed and removed', async () => {
    const start_at = due_at - 60
    const task = await make({ start_at, due_at })
    assert.equal(task.start_at, start_at)
    const batch = await world.make('/v1/tasks/batch', { workspace, data: [{ title: 'In a batch', start_at }] })
    assert.equal(batch.data[0].start_at, start_at)
    const data = [{ external_id: 'OPS-1', title: 'Imported', start_at }]
    const imported = await world.make('/v1/tasks/import', { workspace, source: 'jira', data })
    assert.equal((await world.get(`/v1/tasks/${imported.data[0].task}`)).body.start_at, start_at)
    const changed = await world.patch(`/v1/tasks/${task.id}`, { start_at: due_at })
    assert.deepEqual([changed.body.start_at, changed.body.revision], [due_at, 2])
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { start_at: null })).body.start_at, null)
  })

  it('is not after the due date, whichever of the two a request sends', async () => {
    const refused = (reply: Reply, param: string) =>
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_request_body', param],
      )
    const late = { title: 'Late', start_at: due_at + 1, due_at }
    refused(await world.post('/v1/tasks', { workspace, ...late }), 'start_at')
    refused(await world.post('/v1/tasks/batch', { workspace, data: [{ title: 'Fine' }, late] }), 'data[1].start_at')
    const task = await make({ start_at: due_at, due_at })
    refused(await world.patch(`/v1/tasks/${task.id}`, { due_at: due_at - 1 }), 'start_at')
    refused(await world.patch(`/v1/tasks/${task.id}`, { start_at: due_at + 1 }), 'start_at')
    assert.equal((await world.get(`/v1/tasks/${task.id}`)).body.revision, 1)
    const both = await world.patch(`/v1/tasks/${task.id}`, { start_at: due_at + 1, due_at: due_at + 2 })
    assert.deepEqual([both.status, both.body.start_at], [200, due_at + 1])
  })

  it('filters and sorts, tasks without one last', async () => {
    const { id } = await workspaceOf(world)
    const data = [3, null, 1].map((at) => ({ title: String(at), start_at: at === null ? null : due_at + at }))
    await world.make('/v1/tasks/batch', { workspace: id, data })
    const titles = async (query: string) => {
      const { data } = (await world.get(`/v1/tasks?workspace=${id}&${query}`)).body
      return data.map((task: { title: string }) => task.title)
    }
    assert.deepEqual(await titles('sort=start_at'), ['1', '3', 'null'])
    assert.deepEqual(await titles('sort=-start_at'), ['3', '1', 'null'])
    assert.deepEqual(await titles(`filter=${encodeURIComponent(`start_at > ${due_at + 1}`)}`), ['3'])
    assert.deepEqual(await titles(`filter=${encodeURIComponent('start_at = null')}`), ['null'])
  })
})

type Board = { project: string; columns: Record<string, string> }

/** A project with a column for each name; a name that is a status has that status. */
async function boardOf(world: World, workspace: string, names: readonly string[]): Promise<Board> {
  const project = (await world.make('/v1/projects', { workspace, name: 'Board' })).id
  const columns: Record<string, string> = {}
  for (const name of names) {
    const status = (task_statuses as readonly string[]).includes(name) ? name : null
    columns[name] = (await world.make('/v1/columns', { workspace, project, name, status })).id
  }
  return { project, columns }
}

function assertRefused(reply: Reply, status: number, code: string, param: string) {
  assert.deepEqual([reply.status, reply.body.error?.code, reply.body.error?.param], [status, code, param])
}

onEveryWorld('a column with a status', (world) => {
  let workspace: string
  let board: Board
  const at = (name: string) => board.columns[name] as string
  before(async () => {
    workspace = (await workspaceOf(world)).id
    board = await boardOf(world, workspace, ['todo', 'plain', 'done'])
  })

  const make = (fields: object) =>
    world.make('/v1/tasks', { workspace, project: board.project, title: 'Task', ...fields })

  it('gives its status to each task that enters it, in one event with every changed field', async () => {
    const created = await make({ column: at('done') })
    assert.deepEqual([created.status, created.completed_at], ['done', created.created])
    const task = await make({ column: at('todo'), title: 'Moved' })
    await world.markWritten()
    const moved = await world.make(`/v1/tasks/${task.id}/move`, { column: at('done') })
    assert.deepEqual([moved.column, moved.status, moved.revision], [at('done'), 'done', 2])
    await world.assertWritten({ events: ['workflow.task.completed'], audit: ['tasks.move'] })
    const { data } = (await world.get('/v1/events?limit=1')).body
    assert.deepEqual(Object.keys(data[0].data.previous_attributes).sort(), [
      ...['column', 'completed_at', 'revision', 'status'],
    ])
    const back = await world.patch(`/v1/tasks/${task.id}`, { column: at('plain') })
    assert.equal(back.body.status, 'done')
    const reopened = await world.patch(`/v1/tasks/${task.id}`, { column: at('todo') })
    assert.deepEqual([reopened.body.status, reopened.body.completed_at], ['todo', null])
  })

  it('gets each task of the project that takes its status from a column with another one', async () => {
    const task = await make({ column: at('todo') })
    const done = await world.make(`/v1/tasks/${task.id}/complete`, {})
    assert.deepEqual([done.column, done.status], [at('done'), 'done'])
    const reopened = await world.patch(`/v1/tasks/${task.id}`, { status: 'todo' })
    assert.equal(reopened.body.column, at('todo'))
    const blocked = await world.patch(`/v1/tasks/${task.id}`, { status: 'blocked' })
    assert.equal(blocked.body.column, at('todo'))
    const plain = await make({ column: at('plain') })
    const stays = await world.patch(`/v1/tasks/${plain.id}`, { status: 'done' })
    assert.equal(stays.body.column, at('plain'))
  })

  it('refuses a status or a completion time that contradicts it', async () => {
    const task = await make({ column: at('todo') })
    const path = `/v1/tasks/${task.id}`
    const refused = (reply: Reply, param = 'status') => assertRefused(reply, 400, 'invalid_request_body', param)
    refused(await world.patch(path, { column: at('done'), status: 'todo' }))
    refused(await world.patch(path, { column: at('todo'), status: 'done' }))
    refused(await world.patch(path, { column: at('todo'), completed_at: 5 }))
    refused(await world.patch(path, { column: at('done'), completed_at: null }), 'completed_at')
    const draft = { title: 'Task', project: board.project, column: at('done'), status: 'todo' }
    refused(await world.post('/v1/tasks', { workspace, ...draft }))
    refused(await world.post('/v1/tasks/batch', { workspace, data: [{ title: 'Fine' }, draft] }), 'data[1].status')
    const done = await world.patch(path, { completed_at: 1_700_000_000 })
    assert.deepEqual([done.body.column, done.body.completed_at], [at('done'), 1_700_000_000])
  })

  it('replaces the default status of a template', async () => {
    const defaults = { title: 'From a template', status: 'in_review' }
    const template = await world.make('/v1/task_templates', { workspace, project: board.project, name: 'T', defaults })
    const path = `/v1/task_templates/${template.id}/instantiate`
    assert.equal((await world.make(path, { workspace, column: at('done') })).status, 'done')
    assert.equal((await world.make(path, { workspace, column: at('plain') })).status, 'in_review')
  })

  it('takes a new status without changing its tasks, and is copied with its project', async () => {
    const { project, columns } = await boardOf(world, workspace, ['plain'])
    const task = await world.make('/v1/tasks', { workspace, project, column: columns.plain, title: 'Task' })
    const column = await world.patch(`/v1/columns/${columns.plain}`, { status: 'in_review' })
    assert.deepEqual([column.status, column.body.status], [200, 'in_review'])
    assert.deepEqual((await world.get(`/v1/tasks/${task.id}`)).body, task)
    const copy = await world.make(`/v1/projects/${project}/duplicate`, {})
    const { data } = (await world.get(`/v1/columns?project=${copy.id}`)).body
    assert.equal(data[0].status, 'in_review')
  })
})

const allTasks = query((db) => db.selectFrom('tasks').selectAll().where('deleted_at', 'is', null))

onEveryWorld('the order of tasks', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await workspaceOf(world)).id
  })

  /** A board with tasks named by letters in its column `a`. */
  async function listed(titles: readonly string[]) {
    const board = await boardOf(world, workspace, ['a', 'b'])
    const of = { workspace, project: board.project }
    const data = titles.map((title) => ({ title, project: board.project, column: board.columns.a }))
    const made = await world.make('/v1/tasks/batch', { workspace, data })
    const ids: Record<string, string> = Object.fromEntries(made.data.map(({ title, id }: Task) => [title, id]))
    return { ...of, columns: board.columns, ids }
  }

  async function orderOf(project: string, column: string | null = null): Promise<string> {
    const filter = encodeURIComponent(`column = ${column ?? 'null'}`)
    const { data } = (await world.get(`/v1/tasks?project=${project}&filter=${filter}&sort=position&limit=100`)).body
    return data.map(({ title }: { title: string }) => title).join('')
  }

  it('changes by `before` and `after`, by id or key, with one event', async () => {
    const { project, columns, ids } = await listed(['a', 'b', 'c', 'd'])
    await world.markWritten()
    await world.make(`/v1/tasks/${ids.d}/move`, { before: ids.b })
    await world.assertWritten({ events: ['workflow.task.moved'], audit: ['tasks.move'] })
    assert.equal(await orderOf(project, columns.a), 'adbc')
    const { key } = (await world.get(`/v1/tasks/${ids.c}`)).body
    await world.make(`/v1/tasks/${ids.a}/move`, { after: key })
    assert.equal(await orderOf(project, columns.a), 'dbca')
    await world.make(`/v1/tasks/${ids.a}/move`, { before: ids.d })
    assert.equal(await orderOf(project, columns.a), 'adbc')
    await world.markWritten()
    await world.make(`/v1/tasks/${ids.a}/move`, { before: ids.d })
    await world.make(`/v1/tasks/${ids.a}/move`, { column: columns.a })
    await world.assertWritten({ events: [], audit: [] })
  })

  it('puts a task at the end of the column that it enters, and into a list of tasks without column', async () => {
    const { project, columns, ids } = await listed(['a', 'b', 'c'])
    for (const title of ['c', 'a', 'b']) await world.make(`/v1/tasks/${ids[title]}/move`, { column: columns.b })
    assert.equal(await orderOf(project, columns.b), 'cab')
    await world.make('/v1/tasks', { workspace, project, column: columns.b, title: 'd' })
    assert.equal(await orderOf(project, columns.b), 'cabd')
    for (const title of ['b', 'c', 'a']) await world.make(`/v1/tasks/${ids[title]}/move`, { column: null })
    assert.equal(await orderOf(project), 'bca')
    await world.make(`/v1/tasks/${ids.a}/move`, { before: ids.c })
    assert.equal(await orderOf(project), 'bac')
  })

  it('refuses both neighbours, the task itself, and one of another list', async () => {
    const { columns, ids } = await listed(['a', 'b'])
    const move = (body: object) => world.post(`/v1/tasks/${ids.a}/move`, body)
    assertRefused(await move({ before: ids.b, after: ids.b }), 400, 'invalid_request_body', 'after')
    assertRefused(await move({ before: ids.a }), 400, 'invalid_request_body', 'before')
    assertRefused(await move({ column: columns.b, after: ids.b }), 400, 'invalid_request_body', 'after')
    assertRefused(await move({ after: 'tsk_00000000000000000000000000' }), 400, 'invalid_request_body', 'after')
  })

  it('renumbers a few neighbours, each with its event, where two leave no room', async () => {
    const { project, columns, ids } = await listed(['a', 'b', 'c', 'd', 'e'])
    const position = 1024
    await world.services.store.write('system', async (tx) => {
      for (const id of Object.values(ids))
        tx.write(updateQuery('tasks', ['position']), { realm: world.acme.realms.live, id, position })
    })
    await world.markWritten()
    const sorted = Object.keys(ids).sort((x, y) => (String(ids[x]) < String(ids[y]) ? -1 : 1))
    const [first, second, ...rest] = sorted as [string, string, ...string[]]
    await world.make(`/v1/tasks/${ids[rest.at(-1) as string]}/move`, { before: ids[second] })
    const wanted = [first, rest.at(-1), second, ...rest.slice(0, -1)].join('')
    assert.equal(await orderOf(project, columns.a), wanted)
    const { data } = (await world.get('/v1/events?limit=10')).body
    const types = data.slice(0, data[0].commit.size).map(({ type }: { type: string }) => type)
    assert.equal(types.filter((type: string) => type === 'workflow.task.moved').length, 1)
    assert.ok(types.includes('workflow.task.updated'))
  })

  it('is the same for any interleaving of moves, and survives many moves to one place', async () => {
    const { project, columns, ids } = await listed([...'abcdefghij'])
    const names = Object.keys(ids)
    let state = 7
    const below = (bound: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * bound)
    }
    let replayed = names
    let count = 0
    // Few moves a round, because later ones hide where an earlier one went wrong.
    for (let round = 0; round < 15; round++) {
      const moves = new Map<string, { mover: string; side: string; at: string }>()
      await Promise.all(
        Array.from({ length: 5 }, async () => {
          const mover = names[below(10)] as string
          const at = below(2) === 0 ? (names[below(10)] as string) : (replayed.at(-below(2)) as string)
          if (mover === at) return
          const side = below(2) === 0 ? 'before' : 'after'
          const reply = await world.post(`/v1/tasks/${ids[mover]}/move`, { [side]: ids[at] })
          assert.equal(reply.status, 200)
          moves.set(String(reply.headers['x-request-id']), { mover, side, at })
        }),
      )
      // The log says in which order the moves were committed. Replayed one by one, they give the order of the list.
      const { data } = (await world.get('/v1/events?limit=100')).body
      for (const event of data.toReversed()) {
        const move = event.type === 'workflow.task.moved' ? moves.get(event.request.id) : undefined
        if (move === undefined) continue
        count++
        const others = replayed.filter((name) => name !== move.mover)
        replayed = others.toSpliced(others.indexOf(move.at) + (move.side === 'after' ? 1 : 0), 0, move.mover)
      }
      assert.equal(await orderOf(project, columns.a), replayed.join(''), `round ${round}`)
    }
    assert.ok(count > 20, `only ${count} moves`)
    for (let i = 0; i < 60; i++) await world.make(`/v1/tasks/${ids[i % 2 === 0 ? 'a' : 'b']}/move`, { before: ids.c })
    const order = await orderOf(project, columns.a)
    assert.equal(order.indexOf('abc'), order.indexOf('c') - 2)
    const rows = (await world.services.store.reader('system').all(allTasks)).filter((row) => row.column === columns.a)
    assert.equal(new Set(rows.map((row) => row.position)).size, 10)
  })
})

onEveryWorld('the parent of a task', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await workspaceOf(world)).id
  })

  const make = (fields: object = {}) => world.make('/v1/tasks', { workspace, title: 'Task', ...fields })
  const countsOf = async (id: string) => {
    const { body } = await world.get(`/v1/tasks/${id}`)
    return [body.subtask_count, body.subtask_done_count, body.revision]
  }

  it('counts its children that are not deleted, and those that are done, as its own changes', async () => {
    const parent = await make()
    await world.markWritten()
    const child = await make({ parent: parent.id })
    await world.assertWritten({ events: ['workflow.task.created', 'workflow.task.updated'], audit: ['tasks.create'] })
    assert.deepEqual([child.parent, await countsOf(parent.id)], [parent.id, [1, 0, 2]])
    await world.make('/v1/tasks/batch', { workspace, data: [1, 2].map(() => ({ title: 'T', parent: parent.id })) })
    assert.deepEqual(await countsOf(parent.id), [3, 0, 3])
    await world.make(`/v1/tasks/${child.id}/complete`, {})
    assert.deepEqual(await countsOf(parent.id), [3, 1, 4])
    await world.patch(`/v1/tasks/${child.id}`, { title: 'Other' })
    assert.deepEqual(await countsOf(parent.id), [3, 1, 4])
    await world.patch(`/v1/tasks/${child.id}`, { parent: null })
    assert.deepEqual(await countsOf(parent.id), [2, 0, 5])
    await world.patch(`/v1/tasks/${child.id}`, { parent: parent.id })
    await world.delete(`/v1/tasks/${child.id}`)
    assert.deepEqual(await countsOf(parent.id), [2, 0, 7])
  })

  it('is in the workspace, not below the task, and at most five tasks stand from root to leaf', async () => {
    const chain = [await make()]
    for (let i = 0; i < 4; i++) chain.push(await make({ parent: chain.at(-1).id }))
    const patch = (task: { id: string }, parent: string) => world.patch(`/v1/tasks/${task.id}`, { parent })
    const sixth = await world.post('/v1/tasks', { workspace, title: 'T', parent: chain[4].id })
    assertRefused(sixth, 409, 'resource_conflict', 'parent')
    assertRefused(await patch(chain[0], chain[2].id), 409, 'resource_conflict', 'parent')
    assertRefused(await patch(chain[0], chain[0].id), 400, 'invalid_request_body', 'parent')
    assertRefused(await patch(chain[0], (await make()).id), 409, 'resource_conflict', 'parent')
    const other = (await workspaceOf(world, 'Other')).id
    const foreign = await world.make('/v1/tasks', { workspace: other, title: 'T' })
    assertRefused(await patch(chain[0], foreign.id), 400, 'invalid_request_body', 'parent')
    const unknown = 'tsk_00000000000000000000000000'
    const batch = await world.post('/v1/tasks/batch', { workspace, data: [{ title: 'T', parent: unknown }] })
    assertRefused(batch, 400, 'invalid_request_body', 'data[0].parent')
    assert.equal((await patch(chain[1], (await make()).id)).status, 200)
  })

  it('is never below the task, also when callers write at the same time', async () => {
    const upper = await make()
    const lower = await make({ parent: upper.id })
    const patch = (task: string, parent: string) => world.patch(`/v1/tasks/${task}`, { parent })
    const refused = await patch(upper.id, lower.id)
    assertRefused(refused, 409, 'resource_conflict', 'parent')
    assert.equal(refused.body.error.message, `The field \`parent\` "${lower.id}" is below the task.`)
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await make()).id as string))
    const pairs = ids.flatMap((task) =>
      ids.filter((parent) => parent !== task).map((parent) => [task, parent] as const),
    )
    await Promise.all(pairs.map(([task, parent]) => patch(task, parent)))
    const tasks = await Promise.all(ids.map(async (id) => (await world.get(`/v1/tasks/${id}`)).body as Task))
    const parents = new Map(tasks.map(({ id, parent }) => [id, parent]))
    for (const id of ids) {
      const above: string[] = []
      for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) {
        above.push(at)
        assert.ok(above.length < ids.length, `a cycle above ${id}: ${above.join(', ')}`)
      }
    }
    for (const { id, subtask_count } of tasks) {
      assert.equal(subtask_count, tasks.filter(({ parent }) => parent === id).length)
    }
  })

  it('has at most a thousand of them, however they are added', async () => {
    const parent = (await make()).id
    const batch = { workspace, data: Array.from({ length: 100 }, () => ({ title: 'Subtask', parent })) }
    for (let i = 0; i < 10; i++) await world.make('/v1/tasks/batch', batch)
    const other = await make()
    const message = /^The task \w+-\d+ has 1000 subtasks; at most 1000 are allowed\.$/
    for (const reply of [
      await world.post('/v1/tasks', { workspace, title: 'Task', parent }),
      await world.post('/v1/tasks/batch', { workspace, data: [{ title: 'Task', parent }] }),
      await world.post('/v1/tasks/bulk', { workspace, tasks: [other.id], set: { parent } }),
      await world.patch(`/v1/tasks/${other.id}`, { parent }),
    ]) {
      assertRefused(reply, 409, 'resource_conflict', 'parent')
      assert.match(reply.body.error.message, message)
    }
    const [child] = (await world.get(`/v1/tasks?parent=${parent}&limit=1`)).body.data
    await world.delete(`/v1/tasks/${child.id}`)
    await world.make('/v1/tasks', { workspace, title: 'Task', parent })
    assert.equal((await countsOf(parent))[0], 1000)
  })

  it('detaches its children when it is deleted, each with an event', async () => {
    const parent = await make()
    const children = [await make({ parent: parent.id }), await make({ parent: parent.id })]
    await world.markWritten()
    await world.delete(`/v1/tasks/${parent.id}`)
    const events = ['workflow.task.deleted', 'workflow.task.updated', 'workflow.task.updated']
    await world.assertWritten({ events, audit: ['tasks.delete'] })
    for (const { id } of children) {
      const { body } = await world.get(`/v1/tasks/${id}`)
      assert.deepEqual([body.parent, body.revision], [null, 2])
    }
  })

  it('selects tasks in lists by parameter and filter', async () => {
    const { id } = await workspaceOf(world, 'Lists')
    const parent = await world.make('/v1/tasks', { workspace: id, title: 'parent' })
    await world.make('/v1/tasks', { workspace: id, title: 'child', parent: parent.key })
    const titles = async (query: string) => {
      const { data } = (await world.get(`/v1/tasks?workspace=${id}&${query}`)).body
      return data.map((task: { title: string }) => task.title)
    }
    for (const named of [parent.id, parent.key]) {
      assert.deepEqual(await titles(`parent=${named}`), ['child'])
      assert.deepEqual(await titles(`filter=${encodeURIComponent(`parent = ${named}`)}`), ['child'])
    }
    assert.deepEqual(await titles('parent=none'), ['parent'])
    assert.deepEqual(await titles(`filter=${encodeURIComponent('parent = none')}`), ['parent'])
    const unknown = await world.get(`/v1/tasks?workspace=${id}&parent=KEP-99999`)
    assertRefused(unknown, 400, 'invalid_query_parameter', 'parent')
  })

  it('is copied with its project, with the counts of the copies', async () => {
    const project = (await world.make('/v1/projects', { workspace, name: 'Copied' })).id
    const outside = await make()
    const parent = await make({ project, title: 'parent', parent: outside.id, start_at: 5 })
    await make({ project, title: 'child', parent: parent.id, status: 'done' })
    const copy = await world.make(`/v1/projects/${project}/duplicate`, {})
    const { data } = (await world.get(`/v1/tasks?project=${copy.id}`)).body
    const [child, root] = data
    assert.deepEqual([child.title, child.parent, root.parent, root.start_at], ['child', root.id, null, 5])
    assert.deepEqual([root.subtask_count, root.subtask_done_count], [1, 1])
    assert.deepEqual(await countsOf(outside.id), [1, 0, 2])
  })
})
