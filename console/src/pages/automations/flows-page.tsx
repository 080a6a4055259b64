/** The flows: what begins them, how they stand, when they last ran. */
import './automations.css'
import type { AutomationFlow } from '@atrium/sdk'
import { Workflow } from 'lucide-react'
import { ErrorState } from '../../app/error-state.tsx'
import { useList } from '../../data/index.ts'
import { CodeBlock, Empty, More, Page, RelativeTime, Table, type TableColumn } from '../../design/index.ts'
import { FlowStatus, triggersOf } from './flow-words.tsx'

export function FlowsPage() {
  const list = useList('automation_flow', {}, (atrium, cursor) =>
    atrium.automationFlows.list({ limit: 50, ...(cursor === undefined ? {} : { starting_after: cursor }) }),
  )
  return (
    <Page title="Automations" description="Flows that act by themselves, each step of them written down.">
      {list.error ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : (
        <>
          <Table
            label="Flows"
            columns={columns}
            rows={list.rows}
            rowKey={(flow) => flow.id}
            to={(flow) => `/automations/${flow.id}`}
            empty={<NoFlows />}
          />
          {list.rows !== undefined && (
            <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={list.rows.length} />
          )}
        </>
      )}
    </Page>
  )
}

function NoFlows() {
  return (
    <div className="stack">
      <Empty icon={Workflow} title="No flows yet" plain>
        A flow is a graph: what begins it, what it asks, what it does. Eight ready-made ones come with Atrium; they are
        put in from the command line and tried here against a task before they act.
      </Empty>
      <CodeBlock
        code="node examples/install-flow.ts examples/flows/tell-unblocked.json --workspace wsp_… --task KEP-1"
        wrap
      />
    </div>
  )
}

const columns: readonly TableColumn<AutomationFlow>[] = [
  {
    key: 'name',
    title: 'Flow',
    cell: (flow) => (
      <span className="flow-name">
        <span className="cut">{flow.name}</span>
        <span className="flow-hint cut">{triggersOf(flow)}</span>
      </span>
    ),
  },
  { key: 'status', title: 'Status', width: '9rem', cell: (flow) => <FlowStatus flow={flow} /> },
  { key: 'version', title: 'Version', width: '5rem', align: 'end', from: 'widest', cell: ({ version }) => version },
  {
    key: 'run',
    title: 'Last run',
    width: '9rem',
    align: 'end',
    from: 'wide',
    cell: ({ last_run_at }) => <RelativeTime at={last_run_at} none="never" />,
  },
]
