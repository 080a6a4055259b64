/** What an import works with, whatever it comes from: tasks to be, and what became of the rest. */
import type { DraftAttachment } from './attachments.ts'
import type { DateForm } from './dates.ts'
import type { Advise } from './unusable.ts'

/** A task as a source describes it, with everything outside of it still named as there. */
export interface Draft {
  /** Where it stands: the line of a CSV file, the number of a card. */
  readonly line: number
  /** Tells it from every other of the source, in every export of it. */
  readonly key: string
  readonly fields: TaskFields
  /** The names that the source has for the assignee; none: unassigned. */
  readonly person: readonly string[]
  /** When it was created in the source, in Unix seconds. */
  readonly created?: number | undefined
  /** The names that the source has for its author. */
  readonly creator: readonly string[]
  readonly project: string | null
  readonly column: string | null
  readonly comments: readonly DraftComment[]
  readonly links: readonly Link[]
  /** Files of the source, of which the description has the links. */
  readonly attachments?: readonly DraftAttachment[]
  /** Differs when the row differs, in another export of it too. */
  readonly version?: string
}

export interface DraftComment {
  readonly body: string
  /** Who wrote it and when, as a line before the body, unless the comment itself can say so. */
  readonly head: string | null
  readonly author: readonly string[]
  /** Unix seconds. */
  readonly created?: number | undefined
}

/** The text of a comment that cannot have its author and time. */
export const textOf = ({ head, body }: DraftComment): string => (head === null ? body : `${head}\n\n${body}`)

export interface TaskFields {
  readonly title: string
  readonly description?: string
  readonly status?: string
  readonly priority?: string
  readonly due_at?: number
  readonly completed_at?: number
  readonly labels?: readonly string[]
  readonly custom_fields?: Readonly<Record<string, unknown>>
}

/** How the texts of a source are read as values. */
export interface TextForm {
  readonly dates: DateForm
  /** Between several values of one text. */
  readonly separator: string
  /** The name that the source has for a field of a task. */
  readonly columnOf: (field: string) => string
}

/** A dependency between two keys of the source. */
export interface Link {
  readonly from: string
  readonly to: string
  readonly kind: string
}

/** The same for a link at both of its ends: who relates to whom makes no difference. */
export function linkName({ from, to, kind }: Link): string {
  const ends = kind === 'relates_to' ? [from, to].sort() : [from, to]
  return `link:${ends[0]} ${kind} ${ends[1]}`
}

/** What was not imported as it stood: the row, a value of it, the end of a text, or a change of an imported row. */
export interface Note {
  readonly line: number
  readonly column: string | null
  readonly key: string | null
  readonly action: 'refused' | 'left_out' | 'cut' | 'changed'
  readonly reason: string
}

/** One row: what becomes a task, or a refusal; with it what was noticed on the way. */
export interface Entry {
  readonly draft: Draft | null
  readonly notes: readonly Note[]
}

const source_kinds = ['csv', 'jira', 'linear', 'trello'] as const
export type SourceKind = (typeof source_kinds)[number]

export interface Source {
  readonly kind: SourceKind
  /** Path or name of the file. */
  readonly file: string
  /** Name of the system that the keys belong to. */
  readonly name: string
  /** Its keys are the same in a newer export, so that one journal serves for both. */
  readonly keyed: boolean
  /** A project of this name is used where the workspace has one, and not made. */
  readonly joinsProjects: boolean
  /** Given if its values of custom fields are texts, which become values of the fields that the workspace defines. */
  readonly texts?: TextForm
  /** How the program words what can be done about a value. */
  readonly advise: Advise
  /** Every row in the order of the file; the same at every call. */
  entries(): AsyncIterable<Entry>
}
