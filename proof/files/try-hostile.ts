/** Changed URLs, names, contents, ranges and images against a server in this process. */
import { readFileSync, writeFileSync } from 'node:fs'
import { filePreviews } from '../../server/src/workers/previews.ts'
import type { Reply } from '../../server/test/call.ts'
import { storedFiles } from '../../server/test/stored-files.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { type EngineName, prefixed, type Trial, type Violated } from '../row.ts'
import { inWorld } from '../worlds.ts'
import { download } from './download.ts'
import { faultOf, hostileContent, hostileName, isPathOrControl } from './hostile.ts'
import { hostileImage, mayHavePreview } from './images.ts'
import { type Link, pathOf, readLink, tampered } from './tampering.ts'

const preview_growth_mib_max = 128
const images_a_run = 20
const never = new AbortController().signal

interface Scene {
  readonly trial: Trial
  readonly violated: Violated
  readonly world: World
  readonly dice: Dice
  readonly workspace: string
  /** Valid links: two files, a file of the test realm, a preview. */
  readonly links: readonly Link[]
  readonly content: Buffer
}

/** Returns the number of cycles. */
export async function tryHostile(trial: Trial, engine: EngineName, cycles: number): Promise<void> {
  await inWorld(engine, {}, async (world) => {
    const scene = await openScene(trial, prefixed(trial, engine), world)
    try {
      for (let i = 0; i < cycles && !trial.isOver; i++) {
        const kind = scene.dice.pick(['url', 'url', 'name', 'name', 'content', 'content', 'range'] as const)
        trial.count(`${kind}s`)
        await attempts[kind](scene)
      }
      // Images concern no engine: a short run tries them on one.
      const images = engine === 'sqlite' ? Math.ceil(cycles / 200) : Math.floor(cycles / 200)
      for (let i = 0; i < images && !trial.isOver; i++) await tryImages(scene)
      await tryExpired(scene)
      for (const path of storedFiles(world.database.folder, 'content')) {
        if (!/\/\d+\/[0-9a-f]{2}\/[0-9a-f]{64}_[0-9A-Z]{26}$/.test(path)) scene.violated(`stored as ${path}`)
      }
    } finally {
      await filePreviews.end?.(world.services)
    }
  })
}

const attempts = { url: tryUrl, name: tryName, content: tryContent, range: tryRange } as const

async function openScene(trial: Trial, violated: Violated, world: World): Promise<Scene> {
  const dice = trial.dice.fork()
  const workspace = (await world.make('/v1/workspaces', { title: 'Files' })).id
  const elsewhere = (await world.make('/v1/workspaces', { title: 'Files' }, { key: world.acme.testKey })).id
  const content = Buffer.from(Array.from({ length: 3000 }, () => dice.int(0, 255)))
  const picture = hostileImageThatShows(dice)
  const send = (raw: Buffer, more: { key?: string; workspace?: string } = {}) =>
    upload(world, more.workspace ?? workspace, { raw, name: 'a', ...(more.key === undefined ? {} : { key: more.key }) })
  const made = [
    await send(content),
    await send(Buffer.from('Another')),
    await send(Buffer.from('In the test realm'), { key: world.acme.testKey, workspace: elsewhere }),
    await send(picture),
  ]
  await filePreviews.run(world.services, 10, never)
  const shown = (await world.get(`/v1/files/${made[3]?.body.id}`)).body
  if (shown.preview_url === null) violated('a small image has no preview')
  const urls = [...made.map(({ body }) => body.url), ...(shown.preview_url === null ? [] : [shown.preview_url])]
  const links = urls.map((url) => readLink(url))
  return { trial, violated, world, dice, workspace, links, content }
}

function hostileImageThatShows(dice: Dice): Buffer {
  for (;;) {
    const image = hostileImage(dice)
    if (image.what === 'a whole PNG') return image.content
  }
}

interface Sent {
  readonly name: string
  readonly raw: Buffer
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function upload(world: World, workspace: string, { name, raw, key, headers }: Sent): Promise<Reply> {
  const path = `/v1/files?workspace=${workspace}&name=${encodeURIComponent(name)}`
  const sent = { raw, ...(key === undefined ? {} : { key }), ...(headers === undefined ? {} : { headers }) }
  return await world.call('POST', path, sent)
}

async function tryUrl({ violated, world, dice, links }: Scene): Promise<void> {
  const { what, path } = tampered(dice, dice.pick(links), links)
  const { status, bytes } = await download(world.server.url, path)
  if (status !== 404) violated(`a URL with ${what} is answered with ${status}: ${bytes.subarray(0, 200)}`)
}

async function tryName({ violated, world, dice, workspace }: Scene): Promise<void> {
  const name = hostileName(dice)
  const raw = Buffer.from(`Named ${dice.int(0, 2 ** 30)}`)
  const about = `the name ${JSON.stringify(name)}`
  const reply = await upload(world, workspace, { name, raw })
  if (reply.status === 400 && reply.body.error.param === 'name') return
  if (reply.status !== 200) return violated(`${about} is answered with ${reply.status} ${reply.text}`)
  const { body } = reply
  if (body.name !== name || isPathOrControl(body.name)) violated(`${about} is stored as ${JSON.stringify(body.name)}`)
  const reread = await download(world.server.url, pathOf(readLink(body.url)))
  const fault = reread.status === 200 ? faultOf(reread, name, raw) : `is answered with ${reread.status}`
  if (fault !== null) violated(`a download with ${about} ${fault}`)
}

const claims: readonly Record<string, string>[] = [
  {},
  { 'content-type': 'text/html' },
  { 'content-type': 'image/svg+xml; charset=utf-8' },
  { 'content-disposition': 'inline; filename="evil.html"' },
]

async function tryContent({ violated, world, dice, workspace }: Scene): Promise<void> {
  const raw = hostileContent(dice)
  const about = `a content that begins with ${JSON.stringify(raw.subarray(0, 40).toString('latin1'))}`
  const reply = await upload(world, workspace, { name: 'evil.html', raw, headers: dice.pick(claims) })
  if (reply.status !== 200) return violated(`${about} is answered with ${reply.status} ${reply.text}`)
  const path = pathOf(readLink(reply.body.url))
  const reread = await download(world.server.url, path, dice.chance(0.5) ? { 'accept-encoding': 'gzip, br' } : {})
  if (!reread.bytes.equals(raw)) violated(`${about} is not what was sent`)
  const fault = reread.status === 200 ? faultOf(reread, 'evil.html', raw) : `is answered with ${reread.status}`
  if (fault !== null) violated(`${about} ${fault}`)
}

async function tryRange({ violated, world, dice, links, content }: Scene): Promise<void> {
  const [a, b] = [
    dice.pick(['', '0', '1', '2999', '3000', '99999999999999999999']),
    dice.pick(['', '0', '7', '2999', '9e9']),
  ]
  const range = dice.pick([
    `bytes=${a}-${b}`,
    `bytes=${a}-${b},5-9`,
    `bytes=-${a}`,
    `items=${a}-${b}`,
    'bytes=-1-5',
    'x',
  ])
  const { status, headers, bytes } = await download(world.server.url, pathOf(links[0] as Link), { range })
  const about = `the range ${range} is answered with ${status} and ${headers['content-range']}`
  if (status === 200 && bytes.equals(content)) return
  if (status === 416 && bytes.length === 0 && headers['content-range'] === `bytes */${content.length}`) return
  const [, first = '', last = ''] = /^bytes (\d+)-(\d+)\/3000$/.exec(String(headers['content-range'])) ?? []
  const part = content.subarray(Number(first), Number(last) + 1)
  if (!(status === 206 && first !== '' && part.length > 0 && bytes.equals(part))) violated(about)
}

/** Images are uploaded, then looked at together: those over the limits are never decoded. */
async function tryImages({ trial, violated, world, dice, workspace }: Scene): Promise<void> {
  const sent = []
  for (let i = 0; i < images_a_run; i++) {
    const image = hostileImage(dice)
    const { body } = await upload(world, workspace, { name: 'a', raw: image.content })
    sent.push({ image, id: body.id as string })
    trial.count('images')
  }
  writeFileSync('/proc/self/clear_refs', '5')
  const before = residentMib('VmRSS')
  await filePreviews.run(world.services, 10 * images_a_run, never)
  const growth = Math.round(residentMib('VmHWM') - before)
  if (growth > preview_growth_mib_max) violated(`previews of hostile images took ${growth} MiB`)
  for (const { image, id } of sent) {
    const { preview_url } = (await world.get(`/v1/files/${id}`)).body
    const about = `${image.what} of ${image.width} × ${image.height}`
    if (preview_url !== null && !mayHavePreview(image)) violated(`${about} has a preview`)
    if (preview_url === null && image.what === 'a whole PNG') violated(`${about} has no preview`)
  }
}

function residentMib(name: string): number {
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024
}

/** An hour later every link has ended, and none can be made longer. */
async function tryExpired({ violated, world, links }: Scene): Promise<void> {
  world.clock.advance(3_600_000)
  for (const link of links) {
    const over = await download(world.server.url, pathOf(link))
    if (over.status !== 410) violated(`a link that is an hour old is answered with ${over.status}`)
    const longer = { ...link, expires: String(Number(link.expires) + 3600) }
    const { status } = await download(world.server.url, pathOf(longer))
    if (status !== 404) violated(`a link with a later end is answered with ${status}`)
  }
}
