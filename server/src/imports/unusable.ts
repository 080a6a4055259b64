/** What a person can do about a value that cannot be used. Each program that imports words it in its own terms. */
export interface Remedy {
  readonly kind: 'status' | 'priority' | 'person' | 'date_order' | 'archived' | 'encoding'
  /** The word of the source that it is about; empty if it is about none. */
  readonly word: string
  /** The column or field of the source. */
  readonly column: string
}

/** The remedy as words that continue a sentence, such as `choose a status for it`. */
export type Advise = (remedy: Remedy) => string

/** A value that cannot be used; the message follows the value's name. */
export class Unusable extends Error {
  readonly remedy: Omit<Remedy, 'column'> | null

  constructor(message: string, remedy: Omit<Remedy, 'column'> | null = null) {
    super(message)
    this.remedy = remedy
  }

  /** The message with what can be done about it. */
  advised(advise: Advise, column: string): string {
    return this.remedy === null ? this.message : `${this.message}; ${advise({ ...this.remedy, column })}`
  }
}

/** A value whose row is not imported, as the caller decided. */
export class LeftOut extends Unusable {}
