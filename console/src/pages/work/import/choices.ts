/**
 * What a person decides about a file: where each column, status, column of the board and person goes. It is plain data, so
 * that it is kept with an import that is not finished.
 */
import type { DateOrder } from '../../../../../server/src/imports/dates.ts'
import type { SourceKind } from '../../../../../server/src/imports/draft.ts'
import type { ReadFile } from './read-file.ts'

type Target =
  | { readonly kind: 'new'; readonly name: string }
  /** A project for each one that the file names. */
  | { readonly kind: 'named' }
  | { readonly kind: 'existing'; readonly id: string }

/** Word of the file → what it stands for. */
export type Words = Readonly<Record<string, string>>

export interface Choices {
  readonly kind: SourceKind
  readonly workspace: string
  readonly target: Target
  readonly statuses: Words
  readonly priorities: Words
  /** Name of a list, or of a column of the board → name of the column that its tasks go to. */
  readonly columns: Words
  /** Name of a person → user id, or empty: unassigned. */
  readonly people: Words
  /** Of a CSV file: column → field of a task, or empty. */
  readonly map: Words
  /** Custom fields that are left out. */
  readonly without: readonly string[]
  readonly archived: boolean
  readonly cut: boolean
  readonly dateOrder: DateOrder | null
  readonly zone: string
  /** Tasks and comments keep their times of creation and their authors, which only admins and owners may set. */
  readonly origins: boolean
  /** Not empty: tasks that were imported before are created again; tells this import from the earlier ones. */
  readonly again: string
}

/** Status and column of the board at once. */
export const status_and_column = 'status+column'

/** What the parts of the mapping share. */
export interface MappingPartProps {
  readonly read: ReadFile
  readonly choices: Choices
  readonly change: (change: Partial<Choices>) => void
}
