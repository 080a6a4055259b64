/** All flows with their triggers, statuses and last runs. */
import './automations.css'
import type { AutomationFlow } from '@atrium/sdk'
import { History, Plus, Workflow } from 'lucide-react'
import { ListTable } from '../../app/list-table.tsx'
import { useList } from '../../data/index.ts'
import { ButtonLink, capitalized, Empty, Page, RelativeTime, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { FlowStatus, triggerText } from './flow-text.tsx'

export function FlowsPage() {
  const list = useList('automation_flow', {}, (atrium, cursor) =>
    atrium.automationFlows.list({ limit: 50, ...(cursor === undefined ? {} : { starting_after: cursor }) }),
  )
  return (
    <Page
      title={t('Automations')}
      actions={
        <>
          <ButtonLink icon={History} to="/automations/runs">
            {t('All runs')}
          </ButtonLink>
          <ButtonLink kind="primary" icon={Plus} to="/automations/new">
            {t('New automation')}
          </ButtonLink>
        </>
      }
      description={t('Flows react to events, due dates and schedules. Every run records its steps.')}
    >
      <ListTable
        list={list}
        label={t('Flows')}
        columns={columns}
        rowKey={(flow) => flow.id}
        to={(flow) => `/automations/${flow.id}`}
        empty={<NoFlows />}
      />
    </Page>
  )
}

function NoFlows() {
  return (
    <Empty
      icon={Workflow}
      title={t('No flows yet')}
      plain
      actions={
        <ButtonLink icon={Plus} to="/automations/new">
          {t('Select a recipe')}
        </ButtonLink>
      }
    >
      {t(
        'A flow starts on an event, a due date, a schedule or by hand. It then changes tasks, waits, or calls other systems.',
      )}
    </Empty>
  )
}

const columns: readonly TableColumn<AutomationFlow>[] = [
  {
    key: 'name',
    title: t('Flow'),
    cell: (flow) => (
      <span className="flow-name">
        <span className="cut">{flow.name}</span>
        <span className="flow-hint cut">{capitalized(triggerText(flow))}</span>
      </span>
    ),
  },
  { key: 'status', title: t('Status'), width: '9rem', cell: (flow) => <FlowStatus flow={flow} /> },
  {
    key: 'version',
    title: t('Version'),
    width: '5rem',
    align: 'end',
    from: 'widest',
    cell: ({ version }) => (version === 0 ? '—' : version),
  },
  {
    key: 'run',
    title: t('Last run'),
    width: '9rem',
    align: 'end',
    from: 'wide',
    cell: ({ last_run_at }) => <RelativeTime at={last_run_at} none={t('Never')} />,
  },
]
