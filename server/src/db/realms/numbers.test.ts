/** The numbers of an organization's realms lead to one shard, and stay apart in hashes that contain them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { postgresUrl } from '../../../test/engines.ts'
import { hashOfRealm } from '../citus/shard-map.ts'
import { foldedHalves, homeOf, nextLiveRealm, shortRealm, testRealmOf } from './numbers.ts'

const count = 100_000

describe('The numbers of realms', () => {
  it('give live and test realm of 100,000 organizations the same hash in PostgreSQL', async () => {
    const client = new pg.Client(postgresUrl())
    await client.connect()
    const { rows } = await client.query(
      `select count(*)::int as same from generate_series(1, $1::bigint) as live
       where hashint8(live) = hashint8(4294967296 + (live # 1))`,
      [count],
    )
    await client.end()
    assert.equal(rows[0].same, count)
  })

  it('have the hash by which PostgreSQL places rows', async () => {
    const client = new pg.Client(postgresUrl())
    await client.connect()
    const { rows } = await client.query(
      `select realm, hashint8(realm) as hash from (select live * 9973 as realm from generate_series(0, 9999) as live
       union all select 4294967296 + live * 104729 from generate_series(0, 9999) as live) as realms`,
    )
    await client.end()
    for (const { realm, hash } of rows) assert.equal(hashOfRealm(Number(realm)), hash, `of ${realm}`)
    assert.equal(rows.length, 20_000)
  })

  it('fold to the live realm, are all different, and lead back to it', () => {
    const seen = new Set<number>()
    const short = new Set<number>()
    for (let live = 1; live <= count; live++) {
      const test = testRealmOf(live)
      assert.equal(test, 2 ** 32 + Number(BigInt(live) ^ 1n))
      assert.equal(foldedHalves(live), live)
      assert.equal(foldedHalves(test), live)
      assert.equal(homeOf(live), live)
      assert.equal(homeOf(test), live)
      for (const realm of [live, test]) {
        seen.add(realm)
        short.add(shortRealm(realm))
      }
    }
    assert.deepEqual([seen.size, short.size], [2 * count, 2 * count])
  })

  it('have at most 31 bits in hashes, and keep those of earlier organizations', () => {
    assert.equal(shortRealm(7), 7)
    assert.equal(shortRealm(testRealmOf(2 ** 30 - 1)), 2 ** 31 - 2)
    assert.equal(shortRealm(testRealmOf(2 ** 30 - 2)), 2 ** 31 - 1)
  })

  it('end below 2^30 with an error that names the last one', () => {
    assert.equal(nextLiveRealm(2 ** 30 - 2), 2 ** 30 - 1)
    assert.throws(() => nextLiveRealm(2 ** 30 - 1), /the last one is 1073741823/)
  })
})
