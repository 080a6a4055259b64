/** Parts of the request log that several pages show. */
import { useApp, useDirectory, useMode } from '../../data/index.ts'
import type { LogWindow } from '../../data/shapes.ts'
import { Badge } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function HttpStatus({ status }: { readonly status: number }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 300 ? 'neutral' : 'good'
  return <Badge tone={tone}>{status}</Badge>
}

/** The name of the key or application, or "Console" for a token of a console session. */
export function CallerName({ credential }: { readonly credential: string }) {
  const { nameOf } = useDirectory()
  return <>{/^sct?m?_/.test(credential) ? t('Console') : nameOf(credential)}</>
}

/** Polled, because no event announces requests. */
const poll_ms = 30_000

export function useLogSummary(window: LogWindow) {
  const mode = useMode()
  return useApp('GET request-logs/summary', { query: { mode, window } }, { every_ms: poll_ms })
}

export const windows = [
  { value: '1h', label: t('1 hour') },
  { value: '24h', label: t('24 hours') },
  { value: '7d', label: t('7 days') },
] as const
