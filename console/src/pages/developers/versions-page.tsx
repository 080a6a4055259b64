/** The versions of the API, and how many keys use each. */
import './developers.css'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useMode } from '../../data/index.ts'
import type { ApiVersion } from '../../data/shapes.ts'
import { Badge, CodeBlock, Page, Section, Table, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function VersionsPage() {
  const mode = useMode()
  const versions = useApp('GET versions', { query: { mode } })
  const newest = versions.data?.data[0]?.date ?? '2026-08-03'
  return (
    <Page
      title={t('Versions')}
      description={t('A version of the API is a date. A key keeps the version it was created with.')}
      width="narrow"
    >
      {versions.error ? (
        <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />
      ) : (
        <Table
          label={t('Versions')}
          columns={columns}
          rows={versions.data?.data}
          rowKey={({ date }) => date}
          expected={1}
        />
      )}
      <Section
        title={t('Version per request')}
        description={t('A header overrides the key’s version for one request.')}
      >
        <CodeBlock
          code={`curl ${location.origin}/v1/me \\\n  -H "Authorization: Bearer $ATRIUM_KEY" \\\n  -H "Service-Version: ${newest}"`}
        />
      </Section>
    </Page>
  )
}

const columns: readonly TableColumn<ApiVersion>[] = [
  {
    key: 'date',
    title: t('Version'),
    cell: ({ date, is_newest }) => (
      <span className="row">
        <span className="dev-mono">{date}</span>
        {is_newest && <Badge tone="good">{t('Current')}</Badge>}
      </span>
    ),
  },
  { key: 'keys', title: t('Keys'), width: '10rem', align: 'end', cell: ({ keys }) => keys },
]
