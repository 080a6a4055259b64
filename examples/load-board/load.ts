/**
 * Loads a board: workspace, projects, columns, tasks, dependencies, in this order. It looks up existing objects first (the
 * workspace by title, projects and columns by name, tasks by `custom_fields.source`), so a load can be interrupted and
 * repeated: nothing is created twice, and existing objects are left unchanged.
 */
import { type Api, type Json, Refused } from './api.ts'
import { readSource, type Source, type SourceDependency } from './files.ts'
import { type Draft, stages_of_life, toDraft } from './mapping.ts'
import type { Progress } from './progress.ts'
import { Report } from './report.ts'

export interface LoadOptions {
  readonly folder: string
  /** Handle → user id of an active member; other people are only in custom fields. */
  readonly members?: Readonly<Record<string, string>>
  readonly title?: string
  readonly kind?: string
}

/** Tasks per request: the API's limit of tasks, and half of its limit of bytes. */
const batch_max = 100
const batch_bytes_max = 500_000

export async function loadBoard(api: Api, progress: Progress, options: LoadOptions): Promise<Report> {
  const report = new Report()
  const source = readSource(options.folder, report)
  const load = new Load(api, progress, report, options)
  await load.run(source)
  return report
}

class Load {
  private readonly api: Api
  private readonly progress: Progress
  private readonly report: Report
  private readonly options: LoadOptions
  private workspace = ''
  private readonly projects = new Map<string, string>()
  /** By project and name. */
  private readonly columns = new Map<string, string>()
  /** Task ids by source. */
  private readonly tasks = new Map<string, string>()
  /** Tasks of earlier runs: only they can have dependencies already. */
  private readonly earlier = new Set<string>()

  constructor(api: Api, progress: Progress, report: Report, options: LoadOptions) {
    this.api = api
    this.progress = progress
    this.report = report
    this.options = options
  }

  async run(source: Source): Promise<void> {
    const drafts = source.tasks.map((task) => toDraft(task, this.report))
    await this.loadWorkspace(this.options.title ?? 'Kubernetes Enhancement Proposals')
    await this.loadProjects(source.projects)
    await this.loadColumns(drafts)
    await this.loadTasks(drafts)
    await this.loadDependencies(source.dependencies)
  }

  /** Creates one object and counts it; a refusal is reported and returns null. */
  private async make(kind: string, what: string, path: string, body: object): Promise<Json | null> {
    try {
      const made = await this.api.post(path, body)
      this.report.count(kind).made++
      return made
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.report.refuse(kind, what, reasonOf(error))
      return null
    }
  }

  private async loadWorkspace(title: string): Promise<void> {
    this.progress.start('workspace', 1)
    let found: Json = null
    // The last match is the oldest, because lists are newest first.
    for await (const workspace of this.api.list('/v1/workspaces')) if (workspace.title === title) found = workspace
    if (found !== null) this.report.count('workspaces').there++
    else {
      found = await this.api.post('/v1/workspaces', { title })
      this.report.count('workspaces').made++
    }
    this.workspace = found.id
    this.progress.advance()
  }

  private async loadProjects(names: readonly string[]): Promise<void> {
    this.progress.start('projects', names.length)
    for await (const { name, id } of this.api.list(`/v1/projects?workspace=${this.workspace}`)) {
      this.projects.set(name, id)
    }
    for (const name of names) {
      if (this.projects.has(name)) this.report.count('projects').there++
      else {
        const made = await this.make('projects', name, '/v1/projects', { workspace: this.workspace, name })
        if (made !== null) this.projects.set(name, made.id)
      }
      this.progress.advance()
    }
  }

  /** A column for each state of a project's tasks, in the order of the stages. */
  private async loadColumns(drafts: readonly Draft[]): Promise<void> {
    const order = Object.keys(stages_of_life)
    const wanted = [...Map.groupBy(drafts, ({ project }) => project)].flatMap(([project, tasks]) => {
      const id = project === null ? undefined : this.projects.get(project)
      if (id === undefined) return []
      const names = new Set(tasks.map(({ column }) => column))
      return order.filter((name) => names.has(name)).map((name) => ({ project: id, name, of: project }))
    })
    this.progress.start('columns', wanted.length)
    for await (const { project, name, id } of this.api.list(`/v1/columns?workspace=${this.workspace}`)) {
      this.columns.set(`${project} ${name}`, id)
    }
    for (const { project, name, of } of wanted) {
      if (this.columns.has(`${project} ${name}`)) this.report.count('columns').there++
      else {
        const body = { workspace: this.workspace, project, name }
        const made = await this.make('columns', `${of}: ${name}`, '/v1/columns', body)
        if (made !== null) this.columns.set(`${project} ${name}`, made.id)
      }
      this.progress.advance()
    }
  }

  private async loadTasks(drafts: readonly Draft[]): Promise<void> {
    this.progress.start('tasks', drafts.length)
    // Lists leave out tasks of archived projects by default; without them tasks would be created twice.
    for (const archived of [false, true]) {
      const path = `/v1/tasks?workspace=${this.workspace}&is_archived=${archived}&fields=id,custom_fields`
      for await (const { id, custom_fields } of this.api.list(path)) {
        if (typeof custom_fields.source !== 'string') continue
        this.tasks.set(custom_fields.source, id)
        this.earlier.add(custom_fields.source)
      }
    }
    const missing = drafts.filter(({ source }) => !this.tasks.has(source))
    this.report.count('tasks').there += drafts.length - missing.length
    this.progress.advance(drafts.length - missing.length)
    const bodies = missing.map((draft) => ({ draft, body: this.taskBody(draft) }))
    for (const batch of batches(bodies)) {
      await this.makeBatch(batch)
      this.progress.advance(batch.length)
    }
  }

  private taskBody({ source, project, column, people, fields }: Draft): Record<string, unknown> {
    const body: Record<string, unknown> = { ...fields }
    const id = project === null ? undefined : this.projects.get(project)
    if (project !== null && id === undefined)
      this.report.note(source, `project "${project}" does not exist: loaded without a project`)
    if (id !== undefined) {
      body.project = id
      const place = column === null ? undefined : this.columns.get(`${id} ${column}`)
      if (place !== undefined) body.column = place
    }
    const { members = {} } = this.options
    const assignee = people.find((handle) => Object.hasOwn(members, handle))
    if (assignee !== undefined) body.assignee = members[assignee]
    return body
  }

  /** The API creates all tasks of a batch or none: a refused task is removed and reported, and the rest is sent again. */
  private async makeBatch(batch: readonly Task[]): Promise<void> {
    const rest = [...batch]
    while (rest.length > 0) {
      try {
        const body = { workspace: this.workspace, data: rest.map((task) => task.body) }
        const { data } = await this.api.post('/v1/tasks/batch', body)
        for (const [i, { draft }] of rest.entries()) this.tasks.set(draft.source, data[i].id)
        this.report.count('tasks').made += rest.length
        return
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        const [, index, field] = /^data\[(\d+)\]\.?(\w*)/.exec(error.param ?? '') ?? []
        const wrong = rest[Number(index)]
        if (wrong === undefined) {
          for (const { draft } of rest) this.report.refuse('tasks', draft.source, reasonOf(error))
          return
        }
        if (field === 'assignee') {
          this.report.note(wrong.draft.source, `not assigned to ${wrong.body.assignee}: not an active member`)
          const { assignee: _assignee, ...body } = wrong.body
          rest[Number(index)] = { draft: wrong.draft, body }
        } else {
          this.report.refuse('tasks', wrong.draft.source, reasonOf(error))
          rest.splice(Number(index), 1)
        }
      }
    }
  }

  private async loadDependencies(dependencies: readonly SourceDependency[]): Promise<void> {
    this.progress.start('dependencies', dependencies.length)
    const kind = this.options.kind ?? 'relates_to'
    for (const [from, ofTask] of Map.groupBy(dependencies, (dependency) => dependency.from)) {
      const there = await this.dependenciesOf(from, kind)
      for (const { to } of ofTask) {
        await this.loadDependency(from, to, kind, there)
        this.progress.advance()
      }
    }
  }

  private async dependenciesOf(source: string, kind: string): Promise<Set<string>> {
    const there = new Set<string>()
    if (!this.earlier.has(source)) return there
    const path = `/v1/tasks/${this.tasks.get(source)}/dependencies?fields=to,kind`
    for await (const dependency of this.api.list(path)) if (dependency.kind === kind) there.add(dependency.to)
    return there
  }

  private async loadDependency(from: string, to: string, kind: string, there: ReadonlySet<string>): Promise<void> {
    const what = `${from} → ${to}`
    const [task, other] = [this.tasks.get(from), this.tasks.get(to)]
    if (task === undefined || other === undefined) {
      const lost = task === undefined ? from : to
      this.report.refuse('dependencies', what, `task ${lost} was not loaded`)
    } else if (there.has(other)) this.report.count('dependencies').there++
    else {
      const body = { workspace: this.workspace, to: other, kind }
      await this.make('dependencies', what, `/v1/tasks/${task}/dependencies`, body)
    }
  }
}

interface Task {
  readonly draft: Draft
  readonly body: Record<string, unknown>
}

function* batches(tasks: readonly Task[]): Generator<Task[]> {
  let batch: Task[] = []
  let bytes = 0
  for (const task of tasks) {
    const size = Buffer.byteLength(JSON.stringify(task.body))
    if (batch.length === batch_max || (batch.length > 0 && bytes + size > batch_bytes_max)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(task)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** The reason without the position in the batch, so that equal reasons are counted together. */
function reasonOf({ status, code, message }: Refused): string {
  return `${status} ${code}: ${message.replaceAll(/data\[\d+\]\.?/g, '')}`
}
