/** With whose permissions a flow acts: who that is, a notice when they have ended, and giving it one's own. */
import type { AutomationFlow } from '@atrium/sdk'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { useDirectory, useSession, useWrite } from '../../data/index.ts'
import { Button, Checkbox, Notice } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { permissionsText } from './flow-text.tsx'

type Authority = NonNullable<AutomationFlow['authority']>

interface AuthorityProps {
  readonly flow: AutomationFlow
  readonly authority: Authority
}

/** For whom the flow acts, and taking it over from another person. */
export function ActsFor({ flow, authority }: AuthorityProps) {
  const { nameOf } = useDirectory()
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  const { acts_for, status } = authority
  const canTakeOver = status === 'valid' && acts_for.id !== user.id && flow.status !== 'draft'
  return (
    <>
      <div>{acts_for.id === user.id ? t('You') : nameOf(acts_for.id)}</div>
      {canTakeOver && (
        // Below the name, which may be read later than the flow.
        <Button kind="quiet" size="s" onClick={() => setOpen(true)}>
          {t('Take over')}
        </Button>
      )}
      {isOpen && (
        <RenewDialog
          flow={flow}
          title={t('Take over {name}', { name: flow.name })}
          action={t('Take over')}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** Says that the permissions have ended, and offers to renew them. A draft gets those of the person who activates it. */
export function AuthorityNotice({ flow, authority }: AuthorityProps) {
  const { nameOf } = useDirectory()
  const [isOpen, setOpen] = useState(false)
  if (authority.status === 'valid' || flow.status === 'draft') return null
  return (
    <Notice
      tone="bad"
      title={t('The permissions of this flow have ended')}
      actions={
        <Button icon={KeyRound} onClick={() => setOpen(true)}>
          {t('Renew')}
        </Button>
      }
    >
      {endText(authority, nameOf(authority.acts_for.id))} {t('Its runs fail until a person renews them.')}
      {isOpen && (
        <RenewDialog
          flow={flow}
          title={t('Renew the permissions of {name}', { name: flow.name })}
          action={t('Renew')}
          onClose={() => setOpen(false)}
        />
      )}
    </Notice>
  )
}

/** Why permissions no longer suffice. */
export function endText({ reason }: Pick<Authority, 'reason'>, name: string): string {
  switch (reason) {
    case 'credential_deleted':
      return t('The key with which it acts for {name} was deleted.', { name })
    case 'credential_expired':
      return t('The key with which it acts for {name} has expired.', { name })
    case 'grant_ended':
      return t('The application that activated it no longer has access.')
    case 'member_inactive':
      return t('It acts for {name}, who is no longer an active member.', { name })
    case 'guest':
      return t('It acts for {name}, who has become a guest.', { name })
    case 'no_plan':
      return t('The organization has no plan.')
    default:
      return t('{name} no longer has all permissions that it needs.', { name })
  }
}

interface RenewDialogProps {
  readonly flow: Pick<AutomationFlow, 'id' | 'name' | 'required_scopes'>
  /** A version before the newest, whose runs have not ended. */
  readonly version?: number
  readonly title: string
  readonly action: string
  readonly onClose: () => void
}

export function RenewDialog({ flow, version, title, action, onClose }: RenewDialogProps) {
  const [isAllowed, setAllowed] = useState(false)
  const write = useWrite({
    write: (atrium, id: string) =>
      atrium.automationFlows.renewAuthority(id, {
        scope_acknowledged: true,
        ...(version !== undefined && { version }),
      }),
    done: ({ name }) =>
      version === undefined
        ? t('{name} acts with your permissions', { name })
        : t('Runs of version {version} of {name} act with your permissions', { version, name }),
    waits: false,
    toastErrors: false,
  })
  const renew = async () => {
    if ((await write.run(flow.id)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={title}
      description={
        version === undefined
          ? t('From now on it acts with your permissions, also in runs that wait. Its steps and its history stay.')
          : t('Runs of this version that wait go on with your permissions. Those of other versions keep theirs.')
      }
      action={action}
      isReady={isAllowed}
      write={write}
      onSubmit={renew}
      onClose={onClose}
    >
      <Checkbox
        label={t('Allow it to {permissions}', {
          permissions: permissionsText(flow.required_scopes) || t('run without permissions'),
        })}
        checked={isAllowed}
        onChange={setAllowed}
      />
    </FormDialog>
  )
}
