/** What a task refers to, as a request names it: it must exist and be usable there (decisions §2, §15). */
import type { Caller } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import { findReference } from '../../api/references.ts'
import type { ProjectRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { columnNoun } from '../columns/column.ts'
import { userNoun } from '../members/member.ts'
import { projectNoun } from '../projects/project.ts'

export interface Place {
  readonly project: string | null
  readonly column: string | null
}

/** Looks references up for one request, each object once. Params are named with what `at` puts before them. */
export class TaskReferences {
  private readonly from: { readonly tx: Reader; readonly caller: Caller }
  private readonly workspace: string
  private readonly found = new Map<string, unknown>()

  constructor(from: { readonly tx: Reader; readonly caller: Caller }, workspace: string) {
    this.from = from
    this.workspace = workspace
  }

  private async once<Row>(id: string, look: () => Promise<Row>): Promise<Row> {
    const known = this.found.get(id) as Row | undefined
    if (known !== undefined) return known
    const row = await look()
    this.found.set(id, row)
    return row
  }

  /** A live project of the workspace; an archived one is a conflict. */
  private async project(id: string, param: string): Promise<ProjectRow> {
    const row = await this.once(id, () => findReference(projectNoun, this.from, id, param, this.workspace))
    if (row.status === 'archived') throw refuse('resource_conflict', { param, message: 'The project is archived.' })
    return row
  }

  /**
   * Where a task shall be. A column is one of the project's; without a project there is none, and another project
   * without a column clears it (decisions §15).
   */
  async place(sent: Partial<Place>, at: string, current: Place = { project: null, column: null }): Promise<Place> {
    const project = sent.project === undefined ? current.project : sent.project
    const left = project === current.project ? current.column : null
    const column = sent.column === undefined ? left : sent.column
    if (project !== null && project !== current.project) await this.project(project, `${at}project`)
    if (column !== null && column !== left) await this.column(column, project, `${at}column`)
    return { project, column }
  }

  private async column(id: string, project: string | null, param: string): Promise<void> {
    const row = await this.once(id, () => findReference(columnNoun, this.from, id, param, this.workspace))
    if (row.project !== project) {
      const message = `${param} names a column that is not one of the task's project.`
      throw refuse('invalid_request_body', { param, message })
    }
  }

  /** The user id of an active member. */
  async assignee(id: string, at: string): Promise<string> {
    const param = `${at}assignee`
    const row = await this.once(id, () => findReference(userNoun, this.from, id, param))
    if (row.status !== 'active') {
      throw refuse('invalid_request_body', { param, message: `${param} names a member who is not active.` })
    }
    return row.user
  }
}
