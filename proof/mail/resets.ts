/** Links to new passwords that are used again, too late, changed, or for another purpose. */
import { mail_limits } from '../../server/src/mail/limits.ts'
import { Visitor } from '../../server/test/console/visitor.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import type { Violated } from '../row.ts'

interface Scene {
  readonly world: World
  readonly dice: Dice
  readonly violated: Violated
  /** A member whose address is proved. */
  readonly email: string
  /** Asks for a link and returns the token in the mail. */
  readonly ask: () => Promise<string>
}

export async function tryReset(scene: Scene): Promise<void> {
  const attempt = scene.dice.pick([tryUsed, tryExpired, tryChanged, tryReplaced])
  await attempt(scene)
}

async function send({ world, dice }: Scene, token: string): Promise<number> {
  // Attempts are limited by time.
  world.clock.advance(15 * 60_000)
  const visitor = new Visitor(world.server.url)
  await visitor.arrive()
  return (await visitor.post('password/reset', { token, password: `a horse ${dice.int(0, 2 ** 40)}` })).status
}

async function expectRefused(scene: Scene, token: string, what: string): Promise<void> {
  const status = await send(scene, token)
  if (status === 200) scene.violated(`${what} sets a password`)
}

async function tryUsed(scene: Scene): Promise<void> {
  const token = await scene.ask()
  const status = await send(scene, token)
  if (status !== 200) scene.violated(`a link is answered with ${status}`)
  await expectRefused(scene, token, 'a link that was used')
}

async function tryExpired(scene: Scene): Promise<void> {
  const token = await scene.ask()
  scene.world.clock.advance(mail_limits.reset_link_ms)
  await expectRefused(scene, token, 'a link that has expired')
}

async function tryChanged(scene: Scene): Promise<void> {
  const token = await scene.ask()
  const at = scene.dice.int(0, token.length - 1)
  await expectRefused(
    scene,
    token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1),
    'a changed link',
  )
  await expectRefused(scene, token.slice(0, at), 'a cut link')
}

/** A new password ends the other links. */
async function tryReplaced(scene: Scene): Promise<void> {
  const former = await scene.ask()
  const token = await scene.ask()
  if ((await send(scene, token)) !== 200) scene.violated('the second link is refused')
  await expectRefused(scene, former, 'a link from before the new password')
}
