/** Uploads of four clients while servers are killed, and while the disk of the files is full. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../../server/test/call.ts'
import { makeWorkspace } from '../../server/test/durability/installation.ts'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import { startS3 } from '../../server/test/s3-server.ts'
import { storedFiles } from '../../server/test/stored-files.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { fill } from '../disk/fail-round.ts'
import { Image } from '../disk/image.ts'
import { type EngineName, prefixed, type Trial, type Violated } from '../row.ts'
import { download } from './download.ts'
import { pathOf, readLink } from './tampering.ts'

const clients = 4
const bytes_max = 600_000
const image_mebibytes = 64

interface Acknowledged {
  readonly id: string
  readonly name: string
  readonly content: Buffer
}

/** Clients that upload files and read them again, until they are stopped. Unanswered requests are repeated with their keys. */
class Uploaders {
  readonly acknowledged: Acknowledged[] = []
  private readonly dice: Dice
  private readonly violated: Violated
  private readonly server: () => { url: string; key: string; workspace: string }
  private isEnding = false
  private running: Promise<unknown> = Promise.resolve()
  private sent = 0

  constructor(dice: Dice, violated: Violated, server: Uploaders['server']) {
    this.dice = dice
    this.violated = violated
    this.server = server
  }

  start(): void {
    this.running = Promise.all(Array.from({ length: clients }, () => this.work(this.dice.fork())))
  }

  async stop(): Promise<void> {
    this.isEnding = true
    await this.running
  }

  /** Resolves when this many more files are acknowledged. */
  async more(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count
    while (this.acknowledged.length < wanted) await sleep(2)
  }

  private async work(dice: Dice): Promise<void> {
    while (!this.isEnding) {
      const name = `file ${++this.sent}`
      const content = contentOf(dice)
      const idempotencyKey = randomUUID()
      for (;;) {
        const reply = await send(this.server(), { name, content, idempotencyKey })
        if (reply?.status === 200) this.acknowledged.push({ id: reply.body.id, name, content })
        if (reply !== null && reply.status !== 200 && reply.status !== 503)
          this.violated(`an upload is answered with ${reply.status} ${reply.text}`)
        if (reply !== null && reply.status !== 503) break
        await sleep(10)
      }
      if (this.acknowledged.length > 0) await this.reread(dice.pick(this.acknowledged))
    }
  }

  /** An answer that arrives whole has the whole content. */
  private async reread(file: Acknowledged): Promise<void> {
    const { url, key } = this.server()
    const shown = await call(url, 'GET', `/v1/files/${file.id}`, { key }).catch(() => null)
    if (shown === null || shown.status === 503) return
    if (shown.status !== 200) return this.violated(`an acknowledged file is answered with ${shown.status}`)
    const reply = await download(url, pathOf(readLink(shown.body.url))).catch(() => null)
    if (reply === null || reply.status === 503) return
    if (reply.status !== 200 || !reply.bytes.equals(file.content))
      this.violated(`${file.name} of ${file.content.length} bytes is ${reply.status} with ${reply.bytes.length}`)
  }
}

function contentOf(dice: Dice): Buffer {
  // Some contents are equal: they share what is stored.
  if (dice.chance(0.2)) return Buffer.from(`Equal ${dice.int(1, 3)}`)
  return Buffer.alloc(dice.int(1, bytes_max), `${dice.int(0, 2 ** 30)} `)
}

interface Upload {
  readonly name: string
  readonly content: Buffer
  readonly idempotencyKey: string
}

/** Null without an answer. */
async function send(
  { url, key, workspace }: { url: string; key: string; workspace: string },
  { name, content, idempotencyKey }: Upload,
): Promise<Reply | null> {
  const path = `/v1/files?workspace=${workspace}&name=${encodeURIComponent(name)}`
  return await call(url, 'POST', path, { key, raw: content, idempotencyKey }).catch(() => null)
}

/** Kills servers of an engine with files in a folder, or in a bucket. */
export async function killUploads(trial: Trial, engine: EngineName, kills: number, isBucket: boolean): Promise<void> {
  const objects = isBucket ? mkdtempSync(join(tmpdir(), 'atrium-objects-')) : null
  const s3 = objects === null ? null : await startS3(objects)
  try {
    await using deployment = await openDeployment(engine, { ...s3?.environment })
    const violated = prefixed(trial, `${engine}${isBucket ? ' with a bucket' : ''}`)
    let server = await deployment.serve()
    const workspace = await makeWorkspace(server.url, deployment.installation.key)
    const { key } = deployment.installation
    const uploaders = new Uploaders(trial.dice.fork(), violated, () => ({ url: server.url, key, workspace }))
    uploaders.start()
    for (let i = 0; i < kills && !trial.isOver; i++) {
      await uploaders.more(trial.dice.int(1, 8))
      await sleep(trial.dice.int(0, 20))
      await server.kill()
      trial.count(`kills on ${engine}${isBucket ? ' with a bucket' : ''}`)
      server = await deployment.serve()
    }
    await uploaders.more(clients)
    await uploaders.stop()
    trial.count('acknowledged', uploaders.acknowledged.length)
    await compare(violated, deployment, server, uploaders.acknowledged)
    if (!isBucket) compareStored(violated, deployment.database.folder)
    await server.stop()
  } finally {
    await s3?.close()
    if (objects !== null) rmSync(objects, { recursive: true, force: true })
  }
}

/** Every acknowledged file is there once and whole, and there is no other. */
async function compare(
  violated: Violated,
  { installation: { key } }: Pick<Deployment, 'installation'>,
  { url }: Pick<ServerProcess, 'url'>,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const listed = new Map<string, string>()
  for (let after = ''; ; ) {
    const { body } = await call(url, 'GET', `/v1/files?limit=100${after}`, { key })
    for (const file of body.data) listed.set(file.id, file.url)
    if (!body.has_more) break
    after = `&starting_after=${body.data.at(-1).id}`
  }
  for (const { id, name, content } of acknowledged) {
    const link = listed.get(id)
    listed.delete(id)
    if (link === undefined) violated(`the acknowledged ${name} is lost`)
    else {
      // An answer that ends before its Content-Length is no whole file either.
      const cut = { status: 0, bytes: Buffer.alloc(0) }
      const { status, bytes } = await download(url, pathOf(readLink(link))).catch(() => cut)
      if (status !== 200 || !bytes.equals(content)) violated(`${name} is ${status} with ${bytes.length} bytes`)
    }
  }
  if (listed.size > 0) violated(`${listed.size} files were never acknowledged, or twice`)
}

/** What lies under a key is what the key says. */
function compareStored(violated: Violated, folder: string): void {
  for (const path of storedFiles(folder, 'content')) {
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
    if (!basename(path).startsWith(`${sha256}_`)) violated('a part of a content lies under a key')
  }
}

/** Fills the disk of the files again and again. The database is on another one. */
export async function fillDisk(trial: Trial, times: number): Promise<void> {
  const image = new Image(image_mebibytes)
  try {
    await using deployment = await openDeployment('sqlite', { ATRIUM_DATA_DIR: image.folder })
    const violated = prefixed(trial, 'a full disk')
    const server = await deployment.serve()
    const { key } = deployment.installation
    const workspace = await makeWorkspace(server.url, key)
    const acknowledged: Acknowledged[] = []
    for (let i = 0; i < times && !trial.isOver; i++) {
      await fillOnce({ trial, violated, image, acknowledged, to: { url: server.url, key, workspace } })
      trial.count('full disks')
    }
    if (storedFiles(image.folder, 'incoming').length > 0) violated('parts of refused uploads are left')
    await compare(violated, deployment, server, acknowledged)
    await server.stop()
  } finally {
    image.remove()
  }
}

interface Filling {
  readonly trial: Trial
  readonly violated: Violated
  readonly image: Image
  readonly acknowledged: Acknowledged[]
  readonly to: { readonly url: string; readonly key: string; readonly workspace: string }
}

async function fillOnce({ trial: { dice }, violated, image, acknowledged, to }: Filling): Promise<void> {
  const ballast = fill(image)
  // Some room is left, so that an upload fails at its beginning or further on.
  const { length } = readFileSync(ballast)
  truncateSync(ballast, Math.max(0, length - dice.int(0, 40) * 4096))
  const content = Buffer.alloc(dice.int(300_000, bytes_max), `${dice.int(0, 2 ** 30)} `)
  const upload = { name: `file ${randomUUID()}`, content, idempotencyKey: randomUUID() }
  const refused = await send(to, upload)
  const isRefused = refused?.status === 503 && Number(refused.headers['retry-after']) >= 1
  if (!isRefused) violated(`an upload is answered with ${refused?.status} ${refused?.text}`)
  const seen = acknowledged.at(-1)
  const shown = seen === undefined ? null : await call(to.url, 'GET', `/v1/files/${seen.id}`, { key: to.key })
  if (shown !== null && shown.status !== 200) violated(`a file is answered with ${shown.status} meanwhile`)
  rmSync(ballast)
  const reply = await send(to, upload)
  if (reply?.status !== 200) return violated(`the repeated upload is answered with ${reply?.status} ${reply?.text}`)
  acknowledged.push({ id: reply.body.id, name: upload.name, content })
}
