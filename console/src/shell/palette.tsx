/**
 * The command palette: pages, commands of the current page, and objects by name or ID. Commands are matched here; objects
 * come from the searches that areas register.
 */
import './palette.css'
import { ArrowRight, Hash, Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import type { NeededRole } from '../app/area.ts'
import { type Command, type Search as SearchSource, useKnownCommands, useSearches } from '../app/commands.ts'
import { closePalette } from '../app/overlays.ts'
import { describeError } from '../data/errors.ts'
import { isAtLeast, useSession } from '../data/session-store.ts'
import type { SignedIn } from '../data/shapes.ts'
import { useActiveIndex } from '../design/active-index.ts'
import { useFocusReturn } from '../design/focus-return.ts'
import { Kbd } from '../design/kbd.tsx'
import { KeyLayer } from '../design/key-layer.tsx'
import { Spinner } from '../design/skeleton.tsx'
import { t } from '../language/index.ts'
import { areas } from './areas.ts'
import { matchCommands } from './palette-match.ts'
import { takeTypedAhead } from './typed-ahead.ts'

/** The pause in typing after which the searches start. */
const debounce_ms = 150

export function Palette({ open }: { readonly open: boolean }) {
  const focus = useFocusReturn(open)
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && closePalette()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-scrim">
          <Radix.Content className="palette" aria-describedby={undefined} {...focus}>
            <Radix.Title className="unseen">{t('Search or go to')}</Radix.Title>
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
  const { groups, isSearching, failure } = useCommandGroups(text)
  const commands = [...groups.values()].flat()
  const run = (command: Command | undefined) => {
    closePalette()
    if (command?.to !== undefined) navigate(command.to)
    // After the palette has returned the focus, so that a dialog of the command can take it.
    else setTimeout(() => command?.run?.(), 0)
  }
  const { active, setActive, onKeyDown } = useActiveIndex(commands.length, (i) => run(commands[i]))
  const onText = (next: string) => {
    setText(next)
    setActive(0)
  }
  const item = (command: Command) => {
    const i = commands.indexOf(command)
    const actions = { onRun: () => run(command), onHover: () => setActive(i) }
    return <Item key={command.id} id={`${id}-${i}`} command={command} isActive={i === active} {...actions} />
  }
  return (
    <>
      <PaletteInput
        id={id}
        active={active}
        text={text}
        busy={isSearching}
        onText={onText}
        onFocus={() => onText(text + takeTypedAhead())}
        onKeyDown={onKeyDown}
      />
      <div className="palette-found">
        <div className="palette-list" id={`${id}-list`} role="listbox" aria-label={t('Results')}>
          {[...groups].map(([group, members]) => (
            <div key={group} role="group" aria-label={group}>
              <div className="palette-heading" aria-hidden="true">
                {group}
              </div>
              {members.map(item)}
            </div>
          ))}
        </div>
        <PaletteStatus isEmpty={commands.length === 0} isSearching={isSearching} failure={failure} />
      </div>
    </>
  )
}

interface PaletteStatusProps {
  readonly isEmpty: boolean
  readonly isSearching: boolean
  readonly failure: string | null
}

function PaletteStatus({ isEmpty, isSearching, failure }: PaletteStatusProps) {
  if (failure !== null) {
    return (
      <p className="palette-failed" role="status">
        {failure}
      </p>
    )
  }
  if (!isEmpty) return null
  return (
    <p className="palette-none" role="status">
      {isSearching ? t('Searching…') : t('No results. Try other words, or paste an ID.')}
    </p>
  )
}

interface PaletteInputProps {
  readonly id: string
  readonly active: number
  readonly text: string
  readonly busy: boolean
  readonly onText: (text: string) => void
  readonly onFocus: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function PaletteInput({ id, active, text, busy, onText, onFocus, onKeyDown }: PaletteInputProps) {
  return (
    <div className="palette-search">
      {busy ? <Spinner label={t('Searching')} /> : <Search aria-hidden="true" className="input-icon" />}
      <input
        type="text"
        role="combobox"
        aria-label={t('Search or go to')}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={t('Search, go to a page, or paste an ID…')}
        value={text}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      />
      <Kbd keys="escape" />
    </div>
  )
}

/** The commands that match the text, by group: an ID, objects, commands, pages. */
function useCommandGroups(text: string) {
  const session = useSession()
  const known = useKnownCommands()
  const { results, isSearching, failure } = useSearchResults(text)
  const matches = matchCommands([...known, ...pagesOf(session)], text)
  const groups = Map.groupBy([...idCommand(text), ...results, ...matches], ({ group }) => group)
  return { groups, isSearching, failure }
}

interface ItemProps {
  readonly id: string
  readonly command: Command
  readonly isActive: boolean
  readonly onRun: () => void
  readonly onHover: () => void
}

function Item({ id, command, isActive, onRun, onHover }: ItemProps) {
  const { title, icon: Icon = ArrowRight, hint, keys, detail } = command
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="palette-item"
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' })
      }}
      onPointerMove={onHover}
      onClick={onRun}
    >
      <Icon aria-hidden="true" className="menu-icon" />
      <span className="palette-text">
        <span className="palette-line">
          <span className="cut grow">{title}</span>
          {hint && <span className="subtle cut palette-hint">{hint}</span>}
        </span>
        {detail && <span className="palette-detail">{detail}</span>}
      </span>
      {keys && <Kbd keys={keys} />}
    </div>
  )
}

function pagesOf({ role, operator }: Pick<SignedIn, 'role' | 'operator'>): Command[] {
  const isAllowed = (needed: NeededRole | undefined) =>
    needed === undefined || (needed === 'operator' ? operator : isAtLeast(role, needed))
  return areas
    .filter((area) => isAllowed(area.role))
    .flatMap((area) => [
      {
        id: `go ${area.path}`,
        title: area.title,
        group: t('Go to'),
        icon: area.icon,
        to: area.path,
        ...(area.letter ? { keys: `g ${area.letter}` } : {}),
      },
      ...(area.links ?? [])
        .filter((link) => link.path !== area.path && isAllowed(link.role))
        .map((link) => ({
          id: `go ${link.path}`,
          title: link.title,
          group: t('Go to'),
          icon: link.icon ?? area.icon,
          hint: area.title,
          words: `${area.title} ${link.words ?? ''}`,
          to: link.path,
        })),
    ])
}

/** A command that opens the text as an ID or task key, if it looks like one. */
function idCommand(text: string): Command[] {
  const id = text.trim()
  if (!/^([a-z][a-z0-9]{1,7}_[0-9A-HJKMNP-TV-Z]{26}|[A-Z]{2,6}-\d+)$/.test(id)) return []
  return [{ id: `open ${id}`, title: t('Open {id}', { id }), group: t('ID'), icon: Hash, to: `/open/${id}` }]
}

interface Found {
  readonly results: readonly Command[]
  readonly isSearching: boolean
  /** What went wrong, in words. */
  readonly failure: string | null
}

const nothing: Found = { results: [], isSearching: false, failure: null }

/** Runs the areas' searches after a pause in typing. */
function useSearchResults(text: string): Found {
  const searches = useSearches()
  const [found, setFound] = useState(nothing)
  useEffect(() => {
    if (text.trim().length < 2) {
      setFound(nothing)
      return
    }
    const controller = new AbortController()
    const timer = setTimeout(() => {
      setFound((before) => ({ ...before, isSearching: searches.length > 0 }))
      void searchAll(searches, text.trim(), controller.signal).then((next) => {
        if (!controller.signal.aborted) setFound(next)
      })
    }, debounce_ms)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text, searches])
  return found
}

/** A failed search returns no results and does not affect the others. Never rejects. */
async function searchAll(searches: readonly SearchSource[], text: string, signal: AbortSignal): Promise<Found> {
  const settled = await Promise.allSettled(searches.map((search) => search(text, signal)))
  const results = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  const failed = settled.find((each) => each.status === 'rejected')
  return { results, isSearching: false, failure: failed === undefined ? null : failureOf(failed.reason) }
}

function failureOf(error: unknown): string {
  if (!navigator.onLine) return t('You are offline: only pages and commands are found.')
  return t('The search failed. {text}', { text: describeError(error).text })
}
