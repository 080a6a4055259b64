/** The workspace a page shows: that of the object open on it, else the one in the URL, else the first. */
import type { Workspace } from '@atrium/sdk'
import { FolderKanban } from 'lucide-react'
import type { ReactNode } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useAll, useUrlParam } from '../../data/index.ts'
import { ButtonLink, Empty, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface ChosenWorkspace {
  readonly workspace: Workspace | undefined
  /** A select; `null` if there is only one workspace. */
  readonly choice: ReactNode
  /** Shown instead of the page's content: the error, or how to create the first workspace. */
  readonly missing: ReactNode
}

export function useWorkspace(opened?: string): ChosenWorkspace {
  const { data, error, refetch } = useAll('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
  const [chosen, setChosen] = useUrlParam('workspace')
  const list = data ?? []
  const workspace = list.find(({ id }) => id === (opened ?? chosen)) ?? list[0]
  const choices = list.map(({ id, title }) => ({ value: id, label: title }))
  const choice =
    workspace === undefined || list.length < 2 ? null : (
      <Select aria-label={t('Workspace')} value={workspace.id} choices={choices} onChange={setChosen} />
    )
  const missing = error ? (
    <ErrorState error={error} onRetry={() => void refetch()} />
  ) : data?.length === 0 ? (
    <Empty
      icon={FolderKanban}
      title={t('No workspace yet')}
      actions={<ButtonLink to="/work">{t('Go to Work')}</ButtonLink>}
    >
      {t('Time, expenses, rates and invoices belong to a workspace. Create one first.')}
    </Empty>
  ) : null
  return { workspace, choice, missing }
}
