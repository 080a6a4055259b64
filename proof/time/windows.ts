/**
 * Credits across the edges of minutes and days with jumping clocks, against a model that counts what each window grants. A
 * window never grants more than its limit. It grants exactly its limit while no clock has left it; credits that a process holds
 * when its clock leaves stay counted.
 */
import type { CallOptions } from '../../server/test/call.ts'
import type { World } from '../../server/test/world.ts'
import { day, minute, type Scene, second } from './scene.ts'

/** Small enough to be exhausted quickly. */
const window_limits = { minute: 600, day: 2000, plan_day: 2600 } as const

export const window_environment: Readonly<Record<string, string>> = {
  ATRIUM_CREDITS_PER_MINUTE: String(window_limits.minute),
  ATRIUM_CREDITS_PER_DAY: String(window_limits.day),
  ATRIUM_CREDITS_PER_PLAN_DAY: String(window_limits.plan_day),
}

/** A process takes at most this fraction of a window at once. */
const in_hand_share = 16

type Kind = keyof typeof window_limits

interface Window {
  readonly kind: Kind
  readonly subject: string
  readonly limit: number
  readonly ends: number
  spent: number
  /** How often a process's clock has left it. */
  left: number
}

/** A server process as its clients see it. */
export interface Peer {
  readonly name: string
  readonly now: () => number
  readonly call: (method: string, path: string, options?: CallOptions) => ReturnType<World['call']>
}

/** What the windows have granted, as far as clients can tell. */
export class WindowModel {
  private readonly windows = new Map<string, Window>()
  private readonly entered = new Map<string, string>()

  /** The windows of a credential at a moment of a process's clock. */
  at(peer: Peer, credential: string): Window[] {
    const lengths = { minute, day, plan_day: day }
    return (Object.keys(window_limits) as Kind[]).map((kind) => {
      const starts = Math.floor(peer.now() / lengths[kind]) * lengths[kind]
      const subject = kind === 'plan_day' ? 'the plan' : credential
      const name = `${kind} ${subject} ${starts}`
      const holder = `${peer.name} ${kind} ${subject}`
      const before = this.windows.get(this.entered.get(holder) ?? '')
      if (before !== undefined && this.entered.get(holder) !== name) before.left++
      this.entered.set(holder, name)
      const window = this.windows.get(name) ?? this.open(kind, subject, starts + lengths[kind])
      this.windows.set(name, window)
      return window
    })
  }

  private open(kind: Kind, subject: string, ends: number): Window {
    return { kind, subject, limit: window_limits[kind], ends, spent: 0, left: 0 }
  }
}

const requests: readonly (readonly [price: number, path: string])[] = [
  [1, '/v1'],
  [5, '/v1/workspaces'],
  [10, '/v1/members'],
  [50, '/v1/tasks/count'],
  [50, '/v1/tasks/count'],
]

/** Sends a few requests of one of two keys at one moment. */
export async function tryWindows(scene: Scene, model: WindowModel, peer: Peer, keys: readonly string[]): Promise<void> {
  const { dice } = scene
  const key = dice.pick(keys)
  for (let i = dice.int(1, 14); i > 0; i--) {
    const [price, path] = dice.pick(requests)
    const windows = model.at(peer, key)
    const reply = await peer.call('GET', path, { key })
    const fits = windows.every(({ spent, limit }) => spent + price <= limit)
    const isIn = reply.status === 200
    const about = `${path} of ${price} on ${peer.name} with ${windows.map(({ kind, spent }) => `${kind} ${spent}`)}`
    if (!isIn) scene.expect(reply.body?.error?.code, 'rate_limit_exceeded', `the code of ${about}`)
    if (isIn && !fits) scene.expect('admitted', 'refused', about)
    const full = windows.filter((each) => each.spent + price > each.limit - slack(each))
    if (!isIn && full.length === 0) scene.expect('refused', 'admitted', about)
    if (!isIn && windows.every(({ left }) => left === 0)) tryRefusal(scene, peer, windows, price, reply.headers)
    if (isIn) for (const window of windows) window.spent += price
  }
}

function slack({ left, limit }: Window): number {
  return left * (limit / in_hand_share + 50)
}

function tryRefusal(
  scene: Scene,
  peer: Peer,
  windows: readonly Window[],
  price: number,
  headers: Readonly<Record<string, string | undefined>>,
): void {
  const over = windows.filter(({ spent, limit }) => spent + price > limit)
  const ends = Math.max(...over.map((window) => window.ends))
  scene.expect(headers['retry-after'], String(Math.max(1, Math.ceil((ends - peer.now()) / second))), 'Retry-After')
}

/** The next moment: usually around an edge of a minute or a day, sometimes in the past. */
export function nextMoment(scene: Scene): number {
  const { now, dice } = scene
  const edge = (length: number) => Math.floor(now / length) * length + length
  const near = dice.pick([-1, 0, 0, 1, second])
  if (dice.chance(0.2)) return Math.max(day, now + scene.jump())
  return dice.chance(0.15) ? edge(day) + near : edge(minute) + near
}

/** Compares `GET /v1/usage` with the model where it is exact. */
export async function tryUsage(scene: Scene, model: WindowModel, peer: Peer, key: string): Promise<void> {
  const windows = model.at(peer, key)
  // Near the end of a window the request may be answered without a charge (contract/04#beyond-the-credits).
  if (windows.some((window) => window.spent + 1 > window.limit - slack(window))) return
  const reply = await peer.call('GET', '/v1/usage', { key })
  if (reply.status !== 200) return
  for (const window of windows) {
    window.spent++
    const { used, remaining, resets_at } = reply.body[window.kind]
    if (window.left > 0) continue
    scene.expect(used, window.spent, `${window.kind} used`)
    scene.expect(remaining, window.limit - window.spent, `${window.kind} remaining`)
    scene.expect(resets_at, window.ends / second, `the end of ${window.kind}`)
  }
}
