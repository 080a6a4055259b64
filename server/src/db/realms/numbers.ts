/**
 * The numbers of realms. An organization's live realm has a number below 2^30, its test realm one beyond 2^32 with the same
 * hash in PostgreSQL, so that Citus keeps both on one shard. Organizations of earlier versions have neighbouring numbers
 * below 2^32 instead; nothing but their placement depends on the difference.
 */

/** PostgreSQL hashes a bigint by the exclusive or of its halves: those of both numbers give the live realm's number. */
const test_base = 2 ** 32

/** Live realms have numbers from 1 to one less than this. */
const live_numbers_max = 2 ** 30

/** The live realm after the highest number in use below 2^32. */
export function nextLiveRealm(last: number): number {
  const live = last + 1
  if (live >= live_numbers_max) throw new Error(`no number is left for a realm: the last one is ${last}`)
  return live
}

/** The test realm of a new organization. */
export function testRealmOf(live: number): number {
  return test_base + (live ^ 1)
}

/** The live realm of the organization to which a realm numbered by `testRealmOf` belongs; a live realm itself. */
export function homeOf(realm: number): number {
  return realm < test_base ? realm : (realm - test_base) ^ 1
}

/** The number of a realm in 31 bits, for hashes and prefixes that contain it. */
export function shortRealm(realm: number): number {
  return realm < test_base ? realm : live_numbers_max + (realm - test_base)
}

/** What PostgreSQL's hash of a bigint depends on: the exclusive or of its halves. For numbers from 0 to 2^53. */
export function foldedHalves(realm: number): number {
  return ((realm >>> 0) ^ Math.floor(realm / 2 ** 32)) >>> 0
}
