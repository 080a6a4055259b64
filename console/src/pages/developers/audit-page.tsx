/** The audit log: every change with its actor and source, chained by hashes that can be verified. */
import './developers.css'
import type { AuditEntry } from '@atrium/sdk'
import { ScrollText, ShieldCheck } from 'lucide-react'
import { Link, useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { ListTable } from '../../app/list-table.tsx'
import { useApp, useDirectory, useList, useUrlParam } from '../../data/index.ts'
import {
  Button,
  CopyText,
  Empty,
  exactTime,
  Fact,
  Facts,
  inWords,
  Notice,
  Page,
  RelativeTime,
  SearchInput,
  Sheet,
  type TableColumn,
} from '../../design/index.ts'
import { rich, t, textLanguage } from '../../language/index.ts'

export function AuditPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const [action, setAction] = useUrlParam('action', '', { typed: true })
  const [target, setTarget] = useUrlParam('target', '', { typed: true })
  const params = { ...(action !== '' && { action }), ...(target !== '' && { target }) }
  const list = useList('audit_entry', params, (atrium, cursor) =>
    atrium.auditLogs.list({ ...params, limit: 50, ...(cursor === undefined ? {} : { cursor }) }),
  )
  const query = search === '' ? '' : `?${search}`
  return (
    <Page
      title={t('Audit log')}
      description={t('Every change: who made it, when, and from where. Entries are never changed or deleted.')}
    >
      <div className="stack">
        <Verification />
        <div className="dev-filters" role="search" aria-label={t('Audit log')}>
          <SearchInput label={t('Action')} placeholder="tasks.update" value={action} onChange={setAction} />
          <SearchInput label={t('Target ID')} placeholder={t('tsk_…')} value={target} onChange={setTarget} />
        </div>
        <ListTable
          list={list}
          label={t('Audit log')}
          columns={columns}
          rowKey={(entry) => entry.id}
          to={(entry) => `/developers/audit/${entry.id}${query}`}
          current={id}
          empty={
            <Empty icon={ScrollText} title={t('No matching entries')}>
              {t('Change the action or the target ID.')}
            </Empty>
          }
        />
      </div>
      {id !== undefined && (
        <EntrySheet
          id={id}
          entry={list.rows?.find((entry) => entry.id === id)}
          onClose={() => navigate(`/developers/audit${query}`)}
        />
      )}
    </Page>
  )
}

function Verification() {
  const verification = useApp('GET audit/verify', {}, { enabled: false })
  const { data } = verification
  const verify = (
    <Button icon={ShieldCheck} busy={verification.isFetching} onClick={() => void verification.refetch()}>
      {data === undefined ? t('Verify chain') : t('Verify again')}
    </Button>
  )
  if (verification.error) {
    return <ErrorState error={verification.error} onRetry={() => void verification.refetch()} plain />
  }
  if (data === undefined) {
    return (
      <Notice title={t('Each entry contains the hash of the previous one')} actions={verify}>
        {t('A later change to any entry breaks the chain. Verifying reads the whole log.')}
      </Notice>
    )
  }
  return data.ok ? (
    <Notice
      tone="good"
      title={t('The chain is intact: {entries} entries', {
        entries: (data.entries ?? 0).toLocaleString(textLanguage()),
      })}
      actions={verify}
    >
      {rich('Verified {relativeTime}.', { relativeTime: <RelativeTime at={data.checked_at} /> })}
    </Notice>
  ) : (
    <Notice tone="bad" title={t('The chain is broken')} actions={verify}>
      {data.message}
    </Notice>
  )
}

function ActorName({ actor }: { readonly actor: AuditEntry['actor'] }) {
  const { nameOf } = useDirectory()
  return <span className="cut">{actor.type === 'system' ? t('Operator') : nameOf(actor.id)}</span>
}

/** The name of a person, key or flow; the ID of any other object. */
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

/** The action; on narrow screens with the actor below it. */
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

interface EntrySheetProps {
  readonly id: string
  readonly entry: AuditEntry | undefined
  readonly onClose: () => void
}

function EntrySheet({ id, entry, onClose }: EntrySheetProps) {
  return (
    <Sheet open onClose={onClose} title={entry?.action ?? id} size="m">
      {entry === undefined ? (
        <Empty plain title={t('This entry is not loaded')}>
          {t('Find it by its action or target ID.')}
        </Empty>
      ) : (
        <EntryFacts entry={entry} />
      )}
    </Sheet>
  )
}

function EntryFacts({ entry }: { readonly entry: AuditEntry }) {
  return (
    <Facts>
      <Fact name={t('Time')}>{exactTime(entry.created)}</Fact>
      <Fact name={t('Actor')}>
        <ActorName actor={entry.actor} />
      </Fact>
      <Fact name={inWords(entry.target.object)}>
        <TargetLink id={entry.target.id} />
      </Fact>
      {entry.changed_fields.length > 0 && <Fact name={t('Changed fields')}>{entry.changed_fields.join(', ')}</Fact>}
      {entry.reason !== null && <Fact name={t('Reason')}>{entry.reason}</Fact>}
      {entry.request !== null && (
        <Fact name={t('Request')}>
          <Link href={`/developers/requests/${entry.request}`} className="dev-mono">
            {entry.request}
          </Link>
        </Fact>
      )}
      <Fact name={t('Source')}>
        {[entry.source.ip, entry.source.user_agent].filter(Boolean).join(', ') || t('This machine')}
      </Fact>
      <Fact name={t('Sequence')}>{entry.sequence}</Fact>
      <Fact name={t('Hash')}>
        <CopyText text={entry.hash}>{entry.hash}</CopyText>
      </Fact>
      <Fact name={t('Previous hash')}>
        {entry.previous_hash === '' ? t('None (first entry)') : entry.previous_hash}
      </Fact>
    </Facts>
  )
}

const columns: readonly TableColumn<AuditEntry>[] = [
  { key: 'action', title: t('Action'), cell: (entry) => <Action entry={entry} /> },
  { key: 'actor', title: t('Actor'), width: '12rem', from: 'wide', cell: ({ actor }) => <ActorName actor={actor} /> },
  {
    key: 'target',
    title: t('Target'),
    from: 'wide',
    cell: ({ target }) => <TargetName target={target} />,
  },
  {
    key: 'fields',
    title: t('Changed fields'),
    from: 'widest',
    cell: ({ changed_fields }) => <span className="cut">{changed_fields.join(', ')}</span>,
  },
  { key: 'at', title: t('Time'), width: '7.5rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]
