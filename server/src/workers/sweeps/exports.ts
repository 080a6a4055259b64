/** Removes the chunks of expired and failed exports. Their jobs stay. */
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Worker } from '../worker.ts'

const endedJob = query((db, p: Placeholder<{ now: number }>) =>
  db
    .selectFrom('export_jobs')
    .select(['realm', 'id'])
    .where((eb) =>
      eb.or([eb.and([eb('status', '=', 'completed'), eb('expires_at', '<=', p('now'))]), eb('status', '=', 'failed')]),
    )
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('export_chunks')
          .select('export_chunks.number')
          .whereRef('export_chunks.realm', '=', 'export_jobs.realm')
          .whereRef('export_chunks.job', '=', 'export_jobs.id'),
      ),
    )
    .orderBy('id')
    .limit(1),
)

const firstChunks = query((db, p: Placeholder<{ realm: number; job: string; count: number }>) =>
  db
    .selectFrom('export_chunks')
    .select(['attempt', 'number'])
    .where('realm', '=', p('realm'))
    .where('job', '=', p('job'))
    .orderBy('attempt')
    .orderBy('number')
    .limit(p('count')),
)

const removeChunk = query((db, p: Placeholder<{ realm: number; job: string; attempt: number; number: number }>) =>
  db
    .deleteFrom('export_chunks')
    .where('realm', '=', p('realm'))
    .where('job', '=', p('job'))
    .where('attempt', '=', p('attempt'))
    .where('number', '=', p('number')),
)

/** A chunk has about one MiB, so batches are small. */
export const exportSweep: Worker = {
  name: 'export_sweep',
  does: 'Removes the files of exports that have expired or failed.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 20,
  run: ({ store, clock }, count) =>
    store.write('system', async (tx) => {
      const job = await tx.first(endedJob, { now: clock.now() - limits.clocks_apart_ms })
      if (job === undefined) return 0
      const chunks = await tx.all(firstChunks, { realm: job.realm, job: job.id, count })
      for (const chunk of chunks) tx.write(removeChunk, { realm: job.realm, job: job.id, ...chunk })
      // Another job may have expired too, so the batch counts as full.
      return count
    }),
}
