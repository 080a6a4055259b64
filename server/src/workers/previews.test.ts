/** Previews: of images only, small whatever was uploaded, under their own signature. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../test/engines.ts'
import { png } from '../../test/png.ts'
import { storedFiles } from '../../test/stored-files.ts'
import { openWorld, type World } from '../../test/world.ts'
import { Previewer } from '../files/previewer.ts'
import { sizeOfImage } from '../files/sniff.ts'
import { hour_ms } from '../lib/units.ts'
import { filePreviews } from './previews.ts'
import { fileContentSweep, fileOrphanSweep } from './sweeps/files.ts'

const never = new AbortController().signal

onEveryEngine('a preview', (engine) => {
  let world: World
  let workspace: string
  before(async () => {
    world = await openWorld(engine)
    workspace = (await world.make('/v1/workspaces', { title: 'Pictures' })).id
  })
  after(async () => {
    await filePreviews.end?.(world.services)
    await world.close()
  })

  const upload = async (raw: Buffer | string, name = 'a.png') =>
    (await world.call('POST', `/v1/files?workspace=${workspace}&name=${name}`, { raw })).body
  const run = () => filePreviews.run(world.services, 100, never)
  const read = async (id: string) => (await world.get(`/v1/files/${id}`)).body
  const download = (url: string) => fetch(world.server.url + url.slice(world.server.url.length))

  it('is a smaller WebP of an image, in its answers from then on, and of equal content at once', async () => {
    const image = png(1000, 400)
    const file = await upload(image)
    assert.equal(file.preview_url, null)
    assert.equal(await run(), 1)
    const shown = await read(file.id)
    const reply = await download(shown.preview_url)
    const bytes = Buffer.from(await reply.arrayBuffer())
    assert.deepEqual(sizeOfImage('image/webp', bytes), { width: 512, height: 205 })
    const { headers } = reply
    assert.deepEqual(
      [reply.status, headers.get('content-type'), headers.get('content-length'), headers.get('etag')],
      [200, 'image/webp', String(bytes.length), `"${file.sha256}-preview"`],
    )
    assert.match(String(headers.get('content-security-policy')), /sandbox$/)
    const [listed] = (await world.get(`/v1/files?workspace=${workspace}&limit=1`)).body.data
    assert.equal(listed.preview_url, shown.preview_url)
    assert.notEqual((await upload(image, 'again.png')).preview_url, null)
    assert.equal(await run(), 0)
  })

  it('is not larger than a small image', async () => {
    const file = await upload(png(20, 10))
    await run()
    const reply = await download((await read(file.id)).preview_url)
    const bytes = Buffer.from(await reply.arrayBuffer())
    assert.deepEqual(sizeOfImage('image/webp', bytes), { width: 20, height: 10 })
  })

  it('does not exist for other types, damaged images, and images of too many pixels', async () => {
    const bomb = png(50_000, 50_000, 10)
    const damaged = png(600, 600)
    damaged.fill(7, 60, 90)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    const files = [
      await upload(svg),
      await upload(bomb),
      await upload(damaged),
      await upload(png(600, 600, 5)),
      await upload(''),
    ]
    // Only the headers of the third and fourth are within the limits.
    assert.equal(await run(), 2)
    for (const { id } of files) assert.equal((await read(id)).preview_url, null)
    assert.equal(await run(), 0)
  })

  it('is not shown by the signature of the content, nor the content by its own', async () => {
    const file = await upload(png(30, 30))
    await run()
    const { url, preview_url } = await read(file.id)
    for (const swapped of [url.replace('/content?', '/preview?'), preview_url.replace('/preview?', '/content?')]) {
      assert.equal((await download(swapped)).status, 404)
    }
  })

  it('is kept by the collection as long as its image, and removed with it', async () => {
    const before = storedFiles(world.database.folder, 'content').length
    const file = await upload(png(40, 40))
    await run()
    world.clock.advance(25 * hour_ms)
    await fileOrphanSweep.run(world.services, 1000, never)
    assert.equal(storedFiles(world.database.folder, 'content').length, before + 2)
    assert.equal((await download((await read(file.id)).preview_url)).status, 200)
    await world.delete(`/v1/files/${file.id}`)
    world.clock.advance(25 * hour_ms)
    assert.equal(await fileContentSweep.run(world.services, 100, never), 1)
    assert.equal(storedFiles(world.database.folder, 'content').length, before)
  })
})

it('an image that takes too long has no preview, and the next one has', async () => {
  const previewer = new Previewer(0)
  try {
    assert.equal(await previewer.make(new Uint8Array(png(2000, 2000))), null)
  } finally {
    await previewer.close()
  }
  const patient = new Previewer()
  try {
    assert.equal(await patient.make(new Uint8Array(Buffer.from('no image'))), null)
    assert.ok(await patient.make(new Uint8Array(png(10, 10))))
  } finally {
    await patient.close()
  }
})
