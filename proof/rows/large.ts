/**
 * Large files through a server in a process of its own, to a folder and to a bucket: the bytes come back as they were sent, and
 * the memory of the process does not grow with them.
 */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startServer } from '../../bench/server-process.ts'
import { file_limits } from '../../server/src/files/limits.ts'
import { MiB } from '../../server/src/lib/units.ts'
import { install, makeWorkspace } from '../../server/test/durability/installation.ts'
import { inheritedEnvironment } from '../../server/test/durability/processes.ts'
import { migratedDatabase } from '../../server/test/migrated.ts'
import { startS3 } from '../../server/test/s3-server.ts'
import type { Dice } from '../dice.ts'
import { pathOf, readLink } from '../files/tampering.ts'
import { planted } from '../plant.ts'
import { row, type Trial } from '../row.ts'

/** What the process may take besides what it had: buffers of one upload, parts of a bucket, garbage. */
const growth_mib_max = 64
const program = join(import.meta.dirname, '../../bin/atrium')

export const large = row({
  name: 'large',
  promise: `A file of a gibibyte is stored and served with at most ${growth_mib_max} MiB of memory, in a folder and in a bucket.`,
  cycle: 'a mebibyte, sent and fetched again: half of them in one file in a folder, half in one file in a bucket',
  cycles: { short: 300, long: 2048 },
  unproven: [
    'Several large files at the same time, and slow clients.',
    'Buckets of other services than the one of the tests.',
  ],
  async run(trial) {
    const mebibytes = Math.ceil(trial.cycles / 2)
    const figures: Record<string, number> = { 'MiB a file': mebibytes }
    for (const place of ['folder', 'bucket'] as const) {
      if (trial.isOver) break
      const grown = await tryPlace(trial, place, mebibytes)
      figures[`${place}: growth in MiB, upload`] = grown.upload
      figures[`${place}: growth in MiB, download`] = grown.download
      trial.say(`${place}: ${JSON.stringify(grown)}`)
    }
    return { cycles: trial.cycles, figures }
  },
})

async function tryPlace(trial: Trial, place: 'folder' | 'bucket', mebibytes: number) {
  const database = await migratedDatabase('sqlite')
  const objects = place === 'bucket' ? mkdtempSync(join(tmpdir(), 'atrium-objects-')) : null
  const s3 = objects === null ? null : await startS3(objects)
  try {
    const more = { ...s3?.environment, ATRIUM_FILE_BYTES_MAX: String(file_limits.file_bytes_max) }
    const { environment, key } = await install(database.url, database.folder, more)
    const server = await startServer({
      command: [program, 'serve'],
      environment: { ...inheritedEnvironment(), ...planted(), ...environment },
      ready: (line) => (line.includes('"listening"') ? JSON.parse(line).url : null),
    })
    try {
      return await roundTrip(trial, place, { server, key, mebibytes })
    } finally {
      await server.stop()
    }
  } finally {
    await s3?.close()
    if (objects !== null) rmSync(objects, { recursive: true, force: true })
    await database.remove()
  }
}

interface RoundTrip {
  readonly server: ServerProcess
  readonly key: string
  readonly mebibytes: number
}

async function roundTrip(trial: Trial, place: string, { server, key, mebibytes }: RoundTrip) {
  const workspace = await makeWorkspace(server.url, key)
  const send = (count: number) => upload(server.url, { key, workspace, mebibytes: count, dice: trial.dice.fork() })
  // Code that runs for the first time and the first buffers are no growth.
  await download(server.url, (await send(16)).url)
  const sent = await measured(server, () => send(mebibytes))
  if (sent.result.sha256 !== sent.result.sent) trial.violated(`${place}: the server names another hash than was sent`)
  const got = await measured(server, () => download(server.url, sent.result.url))
  if (got.result.sha256 !== sent.result.sent || got.result.bytes !== mebibytes * MiB)
    trial.violated(`${place}: ${got.result.bytes} bytes came back, or others than were sent`)
  for (const [what, { growth }] of [
    ['upload', sent],
    ['download', got],
  ] as const) {
    if (growth > growth_mib_max) trial.violated(`${place}: the ${what} took ${growth} MiB`)
  }
  return { upload: sent.growth, download: got.growth }
}

async function measured<T>(server: ServerProcess, work: () => Promise<T>): Promise<{ result: T; growth: number }> {
  server.forgetPeak()
  const before = server.residentMib()
  const result = await work()
  return { result, growth: Math.max(0, Math.round(server.peakMib() - before)) }
}

interface Sending {
  readonly key: string
  readonly workspace: string
  readonly mebibytes: number
  readonly dice: Dice
}

async function upload(server: string, { key, workspace, mebibytes, dice }: Sending) {
  const { hostname, port } = new URL(server)
  const sending = request({
    ...{ hostname, port, method: 'POST', agent: false },
    path: `/v1/files?workspace=${workspace}&name=large`,
    headers: {
      ...{ authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() },
      ...{ 'content-type': 'application/octet-stream', 'content-length': String(mebibytes * MiB) },
    },
  })
  const answered = once(sending, 'response')
  const digest = createHash('sha256')
  const block = Buffer.from(Array.from({ length: MiB }, () => dice.int(0, 255)))
  for (let i = 0; i < mebibytes; i++) {
    block.writeUInt32LE(i, 0)
    digest.update(block)
    // The block is written again only when the socket has taken it.
    if (!sending.write(Buffer.from(block))) await once(sending, 'drain')
  }
  sending.end()
  const [answer] = await answered
  const text = Buffer.concat(await answer.toArray()).toString()
  if (answer.statusCode !== 200) throw new Error(`an upload of ${mebibytes} MiB is answered with ${text}`)
  const { url, sha256 } = JSON.parse(text) as { url: string; sha256: string }
  return { url, sha256, sent: digest.digest('hex') }
}

async function download(server: string, url: string) {
  const { hostname, port } = new URL(server)
  const asking = request({ hostname, port, path: pathOf(readLink(url)), agent: false })
  asking.end()
  const [answer] = await once(asking, 'response')
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of answer) {
    digest.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: digest.digest('hex') }
}
