import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Reply } from '../../../test/call.ts'
import { onEveryWorld, type World } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { query } from '../../db/query.ts'
import { idTime } from '../../lib/ids.ts'
import { task_statuses } from '../tasks/task.ts'

const steps = 40

const allDependencies = query((db) =>
  db.selectFrom('dependencies').select(['from', 'to', 'kind']).where('deleted_at', 'is', null),
)

/** What undo must restore: everything but the traces of each change. */
function content(task: Readonly<Record<string, unknown>>): object {
  const { revision: _, updated: __, ...rest } = task
  return rest
}

onEveryWorld('undoing own changes', (world) => {
  let workspace: string
  let project: string
  let columns: Record<string, string>

  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    project = await newProject('Orbit')
    columns = await columnsOf(project)
  })

  async function newProject(name: string): Promise<string> {
    const { id } = await world.make('/v1/projects', { workspace, name })
    for (const status of ['todo', 'done', 'blocked']) {
      await world.make('/v1/columns', { workspace, project: id, name: `${name} ${status}`, status })
    }
    return id
  }
  async function columnsOf(of: string): Promise<Record<string, string>> {
    const { data } = (await world.get(`/v1/columns?project=${of}`)).body
    return Object.fromEntries(data.map(({ id, status }: { id: string; status: string }) => [status, id]))
  }
  const make = (fields: object = {}) => world.make('/v1/tasks', { workspace, title: 'Task', ...fields })
  const shown = async (id: string) => (await world.get(`/v1/tasks/${id}`)).body
  const requestOf = (reply: Reply): string => {
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    return String(reply.headers['x-request-id'])
  }
  const undo = (requests: readonly string[], key = world.acme.key) => world.post('/v1/undo', { requests }, { key })

  function assertRefused(reply: Reply, message: RegExp, status = 409, param = 'requests') {
    assert.deepEqual([reply.status, reply.body.error?.param], [status, param], JSON.stringify(reply.body))
    assert.match(reply.body.error.message, message)
  }

  it('writes the previous fields back, with an event and an audit entry', async () => {
    const task = await make({ priority: 'low', labels: ['a'], custom_fields: { points: 3 }, due_at: 1_800_000_000 })
    const set = {
      title: 'Other',
      priority: 'high',
      labels: [],
      custom_fields: { points: null, size: 'L' },
      due_at: null,
    }
    const request = requestOf(await world.patch(`/v1/tasks/${task.id}`, set))
    await world.markWritten()
    const reply = await undo([request])
    assert.equal(reply.status, 200)
    assert.deepEqual(content(reply.body.data[0]), content(task))
    assert.deepEqual(await shown(task.id), reply.body.data[0])
    await world.assertWritten({ events: ['workflow.task.updated'], audit: ['undo.create'] })
  })

  it('takes a bulk change back as a whole, and an undo itself', async () => {
    const tasks = [await make({ project, column: columns.todo }), await make({ project, column: columns.blocked })]
    const ids = tasks.map(({ id }) => id)
    const bulk = await world.post('/v1/tasks/bulk', {
      workspace,
      tasks: ids,
      set: { status: 'done' },
      add_labels: ['x'],
    })
    const first = await undo([requestOf(bulk)])
    for (const task of tasks) assert.deepEqual(content(await shown(task.id)), content(task))
    const again = await undo([requestOf(first)])
    assert.equal(again.status, 200)
    const contents = bulk.body.data.map(content)
    for (const [i, id] of ids.entries()) assert.deepEqual(content(await shown(id)), contents[i])
  })

  it('brings a moved task back to its column, place, status and dependencies', async () => {
    const [a, b] = [await make({ project, column: columns.todo }), await make({ project, column: columns.todo })]
    await world.make(`/v1/tasks/${a.id}/dependencies`, { workspace, to: b.id })
    const other = await newProject('Elsewhere')
    const request = requestOf(await world.post(`/v1/tasks/${a.id}/move`, { project: other }))
    assert.equal((await world.get(`/v1/tasks/${a.id}/dependencies`)).body.data.length, 0)
    await world.markWritten()
    requestOf(await undo([request]))
    await world.assertWritten({
      events: ['workflow.task.moved', 'workflow.dependency.created'],
      audit: ['undo.create'],
    })
    assert.deepEqual(content(await shown(a.id)), content(a))
    const { data } = (await world.get(`/v1/tasks/${a.id}/dependencies`)).body
    assert.deepEqual([data.length, data[0].to, data[0].kind], [1, b.id, 'blocks'])
  })

  it('deletes a created task, and refuses when it has got a comment since', async () => {
    const parent = await make()
    const made = await world.post('/v1/tasks', { workspace, title: 'Child', parent: parent.id })
    const reply = await undo([requestOf(made)])
    assert.deepEqual(reply.body.data, [{ id: made.body.id, object: 'task', deleted: true }])
    assert.equal((await world.get(`/v1/tasks/${made.body.id}`)).status, 410)
    assert.deepEqual(content(await shown(parent.id)), content(parent))
    const next = await world.post('/v1/tasks', { workspace, title: 'Discussed' })
    await world.make(`/v1/tasks/${next.body.id}/comments`, { workspace, body: 'Why?' })
    assertRefused(await undo([requestOf(next)]), /has comments now/)
  })

  it('is refused as a whole when a field has changed since, and keeps fields that are not its own', async () => {
    const [a, b] = [await make({ custom_fields: { x: 1 } }), await make()]
    const change = { workspace, tasks: [a.id, b.id], set: { priority: 'high', custom_fields: { x: 2 } } }
    const request = requestOf(await world.post('/v1/tasks/bulk', change))
    requestOf(await world.patch(`/v1/tasks/${a.id}`, { title: 'Renamed', custom_fields: { y: 1 } }))
    const later = requestOf(await world.patch(`/v1/tasks/${b.id}`, { priority: 'low' }))
    const before = await shown(a.id)
    assertRefused(await undo([request]), new RegExp(`${b.key} cannot be restored: its priority has changed since`))
    assert.deepEqual(await shown(a.id), before)
    requestOf(await undo([request, later]))
    const { title, priority, custom_fields } = await shown(a.id)
    assert.deepEqual([title, priority, custom_fields], ['Renamed', 'none', { x: 1, y: 1 }])
    assert.deepEqual(content(await shown(b.id)), content(b))
  })

  it('is refused when what the previous value names cannot be used', async () => {
    const column = (await world.make('/v1/columns', { workspace, project, name: 'Soon' })).id
    const task = await make({ project, column })
    const request = requestOf(await world.post(`/v1/tasks/${task.id}/move`, { column: null }))
    await world.call('DELETE', `/v1/columns/${column}`)
    assertRefused(await undo([request]), /column/)
    const above = await make()
    const below = await make({ parent: above.id })
    const detached = requestOf(await world.patch(`/v1/tasks/${below.id}`, { parent: null }))
    requestOf(await world.patch(`/v1/tasks/${above.id}`, { parent: below.id }))
    assertRefused(await undo([detached]), /below the task/)
    const removed = await world.call('DELETE', `/v1/tasks/${task.id}`)
    assertRefused(await undo([requestOf(removed)]), /a deletion is final/)
    assertRefused(await undo([request]), /was deleted since/)
  })

  it('never contradicts a column that has got another status since', async () => {
    const column = (await world.make('/v1/columns', { workspace, project, name: 'Flexible' })).id
    const task = await make({ project, column, status: 'in_review' })
    const request = requestOf(await world.post(`/v1/tasks/${task.id}/move`, { column: columns.done }))
    world.clock.advance(1000)
    requestOf(await world.patch(`/v1/columns/${column}`, { status: 'backlog' }))
    assertRefused(await undo([request]), /has the status "backlog" now, and the task had "in_review"/)
  })

  it('knows only the own changes of the last day, with one answer for all others', async () => {
    const task = await make()
    const request = requestOf(await world.patch(`/v1/tasks/${task.id}`, { title: 'Mine' }))
    const { secret } = await world.make('/v1/api_keys', { name: 'Other', scopes: ['tasks:write'] })
    const unknown = request.replace(/.{4}$/, 'ZZZZ')
    const replies = [await undo([request], secret), await undo([request], world.globex.key), await undo([unknown])]
    for (const reply of [...replies, await undo(['tsk_1'])]) {
      assertRefused(reply, /names no change that this credential made within the last day/, 400, 'requests[0]')
    }
    assertRefused(await undo([request, request]), /repeats a request/, 400, 'requests[1]')
    // Ids never go back, so the request may be later than the clock.
    world.clock.set(idTime(request) + limits.undo_age_ms + 1000)
    assertRefused(await undo([request]), /within the last day/, 400, 'requests[0]')
  })

  it('restores each state after any sequence of own changes, newest first', async (t) => {
    const seed = Number(process.env.ATRIUM_TEST_SEED ?? Date.now() % 1_000_000)
    t.diagnostic(`seed ${seed}; repeat with ATRIUM_TEST_SEED=${seed}`)
    const random = new RandomChanges(world, workspace, [project, await newProject('Third')], seed)
    await random.open()
    const states: { readonly request: string; readonly before: object }[] = []
    let state = await random.state()
    while (states.length < steps) {
      const reply = await random.step()
      assert.ok(reply.status < 500, JSON.stringify(reply.body))
      if (reply.status !== 200) continue
      const next = await random.state()
      // A write without a difference is no change.
      if (JSON.stringify(next) !== JSON.stringify(state)) states.push({ request: requestOf(reply), before: state })
      state = next
    }
    for (const { request, before } of states.toReversed()) {
      requestOf(await undo([request]))
      assert.deepEqual(await random.state(), before, `seed ${seed}, ${request}`)
    }
  })
})

/** Random changes of the tasks of one workspace, by one key. */
class RandomChanges {
  private readonly world: World
  private readonly workspace: string
  private readonly projects: readonly string[]
  private columns: { readonly id: string; readonly project: string }[] = []
  private tasks: string[] = []
  private number: number

  constructor(world: World, workspace: string, projects: readonly string[], seed: number) {
    this.world = world
    this.workspace = workspace
    this.projects = projects
    this.number = seed
  }

  async open(): Promise<void> {
    for (const project of this.projects) {
      this.columns.push(...(await this.world.get(`/v1/columns?project=${project}`)).body.data)
    }
    while (this.tasks.length < 4) await this.create()
  }

  /** The tasks and dependencies of the workspace, without the traces of each change. */
  async state(): Promise<object> {
    const { data } = (await this.world.get(`/v1/tasks?workspace=${this.workspace}&limit=100`)).body
    const edges = await this.world.services.store.reader('system').all(allDependencies)
    return { tasks: data.map(content), edges: edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`).sort() }
  }

  private below(bound: number): number {
    this.number = (Math.imul(this.number, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.number / 2 ** 32) * bound)
  }

  private one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T
  }

  private place(): object {
    const { id: column, project } = this.one(this.columns)
    return this.one<object>([{ project, column }, { project, column }, { project, column: null }, { project: null }])
  }

  private fields(): object {
    return this.one<object>([
      { status: this.one(task_statuses) },
      { title: `Title ${this.below(9)}`, description: this.one(['', 'Text', `@[${'Ada'}](${this.world.acme.user})`]) },
      { priority: this.one(['low', 'high']), due_at: this.one([null, 1_800_000_000 + this.below(9)]) },
      { labels: this.one([[], ['a'], ['a', 'b']]), custom_fields: { points: this.one([null, 1, 2]) } },
      { parent: this.one([null, ...this.tasks]) },
      this.place(),
    ])
  }

  private async create(): Promise<Reply> {
    const body = { workspace: this.workspace, title: 'New', ...this.place() }
    const reply = await this.world.post('/v1/tasks', body)
    if (reply.status === 200) this.tasks.push(reply.body.id)
    return reply
  }

  async step(): Promise<Reply> {
    const path = `/v1/tasks/${this.one(this.tasks)}`
    const changes: readonly (() => Promise<Reply>)[] = [
      () => this.create(),
      () => this.world.patch(path, this.fields()),
      () => this.world.patch(path, this.fields()),
      () => this.world.post(`${path}/complete`, {}),
      () => this.world.post(`${path}/move`, this.place()),
      () => this.world.post(`${path}/move`, { [this.one(['before', 'after'])]: this.one(this.tasks) }),
      () => {
        const tasks = [...new Set([this.one(this.tasks), this.one(this.tasks)])]
        return this.world.post('/v1/tasks/bulk', { workspace: this.workspace, tasks, set: this.fields() })
      },
      () => {
        const kind = this.one(['blocks', 'relates_to'])
        return this.world.post(`${path}/dependencies`, { workspace: this.workspace, to: this.one(this.tasks), kind })
      },
    ]
    return await this.one(changes)()
  }
}
