/** The error codes met in answers, by error class, compared with the contract's codes for each class. */
import type { Raw } from '../connection.ts'
import { classes } from './operation.ts'

/**
 * Codes of a class that no request can meet: endpoints are deleted for good (404, never 410), and only boards have a second id
 * that may be ambiguous.
 */
const never: Readonly<Record<string, readonly string[]>> = {
  webhook_write: ['resource_deleted', 'resource_id_ambiguous'],
}

export class Reached {
  private readonly met = new Map<string, Set<string>>()

  note(errorClass: string, { status, text }: Raw): void {
    if (status < 400) return
    const known = this.met.get(errorClass) ?? new Set()
    this.met.set(errorClass, known)
    known.add(JSON.parse(text).error.code)
  }

  /** `14 of 14` by class. */
  figures(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(classes).map(([name, codes]) => {
        const met = codes.filter((code) => this.met.get(name)?.has(code))
        const left = never[name] === undefined ? '' : ` (${never[name].length} impossible)`
        return [`codes of ${name}`, `${met.length} of ${codes.length}${left}`]
      }),
    )
  }

  /** Codes that were not met although possible. */
  missing(): string[] {
    return Object.entries(classes).flatMap(([name, codes]) =>
      codes
        .filter((code) => !this.met.get(name)?.has(code) && !never[name]?.includes(code))
        .map((code) => `${name} ${code}`),
    )
  }
}
