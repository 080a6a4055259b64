/** Guests of links in tests: a link of a board, and what a person without an account does with it. */
import type { CallOptions, Reply } from './call.ts'
import { Visitor } from './console/visitor.ts'
import { Drawer } from './drawer.ts'
import type { World } from './world.ts'

export interface MadeLink {
  readonly id: string
  readonly secret: string
  readonly expires_at: number
}

export interface BegunGuest {
  readonly token: string
  readonly guest: { readonly id: string; readonly name: string }
  readonly board: { readonly id: string; readonly name: string }
}

/** A link of a board, by default for drawing and made with Acme's key. */
export async function makeLink(
  world: World,
  board: string,
  fields: object = {},
  options: CallOptions = {},
): Promise<MadeLink> {
  return await world.make(`/v1/boards/${board}/links`, { name: 'Workshop', role: 'editor', ...fields }, options)
}

/** A browser without cookies. */
export async function newBrowser(world: World): Promise<Visitor> {
  const visitor = new Visitor(world.server.url)
  await visitor.arrive()
  return visitor
}

/** What opening a link with a name is answered. */
export async function open(world: World, secret: string, name = 'Kim'): Promise<Reply> {
  return await (await newBrowser(world)).post('board-guests', { secret, name })
}

/** A guest who has opened a link. */
export async function beginGuest(world: World, secret: string, name = 'Kim'): Promise<BegunGuest> {
  return await (await newBrowser(world)).must('POST', 'board-guests', { secret, name })
}

/** A guest at the board of the link. */
export async function drawAsGuest(world: World, { token, board }: BegunGuest): Promise<Drawer> {
  return await new Drawer({ server: world.server.url, board: board.id, key: token }).joined()
}
