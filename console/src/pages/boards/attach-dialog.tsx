/** Chooses the project of a board. */
import type { Board, Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useAll } from '../../data/index.ts'
import { Combobox, Field } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useAttach, useProjects } from './reads.ts'

const no_project = 'none'

interface AttachDialogProps {
  readonly board: Board
  readonly onClose: () => void
  readonly onDone?: (() => void) | undefined
}

export function AttachDialog({ board, onClose, onDone }: AttachDialogProps) {
  const projects = useProjects()
  const workspaces = useAll<Workspace>('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
  const [chosen, setChosen] = useState(board.project ?? no_project)
  const write = useAttach()
  const usable = (projects.data ?? []).filter(({ id, status }) => status === 'active' || id === board.project)
  const titleOf = (workspace: string) => workspaces.data?.find(({ id }) => id === workspace)?.title
  const options = usable.map(({ id, name, workspace }) => {
    const title = titleOf(workspace)
    return { value: id, label: name, ...(title === undefined ? {} : { hint: title }) }
  })
  const attach = async () => {
    const project = usable.find(({ id }) => id === chosen) ?? null
    if ((await write.run({ board, project })) === undefined) return
    onClose()
    onDone?.()
  }
  return (
    <FormDialog
      title={t('Attach to project')}
      size="s"
      action={chosen === no_project ? t('Detach') : t('Attach')}
      isReady={chosen !== (board.project ?? no_project)}
      write={write}
      fields={['project']}
      onSubmit={attach}
      onClose={onClose}
    >
      <Field
        label={t('Project')}
        hint={t('The project lists the board under Whiteboards. Notes become tasks of the project.')}
        error={fieldErrors(write.error).project}
      >
        <Combobox
          label={t('Project')}
          placeholder={t('Choose a project')}
          options={[{ value: no_project, label: t('No project') }, ...options]}
          value={[chosen]}
          onChange={([id]) => setChosen(id ?? no_project)}
        />
      </Field>
    </FormDialog>
  )
}
