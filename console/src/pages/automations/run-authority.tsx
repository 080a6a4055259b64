/** Says that a run cannot go on because the permissions of its version have ended, and offers to renew them. */
import type { AutomationRun } from '@atrium/sdk'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useDirectory, useObject } from '../../data/index.ts'
import { Button, Notice } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { endText, RenewDialog } from './authority.tsx'
import { open_statuses } from './flow-text.tsx'

/** A run that waits, or one that has failed for this reason: it can be repeated from its step. */
function mayLack({ status, failure }: AutomationRun): boolean {
  return open_statuses.has(status) || failure?.code === 'insufficient_scope'
}

/** The rights of the version of a run, as they are now; null if they suffice, or are not known. */
export function useEndedRights(run: AutomationRun) {
  const { automation_flow: flow, flow_version, status } = run
  const read = useObject('automation_versions', flow, (atrium) => atrium.automationFlows.versions(flow), {
    enabled: mayLack(run),
    params: { rights: flow_version, status },
  })
  const found = read.data?.versions.find(({ version }) => version === flow_version)
  return {
    isLoading: mayLack(run) && read.isPending,
    ended: found?.authority.status === 'ended' ? found : null,
    refetch: read.refetch,
  }
}

export function RunAuthority({
  run,
  rights: { ended, refetch },
}: {
  readonly run: AutomationRun
  readonly rights: ReturnType<typeof useEndedRights>
}) {
  const { nameOf } = useDirectory()
  const [isOpen, setOpen] = useState(false)
  if (ended === null) return null
  const { version, authority, required_scopes } = ended
  const id = run.automation_flow
  const close = () => {
    setOpen(false)
    void refetch()
  }
  return (
    <Notice
      tone="bad"
      title={t('The permissions of version {version} have ended', { version })}
      actions={
        <Button icon={KeyRound} onClick={() => setOpen(true)}>
          {t('Renew')}
        </Button>
      }
    >
      {endText(authority, nameOf(authority.acts_for.id))}{' '}
      {run.ended_at === null
        ? t('The next step of this run fails until a person renews them.')
        : t('Renew them, then run it again from the step that failed.')}
      {isOpen && (
        <RenewDialog
          flow={{ id, name: nameOf(id), required_scopes }}
          version={version}
          title={t('Renew the permissions of version {version}', { version })}
          action={t('Renew')}
          onClose={close}
        />
      )}
    </Notice>
  )
}
