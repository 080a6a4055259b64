import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openStore } from '../../src/db/open.ts'
import { openWorld } from '../world.ts'

it('a process is notified of events that another one commits (postgres)', async () => {
  const world = await openWorld('postgres')
  const other = await openStore(world.database.url)
  try {
    const heard = new Promise<number>((resolve) => {
      other.watch(resolve)
    })
    // The listening connection may open only after the first commits; the test needs one notification.
    let done = false
    void heard.then(() => {
      done = true
    })
    for (let n = 0; !done && n < 1_000; n++) await world.make('/v1/workspaces', { title: `Number ${n}` })
    assert.ok([world.acme.realms.live, world.acme.realms.test].includes(await heard))
  } finally {
    await other.close()
    await world.close()
  }
})
