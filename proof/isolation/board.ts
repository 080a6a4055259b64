/** The objects that the clients of a round share: four projects, one column per client, and tasks that move between them. */
import type { Reply } from '../../server/test/call.ts'
import type { Fields, History, Read, Write } from './history.ts'

export interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly idempotencyKey?: string
}

/** Repeats a request until its final answer. */
export type Send = (sent: Sent) => Promise<Reply>

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
type Shown = any

const projects = 4
/** New tasks of a project must fit on one page. */
const nursery_tasks_max = 96
/** The comments of a task must fit on one page. */
export const comments_max = 90

export interface Column {
  readonly id: string
  readonly project: string
  /** Identifies the original of a copied column. */
  readonly color: string
}

/** The fields of a shown task that the history tracks. */
export function taskFields({ title, project, column, custom_fields }: Shown): Fields {
  return { title, project: String(project), column: String(column), ...custom_fields }
}

export function columnFields({ name, position, project }: Shown): Fields {
  return { name, position: String(position), project }
}

export function commentFields({ body, task }: Shown): Fields {
  return { body, task }
}

export type FieldsOf = (shown: Shown) => Fields

export function readOf(shown: Shown, fieldsOf: FieldsOf): Read {
  return { key: shown.id, version: shown.revision, fields: fieldsOf(shown) }
}

export function creationOf(shown: Shown, fieldsOf: FieldsOf, within: string): Write {
  const fields = fieldsOf(shown)
  return { key: shown.id, version: shown.revision, sets: fields, fields, within }
}

export class Board {
  readonly history: History
  readonly workspace: string
  readonly projects: readonly string[]
  /** One per client. Only its client moves tasks there, so each move has a known author. */
  readonly columns: readonly Column[]
  readonly tasks: readonly string[]
  /** The latest revision of each object that any client has seen. */
  readonly revisions = new Map<string, number>()
  readonly comments = new Map<string, string[]>()
  /** A custom field value → the task that was created with it. */
  readonly origins = new Map<string, string>()
  private readonly send: Send
  private nursery = { id: '', tasks: nursery_tasks_max }
  private opening: Promise<void> | null = null
  private marks = 0

  private constructor(history: History, send: Send, workspace: string, columns: readonly Column[], tasks: Shown[]) {
    this.history = history
    this.send = send
    this.workspace = workspace
    this.projects = [...new Set(columns.map(({ project }) => project))]
    this.columns = columns
    this.tasks = tasks.map(({ id }) => id)
    for (const { id, custom_fields } of tasks) this.origins.set(custom_fields.origin, id)
  }

  static async open(history: History, send: Send, clients: number, tasks: number): Promise<Board> {
    const make = async (path: string, body: object): Promise<Shown> => {
      const reply = await send({ method: 'POST', path, body })
      if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`)
      return reply.body
    }
    const workspace = (await make('/v1/workspaces', { title: 'Isolated' })).id
    const ids: string[] = []
    for (let i = 0; i < projects; i++) ids.push((await make('/v1/projects', { workspace, name: `Project ${i}` })).id)
    const columns: Column[] = []
    for (let client = 0; client < clients; client++) {
      const project = ids[client % projects] as string
      const color = `#${client.toString(16).padStart(6, '0')}`
      const body = { workspace, project, name: `first name ${client}`, position: client, color }
      const began = history.now()
      const column = await make('/v1/columns', body)
      const within = viewOfColumns(project)
      history.add('create a column', began, { writes: [creationOf(column, columnFields, within)] })
      columns.push({ id: column.id, project, color })
    }
    const data = Array.from({ length: tasks }, (_, i) => {
      const { id: column, project } = columns[i % clients] as Column
      return { title: `first title ${i}`, project, column, custom_fields: { origin: `origin ${i}` } }
    })
    const began = history.now()
    const batch = await make('/v1/tasks/batch', { workspace, data })
    const writes = batch.data.map((task: Shown) => creationOf(task, taskFields, view_of_board))
    history.add('create the tasks', began, { writes })
    return new Board(history, send, workspace, columns, batch.data)
  }

  /** A text that occurs nowhere else. */
  mark(): string {
    return `m${++this.marks}`
  }

  noteRevision(key: string, revision: number): void {
    if (revision > (this.revisions.get(key) ?? 0)) this.revisions.set(key, revision)
  }

  /** A project with room for more tasks on one page; a new one when the last is full. */
  async reserveTasks(tasks: number): Promise<string> {
    while (this.nursery.tasks + tasks > nursery_tasks_max) {
      this.opening ??= this.openNursery().finally(() => {
        this.opening = null
      })
      await this.opening
    }
    this.nursery.tasks += tasks
    return this.nursery.id
  }

  get nurseryNow(): string {
    return this.nursery.id
  }

  private async openNursery(): Promise<void> {
    const body = { workspace: this.workspace, name: 'Nursery' }
    const reply = await this.send({ method: 'POST', path: '/v1/projects', body })
    this.nursery = { id: reply.body.id, tasks: 0 }
  }
}

export const view_of_board = 'tasks of the board'

export function viewOfColumns(project: string): string {
  return `columns of ${project}`
}

export function viewOfComments(task: string): string {
  return `comments of ${task}`
}

export function viewOfNursery(project: string): string {
  return `tasks of ${project}`
}
