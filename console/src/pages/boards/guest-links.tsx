/** The links for guests of a board: made with a role and an end, copied once, revoked. */
import type { Board, BoardLink } from '@atrium/sdk'
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { remove, useDirectory, useSession, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  CodeBlock,
  Dialog,
  Field,
  Input,
  RelativeTime,
  Select,
  SkeletonLines,
} from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { useGuestLinks } from './reads.ts'

const roles = [
  { value: 'viewer', label: t('Can look') },
  { value: 'commenter', label: t('Can comment') },
  { value: 'editor', label: t('Can draw') },
] as const

const ends = [
  { value: '1', label: t('In one day') },
  { value: '7', label: t('In one week') },
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
] as const

type Role = (typeof roles)[number]['value']
type Days = (typeof ends)[number]['value']

const day_s = 86_400
/** The server's clock decides; a link that ends a minute early is not refused for the clock of this machine. */
const clock_s = 60

export function GuestLinks({ board, canShare }: { readonly board: Board; readonly canShare: boolean }) {
  const links = useGuestLinks(board.id)
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<{ readonly name: string; readonly url: string } | null>(null)
  return (
    <section className="guest-links" aria-label={t('Links for guests')}>
      <h3 className="section-title">{t('Links for guests')}</h3>
      <p className="subtle">{t('A link opens this board alone, without an account.')}</p>
      {canShare && (
        <Button icon={Link2} onClick={() => setMaking(true)}>
          {t('Create link for guests')}
        </Button>
      )}
      {links.error && <ErrorState error={links.error} onRetry={() => void links.refetch()} plain />}
      {links.data === undefined && !links.error && <SkeletonLines lines={2} />}
      <ul className="board-members" aria-label={t('Links for guests')}>
        {links.data?.map((link) => (
          <GuestLink key={link.id} link={link} canShare={canShare} />
        ))}
      </ul>
      {isMaking && <MakeLink board={board.id} onMade={setMade} onClose={() => setMaking(false)} />}
      {made !== null && <MadeLink {...made} onClose={() => setMade(null)} />}
    </section>
  )
}

interface MakeLinkProps {
  readonly board: string
  readonly onMade: (made: { readonly name: string; readonly url: string }) => void
  readonly onClose: () => void
}

function MakeLink({ board, onMade, onClose }: MakeLinkProps) {
  const { public_url } = useSession()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [days, setDays] = useState<Days>('7')
  const write = useWrite({
    write: async (atrium, sent: { readonly name: string; readonly role: Role; readonly expires_at: number }) => {
      // The page keeps the answer of a write, so the secret is taken out of it.
      const { secret, ...link } = await atrium.boards.links.create(board, sent)
      onMade({ name: link.name, url: `${public_url}/b#${secret}` })
      return link
    },
    invalidates: ['board_link'],
    toastErrors: false,
  })
  const submit = async () => {
    const expires_at = Math.floor(Date.now() / 1000) + Number(days) * day_s - clock_s
    if ((await write.run({ name: name.trim(), role, expires_at })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Create link for guests')}
      description={t('Anyone who has the link can open this board until it ends or you revoke it.')}
      action={t('Create')}
      isReady={name.trim() !== ''}
      write={write}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('Name')} hint={t('For your team: whom the link is for. Guests do not see it.')}>
        <Input autoFocus value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <Field label={t('Guests')}>
        <Select value={role} choices={roles} onChange={setRole} />
      </Field>
      <Field label={t('End')}>
        <Select value={days} choices={ends} onChange={setDays} />
      </Field>
    </FormDialog>
  )
}

interface MadeLinkProps {
  readonly name: string
  readonly url: string
  readonly onClose: () => void
}

function MadeLink({ name, url, onClose }: MadeLinkProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Link for guests: {name}', { name })}
      description={t('Copy the link now. It is shown only once, and Atrium keeps only a digest of it.')}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <CodeBlock title={t('Link')} code={url} wrap />
    </Dialog>
  )
}

function GuestLink({ link, canShare }: { readonly link: BoardLink; readonly canShare: boolean }) {
  const { nameOf } = useDirectory()
  const { id, board, name, role, expires_at, last_used_at, creator } = link
  const revoke = useWrite({
    write: (atrium) => atrium.boards.links.delete(board, id),
    changes: () => [remove('board_link', id)],
    invalidates: ['board_link'],
    done: () => t('{name} revoked', { name }),
    toastErrors: false,
  })
  const hasEnded = expires_at * 1000 <= Date.now()
  const ending = <RelativeTime key="end" at={expires_at} />
  return (
    <li className="guest-link">
      <span className="guest-link-line">
        <span className="grow cut">{name}</span>
        <Badge>{roles.find(({ value }) => value === role)?.label}</Badge>
      </span>
      <span className="subtle">
        {hasEnded ? rich('Ended {time}', { time: ending }) : rich('Ends {time}', { time: ending })}
        {' · '}
        {last_used_at === null
          ? t('Never used')
          : rich('Last used {time}', { time: <RelativeTime key="used" at={last_used_at} /> })}
        {' · '}
        {nameOf(creator.id)}
      </span>
      {canShare && (
        <span>
          <ConfirmButton
            action={t('Revoke')}
            title={t('Revoke {name}?', { name })}
            write={revoke}
            run={() => revoke.run(undefined)}
            onDone={() => {}}
          >
            {t('Guests who are on the board are disconnected within seconds. What they have drawn and written stays.')}
          </ConfirmButton>
        </span>
      )}
    </li>
  )
}
