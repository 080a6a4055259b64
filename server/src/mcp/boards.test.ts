/** An agent at a board: it reads the board as text and draws, while a person looks on. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Drawer } from '../../test/drawer.ts'
import { overHttp } from '../../test/mcp.ts'
import { onEveryWorld } from '../../test/world.ts'

onEveryWorld('an agent at a board', (world) => {
  it('reads the board as text and adds notes, shapes and connectors, which a person on the board sees', async () => {
    const { id: board } = await world.make('/v1/boards', { name: 'Launch' })
    const ada = await new Drawer({ server: world.server.url, board, key: world.acme.key }).joined()
    const { secret } = await world.key({ scopes: ['boards:read', 'boards:write'] })
    const agent = await overHttp(world.server.url, secret)
    const item = (element_id: string, fields: object) => ({ source: { element_id }, ...fields })
    const ends = (start: string, end: string) => ({ start: { element_id: start }, end: { element_id: end } })
    await agent.do('board_items_create', { id: board, items: [item('plan', { type: 'shape', text: 'Plan' })] })
    const outline = async () => (await agent.do('boards_outline', { id: board })).text.split('\n')
    assert.deepEqual(await outline(), ['# Launch', '', '- shape: Plan'])
    await agent.do('board_items_create', {
      id: board,
      items: [
        item('build', { type: 'shape', text: 'Build' }),
        item('idea', { type: 'sticky_note', text: 'Ask Kim' }),
        item('arrow', { type: 'connector', connector: ends('plan', 'build') }),
      ],
    })
    await ada.until(() => ada.elements.has('arrow'))
    const shown = ada.scene().map((element) => element as Record<string, unknown>)
    const texts = shown.flatMap(({ containerId, text }) => (text === undefined ? [] : [[containerId, text]]))
    assert.deepEqual(texts.sort(), [
      ['build', 'Build'],
      ['idea', 'Ask Kim'],
      ['plan', 'Plan'],
    ])
    const arrow = shown.find(({ id }) => id === 'arrow') as Record<string, { elementId: string }>
    assert.deepEqual([arrow.startBinding?.elementId, arrow.endBinding?.elementId], ['plan', 'build'])
    assert.deepEqual((await outline()).slice(-2), ['## Connections', '- Plan → Build'])
    await agent.close()
    ada.leave()
  })
})
