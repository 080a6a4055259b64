/** The entries that the event log and the audit log gained during the run. */
import { at, type Client, items } from './client.ts'

type LogName = 'events' | 'audit_logs'

export interface Logs {
  /** The entries since the run began, latest first. Read once: all writes of the run must be done. */
  entries(log: LogName): Promise<readonly unknown[]>
}

export async function openLogs(client: Client): Promise<Logs> {
  const newest = async (log: LogName) => at(items(await client.send('GET', `/v1/${log}?limit=1`))[0], 'id')
  const before = { events: await newest('events'), audit_logs: await newest('audit_logs') }
  const read = new Map<LogName, Promise<readonly unknown[]>>()
  return {
    entries(log) {
      const entries = read.get(log) ?? entriesSince(client, log, before[log])
      read.set(log, entries)
      return entries
    },
  }
}

async function entriesSince(client: Client, log: LogName, last: unknown): Promise<readonly unknown[]> {
  const entries: unknown[] = []
  for (let cursor = ''; ; ) {
    const page = await client.send('GET', `/v1/${log}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
    const end = items(page).findIndex((entry) => at(entry, 'id') === last)
    entries.push(...(end < 0 ? items(page) : items(page).slice(0, end)))
    const next = at(page.body, 'next_cursor')
    if (end >= 0 || typeof next !== 'string' || next === cursor) return entries
    cursor = next
  }
}
