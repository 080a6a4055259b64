/** Mails and notices of browsers that were given up, a page at a time, each with a way to send it again. */
import '../../design/item-list.css'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { PageTurn } from '../../app/page-turn.tsx'
import { useApp, useAppWrite, useDirectory } from '../../data/index.ts'
import type { DeadLetter } from '../../data/shapes.ts'
import { Button, Card, Dialog, inWords, RelativeTime, Section, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function DeadLetters() {
  const [cursor, setCursor] = useState<string | null>(null)
  const [chosen, setChosen] = useState<DeadLetter | null>(null)
  const list = useApp('GET operator/dead-letters', cursor === null ? { query: {} } : { query: { cursor } })
  return (
    <Section
      title={t('Dead letters')}
      description={t(
        'Mails and notices in browsers that could not be sent, of all organizations. Their texts are not shown.',
      )}
    >
      {list.error && list.data === undefined ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data === undefined ? (
        <SkeletonLines lines={2} />
      ) : list.data.data.length === 0 ? (
        <p className="subtle">{t('Everything was sent.')}</p>
      ) : (
        <Card flush>
          <Letters rows={list.data.data} onRetry={setChosen} />
        </Card>
      )}
      <PageTurn cursor={cursor} next={list.data?.next_cursor ?? null} onTurn={setCursor} />
      {chosen !== null && <RetryDialog letter={chosen} onClose={() => setChosen(null)} />}
    </Section>
  )
}

interface LettersProps {
  readonly rows: readonly DeadLetter[]
  readonly onRetry: (letter: DeadLetter) => void
}

function Letters({ rows, onRetry }: LettersProps) {
  const { nameOf } = useDirectory()
  return (
    <ul className="item-list" aria-label={t('Dead letters')}>
      {rows.map((letter) => (
        <li key={letter.id} className="item">
          <div className="grow">
            <p className="item-title">
              <span className="cut">{`${kindText(letter.kind)} · ${nameOf(letter.user)}`}</span>
            </p>
            <p className="item-hint">{letter.reason ?? t('No reason is known.')}</p>
            <p className="item-hint">
              {t('{attempts, plural, one {1 attempt} other {# attempts}}', { attempts: letter.attempts })}
              {' · '}
              <RelativeTime at={letter.given_up_at} />
            </p>
          </div>
          <Button size="s" onClick={() => onRetry(letter)}>
            {t('Send again')}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Mails have kinds of their own; a notice of a browser is one kind. */
function kindText(kind: string): string {
  return kind === 'push' ? t('Notice in a browser') : t('Mail: {kind}', { kind: inWords(kind) })
}

function RetryDialog({ letter, onClose }: { readonly letter: DeadLetter; readonly onClose: () => void }) {
  const write = useAppWrite('POST operator/dead-letters/{id}/retry', {
    invalidates: ['GET operator/dead-letters'],
    done: () => t('It is sent again'),
  })
  const retry = async () => {
    if ((await write.run({ params: { id: letter.id } })) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      size="s"
      title={t('Send this again?')}
      onSubmit={() => void retry()}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit" busy={write.busy}>
            {t('Send again')}
          </Button>
        </>
      }
    >
      <p className="muted">{t('The person may get it a second time. The audit log of the organization names you.')}</p>
    </Dialog>
  )
}
