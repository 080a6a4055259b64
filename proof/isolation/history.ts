/**
 * A history of what clients saw: the objects that each operation read and wrote, at which revisions, between which moments. A
 * revision is one committed change of one object, so the history itself gives the order of versions.
 */

/** The tracked fields of an object. Each write sets some of them to texts that occur nowhere else. */
export type Fields = Readonly<Record<string, string>>

export interface Read {
  readonly key: string
  /** 0: it did not exist. `null`: not in the answer; the version is the one with these fields. */
  readonly version: number | null
  /** `null`: the answer showed only the version. */
  readonly fields: Fields | null
}

export interface Write {
  readonly key: string
  /** The version that it made; 1 is the object's creation. */
  readonly version: number
  /** The fields it changed. */
  readonly sets: Fields
  /** All fields of the answer. */
  readonly fields: Fields
  /** The version required by `If-Match`. */
  readonly expects?: number
  /** If the object was already in the wanted state, nothing was written, and this is a read. */
  readonly mayBeNoop?: true
  /** The list that shows the object from its creation on. */
  readonly within?: string
}

export interface Operation {
  /** For reports. */
  readonly name: string
  /** Moments of one logical clock. */
  readonly began: number
  readonly ended: number
  readonly reads: readonly Read[]
  readonly writes: readonly Write[]
  /** It shows all objects of this list; an object that it does not show did not exist. */
  readonly views?: string
  /** Texts of a write that was refused or rolled back. */
  readonly refused?: readonly string[]
}

export type Seen = Partial<Pick<Operation, 'reads' | 'writes' | 'views' | 'refused'>>

/** The history of the clients of one process. */
export class History {
  readonly operations: Operation[] = []
  private moment = 0

  /** The next moment. */
  now(): number {
    return ++this.moment
  }

  add(name: string, began: number, seen: Seen): void {
    this.operations.push({ name, began, ended: this.now(), reads: [], writes: [], ...seen })
  }
}
