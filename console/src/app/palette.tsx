/**
 * The palette: every page, everything that can be done where one is, and objects by their names and ids. What is typed is
 * matched here for commands, and given to the searches that areas have registered.
 */
import './palette.css'
import { Command as Cmdk } from 'cmdk'
import { ArrowRight, Hash, Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../data/session-store.ts'
import type { Role } from '../data/shapes.ts'
import { Kbd } from '../design/kbd.tsx'
import { KeyLayer } from '../design/key-layer.tsx'
import { Spinner } from '../design/skeleton.tsx'
import { areas } from './areas.ts'
import { type Command, type Search as SearchSource, useKnownCommands, useSearches } from './commands.ts'
import { closePalette } from './palette-host.tsx'

const quiet_ms = 150

export function Palette({ open }: { readonly open: boolean }) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && closePalette()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-scrim">
          <Radix.Content className="palette" aria-describedby={undefined}>
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
  const [text, setText] = useState('')
  const { role } = useSession()
  const { found, isSearching } = useFound(text)
  const commands = [...useKnownCommands(), ...pagesOf(role)]
  const take = (command: Command) => {
    closePalette()
    if (command.to !== undefined) navigate(command.to)
    // The palette gives the focus back first; what opens then may take it.
    else setTimeout(() => command.run?.(), 0)
  }
  return (
    <Cmdk label="Search or go to" loop className="palette-frame">
      <div className="palette-search">
        {isSearching ? <Spinner label="Searching" /> : <Search aria-hidden="true" className="input-icon" />}
        <Cmdk.Input value={text} onValueChange={setText} placeholder="Search, go to a page, paste any id…" />
        <Kbd keys="escape" />
      </div>
      <Cmdk.List className="palette-list" label="Results">
        <Cmdk.Empty className="palette-none">
          {isSearching ? 'Searching…' : 'Nothing is called that. Try fewer words, or paste an id.'}
        </Cmdk.Empty>
        <Groups commands={[...idCommand(text), ...found]} onTake={take} always />
        <Groups commands={commands} onTake={take} />
      </Cmdk.List>
    </Cmdk>
  )
}

interface GroupsProps {
  readonly commands: readonly Command[]
  readonly onTake: (command: Command) => void
  /** They were found already: they are not matched again. */
  readonly always?: boolean
}

function Groups({ commands, onTake, always }: GroupsProps) {
  const groups = Map.groupBy(commands, ({ group }) => group)
  return [...groups].map(([group, members]) => (
    <Cmdk.Group key={group} heading={group} {...(always ? { forceMount: true } : {})}>
      {members.map((command) => (
        <Item key={command.id} command={command} onTake={onTake} always={always === true} />
      ))}
    </Cmdk.Group>
  ))
}

function Item({ command, onTake, always }: { command: Command; onTake: (command: Command) => void; always: boolean }) {
  const { id, title, icon: Icon = ArrowRight, words = '', hint, keys } = command
  return (
    <Cmdk.Item
      value={id}
      keywords={[title, words]}
      onSelect={() => onTake(command)}
      {...(always ? { forceMount: true } : {})}
    >
      <Icon aria-hidden="true" className="menu-icon" />
      <span className="cut grow">{title}</span>
      {hint && <span className="subtle cut palette-hint">{hint}</span>}
      {keys && <Kbd keys={keys} />}
    </Cmdk.Item>
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
