/** Download links of exports last an hour, the files a week; and exports of a lost process. */

import { limits } from '../../server/src/api/limits.ts'
import { type Placeholder, query } from '../../server/src/db/query.ts'
import { exportsWorker } from '../../server/src/workers/exports.ts'
import { worker_limits } from '../../server/src/workers/limits.ts'
import { exportSweep } from '../../server/src/workers/sweeps/exports.ts'
import { runWorker } from '../../server/src/workers/worker.ts'
import { day, hour, type Scene, second } from './scene.ts'

export async function tryDownloads(scene: Scene): Promise<void> {
  const { world, dice } = scene
  scene.at(scene.start())
  const { id } = await world.make('/v1/exports', { resource: 'tasks' })
  await runWorker(world.services, exportsWorker, 'a process')
  const completed = scene.now
  const linked = completed + dice.int(0, 6 * day)
  scene.at(linked)
  const link = (await world.get(`/v1/jobs/${id}`)).body
  const expires = link.download_url_expires_at * second
  scene.expect(expires, Math.floor((linked + hour) / second) * second, 'the expiry of a link')
  const path = link.download_url.slice(world.server.url.length)
  for (const moment of scene.around(expires)) {
    scene.at(moment)
    const { status } = await world.get(path, { key: null })
    scene.expect(status, moment < expires ? 200 : 410, `a link ${moment - expires} ms after its expiry`)
  }
  await tryFile(scene, id, completed + limits.export_file_ms)
}

/** The file's expiry, in order of time, because a sweep is final. */
async function tryFile(scene: Scene, id: string, over: number): Promise<void> {
  const { world } = scene
  for (const moment of scene.around(over).sort((a, b) => a - b)) {
    scene.at(moment)
    const job = (await world.get(`/v1/jobs/${id}`)).body
    scene.expect(job.status, moment < over ? 'completed' : 'expired', `an export ${moment - over} ms after its expiry`)
    scene.expect(job.download_url === null, moment >= over, 'without a link')
    if (job.download_url !== null) {
      const path = job.download_url.slice(world.server.url.length)
      // Links expire at full seconds, so slightly before their file.
      const isOver = moment >= job.download_url_expires_at * second
      scene.expect((await world.get(path, { key: null })).status, isOver ? 410 : 200, 'its file')
    }
    await runWorker(world.services, exportSweep, 'a sweep')
  }
}

const lose = query((db, p: Placeholder<{ until: number | null; now: number | null; realm: number; id: string }>) =>
  db
    .updateTable('export_jobs')
    .set({
      status: 'running',
      attempt: 1,
      tries: 1,
      lease_owner: 'lost',
      lease_until: p('until'),
      started_at: p('now'),
    })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** After a process with an export's lease is lost, no other takes the export until the lease expires. */
export async function tryLostExport(scene: Scene): Promise<void> {
  const { world } = scene
  scene.at(scene.start())
  const { id } = await world.make('/v1/exports', { resource: 'tasks' })
  const until = scene.now + worker_limits.export_lease_ms
  await world.services.store.write('system', async (tx) =>
    tx.write(lose, { realm: world.acme.realms.live, id, now: scene.now, until }),
  )
  let taken = false
  for (const moment of scene.around(until)) {
    scene.at(moment)
    await runWorker(world.services, exportsWorker, 'another process')
    taken ||= moment >= until
    const { status } = (await world.get(`/v1/jobs/${id}`)).body
    const expected = !taken ? 'running' : moment >= scene.now + limits.export_file_ms ? 'expired' : 'completed'
    scene.expect(status, expected, `an export ${moment - until} ms after the lease of a lost process`)
  }
}
