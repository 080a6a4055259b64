/** Which workspace a page is about: that of what is open on it, else the one in the URL, else the first. */
import type { Workspace } from '@atrium/sdk'
import { useAll, useUrlParam } from '../../data/index.ts'
import { Select } from '../../design/index.ts'

export function useWorkspace(opened?: string): {
  readonly workspace: Workspace | undefined
  readonly error: Error | null
  /** There is none at all. */
  readonly isNone: boolean
  readonly choice: React.ReactNode
} {
  const all = useAll('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
  const [chosen, setChosen] = useUrlParam('workspace')
  const list = all.data ?? []
  const workspace = list.find(({ id }) => id === (opened ?? chosen)) ?? list[0]
  const choices = list.map(({ id, title }) => ({ value: id, label: title }))
  const choice =
    workspace === undefined || list.length < 2 ? null : (
      <Select aria-label="Workspace" value={workspace.id} choices={choices} onChange={setChosen} />
    )
  return { workspace, error: all.error, isNone: all.data?.length === 0, choice }
}
