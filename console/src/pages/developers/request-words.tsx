/** How a request is told in a line. */
import { useApp, useDirectory, useMode } from '../../data/index.ts'
import type { LogWindow } from '../../data/shapes.ts'
import { Badge } from '../../design/index.ts'

export function StatusBadge({ status }: { readonly status: number }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : status >= 300 ? 'neutral' : 'good'
  return <Badge tone={tone}>{status}</Badge>
}

/** Who called: the name of a key or application, of a person's console. */
export function CallerName({ credential }: { readonly credential: string }) {
  const { nameOf } = useDirectory()
  return <>{/^sct?m?_/.test(credential) ? 'Console' : nameOf(credential)}</>
}

/** The log of a while added up, read again every half minute: no event tells of requests. */
export function useLogSummary(window: LogWindow) {
  const mode = useMode()
  return useApp('GET request-logs/summary', { query: { mode, window } }, { every_ms: 30_000 })
}

export const windows = [
  { value: '1h', label: 'Hour' },
  { value: '24h', label: 'Day' },
  { value: '7d', label: 'Week' },
] as const
