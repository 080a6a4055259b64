/** Builds a draft from texts. An unusable value is noted with its column, and the row is refused or continues without it. */
import { type DateForm, readDate } from './dates.ts'
import type { Draft, Entry, Note, TaskFields } from './draft.ts'
import { type Advise, LeftOut, Unusable } from './unusable.ts'

export class Drafting {
  readonly notes: Note[] = []
  readonly line: number
  readonly key: string
  private readonly advise: Advise
  private isLeftOut = false

  constructor(line: number, key: string, advise: Advise) {
    this.line = line
    this.key = key
    this.advise = advise
  }

  /** The value, or undefined when it cannot be used: then the row is refused or left out. */
  read<T>(column: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      this.isLeftOut ||= error instanceof LeftOut
      const reason = `${column} ${error.advised(this.advise, column)}.`
      if (error instanceof LeftOut) this.note('left_out', null, reason)
      else this.note('refused', column, reason)
      return undefined
    }
  }

  date(column: string, text: string, form: DateForm): number | undefined {
    return text.trim() === '' ? undefined : this.read(column, () => readDate(text, form))
  }

  note(action: Note['action'], column: string | null, reason: string): void {
    this.notes.push({ line: this.line, column, key: this.key, action, reason })
  }

  /** The entry of this draft; a refusal on the way leaves none. */
  entry(fields: TaskFields, rest: Omit<Draft, 'line' | 'key' | 'fields'>): Entry {
    if (this.isLeftOut) return { draft: null, notes: this.notes.filter(({ column }) => column === null) }
    const refused = this.notes.some(({ action }) => action === 'refused')
    if (refused) return { draft: null, notes: this.notes }
    return { draft: { line: this.line, key: this.key, fields: this.completed(fields), ...rest }, notes: this.notes }
  }

  /** Only a done task has `completed_at` (contract/15#task-completion). */
  private completed(fields: TaskFields): TaskFields {
    const { completed_at, ...others } = fields
    if (completed_at === undefined || others.status === 'done') return fields
    if (others.status === undefined) return { ...fields, status: 'done' }
    this.note('left_out', 'completed_at', `Only tasks that are done have completed_at; this one is ${others.status}.`)
    return others
  }
}

/** The fields that are there. */
export function given(fields: { readonly [K in keyof TaskFields]: TaskFields[K] | undefined }): TaskFields {
  const kept = Object.entries(fields).filter(([, value]) => {
    if (value === undefined || value === '') return false
    if (Array.isArray(value)) return value.length > 0
    return typeof value !== 'object' || Object.keys(value).length > 0
  })
  return { title: '', ...Object.fromEntries(kept) } as TaskFields
}

/** Each text once, in its first place; spaces around do not count. */
export function once(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))]
}

/** Who wrote a comment, and when (Unix seconds), as a line before its text. */
export function headOf(author: string, created: number): string {
  return `${author}, ${new Date(created * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC:`
}
