/**
 * Column and status are one truth (contract/15#column-status): random sequences of all operations that write tasks, on boards
 * whose columns have statuses. Repeat a failure with ATRIUM_TEST_SEED.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { query } from '../../src/db/query.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { task_statuses } from '../../src/resources/tasks/task.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { type Desk, openDesk } from '../automations/desk.ts'
import { chain } from '../automations/graphs.ts'
import type { Reply } from '../call.ts'
import { onEveryWorld, type World } from '../world.ts'

const steps = 160

const allTasks = query((db) => db.selectFrom('tasks').selectAll().where('deleted_at', 'is', null))

interface Place {
  readonly project: string
  readonly column?: string | undefined
}

/** Two boards with a column for each status, and what happens to their tasks. */
class Boards {
  readonly tasks: string[] = []
  /** The status of each column. */
  readonly statuses = new Map<string, string>()
  /** How often an operation succeeded, by name. */
  readonly succeeded = new Map<string, number>()
  private readonly world: World
  private readonly workspace: string
  private readonly columns = new Map<string, string[]>()
  private readonly flows: string[] = []
  private template = ''
  private state: number

  constructor(world: World, workspace: string, seed: number) {
    this.world = world
    this.workspace = workspace
    this.state = seed
  }

  async open(desk: Desk): Promise<void> {
    const { world, workspace } = this
    for (const name of ['First', 'Second']) {
      const project = (await world.make('/v1/projects', { workspace, name })).id
      for (const status of task_statuses) {
        await world.make('/v1/columns', { workspace, project, name: status, status })
      }
      await this.know(project)
    }
    const defaults = { title: 'From a template', status: 'in_review' }
    this.template = (await world.make('/v1/task_templates', { workspace, name: 'T', defaults })).id
    for (const status of ['done', 'blocked']) {
      const { project, column } = this.place(true)
      this.flows.push((await desk.activate(chain({ id: 'a', type: 'task.update', config: { set: { status } } }))).id)
      this.flows.push((await desk.activate(chain({ id: 'a', type: 'task.move', config: { project, column } }))).id)
    }
  }

  private async know(project: string): Promise<void> {
    const { data } = (await this.world.get(`/v1/columns?project=${project}`)).body
    const rows = data as { id: string; status: string }[]
    this.columns.set(
      project,
      rows.map(({ id }) => id),
    )
    for (const { id, status } of rows) this.statuses.set(id, status)
  }

  below(bound: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.state / 2 ** 32) * bound)
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T
  }

  private place(inColumn = this.below(4) !== 0): Place {
    const project = this.one([...this.columns.keys()])
    return { project, ...(inColumn ? { column: this.one(this.columns.get(project) ?? []) } : {}) }
  }

  private fields(): object {
    const status = this.below(2) === 0 ? { status: this.one(task_statuses) } : {}
    return {
      ...(this.below(2) === 0 ? this.place() : {}),
      ...status,
      ...(this.below(6) === 0 ? { completed_at: 9 } : {}),
    }
  }

  private some(): string[] {
    return [...new Set([this.one(this.tasks), this.one(this.tasks), this.one(this.tasks)])]
  }

  private readonly operations: Readonly<Record<string, () => Promise<Reply>>> = {
    create: () => this.making('/v1/tasks', { title: 'T', ...this.place(), ...this.fields() }),
    batch: () => {
      const data = [
        { title: 'A', ...this.fields() },
        { title: 'B', ...this.place() },
      ]
      return this.making('/v1/tasks/batch', { data })
    },
    import: () => {
      const data = [{ external_id: String(this.below(99)), title: 'I', ...this.place() }]
      return this.making('/v1/tasks/import', { source: 'x', data })
    },
    instantiate: () => this.making(`/v1/task_templates/${this.template}/instantiate`, this.place()),
    update: () => this.world.patch(this.path(), this.fields()),
    'update of the status': () => this.world.patch(this.path(), { status: this.one(task_statuses) }),
    'update of the parent': () => this.world.patch(this.path(), { parent: this.one(this.tasks) }),
    move: () => this.world.post(`${this.path()}/move`, this.place()),
    'move beside': () => {
      const side = this.one(['before', 'after'])
      return this.world.post(`${this.path()}/move`, { ...this.place(), [side]: this.one(this.tasks) })
    },
    complete: () => this.world.post(`${this.path()}/complete`, {}),
    bulk: () => this.bulk({ set: { labels: [String(this.below(9))], ...this.fields() } }),
    'bulk delete': () => (this.below(4) === 0 ? this.bulk({ delete: true }) : this.bulk({ set: this.place() })),
    undo: async () => {
      const path = this.path()
      const { status, column, project } = (await this.world.get(path)).body
      await this.world.patch(path, this.fields())
      return await this.world.patch(path, { status, column, project })
    },
    automation: async () => {
      const task = this.one(this.tasks)
      const reply = await this.world.get(`/v1/tasks/${task}`)
      if (reply.status !== 200) return reply
      const run = await startByHand(this.world.services, this.one(this.flows), task)
      await drainRuns(this.world.services)
      const ended = await this.world.get(`/v1/automation_runs/${run.id}?workspace=${this.workspace}`)
      assert.equal(ended.body.status, 'succeeded')
      return reply
    },
    duplicate: async () => {
      const reply = await this.world.post(`/v1/projects/${this.one([...this.columns.keys()])}/duplicate`, {})
      if (reply.status === 200 && this.columns.size < 4) await this.know(reply.body.id)
      return reply
    },
  }

  private path(): string {
    return `/v1/tasks/${this.one(this.tasks)}`
  }

  private bulk(change: object): Promise<Reply> {
    return this.world.post('/v1/tasks/bulk', { workspace: this.workspace, tasks: this.some(), ...change })
  }

  private async making(path: string, body: object): Promise<Reply> {
    const reply = await this.world.post(path, { workspace: this.workspace, ...body })
    if (reply.status === 200) for (const { id } of reply.body.data ?? [reply.body]) if (id) this.tasks.push(id)
    return reply
  }

  /** Carries out the operation, a random one by default. */
  async step(name = this.one(Object.keys(this.operations))): Promise<void> {
    const reply = await this.operations[name]?.()
    assert.ok(reply !== undefined && reply.status < 500, `${name} answered ${reply?.status}`)
    if (reply.status === 200) this.succeeded.set(name, (this.succeeded.get(name) ?? 0) + 1)
  }

  get names(): readonly string[] {
    return Object.keys(this.operations)
  }
}

onEveryWorld('a task in a column with a status', (world) => {
  it('has that status after any sequence of operations', async (t) => {
    const seed = Number(process.env.ATRIUM_TEST_SEED ?? Date.now() % 1_000_000)
    t.diagnostic(`seed ${seed}`)
    const repeat = `repeat with ATRIUM_TEST_SEED=${seed}`
    const desk = await openDesk(world)
    const boards = new Boards(world, desk.workspace, seed)
    await boards.open(desk)
    while (boards.tasks.length < 5) await boards.step('create')
    for (let i = 0; i < steps; i++) await boards.step()
    const rows = (await world.services.store.reader('system').all(allTasks)).filter((row) =>
      boards.statuses.has(row.column ?? ''),
    )
    const wrong = rows.filter(({ column, status }) => boards.statuses.get(column ?? '') !== status)
    assert.deepEqual(wrong, [], `tasks contradict their column; ${repeat}`)
    assert.ok(rows.length > 15, `only ${rows.length} tasks in columns; ${repeat}`)
    const unused = boards.names.filter((name) => !boards.succeeded.has(name))
    assert.ok(unused.length <= 3, `never succeeded: ${unused.join(', ')}; ${repeat}`)
  })
})
