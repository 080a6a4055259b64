/**
 * The work of an import: projects and columns, then tasks in batches with their comments, then dependencies. Steps that
 * the journal records as done are skipped; a row that the server refuses is left out of its batch and reported.
 */
import { limits } from '../api/limits.ts'
import { type Api, faultOf, type Reply } from './api.ts'
import { type Draft, type DraftComment, linkName, type Note, textOf } from './draft.ts'
import { fetchAll } from './fetch-all.ts'
import { import_limits } from './limits.ts'
import { type Plan, type Preparing, prepared, statedStatus, versionOf } from './plan.ts'
import type { Outcome, Steps } from './steps.ts'

export interface Work extends Preparing {
  readonly api: Api
  readonly steps: Steps
  readonly plan: Plan
  readonly report: (note: Note) => void
  /** Called with what is done: created now, or by an earlier run. */
  readonly progress: (what: 'tasks' | 'comments' | 'dependencies', count: number) => void
  readonly workspace: string
  /** Called for each task that the server has, with its key if it is known. */
  readonly arrived?: (draft: Draft, outcome: Arrival, task: string | null) => void
  /** Brings the files of a task along. It finds what an earlier run has attached. */
  readonly attach?: (draft: Draft, task: string) => Promise<void>
  /** The key may set times of creation and authors. */
  readonly origins: boolean
}

/** `earlier`: an earlier run of this import dealt with it. `there`: another import created it. */
export type Arrival = 'created' | 'earlier' | 'there'

export interface Made {
  projects: number
  columns: number
  tasks: number
  comments: number
  dependencies: number
  /** Tasks that earlier runs had made. */
  before: number
}

export class Worker {
  readonly made: Made = { projects: 0, columns: 0, tasks: 0, comments: 0, dependencies: 0, before: 0 }
  private readonly work: Work
  private readonly projects = new Map<string, string>()
  private readonly columns = new Map<string, string>()
  /** The status of columns that were there before, by id. */
  private readonly statuses = new Map<string, string>()
  /** Keys of rows that another run imported. */
  private readonly found = new Set<string>()

  constructor(work: Work) {
    this.work = work
  }

  /** The projects of the tasks, by name. */
  get projectIds(): ReadonlyMap<string, string> {
    return this.projects
  }

  get keepsOrigins(): boolean {
    return this.work.origins
  }

  async run(): Promise<void> {
    await this.containers()
    await this.tasks()
    if (this.work.plan.links > 0) await this.links()
  }

  private async containers(): Promise<void> {
    const { plan, project } = this.work
    const there = project === null ? await this.projectsThere() : new Map<string, string>()
    for (const { name, columns } of plan.projects.values()) {
      const made = this.work.steps.journal.made(`project:${name}`)
      const id =
        project ??
        made ??
        there.get(name) ??
        (await this.container(`project:${name}`, '/v1/projects', this.newProject(name), 'projects'))
      this.projects.set(name, id)
      const columnsThere =
        project !== null || there.has(name) ? await this.names('/v1/columns', { project: id }) : new Map()
      for (const [column, status] of columns) {
        const step = `column:${id}:${column}`
        const own = this.work.steps.journal.made(step) ?? columnsThere.get(column)
        const body = { project: id, name: column, status }
        this.columns.set(`${name}\0${column}`, own ?? (await this.container(step, '/v1/columns', body, 'columns')))
      }
    }
  }

  /** Projects that are not made again, by name: any one where the source joins projects, else those of this import. */
  private async projectsThere(): Promise<Map<string, string>> {
    const { api, workspace, source } = this.work
    const found = new Map<string, string>()
    for await (const { id, name, status, description } of fetchAll(api, '/v1/projects', { workspace })) {
      const isOwn = this.newProject(String(name)).description === description
      if (status !== 'archived' && (source.joinsProjects || isOwn)) found.set(String(name), String(id))
    }
    return found
  }

  /** Its description tells where it comes from: by it a project is known again whose answer was never seen. */
  private newProject(name: string): { readonly name: string; readonly description: string } {
    const { source, steps } = this.work
    return {
      name,
      description: `Imported from ${source.file.replace(/^.*\//s, '')} (${source.kind}, ${steps.journal.identity.id})`,
    }
  }

  /** What there is already, by name; of several of one name the oldest. */
  private async names(path: string, query: Record<string, string>): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for await (const { id, name, status } of fetchAll(this.work.api, path, {
      workspace: this.work.workspace,
      ...query,
    })) {
      if (status !== 'archived') found.set(String(name), String(id))
      if (typeof status === 'string') this.statuses.set(String(id), status)
    }
    return found
  }

  private async container(
    step: string,
    path: string,
    fields: object,
    counted: 'projects' | 'columns',
  ): Promise<string> {
    const { steps, workspace } = this.work
    const known = steps.journal.made(step)
    if (typeof known === 'string') return known
    const done = await steps.take(step, path, { workspace, ...fields })
    if ('refusal' in done) throw this.work.api.failure(done.refusal)
    this.made[counted]++
    return done.ids[0] as string
  }

  private async tasks(): Promise<void> {
    const { steps } = this.work
    let batch: Draft[] = []
    let size = 0
    for await (const { draft: plain, source } of prepared(this.work)) {
      if (plain === null || steps.journal.refused.has(`row:${plain.key}`)) continue
      const isKeyed = this.work.source.keyed && source !== null
      const draft = isKeyed ? { ...plain, version: await versionOf(source) } : plain
      const id = steps.journal.made(`row:${draft.key}`)
      if (id !== undefined) {
        this.made.before++
        this.work.progress('tasks', 1)
        this.work.arrived?.(draft, 'earlier', null)
        if (steps.journal.hasChanged(`row:${draft.key}`, draft.version)) this.noteChange(draft, String(id))
        if (id !== null) await this.belongings(draft, id)
        else this.work.progress('comments', draft.comments.length)
        continue
      }
      const bytes = new TextEncoder().encode(JSON.stringify(this.taskOf(draft))).length
      if (batch.length === limits.batch_tasks_max || size + bytes > import_limits.batch_bytes_max) {
        await this.batch(batch)
        batch = []
        size = 0
      }
      batch.push(draft)
      size += bytes
    }
    await this.batch(batch)
  }

  private taskOf({ fields, key, version, person, project, column, ...draft }: Draft): object {
    const { people, steps, origins, source } = this.work
    const { created } = draft
    const creator = people.findAuthor(draft.creator)
    return {
      external_id: source.keyed ? key : `${steps.journal.identity.id} ${key}`,
      version,
      ...(origins && created !== undefined ? { created } : {}),
      ...(origins && creator !== null ? { creator } : {}),
      ...this.fieldsIn(fields, column === null ? undefined : this.columns.get(`${project}\0${column}`)),
      ...(person.length === 0 ? {} : { assignee: people.find(person) }),
      ...(project === null ? {} : { project: this.projects.get(project) }),
      ...(project === null || column === null ? {} : { column: this.columns.get(`${project}\0${column}`) }),
      custom_fields: { ...fields.custom_fields, import_id: steps.journal.identity.id, import_row: key },
    }
  }

  /** A column that was there before may have another status, which its tasks take. */
  private fieldsIn(sent: Draft['fields'], column: string | undefined): Draft['fields'] {
    const { status: _, completed_at: __, ...fields } = sent
    const taken = column === undefined ? undefined : this.statuses.get(column)
    return taken === undefined || taken === statedStatus(sent) ? sent : fields
  }

  /** One batch, again without the rows that the server refuses, until it takes the rest. */
  private async batch(drafts: readonly Draft[]): Promise<void> {
    const { steps, workspace, progress, source } = this.work
    for (let left = drafts; left.length > 0; ) {
      const rows = left.map(({ key }) => key)
      const from = steps.journal.identity.external_source ?? source.name
      const body = { workspace, source: from, data: left.map((draft) => this.taskOf(draft)) }
      const done = await steps.take(`tasks:${rows[0]}`, '/v1/tasks/import', body, rows)
      if ('ids' in done) {
        progress('tasks', done.ids.length)
        for (const [i, draft] of left.entries()) await this.imported(draft, done.ids[i] as string, done.outcomes[i])
        return
      }
      const refused = refusedRows(done.refusal, this.work.api)
      for (const [i, note] of refused) await this.refuse(left[i] as Draft, note)
      left = left.filter((_draft, i) => !refused.has(i))
    }
  }

  /** A row whose task the server now has: a new one, or that of another import of it. */
  private async imported(draft: Draft, task: string, answer: Outcome | undefined): Promise<void> {
    const { line, key } = draft
    const isNew = answer === undefined || answer.outcome === 'created'
    if (answer?.outcome !== 'deleted') this.work.arrived?.(draft, isNew ? 'created' : 'there', answer?.key ?? null)
    if (isNew) this.made.tasks++
    else {
      this.made.before++
      this.found.add(key)
      if (answer.outcome === 'changed') this.noteChange(draft, answer.key)
      if (answer.outcome === 'deleted') {
        const reason = `The row was imported as ${answer.key}, which has been deleted since.`
        this.work.report({ line, column: null, key, action: 'left_out', reason })
        return
      }
    }
    await this.belongings(draft, task)
  }

  private noteChange({ line, key }: Draft, task: string): void {
    const reason = `The row has changed since it was imported as ${task}. The task was not changed.`
    this.work.report({ line, column: null, key, action: 'changed', reason })
  }

  private async refuse({ line, key }: Draft, { column, reason }: Pick<Note, 'column' | 'reason'>): Promise<void> {
    const note: Note = { line, column, key, action: 'refused', reason }
    await this.work.steps.journal.refuse(`row:${key}`, note)
    this.work.report(note)
  }

  private async belongings(draft: Draft, task: string): Promise<void> {
    await this.comments(draft, task)
    if ((draft.attachments ?? []).length > 0) await this.work.attach?.(draft, task)
  }

  private async comments(draft: Draft, task: string): Promise<void> {
    const { steps, progress, report } = this.work
    const there = this.found.has(draft.key) && draft.comments.length > 0 ? await this.commentsThere(task) : null
    for (const [i, comment] of draft.comments.entries()) {
      const name = `comment:${draft.key}#${i}`
      const isDone = steps.journal.made(name) !== undefined
      if (isDone || there?.has(comment.body) || there?.has(textOf(comment))) {
        progress('comments', 1)
        continue
      }
      if (steps.journal.refused.has(name)) continue
      const { path, body } = this.sendingOf(task, comment)
      const done = await steps.take(name, path, body)
      if ('ids' in done) {
        this.made.comments++
        progress('comments', 1)
        continue
      }
      const reason = faultOf(done.refusal)?.message ?? 'refused'
      const note: Note = { line: draft.line, column: `comments[${i}]`, key: draft.key, action: 'left_out', reason }
      await steps.journal.refuse(name, note)
      report(note)
    }
  }

  private async commentsThere(task: string): Promise<Set<string>> {
    const bodies = new Set<string>()
    for await (const { body } of fetchAll(this.work.api, `/v1/tasks/${task}/comments`)) bodies.add(String(body))
    return bodies
  }

  /** With its author and its time as far as the key may set them; what the comment cannot say stands before its text. */
  private sendingOf(task: string, comment: DraftComment): { readonly path: string; readonly body: object } {
    const { workspace, people, origins } = this.work
    const { created, author: names } = comment
    const path = `/v1/tasks/${task}/comments`
    const author = people.findAuthor(names)
    if (!origins || created === undefined) return { path, body: { workspace, body: textOf(comment) } }
    const content = author === null ? { body: textOf(comment) } : { body: comment.body, author }
    return { path: `${path}/import`, body: { workspace, created, ...content } }
  }

  /** A link stands at both of its ends in many exports: it is made once. */
  private async links(): Promise<void> {
    const { steps } = this.work
    const seen = new Set<string>()
    for await (const { draft } of prepared(this.work)) {
      for (const link of draft?.links ?? []) {
        const name = linkName(link)
        if (seen.has(name)) continue
        seen.add(name)
        if (steps.journal.made(name) !== undefined) this.work.progress('dependencies', 1)
        else if (!steps.journal.refused.has(name)) await this.link(name, link, draft as Draft)
      }
    }
  }

  private async link(name: string, { from, to, kind }: Draft['links'][number], { line, key }: Draft): Promise<void> {
    const { steps, workspace, report, progress } = this.work
    const ends = [from, to].map((each) => steps.journal.made(`row:${each}`))
    const other = from === key ? to : from
    const leaveOut = (reason: string): Note => ({ line, column: 'links', key, action: 'left_out', reason })
    if (ends.some((id) => typeof id !== 'string')) {
      // A later export may have it: this is not final, so it is not in the journal.
      report(leaveOut(`The link to ${other} was left out: it was not imported.`))
      return
    }
    const done = await steps.take(name, `/v1/tasks/${ends[0]}/dependencies`, { workspace, to: ends[1], kind })
    if ('ids' in done) {
      this.made.dependencies++
      progress('dependencies', 1)
      return
    }
    // Another import of this source has made it.
    if (done.refusal.status === 409 && [from, to].some((each) => this.found.has(each))) return
    const note = leaveOut(`The link to ${other} was left out: ${faultOf(done.refusal)?.message ?? 'it was refused.'}`)
    await steps.journal.refuse(name, note)
    report(note)
  }
}

/** The rows that a refusal names, with what it says of them. One that names none is of the import as a whole. */
function refusedRows(reply: Reply, api: Api): Map<number, Pick<Note, 'column' | 'reason'>> {
  const error = faultOf(reply)
  const faults = error?.details ?? [{ param: error?.param ?? '', message: error?.message ?? '' }]
  const found = new Map<number, Pick<Note, 'column' | 'reason'>>()
  for (const { param, message } of faults) {
    const [all, index, field] = /^data\[(\d+)\]\.?(.*)$/.exec(param) ?? []
    if (index === undefined || reply.status !== 400 || found.has(Number(index))) continue
    found.set(Number(index), { column: field || null, reason: message.replaceAll(all as string, field || 'The row') })
  }
  if (found.size === 0) throw api.failure(reply)
  return found
}
