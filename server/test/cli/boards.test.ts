import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { type Installation, newInstallation } from './installation.ts'

onEveryEngine('commands of boards and expenses beside a running server', (engine) => {
  let installation: Installation
  let url: string
  let organization: string
  let key: string
  before(async () => {
    installation = await newInstallation(engine)
    const made = await installation.initAcme()
    organization = made.organization
    key = made.api_key.secret
    url = (await installation.serve()).url
  })
  after(() => installation.remove())

  const get = (path: string): Promise<Reply> => call(url, 'GET', path, { key })
  const drawing = (name: string, ...elements: object[]): string => {
    const file = join(installation.folder, name)
    writeFileSync(file, JSON.stringify({ type: 'excalidraw', version: 2, elements }))
    return file
  }
  const box = (id: string, x: unknown = 0) => ({ id, type: 'rectangle', x, y: 0, width: 10, height: 10 })
  const importing = (file: string, ...words: string[]) => [
    ...['board', 'import', file, '--organization', organization, ...words],
  ]

  test('board import: the server shows the board as it was printed, and its items', async () => {
    const board = await installation.json(...importing(drawing('plan.excalidraw', box('a'), box('b'))))
    assert.deepEqual([board.object, board.name, board.item_count, board.snapshot.revision], ['board', 'plan', 2, 1])
    assert.deepEqual((await get(`/v1/boards/${board.id}`)).body, board)
    assert.equal((await get(`/v1/boards/${board.id}/items`)).body.data.length, 2)

    const changed = drawing('plan.excalidraw', box('a'))
    const again = await installation.json(...importing(changed, '--board', board.id, '--legacy-room-id', 'room 7'))
    assert.deepEqual([again.id, again.snapshot.revision, again.legacy_room_id], [board.id, 2, 'room 7'])
    assert.deepEqual((await get('/v1/boards/room%207')).body, again)
    assert.deepEqual(await installation.json(...importing(changed, '--board', 'room 7')), again)

    const named = await installation.json(...importing(changed, '--name', 'Other', '--mode', 'test'))
    assert.equal(named.name, 'Other')
    assert.equal((await get(`/v1/boards/${named.id}`)).status, 404)
  })

  test('board set and board restore: the server sees the room id and the board that is back', async () => {
    const board = await installation.json(...importing(drawing('x.excalidraw', box('a'))))
    const set = await installation.json('board', 'set', board.id, '--legacy-room-id', 'r-1')
    assert.deepEqual((await get('/v1/boards/r-1')).body, set)
    assert.equal((await call(url, 'DELETE', `/v1/boards/${board.id}`, { key })).status, 200)
    const restored = await installation.json('board', 'restore', board.id)
    assert.deepEqual([restored.id, restored.status, restored.archived_at], [board.id, 'active', null])
    assert.deepEqual((await get(`/v1/boards/${board.id}`)).body, restored)
    assert.equal((await installation.json('board', 'set', board.id, '--legacy-room-id', '')).legacy_room_id, null)
    assert.equal((await get('/v1/boards/r-1')).status, 404)
  })

  test('expense set: the expense moves on; a step that its state does not allow is refused', async () => {
    const post = async (path: string, body: object) => (await call(url, 'POST', path, { key, body })).body
    const workspace = (await post('/v1/workspaces', { title: 'Travel' })).id
    const { id } = await post('/v1/expenses', {
      ...{ workspace, category: 'Train', expense_date: '2026-08-03', currency: 'EUR', gross_amount_minor: 1000 },
    })
    const submitted = await installation.json('expense', 'set', id, '--status', 'submitted')
    assert.equal(submitted.status, 'submitted')
    assert.deepEqual((await get(`/v1/expenses/${id}`)).body, submitted)
    const refused = await installation.refused('expense', 'set', id, '--status', 'reimbursed')
    assert.deepEqual([refused.code, refused.param], [1, 'status'])
  })

  // The same code refuses on both engines, and each refusal is a process of its own.
  if (engine !== 'sqlite') return

  test('what cannot be done is one error with its place, and changes nothing', async () => {
    const damaged = drawing('damaged.excalidraw', box('a'), box('b', 'left'))
    const sound = drawing('sound.excalidraw', box('a'))
    const large = join(installation.folder, 'large.excalidraw')
    writeFileSync(large, Buffer.alloc(limits.board_import_bytes_max + 1, ' '))
    const before = (await get('/v1/boards?include_archived=true')).text
    const refusals: [string[], number, string | undefined][] = [
      [importing(damaged), 1, 'elements[1].x'],
      [importing(large), 1, undefined],
      [importing(join(installation.folder, 'none.excalidraw')), 1, undefined],
      [importing(sound, '--board', 'brd_none'), 1, 'board'],
      [importing(sound, '--legacy-room-id', 'a/b'), 1, 'legacy_room_id'],
      [importing(sound, '--board', 'brd_x', '--name', 'y'), 2, 'name'],
      [['board', 'import', sound], 2, 'organization'],
      [['board', 'import', sound, '--organization', 'org_none'], 1, 'organization'],
      [['board', 'set', 'brd_none', '--legacy-room-id', 'x'], 1, 'id'],
      [['board', 'set', 'brd_none'], 2, 'legacy_room_id'],
      [['board', 'restore', 'brd_none'], 1, 'id'],
      [['expense', 'set', 'exp_none', '--status', 'approved'], 1, 'id'],
      [['expense', 'set', 'exp_none', '--status', 'lost'], 2, 'status'],
      [['expense', 'set', 'exp_none'], 2, 'status'],
    ]
    for (const [words, code, param] of refusals) {
      const refused = await installation.refused(...words)
      assert.deepEqual([refused.code, refused.param], [code, param], `${words.join(' ')}: ${refused.message}`)
    }
    assert.equal((await get('/v1/boards?include_archived=true')).text, before)
  })
})
