/**
 * A continuous backup beside a server under load, while the follower, the server, PostgreSQL, or all are killed. The log of SQLite
 * starts over after every few commits (`follow-plants.ts`). Moments are restored by the command line, and damaged objects must be
 * refused.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FollowStatus } from '../../server/src/db/backup/follow/status.ts'
import { type Placeholder, query } from '../../server/src/db/query.ts'
import type { Store } from '../../server/src/db/store.ts'
import { assertSound } from '../../server/test/durability/soundness.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import { openMixed } from '../mixed.ts'
import { planted } from '../plant.ts'
import { buildPlanted } from '../planted-build.ts'
import { follow_plants } from '../restoring/follow-plants.ts'
import { startFollower, statusWhen } from '../restoring/follower-process.ts'
import { linkedCopy } from '../restoring/linked-copy.ts'
import { type OwnServer, openOwnServer, restoredOwnServer } from '../restoring/own-server.ts'
import { runAtrium } from '../restoring/run-atrium.ts'
import { snapshotOf, wrongWith } from '../restoring/snapshot-of-writes.ts'
import { damages, tamper } from '../restoring/tampered-chain.ts'
import { type EngineName, reportFailure, row, type Trial } from '../row.ts'
import { withStore } from '../with-store.ts'

/** After this many kills the next round begins with an empty database. */
const round_kills = 8
/** The promise: what was acknowledged is at the destination after this time. */
const lag_max_ms = 10_000
/** After a kill the follower may need a new base first. */
const base_max_ms = 30_000
/** Up to 320 writes a second: enough that every segment has some, and a follower on a busy machine is not starved. */
const pause_ms = 50
/** Moments of a round that are restored. */
const restores = 3
/** Share of the kills on PostgreSQL. */
const postgres_share = 0.2
const tampers = { sqlite: 6, postgres: 3 } as const
/** What is tampered with has at least as many segments behind its base. */
const segments_min = 3

export const follow = row({
  name: 'follow',
  promise:
    'For every moment, a continuous backup restores all that was acknowledged 10 s earlier, and nothing later than the moment, despite kills. A damaged, missing or exchanged object is refused by name.',
  cycle:
    'a SIGKILL to the follower, the server, both, or PostgreSQL, under mixed writes of 16 clients, after a moment to restore',
  cycles: { short: 5, long: 200 },
  unproven: [
    'Buckets: the tests use one of an S3 server of their own; the row uses a folder.',
    'A moment at which the destination was unreachable, or the follower was not running for longer than the write-ahead log was kept: what was committed then is restored from the next base on.',
  ],
  async run(trial) {
    await buildPlanted(follow_plants)
    for (const engine of trial.engines) {
      const onPostgres = Math.ceil(trial.cycles * postgres_share)
      const all = trial.engines.length === 1
      const kills = all ? trial.cycles : engine === 'sqlite' ? trial.cycles - onPostgres : onPostgres
      for (let left = kills; left > 0 && !trial.isOver; left -= round_kills) {
        await followRound(trial, engine, Math.min(left, round_kills))
        trial.say(`${engine}: ${Math.max(0, left - round_kills)} kills to go`)
      }
    }
    return { cycles: trial.cycles }
  },
})

/** A moment, and how many writes had been answered `lag_max_ms` before it at the latest. */
interface Moment {
  readonly at: number
  readonly answered: number
  /** The destination, or a copy from then. */
  readonly place: string
}

const victims = ['follower', 'server', 'both'] as const
const victims_of_postgres = ['PostgreSQL', 'PostgreSQL'] as const

async function followRound(trial: Trial, engine: EngineName, kills: number): Promise<void> {
  const dice = trial.dice.fork()
  await using own = engine === 'sqlite' ? null : await openOwnServer()
  await using deployment = await openDeployment(engine)
  const { folder } = deployment.database
  const destination = join(folder, 'continuous')
  const key: Record<string, string> = dice.chance(0.5)
    ? { ATRIUM_BACKUP_KEY: Buffer.alloc(32, 5).toString('base64') }
    : {}
  const environment = { ...deployment.installation.environment, ...planted(follow_plants), ...key, ...own?.environment }
  const startServer = () => deployment.serve(planted(follow_plants))
  let server = await startServer()
  let follower = await startFollower(destination, environment)
  const { writers } = await openMixed(deployment, server.url, dice.fork(), { pause_ms })
  writers.start(() => server.url, deployment.installation.key)
  const moments: Moment[] = []
  try {
    for (let kill = 0; kill < kills && !trial.isOver; kill++) {
      await writers.more(dice.int(10, 80))
      if (!follower.alive()) trial.violated(`the follower ended by itself: ${follower.log().slice(-500)}`)
      const based = await statusWhen(folder, ({ base }) => base !== null, base_max_ms)
      if (based === null) trial.violated('no base was stored in time')
      const { length } = writers.answered
      const from = Date.now()
      const reached = await statusWhen(folder, ({ covered }) => covered !== null && covered >= from, lag_max_ms)
      if (reached === null) trial.violated(`what was acknowledged is not at the destination after ${lag_max_ms} ms`)
      else {
        const at = Date.now()
        // A restore of a server takes commits from the segment behind a moment. It must cut that, and needs nothing of it: three
        // of four moments are restored from what was there then.
        const place =
          own === null || kill % 4 === 3 ? destination : await linkedCopy(destination, join(folder, `copy-${kill}`))
        moments.push({ at, answered: length, place })
      }
      // What is committed now is not part of that moment. The follower is killed before it has copied it, or afterwards.
      if (dice.chance(0.5)) await writers.more(dice.int(20, 60))
      await sleep(dice.int(0, 300))
      const victim = dice.pick(own === null ? victims : [...victims, ...victims_of_postgres])
      trial.count(`kills of ${victim}`)
      const isServer = victim === 'server' || victim === 'both'
      const isFollower = victim === 'follower' || victim === 'both'
      if (victim === 'PostgreSQL' && own !== null) await own.crash()
      await Promise.all([isFollower && follower.kill(), isServer && server.kill()])
      if (isServer) server = await startServer()
      if (isFollower) {
        follower = await startFollower(destination, environment)
        trial.count(follower.log().includes('new chain') ? 'new chains' : 'continued chains')
      }
    }
    for (let segment = 0; segment < segments_min; segment++) {
      await writers.more(16)
      const from = Date.now()
      const isStored = ({ base, covered }: FollowStatus) => base !== null && covered !== null && covered >= from
      if ((await statusWhen(folder, isStored, base_max_ms)) === null)
        trial.violated('the last writes are not stored in time')
    }
    await writers.stop()
  } catch (error) {
    writers.giveUp()
    if (writers.wrong.length === 0) throw error
  } finally {
    await follower.kill()
  }
  for (const wrong of writers.wrong) trial.violated(wrong)
  if (trial.isOver) return
  for (const moment of dice.shuffle(moments).slice(0, restores))
    await restoreAndCheck(trial, { deployment, own, environment, moment, answered: writers.answered })
  const tampering = { trial, dice, place: destination, secret: key.ATRIUM_BACKUP_KEY ?? null }
  for (const kind of damages(dice, tampers[engine])) await tamper(tampering, kind)
}

const newestEvent = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('events').select('created').where('realm', '=', p('realm')).orderBy('sequence', 'desc').limit(1),
)

interface Restore {
  readonly deployment: Deployment
  /** Null on SQLite. */
  readonly own: OwnServer | null
  readonly environment: Readonly<Record<string, string>>
  readonly moment: Moment
  readonly answered: Parameters<typeof wrongWith>[1]
}

let restored = 0

async function restoreAndCheck(trial: Trial, restore: Restore) {
  trial.count('moments restored')
  await reportFailure(
    (text) => trial.violated(text),
    'restore',
    () => restoreMoment(restore, (store) => checkMoment(trial, restore, store)),
  )
}

async function restoreMoment(
  { deployment, own, environment, moment }: Restore,
  use: (store: Store) => Promise<void>,
): Promise<void> {
  const folder = join(own?.folder ?? deployment.database.folder, `restored-${++restored}`)
  const words = ['restore', moment.place, '--at', (moment.at / 1000).toFixed(3)]
  if (own !== null) {
    await runAtrium([...words, '--into', folder], environment)
    await using server = await restoredOwnServer(own, folder)
    await withStore(server.urlOf(deployment.database.url), use)
    return
  }
  const url = `file:${join(folder, 'atrium.db')}`
  await runAtrium(words, { ...environment, ATRIUM_DATA_DIR: folder, ATRIUM_DATABASE_URL: url })
  await withStore(url, use)
}

async function checkMoment(trial: Trial, { deployment, moment, answered }: Restore, store: Store): Promise<void> {
  const { organization, realms } = deployment.installation
  const reader = store.reader('system')
  const snapshot = await snapshotOf(reader, realms.live)
  for (const wrong of wrongWith(snapshot, answered, moment.answered)) trial.violated(wrong)
  const newest = await reader.first(newestEvent, { realm: realms.live })
  if ((newest?.created ?? 0) > moment.at) trial.violated('it holds a write from after the moment')
  await assertSound(reader, organization)
}
