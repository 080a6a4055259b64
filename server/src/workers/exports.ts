/**
 * Writes the files of exports: one consistent snapshot in ascending order of ids, one task per line, exactly as GET
 * shows it. Each attempt writes its own chunks, which count only once the job is completed with them, so a file is
 * never partial. If a process dies, another attempt starts when its lease expires (contract/13#restarts).
 */
import { createHash, type Hash } from 'node:crypto'
import type { Mode } from '../api/declare/caller.ts'
import { limits } from '../api/limits.ts'
import type { Services } from '../api/services.ts'
import { commitSystemChange } from '../api/write/system-change.ts'
import { type Placeholder, query, updateQuery } from '../db/query.ts'
import type { ExportJobRow } from '../db/schema.ts'
import { type Reader, StoreUnavailable } from '../db/store.ts'
import { exportJobCompleted, exportJobFailed } from '../resources/jobs/events.ts'
import { showExportJob } from '../resources/jobs/job.ts'
import type { TaskCriteria } from '../resources/tasks/list/queries.ts'
import { readTasks } from '../resources/tasks/list/read.ts'
import { type CheckedFilter, readFilter } from '../resources/tasks/shared/filter.ts'
import type { ShownTaskRow } from '../resources/tasks/task.ts'
import { taskText } from '../resources/tasks/task-text.ts'
import { newLeaseOwner } from './leases.ts'
import { worker_limits } from './limits.ts'
import type { Worker } from './worker.ts'

const nextJob = query((db, p: Placeholder<{ now: number }>) =>
  db
    .selectFrom('export_jobs')
    .selectAll()
    .where((eb) =>
      eb.or([eb('status', '=', 'queued'), eb.and([eb('status', '=', 'running'), eb('lease_until', '<=', p('now'))])]),
    )
    .orderBy('id')
    .limit(1),
)

const claimJob = query(
  (
    db,
    p: Placeholder<{
      attempt: number
      tries: number
      owner: string | null
      until: number | null
      now: number
      realm: number
      id: string
      before: number
    }>,
  ) =>
    db
      .updateTable('export_jobs')
      .set({
        status: 'running',
        attempt: p('attempt'),
        tries: p('tries'),
        lease_owner: p('owner'),
        lease_until: p('until'),
        started_at: p('now'),
        updated: p('now'),
      })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('attempt', '=', p('before')),
)

const releaseJob = query(
  (db, p: Placeholder<{ tries: number; now: number; realm: number; id: string; owner: string | null }>) =>
    db
      .updateTable('export_jobs')
      .set({ tries: p('tries'), lease_until: p('now') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('lease_owner', '=', p('owner')),
)

const holdLease = query(
  (db, p: Placeholder<{ until: number | null; realm: number; id: string; owner: string | null }>) =>
    db
      .updateTable('export_jobs')
      .set({ lease_until: p('until') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('lease_owner', '=', p('owner')),
)

const dropChunks = query((db, p: Placeholder<{ realm: number; job: string; attempt: number }>) =>
  db
    .deleteFrom('export_chunks')
    .where('realm', '=', p('realm'))
    .where('job', '=', p('job'))
    .where('attempt', '<', p('attempt')),
)

const finishJob = updateQuery('export_jobs', [
  'status',
  'row_count',
  'size_bytes',
  'sha256',
  'completed_at',
  'expires_at',
  'error',
  'updated',
  'revision',
  'lease_owner',
  'lease_until',
])

/** Another attempt holds the job. */
class Superseded extends Error {}

/** The process shuts down; the next one starts the export again. */
class Stopped extends Error {}

export const exportsWorker: Worker = {
  name: 'exports',
  does: 'Writes the files of queued exports.',
  period_ms: 1_000,
  lease_ms: worker_limits.export_lease_ms,
  batch_max: 1,
  async run(services, _batch_max, stop) {
    const job = await claim(services, newLeaseOwner(services.store))
    if (job === null) return 0
    if (job.tries > worker_limits.export_tries_max) await fail(services, job, 'The export was interrupted too often.')
    else await attempt(services, job, stop)
    return 1
  },
}

/** Claims the oldest job that is queued or whose lease has expired. */
async function claim(services: Services, owner: string): Promise<ExportJobRow | null> {
  const now = services.clock.now()
  return await services.store.write('system', async (tx) => {
    const row = await tx.first(nextJob, { now })
    if (row === undefined) return null
    const { realm, id } = row
    const claimed = {
      attempt: row.attempt + 1,
      tries: row.tries + 1,
      owner,
      until: now + worker_limits.export_lease_ms,
      now,
    }
    const won = await tx.run(claimJob, { realm, id, before: row.attempt, ...claimed })
    if (won === 0) return null
    tx.write(dropChunks, { realm, job: id, attempt: claimed.attempt })
    return {
      ...row,
      status: 'running',
      attempt: claimed.attempt,
      tries: claimed.tries,
      lease_owner: owner,
      started_at: now,
      updated: now,
    }
  })
}

async function attempt(services: Services, job: ExportJobRow, stop: AbortSignal): Promise<void> {
  const file = new FileWriter(services, job)
  try {
    const scope = { organization: job.organization, realms: [job.realm] }
    const read = (reader: Reader) => writeTasks(reader, job, file, stop)
    // A replica may end a long snapshot. The next try reads from the primary.
    await (job.tries === 1 ? services.store.replicaSnapshot(scope, read) : services.store.snapshot(scope, read))
  } catch (error) {
    if (error instanceof Superseded) return
    if (error instanceof Stopped) return await release(services, job, job.tries - 1)
    if (error instanceof StoreUnavailable && job.tries === 1) return await release(services, job, job.tries)
    services.log.error('an export failed', { job: job.id, error: error instanceof Error ? error.stack : String(error) })
    if (job.tries >= worker_limits.export_tries_max) await fail(services, job, 'The export could not be written.')
    return
  }
  await complete(services, job, file)
}

/** Lets the next run continue the job at once. */
async function release(services: Services, job: ExportJobRow, tries: number): Promise<void> {
  const { realm, id, lease_owner: owner } = job
  const back = { realm, id, owner, tries, now: services.clock.now() }
  await services.store.write('system', async (tx) => tx.write(releaseJob, back))
}

async function writeTasks(reader: Reader, job: ExportJobRow, file: FileWriter, stop: AbortSignal): Promise<void> {
  const criteria = criteriaOf(job)
  let after: string | null = null
  for (;;) {
    const position: { id: string; values: never[] } | null = after === null ? null : { id: after, values: [] }
    const page = { keys: [], backwards: true, position, count: worker_limits.export_page_rows }
    const rows: ShownTaskRow[] = await readTasks(reader, job.realm, criteria, page)
    let lines = ''
    for (const row of rows) lines += `${taskText(row)}\n`
    await file.add(lines, rows.length)
    const last = rows.at(-1)
    if (last === undefined || rows.length < worker_limits.export_page_rows) break
    after = last.id
    if (stop.aborted) throw new Stopped()
    // Lets requests run between two pages.
    await new Promise(setImmediate)
  }
  await file.end()
}

function criteriaOf(job: ExportJobRow): TaskCriteria {
  type Stored = Omit<TaskCriteria, 'filter'> & { filter?: string; resolved?: CheckedFilter }
  const { filter, resolved, ...parameters } = JSON.parse(job.parameters) as Stored
  // A job of an earlier release has only the expression.
  const read = resolved ?? (filter === undefined ? undefined : readFilter(filter, job.created))
  if (read !== undefined && !read.ok) throw new Error(`The filter of the export cannot be read: ${read.message}`)
  return { ...parameters, workspace: job.workspace ?? undefined, filter: read }
}

/** Collects lines into chunks of about one MiB. */
class FileWriter {
  rows = 0
  size = 0
  private readonly services: Services
  private readonly job: ExportJobRow
  private readonly hash: Hash = createHash('sha256')
  private waiting = ''
  private number = 0

  constructor(services: Services, job: ExportJobRow) {
    this.services = services
    this.job = job
  }

  async add(lines: string, rows: number): Promise<void> {
    this.rows += rows
    this.waiting += lines
    if (this.waiting.length >= worker_limits.export_chunk_chars) await this.write()
  }

  async end(): Promise<void> {
    if (this.waiting !== '') await this.write()
  }

  get sha256(): string {
    return this.hash.copy().digest('hex')
  }

  private async write(): Promise<void> {
    const { realm, id, attempt: number, lease_owner: owner } = this.job
    const lines = this.waiting
    const size = Buffer.byteLength(lines)
    this.waiting = ''
    this.hash.update(lines)
    const chunk = {
      realm,
      job: id,
      attempt: number,
      number: this.number++,
      offset_bytes: this.size,
      size_bytes: size,
      lines,
    }
    this.size += size
    const until = this.services.clock.now() + worker_limits.export_lease_ms
    await this.services.store.write('system', async (tx) => {
      if ((await tx.run(holdLease, { realm, id, owner, until })) === 0) throw new Superseded()
      tx.insert('export_chunks', chunk)
    })
  }
}

function complete(services: Services, job: ExportJobRow, file: FileWriter): Promise<void> {
  const now = services.clock.now()
  const figures = { row_count: file.rows, size_bytes: file.size, sha256: file.sha256 }
  return finish(services, job, 'exports.complete', {
    ...job,
    ...figures,
    status: 'completed',
    completed_at: now,
    expires_at: now + limits.export_file_ms,
  })
}

function fail(services: Services, job: ExportJobRow, error: string): Promise<void> {
  return finish(services, job, 'exports.fail', { ...job, status: 'failed', error })
}

async function finish(services: Services, job: ExportJobRow, action: string, ended: ExportJobRow): Promise<void> {
  const realms = [{ realm: job.realm, mode: job.mode as Mode }]
  await commitSystemChange(services, { organization: job.organization, realms, action }, async ({ tx, now, emit }) => {
    const owner = job.lease_owner
    const held = await tx.run(holdLease, { realm: job.realm, id: job.id, owner, until: now })
    if (held === 0) return
    const row = { ...ended, updated: now, revision: job.revision + 1, lease_owner: null, lease_until: null }
    tx.write(finishJob, { ...row })
    const event = row.status === 'completed' ? exportJobCompleted : exportJobFailed
    emit(event, showExportJob(row, null), showExportJob(job, null))
  })
}
