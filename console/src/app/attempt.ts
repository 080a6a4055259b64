/** One attempt at a time to confirm, prove or set up something. Closing the browser's dialog is not an error. */
import { useState } from 'react'
import { UserCanceled } from '../data/errors.ts'

interface AttemptOptions {
  readonly onDone?: (() => void) | undefined
  readonly onFailed?: () => void
}

/** `Way` names the attempts, of which one is `busy`. */
export function useAttempt<Way extends string>({ onDone, onFailed }: AttemptOptions = {}) {
  const [busy, setBusy] = useState<Way | null>(null)
  const [error, setError] = useState<unknown>(null)
  const attempt = async (way: Way, work: () => Promise<unknown>) => {
    setBusy(way)
    setError(null)
    try {
      await work()
    } catch (reason) {
      setBusy(null)
      if (reason instanceof UserCanceled) return
      setError(reason)
      onFailed?.()
      return
    }
    setBusy(null)
    onDone?.()
  }
  return { busy, error, attempt }
}
