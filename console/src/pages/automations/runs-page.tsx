/** The runs of all flows of a workspace: the one in the address, else the first. */
import type { Workspace } from '@atrium/sdk'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useAll, useUrlChange, useUrlParam } from '../../data/index.ts'
import { Page, Select, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { no_filters } from './run-filters.ts'
import { NoRuns, Runs } from './runs.tsx'

export function RunsPage() {
  const { data, error, refetch } = useAll<Workspace>('workspace', {}, (atrium) =>
    atrium.workspaces.list({ limit: 100 }),
  )
  const [chosen] = useUrlParam('workspace')
  const workspace = data?.find(({ id }) => id === chosen) ?? data?.[0]
  return (
    <Page
      title={t('Runs')}
      trail={<Link href="/automations">{t('Automations')}</Link>}
      actions={workspace && data && data.length > 1 && <WorkspaceChoice of={data} value={workspace.id} />}
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={6} />
      ) : workspace === undefined ? (
        <NoRuns />
      ) : (
        <Runs workspace={workspace.id} />
      )}
    </Page>
  )
}

/** Flow and task belong to a workspace, so another one removes them. */
function WorkspaceChoice({ of, value }: { readonly of: readonly Workspace[]; readonly value: string }) {
  const change = useUrlChange()
  return (
    <Select
      aria-label={t('Workspace')}
      value={value}
      choices={of.map(({ id, title }) => ({ value: id, label: title }))}
      onChange={(workspace) => change({ workspace, task: no_filters.task, flow: no_filters.flow })}
    />
  )
}
