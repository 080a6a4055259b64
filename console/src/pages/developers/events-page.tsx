/** The event log, as it grows: new events appear on top while one looks. */
import './developers.css'
import type { AtriumEvent } from '@atrium/sdk'
import { Radio } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useDirectory, useEvents, useList, useLiveState, useUrlParam } from '../../data/index.ts'
import { Badge, Empty, More, Page, RelativeTime, Select, Switch, Table, type TableColumn } from '../../design/index.ts'
import { EventSheet } from './event-sheet.tsx'

/** Of those that came while the page was open. */
const fresh_max = 500

export function EventsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const [type, setType] = useUrlParam('type', '')
  const [isHeld, setHeld] = useState(false)
  const fresh = useFresh(isHeld)
  const list = useList('event', {}, (atrium, cursor) =>
    atrium.events.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) }),
  )
  const rows = list.rows === undefined ? undefined : merged(fresh, list.rows).filter((event) => fits(event, type))
  const tail = search === '' ? '' : `?${search}`
  return (
    <Page
      title="Events"
      description="Whatever changes, in the order of its commits, without a gap. Kept for 30 days."
      actions={
        <span className="dev-live">
          <LiveBadge />
        </span>
      }
    >
      <div className="stack">
        <div className="dev-filters" role="search" aria-label="Events">
          <TypeChoice value={type} onChange={setType} />
          <Switch label="Hold still" checked={isHeld} onChange={setHeld} />
        </div>
        {list.error ? (
          <ErrorState error={list.error} onRetry={list.refetch} />
        ) : (
          <>
            <Table
              label="Events"
              columns={columns}
              rows={rows}
              rowKey={(event) => event.id}
              to={(event) => `/developers/events/${event.id}${tail}`}
              current={id}
              empty={
                <Empty icon={Radio} title="No such events">
                  {type === ''
                    ? 'Change something, and it shows up here at once.'
                    : 'Among those read so far there is none of this type. Older ones may be below.'}
                </Empty>
              }
            />
            {list.rows !== undefined && (
              <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={rows?.length ?? 0} />
            )}
          </>
        )}
      </div>
      {id !== undefined && <EventSheet id={id} onClose={() => navigate(`/developers/events${tail}`)} />}
    </Page>
  )
}

/** What came since the page was opened, the newest first; while it is held still, what had come until then. */
function useFresh(isHeld: boolean): readonly AtriumEvent[] {
  const [events, setEvents] = useState<readonly AtriumEvent[]>([])
  const [held, setHeld] = useState<readonly AtriumEvent[] | null>(null)
  useEvents(useCallback((event: AtriumEvent) => setEvents((all) => [event, ...all].slice(0, fresh_max)), []))
  if (isHeld && held === null) setHeld(events)
  if (!isHeld && held !== null) setHeld(null)
  return held ?? events
}

function merged(fresh: readonly AtriumEvent[], read: readonly AtriumEvent[]): AtriumEvent[] {
  const known = new Set(read.map(({ id }) => id))
  return [...fresh.filter(({ id }) => !known.has(id)), ...read].sort((a, b) => b.sequence - a.sequence)
}

function fits(event: AtriumEvent, type: string): boolean {
  return type === '' || event.type === type || (type.endsWith('*') && event.type.startsWith(type.slice(0, -1)))
}

function TypeChoice({ value, onChange }: { readonly value: string; readonly onChange: (type: string) => void }) {
  const types = useApp('GET event-types', {})
  const names = types.data?.data.map(({ type }) => type) ?? []
  const objects = [...new Set(names.map((name) => `${name.slice(0, name.lastIndexOf('.'))}.*`))]
  const known = [...objects, ...names]
  const others = value === '' || known.includes(value) ? [] : [value]
  const choices = ['', ...others, ...known].map((name) => ({ value: name, label: name === '' ? 'All types' : name }))
  return <Select aria-label="Type" value={value} choices={choices} onChange={onChange} />
}

function LiveBadge() {
  const state = useLiveState()
  if (state === 'live') {
    return (
      <Badge tone="good" dot>
        live
      </Badge>
    )
  }
  return <Badge tone="warn">{state === 'connecting' ? 'connecting' : 'not live, trying again'}</Badge>
}

export function EventActor({ actor }: { readonly actor: AtriumEvent['actor'] }) {
  const { nameOf } = useDirectory()
  return <span className="cut">{actor.type === 'system' ? 'The operator' : nameOf(actor.id)}</span>
}

/** By its name as the event tells it, which may be the last one of what is gone; by its id where it has none. */
function EventObject({ event }: { readonly event: AtriumEvent }) {
  const { id, name, title, key } = event.data.object as unknown as Readonly<Record<string, unknown>>
  const told = [key, title ?? name].filter((text) => typeof text === 'string').join(' ')
  if (told === '') return <span className="dev-mono cut">{String(id)}</span>
  return (
    <span className="cut" title={String(id)}>
      {told}
    </span>
  )
}

const columns: readonly TableColumn<AtriumEvent>[] = [
  { key: 'type', title: 'Type', cell: ({ type }) => <span className="dev-mono cut">{type}</span> },
  {
    key: 'object',
    title: 'Object',
    from: 'wide',
    cell: (event) => <EventObject event={event} />,
  },
  { key: 'actor', title: 'By', width: '11rem', from: 'wide', cell: ({ actor }) => <EventActor actor={actor} /> },
  { key: 'sequence', title: 'Number', width: '5.5rem', align: 'end', from: 'widest', cell: ({ sequence }) => sequence },
  { key: 'at', title: 'When', width: '7.5rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]
