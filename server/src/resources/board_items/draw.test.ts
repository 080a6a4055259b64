import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { Drawer } from '../../../test/drawer.ts'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld } from '../../../test/world.ts'
import type { Board } from '../boards/board.ts'
import type { BoardItem } from './board_item.ts'
import { importBoard } from './import.ts'

const stored = join(import.meta.dirname, '../../../../../shared/data/excalidraw')

onEveryWorld('drawing by requests', (world) => {
  let board: string

  const makeBoard = async () => {
    board = (await world.make('/v1/boards', { name: 'Plan' })).id
  }
  const draw = async (...items: unknown[]): Promise<BoardItem[]> =>
    (await world.make(`/v1/boards/${board}/items`, { items })).data
  const itemsOf = async (): Promise<BoardItem[]> => (await world.get(`/v1/boards/${board}/items?limit=100`)).body.data
  const plan = { source: { element_id: 'plan' }, type: 'shape', text: 'Plan', position: { x: 0, y: 0 } }
  const build = { source: { element_id: 'build' }, type: 'sticky_note', text: 'Build', position: { x: 400, y: 0 } }
  const arrow = {
    source: { element_id: 'arrow' },
    type: 'connector',
    connector: { start: { element_id: 'plan' }, end: { element_id: 'build' } },
  }
  const joinLive = async () => await new Drawer({ server: world.server.url, board, key: world.acme.key }).joined()

  it('creates shapes, notes and connectors between them, which are published at once with one event', async () => {
    await makeBoard()
    await world.markWritten()
    const made = await draw(arrow, plan, build)
    await world.assertWritten({ events: ['whiteboard.board.snapshot_published'], audit: ['board_items.create'] })
    const [connector, first, second] = made as [BoardItem, BoardItem, BoardItem]
    assert.deepEqual(
      [first.text, first.position, first.geometry],
      ['Plan', { x: 0, y: 0, relative_to: 'canvas' }, { width: 160, height: 80, rotation: 0 }],
    )
    assert.deepEqual(connector.connector?.start, { item: first.id, x: 1, y: 0.5, relative_to: 'item' })
    assert.equal(connector.connector?.end.item, second.id)
    assert.deepEqual(new Set((await itemsOf()).map(({ id }) => id)), new Set(made.map(({ id }) => id)))
    for (const item of made) {
      assert.deepEqual((await world.get(`/v1/boards/${board}/items/${item.id}`)).body, item)
    }
    await assertFolds(world)
  })

  it('an item with the element_id of an element changes it, and keeps what it leaves out', async () => {
    await makeBoard()
    const [before] = (await draw(plan)) as [BoardItem]
    const [after] = (await draw({
      source: plan.source,
      type: 'shape',
      text: 'Plan B',
      style: { stroke_color: '#ff0000' },
    })) as [BoardItem]
    assert.equal(after.id, before.id)
    assert.deepEqual([after.text, after.position, after.style.stroke_color], ['Plan B', before.position, '#ff0000'])
    assert.equal((await itemsOf()).length, 1)
  })

  it('a frame that would contain itself is refused, and nothing is drawn', async () => {
    await makeBoard()
    const frame = (id: string, of: string | null) => ({ source: { element_id: id }, type: 'frame', frame: of })
    await draw(frame('outer', null), frame('inner', 'outer'))
    const reply = await world.call('POST', `/v1/boards/${board}/items`, {
      body: { items: [frame('outer', 'inner')] },
    })
    assertRefused(reply, 'invalid_request_body', 'items')
    assert.equal((await itemsOf()).length, 2)
  })

  it('people on the board see what requests draw and delete, and requests keep what people draw', async () => {
    await makeBoard()
    const ada = await joinLive()
    await draw(plan, build, arrow)
    await ada.until(() => ada.elements.has('arrow'))
    ada.change('plan', { x: -300 })
    await ada.allSaved()
    const [moved] = (await draw({ source: plan.source, type: 'shape', text: 'Moved' })) as [BoardItem]
    assert.equal(moved.position.x, -300 + 80)
    const { id } = moved
    await world.markWritten()
    const reply = await world.delete(`/v1/boards/${board}/items/${id}`)
    assert.deepEqual(reply.body, { id, object: 'board_item', deleted: true })
    await world.assertWritten({ events: ['whiteboard.board.snapshot_published'], audit: ['board_items.delete'] })
    await ada.until(() => ada.elements.get('plan')?.isDeleted === true)
    assert.equal(ada.elements.get('plan-text')?.isDeleted, true)
    assert.equal(ada.elements.get('arrow')?.startBinding, null)
    assert.equal((await world.get(`/v1/boards/${board}/items/${id}`)).status, 404)
    assert.equal((await itemsOf()).find(({ type }) => type === 'connector')?.connector?.start.item, null)
    ada.leave()
  })

  it('new items without a place stand in columns along their connectors, others in rows, below what is there', async () => {
    await makeBoard()
    await draw({ type: 'shape', position: { x: 80, y: 40 } })
    const shape = (id: string) => ({ source: { element_id: id }, type: 'shape', text: id })
    const connect = (from: string, to: string) => ({
      type: 'connector',
      connector: { start: { element_id: from }, end: { element_id: to } },
    })
    const made = await draw(
      ...['ask', 'plan', 'build', 'ship'].map(shape),
      ...[connect('ask', 'plan'), connect('ask', 'build'), connect('plan', 'ship'), connect('build', 'ship')],
      connect('ship', 'ask'),
      { source: { element_id: 'note' }, type: 'sticky_note', text: 'note' },
    )
    const places = Object.fromEntries(
      made.flatMap(({ text, position: { x, y } }) => (text === null ? [] : [[text, [x, y]]])),
    )
    // The drawing ends at 80; a shape is 160 by 80, a note 160 by 160.
    assert.deepEqual(places, { ask: [80, 200], plan: [340, 200], build: [340, 320], ship: [600, 200], note: [80, 480] })
    const { position } = (await draw({ ...shape('ask'), text: 'Ask' }))[0] as BoardItem
    assert.deepEqual([position.x, position.y], [80, 200])
  })

  it('a card links its task; an unknown or foreign one is refused with its place', async () => {
    await makeBoard()
    const workspace = (await world.make('/v1/workspaces', { title: 'Linked' })).id
    const { id: task } = await world.make('/v1/tasks', { workspace, title: 'Here' })
    const [card] = (await draw({ type: 'card', linked_task: task, position: { x: 0, y: 0 } })) as [BoardItem]
    assert.equal(card.linked_task, task)
    const theirs = { key: world.globex.key }
    const elsewhere = (await world.make('/v1/workspaces', { title: 'Theirs' }, theirs)).id
    const { id: foreign } = await world.make('/v1/tasks', { workspace: elsewhere, title: 'There' }, theirs)
    for (const linked_task of [foreign, 'tsk_1']) {
      const reply = await world.post(`/v1/boards/${board}/items`, { items: [plan, { type: 'card', linked_task }] })
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'items[1].linked_task'])
    }
    assert.equal((await itemsOf()).length, 1)
  })

  it('a board can be read as text: frames, items, connections, and keys of tasks for those who may read tasks', async () => {
    await makeBoard()
    const workspace = (await world.make('/v1/workspaces', { title: 'Outlined' })).id
    const { id: task, key } = await world.make('/v1/tasks', { workspace, title: 'Here' })
    const frame = { source: { element_id: 'frame' }, type: 'frame', text: 'Ideas', position: { x: 0, y: 0 } }
    await draw(frame, { ...plan, frame: 'frame' }, { ...build, linked_task: task }, arrow)
    const outline = async (options = {}) => (await world.get(`/v1/boards/${board}/outline`, options)).body.text
    const text = (name: string) => [
      '# Plan',
      '',
      `- shape: Build [${name}]`,
      '',
      '## Ideas',
      '- shape: Plan',
      '',
      '## Connections',
      `- Plan → Build [${name}]`,
    ]
    assert.deepEqual((await outline()).split('\n'), text(`${key} Here`))
    const { secret } = await world.key({ scopes: ['boards:read'] })
    assert.deepEqual((await outline({ key: secret })).split('\n'), text(task))
  })

  it('an imported scene opens live as it is, and is unchanged after a person has looked at it', async () => {
    if (!existsSync(stored)) return
    for (const name of ['kubernetes-enhancement', 'wireframes']) {
      const file = readFileSync(join(stored, `${name}.excalidraw`))
      const { id: organization, realms } = world.acme
      const about = { organization, realm: realms.live, mode: 'live', file, name } as const
      const imported: Board = await importBoard(world.services, about)
      board = imported.id
      const items = await itemsOf()
      const ada = await joinLive()
      const known = new Map(ada.scene().map((element) => [element.id, element as Record<string, unknown>]))
      const elements = JSON.parse(file.toString()).elements as Record<string, unknown>[]
      assert.deepEqual(
        [...known.keys()],
        elements.map(({ id }) => id),
      )
      for (const element of elements) {
        const { index: _, ...fields } = known.get(element.id as string) ?? {}
        assert.deepEqual(fields, element)
      }
      ada.leave()
      assert.deepEqual(await itemsOf(), items)
    }
  })
})
