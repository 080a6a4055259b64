/**
 * A link for guests opens one board until its end, and nothing else. Each cycle makes a board with a link, lets a guest come by
 * it, ends it in one of several ways or not at all, and then tries everything that the guest holds: the secret, the token, and a
 * connection from before. What was accepted is compared with what the link allowed.
 */

import { randomUUID } from 'node:crypto'
import { makeCredential } from '../../server/src/api/declare/credential-format.ts'
import type { Operation } from '../../server/src/api/declare/operation.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import { link_roles } from '../../server/src/resources/board_links/board_link.ts'
import { board_link_limits } from '../../server/src/resources/board_links/limits.ts'
import { addMember } from '../../server/src/resources/members/write.ts'
import {
  type BegunGuest,
  beginGuest,
  type MadeLink,
  makeLink,
  newBrowser,
  open,
} from '../../server/test/board-guests.ts'
import { comparable } from '../../server/test/conformance/answers.ts'
import { Drawer, rectangle } from '../../server/test/drawer.ts'
import { populate, sendCall, type Things } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { type EngineName, prefixed, row, type Trial, type Violated } from '../row.ts'
import { inWorld } from '../worlds.ts'

/** How a link, or only the session of its guest, ends. */
const ends = ['nothing', 'revoked', 'link over', 'session over', 'archived', 'demoted', 'removed'] as const

type End = (typeof ends)[number]

export const links = row({
  name: 'links',
  promise:
    'A link for guests opens its board for what it allows, until it ends, and neither its secret nor a guest’s token opens anything else.',
  cycle: 'a link that is made, opened, ended in one of seven ways, and tried with everything that its guest holds',
  cycles: { short: 28, long: 1400 },
  unproven: [
    'Times of answers.',
    'What a guest has seen, and keeps.',
    'The interval until an open connection of an ended link is closed; a test waits for it.',
  ],
  async run(trial) {
    let cycles = 0
    for (const engine of trial.engines) {
      await inWorld(engine, {}, async (world) => {
        const scene = { trial, world, things: await populate(world), violated: prefixed(trial, engine) }
        const count = Math.ceil(trial.cycles / trial.engines.length)
        for (let n = 0; n < count && !trial.isOver; n++, cycles++) await tryLink(scene, trial.dice.fork(), engine, n)
      })
    }
    return { cycles }
  },
})

interface Scene {
  readonly trial: Trial
  readonly world: World
  readonly things: Things
  readonly violated: Violated
}

interface Attempt {
  readonly board: string
  readonly member: string
  readonly key: string
  readonly link: MadeLink
  readonly begun: BegunGuest
  readonly role: (typeof link_roles)[number]
  readonly end: End
}

async function tryLink(scene: Scene, dice: Dice, engine: EngineName, n: number): Promise<void> {
  const { world, trial, violated } = scene
  const board: string = (await world.make('/v1/boards', { name: 'Proved' })).id
  const added = await addMember(world.services, world.acme.id, { email: `maker${n}@${engine}.example` })
  const { secret: key, id: keyId } = await world.key({ owner: { type: 'user', id: added.user } })
  await world.make(`/v1/boards/${board}/members`, { user: added.user, role: 'editor' })
  const [role, end] = [dice.pick(link_roles), ends[n % ends.length] as End]
  const link = await makeLink(world, board, { role }, { key })
  const begun = await beginGuest(world, link.secret)
  const attempt: Attempt = { board, member: added.user, key, link, begun, role, end }
  trial.count(end)
  const maker = await new Drawer({ server: world.server.url, board, key }).joined()
  const before = await Talk.begin(world, board, begun.token)
  try {
    await expectWrites(before, 'before', role === 'editor', violated, attempt)
    await expectComments(scene, 'before', attempt, true)
    await expectImage(scene, 'before', attempt, true)
    await endIt(scene, attempt)
    await tryAll(scene, dice, attempt, before)
    for (const text of before.texts)
      if (/usr_|mbr_|key_/.test(text)) violated(`a guest was shown the id of a person: ${text}`)
  } finally {
    before.close()
    maker.leave()
    // An organization has a bounded number of keys.
    await world.delete(`/v1/api_keys/${keyId}`)
  }
}

async function endIt({ world }: Scene, { board, member, key, link, end }: Attempt): Promise<void> {
  const path = `/v1/boards/${board}`
  if (end === 'revoked') await world.delete(`${path}/links/${link.id}`, { key })
  else if (end === 'link over') world.clock.advance(board_link_limits.board_link_ms_default)
  else if (end === 'session over') world.clock.advance(board_link_limits.board_guest_ms)
  else if (end === 'archived') await world.delete(path)
  else if (end === 'demoted') await world.patch(`${path}/members/${member}`, { role: 'viewer' })
  else if (end === 'removed') await world.delete(`${path}/members/${member}`)
}

/** Everything that the guest holds, at everything that it could open. */
async function tryAll(scene: Scene, dice: Dice, attempt: Attempt, before: Talk): Promise<void> {
  const { world, things, violated } = scene
  const { board, link, begun, role, end } = attempt
  const isOpen = end === 'nothing' || end === 'session over'
  const isValid = end === 'nothing'
  await expectWrites(before, 'on a connection from before', isValid && role === 'editor', violated, attempt)
  const exchanged = await open(world, link.secret)
  if ((exchanged.status === 200) !== isOpen) violated(`${end}: the secret is answered ${exchanged.status}`)
  const again = await Talk.begin(world, board, begun.token)
  if (again.isWelcome !== isValid)
    violated(`${end}: the token ${again.isWelcome ? 'opens' : 'does not open'} the board`)
  if (again.isWelcome) await expectWrites(again, 'again', role === 'editor', violated, attempt)
  again.close()
  for (const [what, other, token] of [
    ['another board', things.id('board'), begun.token],
    ['the board by the secret', board, link.secret],
  ] as const) {
    const talk = await Talk.begin(world, other, token)
    if (talk.isWelcome) violated(`${end}: the guest opens ${what}`)
    talk.close()
  }
  const browser = await newBrowser(world)
  const image = await browser.post('board-guests/images', { token: begun.token, file: 'any' })
  if ((image.status === 200) !== isValid) violated(`${end}: an image is answered ${image.status}`)
  await expectComments(scene, 'after', attempt, isValid)
  await expectImage(scene, 'after', attempt, isValid)
  await expectUnknown(scene, dice.pick(catalogue), begun.token)
}

/** The change is acknowledged exactly if it is allowed. */
async function expectWrites(talk: Talk, when: string, allowed: boolean, violated: Violated, { role, end }: Attempt) {
  const answer = await talk.change()
  if ((answer === 'ack') !== allowed) violated(`${end}, ${role}, ${when}: a change is answered ${answer}`)
}

/** The guest comments, and reads what a member has written without learning who that is, exactly if the link allows it. */
async function expectComments({ world, violated }: Scene, when: string, attempt: Attempt, isValid: boolean) {
  const { board, begun, member, role, end } = attempt
  const allowed = isValid && role !== 'viewer'
  const browser = await newBrowser(world)
  const body = `${when} [@Maker](atrium:${member}) asks`
  const position = { x: 1, y: 1 }
  const written = await browser.post('board-guests/comments', { token: begun.token, key: randomUUID(), body, position })
  const read = await browser.post('board-guests/comments/read', { token: begun.token })
  for (const [what, { status }] of Object.entries({ written, read }))
    if ((status === 200) !== allowed) violated(`${end}, ${role}, ${when}: a comment ${what} is answered ${status}`)
  // Of an own comment, the guest gets back what this session has sent.
  const shown = JSON.stringify([written.body, read.body], (name, value) => (name === 'own' ? undefined : value))
  if (/usr_|mbr_|key_|@Maker/.test(shown)) violated(`a guest was shown a person: ${shown}`)
  const stored = (await world.get(`/v1/boards/${board}/comments`)).body.data as CommentByGuest[]
  const own = stored.filter((comment) => comment.body === body)
  if (own.length !== (allowed ? 1 : 0)) violated(`${end}, ${role}, ${when}: the board has ${own.length} such comments`)
  for (const { author, guest } of own)
    if (author.id !== begun.guest.id || guest !== begun.guest.name) violated(`a guest’s comment is by ${author.id}`)
  await expectOwnChanges({ world, violated }, when, attempt, { own: written.body?.id ?? 'bcm_none', allowed })
}

/** The guest changes and deletes the comment that this session has written, and none of a member. */
async function expectOwnChanges(
  { world, violated }: Pick<Scene, 'world' | 'violated'>,
  when: string,
  { board, begun, role, end }: Attempt,
  { own, allowed }: { readonly own: string; readonly allowed: boolean },
) {
  const browser = await newBrowser(world)
  const { token } = begun
  const path = `/v1/boards/${board}/comments`
  const theirs = await world.get(`${path}?limit=100`)
  const ofMember = theirs.body.data.find(({ guest }: CommentByGuest) => guest === null)?.id
  const { id } = ofMember === undefined && end !== 'archived' ? await remark(world, path) : { id: ofMember }
  for (const [what, comment, may] of [
    ['own', own, allowed],
    ['another', id ?? 'bcm_none', false],
  ] as const)
    for (const [act, sent] of [
      ['update', { body: 'changed' }],
      ['delete', {}],
    ] as const) {
      const { status } = await browser.post(`board-guests/comments/${act}`, { token, id: comment, ...sent })
      if ((status === 200) !== may)
        violated(`${end}, ${role}, ${when}: ${act} of ${what} comment is answered ${status}`)
    }
}

async function remark(world: World, path: string): Promise<{ readonly id: string }> {
  return await world.make(path, { body: 'Of a member', position: { x: 2, y: 2 } })
}

interface CommentByGuest {
  readonly body: string
  readonly author: { readonly id: string }
  readonly guest: string | null
}

/** The guest adds an image exactly if the link allows it, replaces none, and sees those of the board alone. */
async function expectImage({ world, violated }: Scene, when: string, attempt: Attempt, isValid: boolean) {
  const { begun, role, end } = attempt
  const allowed = isValid && role === 'editor'
  const browser = await newBrowser(world)
  const store = (text: string) =>
    browser.post('board-guests/images/store', { token: begun.token, file: when, data_url: picture(text) })
  const { status } = await store('first')
  if ((status === 200) !== allowed) violated(`${end}, ${role}, ${when}: an image is answered ${status}`)
  await store('second')
  const { body } = await browser.post('board-guests/images', { token: begun.token, file: when })
  const seen = body?.data_url ?? null
  if (seen !== (allowed ? picture('first') : null)) violated(`${end}, ${role}, ${when}: the image is ${seen}`)
}

function picture(text: string): string {
  return `data:image/gif;base64,${Buffer.from(`GIF89a, ${text}`).toString('base64')}`
}

async function expectUnknown({ things, violated }: Scene, operation: Operation, token: string): Promise<void> {
  const valid = await things.call(operation)
  const never = makeCredential('access_token', 'live')
  const [seen, expected] = [
    await sendCall(things, valid, { key: token }),
    await sendCall(things, valid, { key: never }),
  ]
  if (JSON.stringify(comparable(seen)) !== JSON.stringify(comparable(expected)))
    violated(`${operation.id} answers a guest’s token ${seen.status} ${seen.text.slice(0, 200)}`)
}

/** A connection to a live board, message by message. */
class Talk {
  readonly texts: string[] = []
  readonly #socket: WebSocket
  readonly #waiting: (() => void)[] = []
  #isClosed = false
  #changes = 0

  private constructor(world: World, board: string, token: string) {
    this.#socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/app/api/boards/${board}/live`)
    this.#socket.onopen = () => this.#socket.send(JSON.stringify({ type: 'hello', token }))
    this.#socket.onmessage = ({ data }) => {
      this.texts.push(String(data))
      for (const wake of this.#waiting.splice(0)) wake()
    }
    this.#socket.onclose = () => {
      this.#isClosed = true
      for (const wake of this.#waiting.splice(0)) wake()
    }
  }

  /** Resolves with the welcome, or with the end of the connection. */
  static async begin(world: World, board: string, token: string): Promise<Talk> {
    const talk = new Talk(world, board, token)
    while (!talk.isWelcome && !talk.#isClosed) await talk.#next()
    return talk
  }

  get isWelcome(): boolean {
    return this.texts.some((text) => text.startsWith('{"type":"welcome"'))
  }

  /** How a change is answered: `ack`, the code of the refusal, or `closed`. */
  async change(): Promise<string> {
    const id = ++this.#changes
    if (!this.#isClosed)
      this.#socket.send(JSON.stringify({ type: 'change', id, elements: [rectangle(`${Date.now()}-${id}`)] }))
    for (let read = 0; ; ) {
      for (; read < this.texts.length; read++) {
        const message = JSON.parse(this.texts[read] as string)
        if (message.id !== id) continue
        if (message.type === 'ack') return 'ack'
        if (message.type === 'refused') return message.error.code
      }
      if (this.#isClosed) return 'closed'
      await this.#next()
    }
  }

  close(): void {
    this.#socket.close()
  }

  #next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
