/** Which writes share a batch. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { organizationOf, type Waiting, waitFor } from '../store.ts'
import { Lanes } from './lanes.ts'

const names = (batch: readonly Waiting[]) => batch.map(({ scope }) => organizationOf(scope)).join()

/** Lanes of one node that commits one batch at a time. Each batch is committed when the test says so. */
function lanesOfNode() {
  const begun: { readonly batch: string; readonly commit: () => void }[] = []
  const heard: (() => void)[] = []
  const commit = async (batch: readonly Waiting[], release: (organization: string) => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push({ batch: names(batch), commit: resolve })
    for (const hear of heard.splice(0)) hear()
    await promise
    for (const { scope } of batch) release(organizationOf(scope))
  }
  const lanes = new Lanes(commit, { most: 3, mostOfServer: 1 }, () => 'node')
  const write = (organization: string) => {
    const { waiting } = waitFor({ organization, realms: [1] }, async () => {}, {})
    lanes.add(waiting)
  }
  /** The batch that begins as the nth. */
  const nth = async (count: number) => {
    while (begun.length < count) await new Promise<void>((hear) => heard.push(hear))
    return begun[count - 1] as (typeof begun)[number]
  }
  return { write, nth, lanes }
}

describe('The writes of a node', () => {
  it('share the next batch while one commits', async () => {
    const { write, nth, lanes } = lanesOfNode()
    write('one')
    const first = await nth(1)
    for (const organization of ['two', 'three']) {
      write(organization)
      // More turns than a batch needs to begin.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    }
    first.commit()
    const second = await nth(2)
    assert.deepEqual([first.batch, second.batch], ['one', 'two,three'])
    second.commit()
    await lanes.ended()
  })

  it('do not wait for a batch that takes long', async () => {
    const { write, nth, lanes } = lanesOfNode()
    write('slow')
    const slow = await nth(1)
    write('two')
    const second = await nth(2)
    assert.equal(second.batch, 'two')
    second.commit()
    write('three')
    const third = await nth(3)
    assert.equal(third.batch, 'three')
    third.commit()
    slow.commit()
    await lanes.ended()
  })
})
