/** The register of the palette (⌘K): commands of areas and of the current page, and searches for objects. */
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { createStore, useStore } from '../lib/store.ts'

export interface Command {
  /** Unique: `work.create-task`. */
  readonly id: string
  readonly title: string
  readonly group: string
  readonly icon?: LucideIcon
  /** Search terms besides the title. */
  readonly words?: string
  readonly keys?: string
  readonly hint?: string
  /** A second line: the part of a text that matches. */
  readonly detail?: ReactNode
  /** The page to open; otherwise `run` is called. */
  readonly to?: string
  readonly run?: () => void
}

/** Finds objects. Called after a pause in typing; the next key press aborts the signal. */
export type Search = (text: string, signal: AbortSignal) => Promise<readonly Command[]>

const commands = createStore<readonly Command[]>([])
const searches = createStore<readonly Search[]>([])

/** Registers commands while the component is mounted. Pass a memoized array (useMemo). */
export function useCommands(offered: readonly Command[]): void {
  useEffect(() => {
    commands.set([...commands.get(), ...offered])
    return () => commands.set(commands.get().filter((command) => !offered.includes(command)))
  }, [offered])
}

/** Registers a search while the component is mounted. Pass a memoized function (useCallback). */
export function useSearchSource(search: Search): void {
  useEffect(() => {
    searches.set([...searches.get(), search])
    return () => searches.set(searches.get().filter((each) => each !== search))
  }, [search])
}

export function useKnownCommands(): readonly Command[] {
  return useStore(commands)
}

export function useSearches(): readonly Search[] {
  return useStore(searches)
}
