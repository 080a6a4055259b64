/** The dates that the API speaks, and how many keys speak each. */
import './developers.css'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp, useMode } from '../../data/index.ts'
import type { ApiVersion } from '../../data/shapes.ts'
import { Badge, CodeBlock, Page, Section, Table, type TableColumn } from '../../design/index.ts'

export function VersionsPage() {
  const mode = useMode()
  const versions = useApp('GET versions', { query: { mode } })
  const newest = versions.data?.data[0]?.date ?? '2026-08-03'
  return (
    <Page
      title="Versions"
      description="The API’s version is a date. A key keeps the one it was made with, so that nothing changes under it."
      width="narrow"
    >
      {versions.error ? (
        <ErrorState error={versions.error} onRetry={() => void versions.refetch()} />
      ) : (
        <Table label="Versions" columns={columns} rows={versions.data?.data} rowKey={({ date }) => date} expected={1} />
      )}
      <Section title="Try another version" description="A header changes the version of one request.">
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
    title: 'Version',
    cell: ({ date, is_newest }) => (
      <span className="row">
        <span className="dev-mono">{date}</span>
        {is_newest && <Badge tone="good">current</Badge>}
      </span>
    ),
  },
  { key: 'keys', title: 'Keys that speak it', width: '10rem', align: 'end', cell: ({ keys }) => keys },
]
