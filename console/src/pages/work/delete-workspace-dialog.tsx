/** Deletes a workspace with everything in it, after its title was typed. Closing the dialog stops the deletion. */
import type { Workspace } from '@atrium/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { useAtrium, useMode, useWrite } from '../../data/index.ts'
import { ConfirmDialog, Skeleton } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import { allOf } from '../../language/lists.ts'
import { contentsOf, type DeletionProgress, deleteWorkspace } from './workspace-deletion.ts'

interface DeleteWorkspaceProps {
  readonly workspace: Workspace
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Whose lists change with a workspace. */
const changed = ['project', 'task', 'time_entry', 'expense', 'invoice_draft', 'billing_rate', 'automation_flow']

export function DeleteWorkspaceDialog({ workspace: { id, title }, onClose, onDeleted }: DeleteWorkspaceProps) {
  const [progress, setProgress] = useState<DeletionProgress | null>(null)
  const stop = useRef(new AbortController())
  const write = useWrite({
    manage: true,
    write: (atrium) => deleteWorkspace(atrium, id, { onProgress: setProgress, signal: stop.current.signal }),
    invalidates: changed,
    done: () => t('{title} deleted', { title }),
    toastErrors: false,
  })
  const close = () => {
    stop.current.abort()
    onClose()
  }
  const run = async () => {
    if ((await write.run(undefined)) !== undefined) onDeleted()
  }
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={t('Delete “{title}” with everything in it?', { title })}
      action={t('Delete')}
      typed={title}
      busy={write.busy}
      error={<FormError error={write.error} />}
      onConfirm={() => void run()}
    >
      {write.busy && progress !== null ? <Progress {...progress} /> : <Consequences id={id} />}
    </ConfirmDialog>
  )
}

function Progress({ kind, deleted }: DeletionProgress) {
  return (
    <p role="status">
      {t(
        'Deleting {kind}. {deleted} deleted so far. Closing this dialog stops the deletion; what is deleted stays deleted.',
        { kind, deleted: deleted.toLocaleString(textLanguage()) },
      )}
    </p>
  )
}

function Consequences({ id }: { readonly id: string }) {
  const atrium = useAtrium()
  const contents = useQuery({
    queryKey: [t('workspace contents'), useMode(), id],
    queryFn: () => contentsOf(atrium, id),
    staleTime: 0,
  })
  if (contents.isPending) return <Skeleton width="80%" />
  const texts = contents.data?.texts ?? []
  return (
    <>
      {texts.length > 0 && <p>{t('It contains {texts}.', { texts: allOf(texts) })}</p>}
      <p>{t('Its automations are paused, and all of its objects are deleted. This cannot be undone.')}</p>
    </>
  )
}
