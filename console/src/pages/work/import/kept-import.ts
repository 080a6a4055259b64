/**
 * An import that is not finished, in the browser's database: the file, the choices, the journal and what became of the rows.
 * It belongs to one account, organization and mode, and is dropped at sign-out. There is at most one.
 */
import { clear, createStore, get, keys, set } from 'idb-keyval'
import type { Note } from '../../../../../server/src/imports/draft.ts'
import type { Identity, Line } from '../../../../../server/src/imports/journal.ts'
import type { Arrival } from '../../../../../server/src/imports/work.ts'
import type { Choices } from './choices.ts'
import type { Encoding } from './read-file.ts'

const store = createStore('atrium-import', 'kept')

/** Task of a row: line, title, key of the task, whether this import created it. */
export interface Arrived {
  readonly line: number
  readonly key: string
  readonly title: string
  readonly task: string | null
  readonly outcome: Arrival
}

export interface KeptImport {
  /** Account, organization and mode. */
  readonly owner: string
  readonly file: File
  readonly encoding: Encoding | null
  readonly choices: Choices
  readonly identity: Identity
}

export interface Finished {
  readonly notes: readonly Note[]
  readonly projects: readonly (readonly [string, string])[]
  readonly comments: number
  readonly dependencies: number
}

export async function keepImport(kept: KeptImport): Promise<void> {
  await clear(store)
  await set('import', kept, store)
}

export async function keptImport(owner: string): Promise<KeptImport | null> {
  const kept = await get<KeptImport>('import', store)
  return kept?.owner === owner ? kept : null
}

export async function dropImport(): Promise<void> {
  await clear(store)
}

export async function keepFinished(finished: Finished): Promise<void> {
  await set('finished', finished, store)
}

export async function keptFinished(): Promise<Finished | null> {
  return (await get<Finished>('finished', store)) ?? null
}

/** Numbered records of one kind, in their order. */
export async function openRecords<T>(kind: 'line' | 'arrived'): Promise<{
  readonly before: readonly T[]
  readonly append: (record: T) => Promise<void>
}> {
  const own = (await keys<string>(store)).filter((key) => key.startsWith(`${kind}:`)).sort()
  const before = await Promise.all(own.map(async (key) => (await get<T>(key, store)) as T))
  let count = own.length
  return { before, append: (record) => set(`${kind}:${String(count++).padStart(9, '0')}`, record, store) }
}

export type KeptLine = Line
