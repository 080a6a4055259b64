/** The event log, updated live: new events appear at the top. */
import './developers.css'
import type { AtriumEvent } from '@atrium/sdk'
import { Radio } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ListTable } from '../../app/list-table.tsx'
import { useApp, useEvents, useList, useLiveState, useUrlParam } from '../../data/index.ts'
import { Badge, Empty, Page, RelativeTime, Select, Switch, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { EventActor } from './event-actor.tsx'
import { EventSheet } from './event-sheet.tsx'

/** Live events kept while the page is open. */
const live_max = 500

export function EventsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const [type, setType] = useUrlParam('type', '')
  const [isPaused, setPaused] = useState(false)
  const live = useLiveEvents(isPaused)
  const list = useList('event', {}, (atrium, cursor) =>
    atrium.events.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) }),
  )
  const rows = list.rows && merge(live, list.rows).filter((event) => matches(event, type))
  const query = search === '' ? '' : `?${search}`
  return (
    <Page
      title={t('Events')}
      description={t('Every change, in commit order and without gaps. Events are kept for 30 days.')}
      actions={
        <span className="dev-live">
          <LiveBadge />
        </span>
      }
    >
      <div className="stack">
        <div className="dev-filters" role="search" aria-label={t('Events')}>
          <TypeFilter value={type} onChange={setType} />
          <Switch label={t('Pause')} checked={isPaused} onChange={setPaused} />
        </div>
        <ListTable
          list={list}
          rows={rows}
          label={t('Events')}
          columns={columns}
          rowKey={(event) => event.id}
          to={(event) => `/developers/events/${event.id}${query}`}
          current={id}
          empty={<NoEvents type={type} />}
        />
      </div>
      {id !== undefined && <EventSheet id={id} onClose={() => navigate(`/developers/events${query}`)} />}
    </Page>
  )
}

function NoEvents({ type }: { readonly type: string }) {
  return type === '' ? (
    <Empty icon={Radio} title={t('No events yet')}>
      {t('Change something, and the event appears here at once.')}
    </Empty>
  ) : (
    <Empty icon={Radio} title={t('No matching events')}>
      {t('None of the events loaded so far has this type. Older events may.')}
    </Empty>
  )
}

/** Events since the page was opened, newest first; while paused, those until the pause. */
function useLiveEvents(isPaused: boolean): readonly AtriumEvent[] {
  const [events, setEvents] = useState<readonly AtriumEvent[]>([])
  const [frozen, setFrozen] = useState<readonly AtriumEvent[] | null>(null)
  useEvents(useCallback((event: AtriumEvent) => setEvents((all) => [event, ...all].slice(0, live_max)), []))
  if (isPaused && frozen === null) setFrozen(events)
  if (!isPaused && frozen !== null) setFrozen(null)
  return frozen ?? events
}

function merge(live: readonly AtriumEvent[], read: readonly AtriumEvent[]): AtriumEvent[] {
  const known = new Set(read.map(({ id }) => id))
  return [...live.filter(({ id }) => !known.has(id)), ...read].sort((a, b) => b.sequence - a.sequence)
}

function matches(event: AtriumEvent, type: string): boolean {
  return type === '' || event.type === type || (type.endsWith('*') && event.type.startsWith(type.slice(0, -1)))
}

function TypeFilter({ value, onChange }: { readonly value: string; readonly onChange: (type: string) => void }) {
  const types = useApp('GET event-types', {})
  const names = types.data?.data.map(({ type }) => type) ?? []
  const patterns = [...new Set(names.map((name) => `${name.slice(0, name.lastIndexOf('.'))}.*`))]
  const known = [...patterns, ...names]
  const fromUrl = value === '' || known.includes(value) ? [] : [value]
  const choices = ['', ...fromUrl, ...known].map((name) => ({
    value: name,
    label: name === '' ? t('All types') : name,
  }))
  return <Select aria-label={t('Type')} value={value} choices={choices} onChange={onChange} />
}

function LiveBadge() {
  const state = useLiveState()
  if (state === 'live') {
    return (
      <Badge tone="good" dot>
        {t('Live')}
      </Badge>
    )
  }
  return (
    <Badge tone="warn" dot>
      {state === 'connecting' ? t('Connecting') : t('Offline, retrying')}
    </Badge>
  )
}

/** The name in the event, which is the last one of a deleted object; the ID of an object without a name. */
function EventObject({ event }: { readonly event: AtriumEvent }) {
  // The object of an event of any type: its fields are looked for by name.
  const fields: Readonly<Record<string, unknown>> = { ...event.data.object }
  const { id, name, title, key } = fields
  const text = [key, title ?? name].filter((part) => typeof part === 'string').join(' ')
  if (text === '') return <span className="dev-mono cut">{String(id)}</span>
  return (
    <span className="cut" title={String(id)}>
      {text}
    </span>
  )
}

const columns: readonly TableColumn<AtriumEvent>[] = [
  { key: 'type', title: t('Type'), cell: ({ type }) => <span className="dev-mono cut">{type}</span> },
  {
    key: 'object',
    title: t('Object'),
    from: 'wide',
    cell: (event) => <EventObject event={event} />,
  },
  { key: 'actor', title: t('Actor'), width: '11rem', from: 'wide', cell: ({ actor }) => <EventActor actor={actor} /> },
  {
    key: 'sequence',
    title: t('Sequence'),
    width: '5.5rem',
    align: 'end',
    from: 'widest',
    cell: ({ sequence }) => sequence,
  },
  { key: 'at', title: t('Time'), width: '7.5rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]
