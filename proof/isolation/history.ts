/**
 * What clients saw, as a history: which objects each operation read and wrote, at which revisions, between which
 * moments. A revision is one committed change of one object, so a history tells the order of versions by itself.
 */

/** The fields of an object that are watched. Each write sets some of them to texts that stand nowhere else. */
export type Fields = Readonly<Record<string, string>>

export interface Read {
  readonly key: string
  /** 0: it was not there. `null`: the answer does not tell; it is the one that has these fields. */
  readonly version: number | null
  /** `null`: only the version was told. */
  readonly fields: Fields | null
}

export interface Write {
  readonly key: string
  /** The version that it made; 1 is the object's creation. */
  readonly version: number
  /** What it changed. */
  readonly sets: Fields
  /** All fields as they were answered. */
  readonly fields: Fields
  /** The version that it was to follow upon (`If-Match`). */
  readonly expects?: number
  /** Where the object already was as it was to be, nothing was written: then this is a read. */
  readonly mayRest?: true
  /** The view that shows the object from its creation on. */
  readonly within?: string
}

export interface Operation {
  /** For reports. */
  readonly name: string
  /** Moments of one clock: what ended before something began came first. */
  readonly began: number
  readonly ended: number
  readonly reads: readonly Read[]
  readonly writes: readonly Write[]
  /** It shows all objects of this view: one that it does not show was not there. */
  readonly views?: string
  /** Texts that it would have set, had it not been refused or rolled back. */
  readonly refused?: readonly string[]
}

export type Seen = Partial<Pick<Operation, 'reads' | 'writes' | 'views' | 'refused'>>

/** The history of clients of one process: what comes first in it came first. */
export class History {
  readonly operations: Operation[] = []
  private moment = 0

  /** The present, later than any before. */
  now(): number {
    return ++this.moment
  }

  add(name: string, began: number, seen: Seen): void {
    this.operations.push({ name, began, ended: this.now(), reads: [], writes: [], ...seen })
  }
}
