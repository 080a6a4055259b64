/** The history and the images of boards, as the console's pages use them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Drawer, rectangle } from '../drawer.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { ownerOf } from './visitor.ts'

const gif = (text: string) => `data:image/gif;base64,${Buffer.from(`GIF89a, ${text}`).toString('base64')}`

onEveryWorld('Boards in the console', (world) => {
  const owner = openFirst(() => ownerOf(world))
  const stranger = openFirst(() => ownerOf(world, world.globex))

  const makeBoard = async (role: string | null = 'editor'): Promise<string> => {
    const { id } = await world.make('/v1/boards', { name: 'Plan' })
    if (role !== null) await world.make(`/v1/boards/${id}/members`, { user: world.acme.user, role })
    return id
  }

  it('a named version is restored for everyone, as a change that can be undone by restoring another', async () => {
    const board = await makeBoard()
    const ada = await new Drawer({ server: world.server.url, board, key: world.acme.key }).joined()
    ada.draw(rectangle('a'), rectangle('b', { index: 'a1' }))
    await ada.allSaved()
    const { sequence } = await owner.must('POST', `boards/${board}/versions`, { name: 'Before' })
    ada.change('a', { x: 50 })
    ada.change('b', { isDeleted: true })
    ada.draw(rectangle('c', { index: 'a2' }))
    await ada.allSaved()
    const later = await owner.must('POST', `boards/${board}/versions`, { name: 'After' })
    await owner.must('POST', `boards/${board}/versions/${sequence}/restore`, {})
    await ada.until(() => ada.elements.get('a')?.x === 0 && ada.elements.get('c')?.isDeleted === true)
    const ids = () => ada.scene().map(({ id }) => id)
    assert.deepEqual(ids(), ['a', 'b'])
    const shown = (await world.get(`/v1/boards/${board}/items`)).body.data
    assert.equal(shown.length, 2)
    await owner.must('POST', `boards/${board}/versions/${later.sequence}/restore`, {})
    await ada.until(() => ada.elements.get('a')?.x === 50 && ada.elements.get('c')?.isDeleted === false)
    assert.deepEqual(ids(), ['a', 'c'])
    const { data } = await owner.must('GET', `boards/${board}/versions`)
    const names = data.map(({ name }: { name: string | null }) => name)
    assert.deepEqual(
      names.filter((name: string | null) => name !== null),
      ['After', 'Before'],
    )
    ada.leave()
  })

  it('an image is stored once under the id of its file, and shown to those who see the board', async () => {
    const board = await makeBoard()
    const data_url = gif('one')
    await owner.must('POST', `boards/${board}/images`, { file: 'picture', data_url })
    assert.deepEqual(await owner.must('GET', `boards/${board}/images?file=picture`), { file: 'picture', data_url })
    assert.equal((await owner.must('GET', `boards/${board}/images?file=other`)).data_url, null)
    assert.equal((await stranger.get(`boards/${board}/images?file=picture`)).status, 404)
    const ada = await new Drawer({ server: world.server.url, board, key: world.acme.key }).joined()
    ada.draw(rectangle('shown', { type: 'image', fileId: 'picture', status: 'saved', scale: [1, 1] }))
    await ada.allSaved()
    ada.leave()
    await world.make(`/v1/boards/${board}/items`, { items: [{ type: 'text', text: 'Beside' }] })
    const { data } = (await world.get(`/v1/boards/${board}/items`)).body
    assert.equal(data[0].type, 'image')
    assert.equal(data[0].data.asset.media_type, 'image/gif')
  })

  it('only editors name and restore versions and store images; what is no image is refused', async () => {
    const board = await makeBoard('viewer')
    const body = { file: 'picture', data_url: gif('two') }
    assert.equal((await owner.post(`boards/${board}/images`, body)).status, 403)
    assert.equal((await owner.post(`boards/${board}/versions`, { name: 'Mine' })).status, 403)
    assert.equal((await stranger.post(`boards/${board}/versions`, { name: 'Mine' })).status, 404)
    const own = await makeBoard()
    for (const data_url of ['data:image/svg+xml;base64,PHN2Zy8+', 'javascript:alert(1)', gif('x').slice(0, -1)]) {
      const reply = await owner.post(`boards/${own}/images`, { file: 'picture', data_url })
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'file.dataURL'])
    }
    assert.equal((await owner.post(`boards/${own}/versions/7/restore`, {})).status, 404)
  })
})
