/** Who changed what: the audit log, whose entries hang together by their hashes, and whether they still do. */
import './developers.css'
import type { AuditEntry } from '@atrium/sdk'
import { ScrollText, ShieldCheck } from 'lucide-react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useDirectory, useList, useUrlParam } from '../../data/index.ts'
import {
  Button,
  CopyText,
  dateTime,
  Empty,
  Fact,
  Facts,
  More,
  Notice,
  Page,
  RelativeTime,
  SearchInput,
  Sheet,
  Table,
  type TableColumn,
} from '../../design/index.ts'

export function AuditPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const [action, setAction] = useUrlParam('action', '')
  const [target, setTarget] = useUrlParam('target', '')
  const wanted = { ...(action === '' ? {} : { action }), ...(target === '' ? {} : { target }) }
  const list = useList('audit_entry', wanted, (atrium, cursor) =>
    atrium.auditLogs.list({ ...wanted, limit: 50, ...(cursor === undefined ? {} : { cursor }) }),
  )
  const tail = search === '' ? '' : `?${search}`
  return (
    <Page title="Audit log" description="Every change, by whom and from where. Entries are never changed or removed.">
      <div className="stack">
        <Verdict />
        <div className="dev-filters" role="search" aria-label="Audit log">
          <SearchInput label="Action" placeholder="tasks.update" value={action} onChange={setAction} />
          <SearchInput label="Target’s id" placeholder="tsk_…" value={target} onChange={setTarget} />
        </div>
        {list.error ? (
          <ErrorState error={list.error} onRetry={list.refetch} />
        ) : (
          <>
            <Table
              label="Audit log"
              columns={columns}
              rows={list.rows}
              rowKey={(entry) => entry.id}
              to={(entry) => `/developers/audit/${entry.id}${tail}`}
              current={id}
              empty={<Empty icon={ScrollText} title="No such entries" />}
            />
            {list.rows !== undefined && (
              <More
                hasMore={list.hasMore}
                busy={list.isLoadingMore}
                onMore={list.more}
                shown={list.rows?.length ?? 0}
              />
            )}
          </>
        )}
      </div>
      {id !== undefined && (
        <EntrySheet
          id={id}
          entry={list.rows?.find((entry) => entry.id === id)}
          onClose={() => navigate(`/developers/audit${tail}`)}
        />
      )}
    </Page>
  )
}

function Verdict() {
  const verdict = useApp('GET audit/verify', {}, { enabled: false })
  const { data } = verdict
  const check = (
    <Button icon={ShieldCheck} busy={verdict.isFetching} onClick={() => void verdict.refetch()}>
      {data === undefined ? 'Verify the chain' : 'Verify again'}
    </Button>
  )
  if (verdict.error) return <ErrorState error={verdict.error} onRetry={() => void verdict.refetch()} plain />
  if (data === undefined) {
    return (
      <Notice title="Each entry holds the hash of the one before it" actions={check}>
        So a change anywhere would show. Verifying reads the whole log.
      </Notice>
    )
  }
  return data.ok ? (
    <Notice
      tone="good"
      title={`The chain is whole: ${(data.entries ?? 0).toLocaleString('en')} entries`}
      actions={check}
    >
      Verified <RelativeTime at={data.checked_at} />.
    </Notice>
  ) : (
    <Notice tone="bad" title="The chain is broken" actions={check}>
      {data.message}
    </Notice>
  )
}

function ActorName({ actor }: { readonly actor: AuditEntry['actor'] }) {
  const { nameOf } = useDirectory()
  return <span className="cut">{actor.type === 'system' ? 'The operator' : nameOf(actor.id)}</span>
}

/** By its name, where people, keys and flows have one. */
function TargetName({ target: { id } }: Pick<AuditEntry, 'target'>) {
  const { nameOf } = useDirectory()
  const name = nameOf(id)
  if (name === id) return <span className="dev-mono cut">{id}</span>
  return (
    <span className="cut" title={id}>
      {name}
    </span>
  )
}

/** Where there is no room for a column of who did it, they stand below. */
function Action({ entry: { action, actor } }: { readonly entry: AuditEntry }) {
  return (
    <>
      <span className="dev-mono">{action}</span>
      <span className="dev-below subtle">
        <ActorName actor={actor} />
      </span>
    </>
  )
}

function TargetLink({ id }: { readonly id: string }) {
  const { nameOf } = useDirectory()
  const name = nameOf(id)
  return (
    <>
      {name !== id && `${name}, `}
      <Link href={`/open/${id}`} className="dev-mono">
        {id}
      </Link>
    </>
  )
}

function EntrySheet(props: {
  readonly id: string
  readonly entry: AuditEntry | undefined
  readonly onClose: () => void
}) {
  const { entry } = props
  return (
    <Sheet open onClose={props.onClose} title={entry?.action ?? props.id} size="m">
      {entry === undefined ? (
        <Empty plain title="This entry is not among those shown">
          Look for it by its action or target.
        </Empty>
      ) : (
        <Facts>
          <Fact name="When">{dateTime(entry.created)}</Fact>
          <Fact name="By">
            <ActorName actor={entry.actor} />
          </Fact>
          <Fact name={entry.target.object}>
            <TargetLink id={entry.target.id} />
          </Fact>
          {entry.changed_fields.length > 0 && <Fact name="Changed">{entry.changed_fields.join(', ')}</Fact>}
          {entry.reason !== null && <Fact name="Reason">{entry.reason}</Fact>}
          {entry.request !== null && (
            <Fact name="Request">
              <Link href={`/developers/requests/${entry.request}`} className="dev-mono">
                {entry.request}
              </Link>
            </Fact>
          )}
          <Fact name="From">
            {[entry.source.ip, entry.source.user_agent].filter(Boolean).join(', ') || 'this machine'}
          </Fact>
          <Fact name="Number">{entry.sequence}</Fact>
          <Fact name="Hash">
            <CopyText text={entry.hash}>{entry.hash}</CopyText>
          </Fact>
          <Fact name="Hash before">{entry.previous_hash === '' ? 'none: the first entry' : entry.previous_hash}</Fact>
        </Facts>
      )}
    </Sheet>
  )
}

const columns: readonly TableColumn<AuditEntry>[] = [
  { key: 'action', title: 'Action', cell: (entry) => <Action entry={entry} /> },
  { key: 'actor', title: 'By', width: '12rem', from: 'wide', cell: ({ actor }) => <ActorName actor={actor} /> },
  {
    key: 'target',
    title: 'Target',
    from: 'wide',
    cell: ({ target }) => <TargetName target={target} />,
  },
  {
    key: 'fields',
    title: 'Changed',
    from: 'widest',
    cell: ({ changed_fields }) => <span className="cut">{changed_fields.join(', ')}</span>,
  },
  { key: 'at', title: 'When', width: '7.5rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]
