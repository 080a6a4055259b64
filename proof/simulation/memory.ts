/**
 * Module variables of the product, which it keeps outside its services: each simulated process has its own values although all
 * share the modules. `plants.ts` makes the modules register them.
 */
interface Part {
  readonly take: () => unknown
  readonly put: (state: never) => void
  readonly fresh: unknown
}

const parts: Part[] = []

/** Registers a module's variables with their values in a new process. */
export function ownedByProcess<T>(take: () => T, put: (state: T) => void): void {
  parts.push({ take, put: put as (state: never) => void, fresh: take() })
}

/** The module variables of one process: set while it runs, saved here meanwhile. */
export class Memory {
  private readonly states = parts.map(({ fresh }) => fresh)

  enter(): void {
    for (let i = 0; i < parts.length; i++) parts[i]?.put(this.states[i] as never)
  }

  leave(): void {
    for (let i = 0; i < parts.length; i++) this.states[i] = parts[i]?.take()
  }
}
