/**
 * The palette: every page, everything that can be done where one is, and objects by their names and ids. What is typed is
 * matched here for commands, and given to the searches that areas have registered.
 */
import './palette.css'
import { ArrowRight, Hash, Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../data/session-store.ts'
import type { Role } from '../data/shapes.ts'
import { useFocusReturn } from '../design/focus-return.ts'
import { Kbd } from '../design/kbd.tsx'
import { KeyLayer } from '../design/key-layer.tsx'
import { Spinner } from '../design/skeleton.tsx'
import { areas } from './areas.ts'
import { type Command, type Search as SearchSource, useKnownCommands, useSearches } from './commands.ts'
import { closePalette } from './palette-host.tsx'
import { matching } from './palette-match.ts'

const quiet_ms = 150
/** How far Page Up and Page Down lead. */
const page_rows = 8

export function Palette({ open }: { readonly open: boolean }) {
  const focus = useFocusReturn(open)
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && closePalette()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-scrim">
          <Radix.Content className="palette" aria-describedby={undefined} {...focus}>
            <Radix.Title className="unseen">Search or go to</Radix.Title>
            <KeyLayer>
              <PaletteContent />
            </KeyLayer>
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}

function PaletteContent() {
  const [, navigate] = useLocation()
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { role } = useSession()
  const { found, isSearching } = useFound(text)
  const known = useKnownCommands()
  const groups = Map.groupBy(
    [...idCommand(text), ...found, ...matching([...known, ...pagesOf(role)], text)],
    ({ group }) => group,
  )
  const commands = [...groups.values()].flat()
  const place = Math.min(at, commands.length - 1)
  const take = (command: Command) => {
    closePalette()
    if (command.to !== undefined) navigate(command.to)
    // The palette gives the focus back first; what opens then may take it.
    else setTimeout(() => command.run?.(), 0)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = placeAfter(event.key, place, commands.length)
    const chosen = commands[place]
    if (next !== null) setAt(next)
    else if (event.key === 'Enter' && chosen !== undefined) take(chosen)
    else return
    event.preventDefault()
  }
  return (
    <>
      <div className="palette-search">
        {isSearching ? <Spinner label="Searching" /> : <Search aria-hidden="true" className="input-icon" />}
        <input
          type="text"
          role="combobox"
          aria-label="Search or go to"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={place >= 0 ? `${id}-${place}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Search, go to a page, paste any id…"
          value={text}
          onKeyDown={onKeyDown}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setAt(0)
          }}
        />
        <Kbd keys="escape" />
      </div>
      <div className="palette-found">
        <div className="palette-list" id={`${id}-list`} role="listbox" aria-label="Results">
          {[...groups].map(([group, members]) => (
            <div key={group} role="group" aria-label={group}>
              <div className="palette-heading" aria-hidden="true">
                {group}
              </div>
              {members.map((command) => {
                const own = commands.indexOf(command)
                const isHere = own === place
                return (
                  <Item
                    key={command.id}
                    id={`${id}-${own}`}
                    command={command}
                    isHere={isHere}
                    onTake={() => take(command)}
                    onHere={() => setAt(own)}
                  />
                )
              })}
            </div>
          ))}
        </div>
        {commands.length === 0 && (
          <p className="palette-none" role="status">
            {isSearching ? 'Searching…' : 'Nothing is called that. Try fewer words, or paste an id.'}
          </p>
        )}
      </div>
    </>
  )
}

/** Where a key leads to in a list; `null` for keys that lead nowhere. */
function placeAfter(key: string, place: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (place + 1) % count
  if (key === 'ArrowUp') return (place - 1 + count) % count
  if (key === 'PageDown') return Math.min(count - 1, place + page_rows)
  if (key === 'PageUp') return Math.max(0, place - page_rows)
  return null
}

interface ItemProps {
  readonly id: string
  readonly command: Command
  readonly isHere: boolean
  readonly onTake: () => void
  readonly onHere: () => void
}

function Item({ id, command, isHere, onTake, onHere }: ItemProps) {
  const { title, icon: Icon = ArrowRight, hint, keys } = command
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's
    <div
      id={id}
      role="option"
      aria-selected={isHere}
      className="palette-item"
      ref={(element) => {
        if (isHere) element?.scrollIntoView({ block: 'nearest' })
      }}
      onPointerMove={onHere}
      onClick={onTake}
    >
      <Icon aria-hidden="true" className="menu-icon" />
      <span className="cut grow">{title}</span>
      {hint && <span className="subtle cut palette-hint">{hint}</span>}
      {keys && <Kbd keys={keys} />}
    </div>
  )
}

function pagesOf(role: Role): Command[] {
  const may = (needed: 'admin' | 'owner' | undefined) =>
    needed === undefined || role === 'owner' || (needed === 'admin' && role === 'admin')
  return areas
    .filter((area) => may(area.role))
    .flatMap((area) => [
      {
        id: `go ${area.path}`,
        title: area.title,
        group: 'Go to',
        icon: area.icon,
        to: area.path,
        ...(area.letter ? { keys: `g ${area.letter}` } : {}),
      },
      ...(area.links ?? [])
        .filter((link) => link.path !== area.path && may(link.role))
        .map((link) => ({
          id: `go ${link.path}`,
          title: link.title,
          group: 'Go to',
          icon: link.icon ?? area.icon,
          hint: area.title,
          words: `${area.title} ${link.words ?? ''}`,
          to: link.path,
        })),
    ])
}

/** Anything that looks like an id, or the key of a task. */
function idCommand(text: string): Command[] {
  const id = text.trim()
  if (!/^([a-z][a-z0-9]{1,7}_[0-9A-HJKMNP-TV-Z]{26}|[A-Z]{2,6}-\d+)$/.test(id)) return []
  return [{ id: `open ${id}`, title: `Open ${id}`, group: 'Id', icon: Hash, to: `/open/${id}` }]
}

function useFound(text: string): { found: readonly Command[]; isSearching: boolean } {
  const searches = useSearches()
  const [found, setFound] = useState<readonly Command[]>([])
  const [isSearching, setSearching] = useState(false)
  useEffect(() => {
    if (text.trim().length < 2) {
      setFound([])
      setSearching(false)
      return
    }
    const over = new AbortController()
    const timer = setTimeout(() => void searchAll(searches, text.trim(), over.signal, setFound, setSearching), quiet_ms)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [text, searches])
  return { found, isSearching }
}

async function searchAll(
  searches: readonly SearchSource[],
  text: string,
  signal: AbortSignal,
  setFound: (found: readonly Command[]) => void,
  setSearching: (isSearching: boolean) => void,
): Promise<void> {
  if (searches.length > 0) setSearching(true)
  // A search that fails finds nothing; the others go on.
  const results = await Promise.all(searches.map((search) => search(text, signal).catch(() => [])))
  if (signal.aborted) return
  setFound(results.flat())
  setSearching(false)
}
