/** Words that the shapes of all areas use; see `shapes.ts`. */
export type Mode = 'live' | 'test'
export type Role = 'owner' | 'admin' | 'member'

/** An object of the API of which only the id and the kind matter. */
export interface Deleted {
  readonly id: string
  readonly object: string
  readonly deleted: true
}

export interface ListOf<T> {
  readonly data: readonly T[]
}
