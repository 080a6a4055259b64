/** One attempt at a time to prove or set up a second factor. Closing the browser's dialog is not an error. */
import { useState } from 'react'
import { UserCanceled } from '../data/errors.ts'

type Way = 'code' | 'passkey'

export function useAttempt() {
  const [busy, setBusy] = useState<Way | null>(null)
  const [error, setError] = useState<unknown>(null)
  const attempt = async (way: Way, work: () => Promise<unknown>) => {
    setBusy(way)
    setError(null)
    try {
      await work()
    } catch (reason) {
      if (!(reason instanceof UserCanceled)) setError(reason)
    }
    setBusy(null)
  }
  return { busy, error, attempt }
}
