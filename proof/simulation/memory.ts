/**
 * What a process keeps outside of its services, in variables of modules: each simulated process has its own, though all of
 * them share the modules. `memory-plants.ts` has the modules hand theirs in.
 */
interface Part {
  readonly take: () => unknown
  readonly put: (state: never) => void
  readonly fresh: unknown
}

const parts: Part[] = []

/** Hands in a module's variables as they are in a new process. */
export function ownedByProcess<T>(take: () => T, put: (state: T) => void): void {
  parts.push({ take, put: put as (state: never) => void, fresh: take() })
}

/** The variables of one process: in place while it does something, kept here meanwhile. */
export class Memory {
  private readonly states = parts.map(({ fresh }) => fresh)

  enter(): void {
    for (let i = 0; i < parts.length; i++) parts[i]?.put(this.states[i] as never)
  }

  leave(): void {
    for (let i = 0; i < parts.length; i++) this.states[i] = parts[i]?.take()
  }
}
