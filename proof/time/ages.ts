/** Expiry by age: events, request logs, preview tokens, counts; and what a clock that goes back must not break. */

import { limits } from '../../server/src/api/limits.ts'
import { automation_limits } from '../../server/src/automations/limits.ts'
import { idTime, newId } from '../../server/src/lib/ids.ts'
import { chain, comment } from '../../server/test/automations/graphs.ts'
import { activate, openOffice } from '../../server/test/automations/served.ts'
import { type Scene, second } from './scene.ts'

/** Events and request logs can be retrieved until their retention ends, then answer 410. */
export async function tryRetention(scene: Scene): Promise<void> {
  const { world, dice } = scene
  scene.at(scene.start())
  const reply = await world.post('/v1/workspaces', { title: 'Kept' })
  const event = (await world.get('/v1/events?limit=1')).body.data[0]
  const made = scene.now
  const kept = dice.pick([
    { path: `/v1/events/${event.id}`, ms: limits.event_retention_ms },
    { path: `/v1/request_logs/${reply.headers['x-request-id']}`, ms: limits.request_log_retention_ms },
  ])
  for (const moment of scene.around(made + kept.ms)) {
    scene.at(moment)
    const { status } = await world.get(kept.path)
    scene.expect(status, moment - made < kept.ms ? 200 : 410, `${kept.path} of ${moment - made} ms`)
  }
}

/** A count is cached for a minute, and computed again after it or before it. */
export async function tryCounts(scene: Scene): Promise<void> {
  const { world } = scene
  scene.at(scene.start())
  const { id: workspace } = await world.make('/v1/workspaces', { title: 'Counted' })
  const ask = async () => (await world.get(`/v1/tasks/count?workspace=${workspace}`)).body
  let computed = scene.now
  let count = (await ask()).count
  for (const moment of scene.around(computed + limits.task_count_cache_ms)) {
    scene.at(moment)
    await world.make('/v1/tasks', { workspace, title: 'One more' })
    const isKept = moment >= computed && moment - computed < limits.task_count_cache_ms
    const found = await ask()
    scene.expect(found.count === count, isKept, `a count of ${moment - computed} ms the same`)
    if (isKept) continue
    scene.expect(found.computed_at, Math.floor(moment / second), 'the moment of a count')
    computed = moment
    count = found.count
  }
}

/** A preview token is valid for a quarter of an hour. */
export async function tryPreviews(scene: Scene): Promise<void> {
  const { world, dice } = scene
  scene.at(scene.start())
  const office = await openOffice(world)
  const { id } = await activate(world, office, chain(comment('say')))
  const { workspace, task } = office
  await world.make(`/v1/automation_flows/${id}/pause`, { workspace })
  const preview = await world.make(`/v1/automation_flows/${id}/preview`, { workspace, task })
  const expires = scene.now + automation_limits.preview_token_ms
  const moment = dice.pick(scene.around(expires))
  scene.at(moment)
  const body = { workspace, preview_token: preview.preview_token, scope_acknowledged: true }
  const { status } = await world.post(`/v1/automation_flows/${id}/activate`, body)
  scene.expect(status, moment < expires ? 200 : 409, `a token ${moment - expires} ms after its expiry`)
  await world.post(`/v1/automation_flows/${id}/pause`, { workspace })
}

/** Whatever the clock does, a later object has the larger id and comes first in the list. */
export async function tryIds(scene: Scene): Promise<void> {
  const { world, dice } = scene
  scene.at(scene.start())
  const { id: workspace } = await world.make('/v1/workspaces', { title: 'In order' })
  const created: string[] = []
  for (let i = 0; i < 8; i++) {
    scene.at(Math.max(0, scene.now + scene.jump()))
    created.unshift((await world.make('/v1/tasks', { workspace, title: `Task ${i}` })).id)
  }
  const { data } = (await world.get(`/v1/tasks?workspace=${workspace}&limit=100`)).body
  const shown = data.map(({ id }: { id: string }) => id).join()
  scene.expect(shown, created.join(), 'the list in order of creation')
  let before = newId('tsk', scene.now)
  for (let i = 0; i < 100; i++) {
    const now = dice.int(0, 2 ** 41)
    const id = newId('tsk', now)
    scene.expect(id > before && idTime(id) >= now, true, `${id} after ${before}`)
    before = id
  }
}

/** A timer counts how far the clock advanced, and nothing if the clock went back. */
export async function tryTimers(scene: Scene): Promise<void> {
  const { world, dice } = scene
  const started = Math.floor(scene.start() / second) * second
  scene.at(started)
  const { id: workspace } = await world.make('/v1/workspaces', { title: 'Timed' })
  const { id: task } = await world.make('/v1/tasks', { workspace, title: 'Work' })
  const duration_ms = dice.pick([0, 90_000])
  const { id } = await world.make('/v1/time_entries/start', { workspace, task, duration_ms })
  const stopped = started + scene.jump()
  scene.at(stopped)
  const entry = await world.make(`/v1/time_entries/${id}/stop`, {})
  const worked = Math.max(0, stopped - started)
  scene.expect(entry.duration_ms, duration_ms + worked, `the duration of a timer over ${stopped - started} ms`)
  scene.expect(entry.started_at, started / second, 'its start')
  scene.expect(entry.ended_at, Math.floor((started + worked) / second), 'its end')
}
