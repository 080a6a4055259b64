/**
 * Dated versions: the `Service-Version` header, else the credential's version (contract/08#version-selection). Handlers
 * know only the newest date. An older date is a chain of changes, applied upward to requests and downward to answers and
 * events.
 */
import { refuse } from './errors.ts'

export const newest_version = '2026-08-03'

/** The change that a date made, as translations between it and the date before. */
export interface VersionChange {
  /** The older date. */
  readonly date: string
  /** Turns a request body of this date into one of the next newer date. */
  readonly request?: (operation: string, body: unknown) => unknown
  /** Turns an answer of the next newer date into one of this date. */
  readonly response?: (operation: string, body: object) => object
  /** Turns an event of the next newer date into one of this date. */
  readonly event?: (event: object) => object
}

export class Versions {
  /** Newest change first. */
  private readonly changes: readonly VersionChange[]

  constructor(changes: readonly VersionChange[] = []) {
    this.changes = [...changes].sort((a, b) => (a.date < b.date ? 1 : -1))
  }

  /** All supported dates, newest first. */
  get dates(): string[] {
    return [newest_version, ...this.changes.map((change) => change.date)]
  }

  supports(date: string): boolean {
    return date === newest_version || this.changes.some((change) => change.date === date)
  }

  /** The version of a request. An unsupported date is refused, except by the operations that have no 400. */
  select(header: string | undefined, own: string, lenient: boolean): string {
    if (header === undefined) return this.supports(own) ? own : newest_version
    if (this.supports(header)) return header
    if (lenient) return this.supports(own) ? own : newest_version
    throw refuse('invalid_query_parameter', {
      param: 'Service-Version',
      message: `"${header.slice(0, 40)}" is not a version of this API. Use ${newest_version}.`,
    })
  }

  upgradeRequest(date: string, operation: string, body: unknown): unknown {
    let upgraded = body
    for (const change of this.between(date).reverse()) upgraded = change.request?.(operation, upgraded) ?? upgraded
    return upgraded
  }

  downgradeResponse(date: string, operation: string, body: object): object {
    let downgraded = body
    for (const change of this.between(date)) downgraded = change.response?.(operation, downgraded) ?? downgraded
    return downgraded
  }

  downgradeEvent(date: string, event: object): object {
    let downgraded = event
    for (const change of this.between(date)) downgraded = change.event?.(downgraded) ?? downgraded
    return downgraded
  }

  /** The changes between the newest date and this one, newest first. */
  private between(date: string): VersionChange[] {
    return date === newest_version ? [] : this.changes.filter((change) => change.date >= date)
  }
}
