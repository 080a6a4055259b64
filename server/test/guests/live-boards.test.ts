/** A person who is a guest at live whiteboards: those of the guest's projects, and no others; what ends with a project. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, it } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import { join, ownerOf, type Visitor } from '../console/visitor.ts'
import { Drawer, rectangle } from '../drawer.ts'
import { onEveryEngine } from '../engines.ts'
import { admit } from '../guest.ts'
import { openWorld, type World } from '../world.ts'

/** A connection with a hello, and everything that the server sends. */
class Talk {
  readonly received: string[] = []
  readonly socket: WebSocket
  readonly ended: Promise<readonly [code: number, reason: string]>

  constructor(world: World, board: string, token: string) {
    this.socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
    this.socket.onopen = () => this.socket.send(JSON.stringify({ type: 'hello', token }))
    this.socket.addEventListener('message', ({ data }) => this.received.push(String(data)))
    this.ended = once(this.socket as unknown as EventTarget, 'close').then(([{ code, reason }]) => [code, reason])
  }

  /** The first message of a type, as soon as it has come. */
  async first(type: string): Promise<{ readonly error: { readonly code: string }; readonly access: string }> {
    for (;;) {
      const found = this.received.find((text) => text.startsWith(`{"type":"${type}"`))
      if (found !== undefined) return JSON.parse(found)
      await once(this.socket as unknown as EventTarget, 'message')
    }
  }
}

onEveryEngine('a guest at live boards', (engine) => {
  let world: World
  let owner: Visitor
  let user: string
  let token: string
  let project: string
  let other: string
  let workspace: string
  const talks: Talk[] = []
  const drawers: Drawer[] = []

  before(async () => {
    world = await openWorld(engine)
    owner = await ownerOf(world)
    workspace = (await world.make('/v1/workspaces', { title: 'Site' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Shared' })).id
    other = (await world.make('/v1/projects', { workspace, name: 'Secret' })).id
    const guest = await join(owner, 'guest@client.example', 'guest', [project])
    user = (await guest.arrive()).user.id
    token = await guest.token()
  })
  after(async () => {
    for (const { socket } of talks) socket.close()
    for (const drawer of drawers) drawer.leave()
    await world.close()
  })

  /** A board of a project, or of none, on which the guest has the right of an editor. */
  async function board(of: string | null): Promise<string> {
    const { id } = await world.make('/v1/boards', { name: 'Plan', project: of })
    await world.make(`/v1/boards/${id}/members`, { user, role: 'editor' })
    return id
  }
  const talk = (id: string, by = token): Talk => {
    const made = new Talk(world, id, by)
    talks.push(made)
    return made
  }
  const colleague = async (id: string): Promise<Drawer> => {
    const drawer = new Drawer({ server: world.server.url, board: id, key: world.acme.key })
    drawers.push(drawer)
    return await drawer.joined()
  }

  it('draws on a board of the project, and sees who is there', async () => {
    const id = await board(project)
    const [ada, guest] = [await colleague(id), talk(id)]
    assert.equal((await guest.first('welcome')).access, 'editor')
    await ada.until(() => ada.people.length === 2)
    guest.socket.send(JSON.stringify({ type: 'change', id: 1, elements: [rectangle('a')] }))
    await guest.first('ack')
    await ada.until(() => ada.elements.has('a'))
    ada.draw(rectangle('b'))
    await guest.first('change')
  })

  it('cannot open a board elsewhere, and gets of it what a board that never existed gives, while people draw there', async () => {
    const deleted = await board(other)
    await world.delete(`/v1/boards/${deleted}`)
    const theirs = (await world.make('/v1/boards', { name: 'Theirs' }, { key: world.globex.key })).id
    const never = talk(newId('brd', world.clock.now()))
    const expected = await never.ended
    assert.deepEqual([expected[0], never.received], [4404, []])
    for (const id of [await board(other), await board(null), deleted, theirs]) {
      const ada = id === deleted || id === theirs ? null : await colleague(id)
      const attempt = talk(id)
      ada?.draw(rectangle('a'))
      ada?.point({ x: 1, y: 1 })
      await ada?.allSaved()
      assert.deepEqual(await attempt.ended, expected, id)
      assert.deepEqual(attempt.received, [], id)
      if (ada !== null) assert.equal(ada.people.length, 1, 'no person saw the guest')
    }
  })

  it('whose project is taken away changes nothing from then on, and is disconnected by itself', async () => {
    const { id: brief } = await world.make('/v1/projects', { workspace, name: 'For a while' })
    const id = await board(brief)
    await admit(owner, user, [project, brief])
    const [ada, guest] = [await colleague(id), talk(id, token)]
    await guest.first('welcome')
    await ada.until(() => ada.people.length === 2)
    await admit(owner, user, [project])
    guest.socket.send(JSON.stringify({ type: 'change', id: 1, elements: [rectangle('a')] }))
    assert.equal((await guest.first('refused')).error.code, 'insufficient_scope')
    assert.equal((await guest.ended)[0], 4404)
    await ada.until(() => ada.people.length === 1)
    ada.draw(rectangle('b'))
    await ada.allSaved()
    assert.equal(ada.elements.has('a'), false)
    assert.equal(
      guest.received.some((text) => text.includes('"change"')),
      false,
    )
    assert.equal((await talk(id).ended)[0], 4404)
  })

  it('is disconnected from a board that moves to another project', async () => {
    const id = await board(project)
    const guest = talk(id)
    await guest.first('welcome')
    await world.patch(`/v1/boards/${id}`, { project: other })
    assert.equal((await guest.ended)[0], 4404)
  })
})
