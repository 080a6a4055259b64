/** A whiteboard for someone without an account: the link is checked, a name is asked for, and the board is shown alone. */
import { useCallback, useEffect, useState } from 'react'
import { FormError } from '../../../app/error-state.tsx'
import { PublicFrame } from '../../../app/public-frame.tsx'
import { app } from '../../../data/app-api.ts'
import { describeError, fieldErrors } from '../../../data/errors.ts'
import type { AnswerOf } from '../../../data/shapes.ts'
import { Button, dateTime, Field, Input, SkeletonLines, submitHandler } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { GuestBoard } from './guest-board.tsx'
import { type BoardGuest, beginSession, forgetSession, isEnded, keptSession } from './session.ts'

const name_chars_max = 60

export function GuestPage() {
  const secret = useFragment()
  return <Guest key={secret} secret={secret} />
}

/** The fragment of the address. Another link that is opened in the same tab changes only that. */
function useFragment(): string {
  const [fragment, setFragment] = useState(() => location.hash.slice(1))
  useEffect(() => {
    const follow = () => setFragment(location.hash.slice(1))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return fragment
}

function Guest({ secret }: { readonly secret: string }) {
  const [session, setSession] = useState(() => keptSession(secret))
  const [hasEnded, setEnded] = useState(secret === '')
  const end = useCallback(() => {
    forgetSession()
    setEnded(true)
  }, [])
  if (hasEnded) return <Ended />
  if (session === null) return <Entrance secret={secret} onBegin={setSession} onEnd={end} />
  return <GuestBoard secret={secret} begun={session} onEnd={end} />
}

function Ended() {
  return (
    <PublicFrame title={t('This link does not work')}>
      <p className="muted">
        {t('It has ended, was revoked, or part of it is missing. Ask the person who sent it for a new one.')}
      </p>
    </PublicFrame>
  )
}

interface EntranceProps {
  readonly secret: string
  readonly onBegin: (session: BoardGuest) => void
  readonly onEnd: () => void
}

/** Says what the link opens, and asks for a name. */
function Entrance({ secret, onBegin, onEnd }: EntranceProps) {
  const { link, error, retry } = useLink(secret)
  useEffect(() => {
    if (isEnded(error)) onEnd()
  }, [error, onEnd])
  if (error !== null) {
    const { title, text } = describeError(error)
    return (
      <PublicFrame title={title}>
        <p className="muted">{text}</p>
        <Button kind="primary" onClick={retry}>
          {t('Try again')}
        </Button>
      </PublicFrame>
    )
  }
  if (link === null) {
    return (
      <PublicFrame title={t('Checking the link')}>
        <SkeletonLines lines={4} />
      </PublicFrame>
    )
  }
  const { name, role, expires_at } = link
  const until = dateTime(expires_at)
  const description = {
    viewer: t('You can look at this whiteboard until {until}, without an account.', { until }),
    commenter: t('You can comment on this whiteboard until {until}, without an account.', { until }),
    editor: t('You can draw on this whiteboard until {until}, without an account.', { until }),
  }[role]
  return (
    <PublicFrame title={name} description={description}>
      <NameForm secret={secret} onBegin={onBegin} onEnd={onEnd} />
    </PublicFrame>
  )
}

function useLink(secret: string) {
  const [link, setLink] = useState<AnswerOf<'POST board-guests/link'> | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again
  useEffect(() => {
    let isMounted = true
    app('POST board-guests/link', { body: { secret } }).then(
      (found) => isMounted && setLink(found),
      (reason: unknown) => isMounted && setError(reason),
    )
    return () => {
      isMounted = false
    }
  }, [secret, attempt])
  const retry = () => {
    setError(null)
    setAttempt((count) => count + 1)
  }
  return { link, error, retry }
}

function NameForm({ secret, onBegin, onEnd }: EntranceProps) {
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const begin = async () => {
    setBusy(true)
    setError(null)
    try {
      onBegin(await beginSession(secret, name.trim()))
    } catch (reason) {
      if (isEnded(reason)) onEnd()
      setError(reason)
      setBusy(false)
    }
  }
  const isReady = name.trim() !== ''
  return (
    <form className="stack" onSubmit={submitHandler(() => isReady && !busy && void begin())}>
      <Field
        label={t('Your name')}
        hint={t('Everyone on the whiteboard sees it, and its history and comments keep it.')}
        error={fieldErrors(error).name}
      >
        <Input
          autoFocus
          autoComplete="nickname"
          maxLength={name_chars_max}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
      <FormError error={error} fields={['name']} />
      <Button kind="primary" type="submit" busy={busy} disabled={!isReady}>
        {t('Open the whiteboard')}
      </Button>
    </form>
  )
}
