/** Receivers of outgoing requests: webhook endpoints, healthy and not, and the targets of flows. */
import type { EgressRequest } from '../../server/src/egress/egress.ts'
import type { Dice } from '../dice.ts'
import { hosts } from './installation.ts'
import type { Reaction, Receiver } from './network.ts'
import type { World } from './world.ts'

interface Got {
  readonly event: string
  readonly type: string
  readonly at_ms: number
}

/** What a healthy endpoint accepted, whether or not its answer arrived. */
class Inbox {
  readonly got: Got[] = []
  /** How often it answered with a temporary failure. */
  upset = 0
  private readonly dice: Dice

  constructor(dice: Dice) {
    this.dice = dice
  }

  readonly receive: Receiver = (request, at_ms) => {
    const event = JSON.parse(String(request.body))
    if (event.type === 'platform.webhook_endpoint.verify') return { status: 204 }
    if (this.dice.chance(this.upset)) return this.dice.pick([{ status: 500 }, { status: 503, retryAfter: 2 }, 'hang'])
    this.got.push({ event: event.id, type: event.type, at_ms })
    return { status: 204 }
  }
}

/** The target of flows: counts each key once, as an idempotent receiver does. */
class Called {
  /** The bodies sent under each key; there must be one. */
  readonly bodies = new Map<string, Set<string>>()
  /** Keys that were answered with success. */
  readonly done = new Set<string>()
  upset = 0
  private readonly dice: Dice

  constructor(dice: Dice) {
    this.dice = dice
  }

  readonly receive = (request: EgressRequest): Reaction => {
    const key = request.headers['Idempotency-Key'] ?? ''
    const bodies = this.bodies.get(key) ?? new Set()
    this.bodies.set(key, bodies.add(String(request.body)))
    if (this.dice.chance(this.upset)) return this.dice.pick([{ status: 500 }, { status: 429, retryAfter: 1 }, 'hang'])
    this.done.add(key)
    return { status: 200, body: JSON.stringify({ count: this.done.size }), after_ms: this.dice.int(0, 3000) }
  }
}

export interface Receivers {
  readonly healthy: Readonly<Record<'all' | 'tasks' | 'late', Inbox>>
  readonly called: Called
}

export function openReceivers({ network, dice }: Pick<World, 'network' | 'dice'>): Receivers {
  const inbox = () => new Inbox(dice.fork())
  const receivers = { healthy: { all: inbox(), tasks: inbox(), late: inbox() }, called: new Called(dice.fork()) }
  for (const [name, { receive }] of Object.entries(receivers.healthy)) {
    network.receivers.set(hosts[name as keyof typeof receivers.healthy], receive)
  }
  network.receivers.set(hosts.steps, receivers.called.receive)
  const isVerification = (request: EgressRequest) => String(request.body).includes('platform.webhook_endpoint.verify')
  network.receivers.set(hosts.failing, (request) => ({ status: isVerification(request) ? 204 : 500 }))
  network.receivers.set(hosts.hanging, (request) => (isVerification(request) ? { status: 204 } : 'hang'))
  return receivers
}
