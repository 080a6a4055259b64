/** References of a task in a request: each object must exist and be usable there (contract/02#references). */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { Noun } from '../../api/declare/noun.ts'
import { findReference } from '../../api/request/references.ts'
import type { Reader } from '../../db/store.ts'
import { columnNoun } from '../columns/column.ts'
import { userNoun } from '../members/member.ts'
import { projectNoun } from '../projects/project.ts'
import type { TaskChanges } from './task.ts'

export interface Place {
  readonly project: string | null
  readonly column: string | null
}

/**
 * Looks references up for one request, each object once. Look-ups that are sure to be needed are sent before the first
 * is awaited: on PostgreSQL they share a round trip. Params are named with what `at` puts before them.
 */
export class TaskReferences {
  private readonly from: { readonly tx: Reader; readonly caller: Caller }
  private readonly workspace: string
  private readonly sought = new Map<string, Promise<unknown>>()

  constructor(from: { readonly tx: Reader; readonly caller: Caller }, workspace: string) {
    this.from = from
    this.workspace = workspace
  }

  private row<Row>(noun: Noun<Row>, id: string, param: string): Promise<Row> {
    const name = `${noun.object} ${id}`
    let row = this.sought.get(name) as Promise<Row> | undefined
    if (row === undefined) {
      row = findReference(noun, this.from, id, param, noun.workspaced ? this.workspace : undefined)
      // Its refusal reaches the code that awaits it; another check may have refused before.
      row.catch(() => {})
      this.sought.set(name, row)
    }
    return row
  }

  /** Sends the look-ups that a new task's references need. */
  begin({ project, column, assignee }: TaskChanges, at: string): void {
    if (project) void this.row(projectNoun, project, `${at}project`)
    if (column) void this.row(columnNoun, column, `${at}column`)
    if (assignee) void this.row(userNoun, assignee, `${at}assignee`)
  }

  /**
   * The new project and column of a task. The column belongs to the project; a change of the project without a column
   * clears it (contract/15#task-move).
   */
  async place(sent: Partial<Place>, at: string, current: Place = { project: null, column: null }): Promise<Place> {
    const project = sent.project === undefined ? current.project : sent.project
    const left = project === current.project ? current.column : null
    const column = sent.column === undefined ? left : sent.column
    const enters = project !== current.project ? project : null
    const takes = column !== left ? column : null
    this.begin({ project: enters, column: takes }, at)
    if (enters !== null) await this.project(enters, `${at}project`)
    if (takes !== null) await this.column(takes, project, `${at}column`)
    return { project, column }
  }

  /** A live project of the workspace; an archived one is a conflict. */
  private async project(id: string, param: string): Promise<void> {
    const row = await this.row(projectNoun, id, param)
    if (row.status === 'archived') throw refuse('resource_conflict', { param, message: 'The project is archived.' })
  }

  private async column(id: string, project: string | null, param: string): Promise<void> {
    const row = await this.row(columnNoun, id, param)
    if (row.project !== project) {
      const message = `${param} names a column that is not one of the task's project.`
      throw refuse('invalid_request_body', { param, message })
    }
  }

  /** Refuses a user who is not an active member. */
  async assignee(id: string, at: string): Promise<void> {
    const param = `${at}assignee`
    const row = await this.row(userNoun, id, param)
    if (row.status !== 'active') {
      throw refuse('invalid_request_body', { param, message: `${param} names a member who is not active.` })
    }
  }
}
