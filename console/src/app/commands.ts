/**
 * What the palette (⌘K) offers: areas register what can be done on the whole console, pages what can be done on them, and
 * searches find objects by what is typed.
 */
import type { LucideIcon } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'

export interface Command {
  /** Its own among all: `work.create-task`. */
  readonly id: string
  readonly title: string
  readonly group: string
  readonly icon?: LucideIcon
  /** Other words that find it. */
  readonly words?: string
  readonly keys?: string
  readonly hint?: string
  /** A page, or something done. */
  readonly to?: string
  readonly run?: () => void
}

/** Finds objects. It is asked a moment after the last key, and given a signal that ends with the next one. */
export type Search = (text: string, signal: AbortSignal) => Promise<readonly Command[]>

let commands: readonly Command[] = []
let searches: readonly Search[] = []
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

/** The commands are there as long as the component is. Give it the same array as long as nothing changes (useMemo). */
export function useCommands(offered: readonly Command[]): void {
  useEffect(() => {
    commands = [...commands, ...offered]
    tell()
    return () => {
      commands = commands.filter((command) => !offered.includes(command))
      tell()
    }
  }, [offered])
}

/** Likewise: the same function as long as nothing changes. */
export function useSearchSource(search: Search): void {
  useEffect(() => {
    searches = [...searches, search]
    tell()
    return () => {
      searches = searches.filter((each) => each !== search)
      tell()
    }
  }, [search])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useKnownCommands(): readonly Command[] {
  return useSyncExternalStore(subscribe, () => commands)
}

export function useSearches(): readonly Search[] {
  return useSyncExternalStore(subscribe, () => searches)
}
