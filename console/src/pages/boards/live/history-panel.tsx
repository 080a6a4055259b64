/** The history of a board: name the present state, and restore an earlier one for everyone. */
import { History } from 'lucide-react'
import { useState } from 'react'
import { ErrorState } from '../../../app/error-state.tsx'
import { guestName } from '../../../app/guest-name.ts'
import { useApp, useAppWrite, useDirectory, useMode } from '../../../data/index.ts'
import { Button, Field, IconButton, Input, RelativeTime, SkeletonLines } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'

interface HistoryPanelProps {
  readonly board: string
  readonly canDraw: boolean
}

const reads = ['GET boards/{id}/versions'] as const

export function HistoryPanel({ board, canDraw }: HistoryPanelProps) {
  const mode = useMode()
  const { nameOf } = useDirectory()
  const versions = useApp('GET boards/{id}/versions', { params: { id: board }, query: { mode } })
  const restore = useAppWrite('POST boards/{id}/versions/{sequence}/restore', {
    invalidates: [...reads],
    done: () => t('Version restored'),
  })
  if (versions.error && versions.data === undefined) {
    return <ErrorState error={versions.error} onRetry={() => void versions.refetch()} plain />
  }
  if (versions.data === undefined) return <SkeletonLines lines={6} />
  const rows = versions.data.data
  return (
    <>
      {canDraw && <NameVersion board={board} />}
      {rows.length === 0 && <p className="subtle">{t('A version is kept every ten minutes while people draw.')}</p>}
      <ul className="live-versions" aria-label={t('Versions')}>
        {rows.map(({ sequence, name, created, author, guest, item_count }) => (
          <li key={sequence} className="live-version">
            <span className="grow">
              <span className="live-version-name">{name ?? <RelativeTime at={created} />}</span>
              <span className="subtle">
                {name !== null && (
                  <>
                    <RelativeTime at={created} />
                    {', '}
                  </>
                )}
                {t('{item_count, plural, one {1 element} other {# elements}}', { item_count })}
                {author !== null && ', '}
                {author !== null && authorText(name, guest !== null ? guestName(guest) : authorName(author, nameOf))}
              </span>
            </span>
            {canDraw && (
              <IconButton
                icon={History}
                size="s"
                label={t('Restore {name}', { name: name ?? t('this version') })}
                onClick={() => void restore.run({ params: { id: board, sequence: String(sequence) }, body: { mode } })}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Of a version without a name, the author is who drew last. */
function authorText(name: string | null, author: string): string {
  return name === null ? t('last change by {author}', { author }) : author
}

/** The name of a guest is kept with the version, unless the guest's session was removed before. */
function authorName(author: string, nameOf: (id: string) => string): string {
  return author.startsWith('bgu_') ? t('a guest') : nameOf(author)
}

function NameVersion({ board }: { readonly board: string }) {
  const mode = useMode()
  const [name, setName] = useState('')
  const keep = useAppWrite('POST boards/{id}/versions', { invalidates: [...reads], done: () => t('Version kept') })
  const submit = async () => {
    if ((await keep.run({ params: { id: board }, body: { mode, name: name.trim() } })) !== undefined) setName('')
  }
  return (
    <form
      className="live-name"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() !== '') void submit()
      }}
    >
      <Field label={t('Name this version')}>
        <Input value={name} maxLength={200} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <Button type="submit" busy={keep.busy} disabled={name.trim() === ''}>
        {t('Keep')}
      </Button>
    </form>
  )
}
