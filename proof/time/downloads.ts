/** Links to the files of exports: an hour, the file a week; and exports whose process was lost with its lease. */
import { query } from '../../server/src/db/query.ts'
import { limits } from '../../server/src/lib/limits.ts'
import { exportsWorker } from '../../server/src/workers/exports.ts'
import { exportSweep } from '../../server/src/workers/sweep-exports.ts'
import { runWorker } from '../../server/src/workers/worker.ts'
import { day, hour, type Scene, second } from './scene.ts'

export async function tryDownloads(scene: Scene): Promise<void> {
  const { world, dice } = scene
  scene.at(scene.start())
  const { id } = await world.make('/v1/exports', { resource: 'tasks' })
  await runWorker(world.services, exportsWorker, 'a process')
  const completed = scene.now
  const asked = completed + dice.int(0, 6 * day)
  scene.at(asked)
  const link = (await world.get(`/v1/jobs/${id}`)).body
  const expires = link.download_url_expires_at * second
  scene.expect(expires, Math.floor((asked + hour) / second) * second, 'the end of a link')
  const path = link.download_url.slice(world.server.url.length)
  for (const moment of scene.around(expires)) {
    scene.at(moment)
    const { status } = await world.get(path, { key: null })
    scene.expect(status, moment < expires ? 200 : 410, `a link ${moment - expires} ms behind its end`)
  }
  await tryFile(scene, id, completed + limits.export_file_ms)
}

/** The file's end, in the order of time: what was swept is gone. */
async function tryFile(scene: Scene, id: string, over: number): Promise<void> {
  const { world } = scene
  for (const moment of scene.around(over).sort((a, b) => a - b)) {
    scene.at(moment)
    const job = (await world.get(`/v1/jobs/${id}`)).body
    scene.expect(job.status, moment < over ? 'completed' : 'expired', `an export ${moment - over} ms behind its end`)
    scene.expect(job.download_url === null, moment >= over, 'without a link')
    if (job.download_url !== null) {
      const path = job.download_url.slice(world.server.url.length)
      // A link ends with a whole second, and so a little before its file.
      const isOver = moment >= job.download_url_expires_at * second
      scene.expect((await world.get(path, { key: null })).status, isOver ? 410 : 200, 'its file')
    }
    await runWorker(world.services, exportSweep, 'a sweep')
  }
}

const lose = query((db, p) =>
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

/** A process that has taken an export is lost: nobody takes it before its lease is over, and then somebody does. */
export async function tryLostExport(scene: Scene): Promise<void> {
  const { world } = scene
  scene.at(scene.start())
  const { id } = await world.make('/v1/exports', { resource: 'tasks' })
  const until = scene.now + limits.export_lease_ms
  await world.services.store.write('system', async (tx) =>
    tx.write(lose, { realm: world.acme.realms.live, id, now: scene.now, until }),
  )
  let taken = false
  for (const moment of scene.around(until)) {
    scene.at(moment)
    await runWorker(world.services, exportsWorker, 'another process')
    taken ||= moment >= until
    const { status } = (await world.get(`/v1/jobs/${id}`)).body
    const should = !taken ? 'running' : moment >= scene.now + limits.export_file_ms ? 'expired' : 'completed'
    scene.expect(status, should, `an export ${moment - until} ms behind the lease of a lost process`)
  }
}
