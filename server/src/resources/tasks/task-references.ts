/** The references of a task in a request: each object must exist and be usable there (contract/02#references). */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { Noun, NounRow } from '../../api/declare/noun.ts'
import { findReference } from '../../api/request/references.ts'
import type { ColumnRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { columnNoun } from '../columns/column.ts'
import { userNoun } from '../members/member.ts'
import { projectNoun } from '../projects/project.ts'
import { FieldRules } from './shared/custom-fields.ts'
import type { TaskChanges } from './task.ts'

/** The project and column of a task. */
export interface Placement {
  readonly project: string | null
  readonly column: string | null
}

/**
 * Looks up the references of one request, each object once. `prefetch` starts queries before the first is awaited, because
 * on PostgreSQL they then share a round trip. Refusals name a field with `prefix` before it.
 */
export class TaskReferences {
  /** The custom fields that the workspace defines. */
  readonly fields: FieldRules
  private readonly from: { readonly tx: Reader; readonly caller: Caller }
  private readonly workspace: string
  private readonly lookups = new Map<string, Promise<unknown>>()

  constructor(from: { readonly tx: Reader; readonly caller: Caller }, workspace: string) {
    this.from = from
    this.workspace = workspace
    this.fields = new FieldRules(from, workspace)
  }

  private row<Row extends NounRow>(noun: Noun<Row>, id: string, param: string): Promise<Row> {
    const name = `${noun.object} ${id}`
    let row = this.lookups.get(name) as Promise<Row> | undefined
    if (row === undefined) {
      row = findReference(noun, this.from, id, param, noun.workspaced ? this.workspace : undefined)
      // The refusal reaches the code that awaits the row. If another check refuses first, this one is ignored.
      row.catch(() => {})
      this.lookups.set(name, row)
    }
    return row
  }

  /** The column of a task or of a request. */
  column(id: string, prefix: string): Promise<ColumnRow> {
    return this.row(columnNoun, id, `${prefix}column`)
  }

  /** Starts the queries for these references. */
  prefetch({ project, column, assignee, custom_fields }: TaskChanges, prefix: string): void {
    if (project) void this.row(projectNoun, project, `${prefix}project`)
    if (column) void this.row(columnNoun, column, `${prefix}column`)
    if (assignee) void this.row(userNoun, assignee, `${prefix}assignee`)
    this.fields.prefetch(custom_fields)
  }

  /**
   * The new project and column of a task. The column belongs to the project; a change of the project without a column
   * clears it (contract/15#task-move).
   */
  async resolvePlacement(
    sent: Partial<Placement>,
    prefix: string,
    current: Placement = { project: null, column: null },
  ): Promise<Placement> {
    const project = sent.project === undefined ? current.project : sent.project
    const keptColumn = project === current.project ? current.column : null
    const column = sent.column === undefined ? keptColumn : sent.column
    const newProject = project !== current.project ? project : null
    const newColumn = column !== keptColumn ? column : null
    this.prefetch({ project: newProject, column: newColumn }, prefix)
    if (newProject !== null) await this.requireProject(newProject, `${prefix}project`)
    if (newColumn !== null) await this.requireColumn(newColumn, project, `${prefix}column`)
    this.requireOwnProject(project, prefix)
    return { project, column }
  }

  /** Refuses a project that is not a live one of the workspace, and an archived one as a conflict. */
  private async requireProject(id: string, param: string): Promise<void> {
    const row = await this.row(projectNoun, id, param)
    if (row.status === 'archived') throw refuse('resource_conflict', { param, message: 'The project is archived.' })
  }

  /** A guest's tasks stay in the projects that the guest sees. */
  private requireOwnProject(project: string | null, prefix: string): void {
    const { guest } = this.from.caller
    if (guest === null || guest.projects.has(project ?? '')) return
    const param = `${prefix}project`
    throw refuse('invalid_request_body', {
      param,
      message: `${param} must be one of the projects that you see as a guest.`,
    })
  }

  private async requireColumn(id: string, project: string | null, param: string): Promise<void> {
    const row = await this.row(columnNoun, id, param)
    if (row.project !== project) {
      const message = `${param} names a column of another project.`
      throw refuse('invalid_request_body', { param, message })
    }
  }

  /** Refuses a user who is not an active member. */
  async requireAssignee(id: string, prefix: string): Promise<void> {
    const param = `${prefix}assignee`
    const row = await this.row(userNoun, id, param)
    if (row.status !== 'active') {
      throw refuse('invalid_request_body', { param, message: `${param} "${id}" names a member who is not active.` })
    }
  }
}
