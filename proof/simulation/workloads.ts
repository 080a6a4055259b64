/** The workloads of the clients of a seed. */
import type { Dice } from '../dice.ts'
import { Client, type Wanted } from './clients.ts'
import { hosts } from './installation.ts'
import type { World } from './world.ts'

/** Creates, updates, completes, comments on and deletes its own tasks; flows change them too. */
export class Writer {
  readonly client: Client
  private readonly workspace: string
  private readonly project: string
  private taken = 0
  private made = 0
  /** Task ids and their last known revisions. */
  private readonly own: string[] = []

  constructor(world: World, name: string) {
    const { workspace, project, keys } = world.installed
    this.client = new Client(world, name, keys.clients)
    this.workspace = workspace
    this.project = project
  }

  live(until_ms: number, pause_ms: number): Promise<void> {
    return this.client.live(until_ms, pause_ms, (dice) => this.next(dice))
  }

  private learn(): void {
    for (const { sent, status, text } of this.client.answered.slice(this.taken)) {
      if (status !== 200 || sent.method !== 'POST' || !/tasks(\/batch)?$/.test(sent.url)) continue
      const said = JSON.parse(text)
      for (const { id, labels } of said.data ?? [said]) if (!labels.includes('auto')) this.own.push(id)
    }
    this.taken = this.client.answered.length
  }

  private next(dice: Dice): Wanted {
    this.learn()
    const { workspace, own } = this
    const title = `Task ${++this.made}`
    const kinds = [
      'create',
      'auto',
      'auto',
      'batch',
      'change',
      'change',
      'comment',
      'complete',
      'delete',
      'list',
    ] as const
    const kind = own.length === 0 ? dice.pick(['create', 'auto'] as const) : dice.pick(kinds)
    const task = `/v1/tasks/${own.length === 0 ? '' : dice.pick(own)}`
    if (kind === 'create') return post('/v1/tasks', { workspace, title, project: this.project })
    if (kind === 'auto') return post('/v1/tasks', { workspace, title, labels: ['auto'] })
    if (kind === 'change') return { method: 'PATCH', url: task, body: { title, priority: dice.pick(['low', 'high']) } }
    if (kind === 'comment') return post(`${task}/comments`, { workspace, body: title })
    if (kind === 'complete') return post(`${task}/complete`, {})
    if (kind === 'list') return { method: 'GET', url: `/v1/tasks?workspace=${workspace}&limit=5` }
    if (kind === 'delete') return { method: 'DELETE', url: `/v1/tasks/${own.pop()}` }
    return post('/v1/tasks/batch', { workspace, data: Array.from({ length: dice.int(2, 4) }, () => ({ title })) })
  }
}

function post(url: string, body: object): Wanted {
  return { method: 'POST', url, body }
}

/** Spends its credits as fast as allowed, at all processes concurrently. */
export function greedy(world: World, until_ms: number): Client {
  const client = new Client(world, 'greedy', world.installed.keys.greedy)
  void client.live(until_ms, 60, () => ({
    method: 'GET',
    url: `/v1/tasks/count?workspace=${world.installed.workspace}`,
  }))
  return client
}

/** Creates an endpoint, exports all tasks, resends and replays deliveries meanwhile. */
export class Administrator {
  readonly client: Client
  private readonly world: World

  constructor(world: World) {
    this.world = world
    this.client = new Client(world, 'admin', world.installed.keys.admin)
  }

  async live(until_ms: number): Promise<void> {
    const { client, world } = this
    const { timeline, dice } = world
    client.isIdle = false
    await timeline.sleep(dice.int(0, until_ms / 2))
    const steps = dice.shuffle([() => this.endpoint(), () => this.exports(), () => this.again('resend')])
    for (const step of steps) {
      if (timeline.now > until_ms) break
      await step()
      await timeline.sleep(dice.int(0, 3000))
    }
    client.isIdle = true
  }

  private async endpoint(): Promise<void> {
    const body = { url: `https://${hosts.late}/hook`, event_types: ['workflow.task.*'] }
    await this.client.perform(post('/v1/webhook_endpoints', body))
  }

  private async exports(): Promise<void> {
    await this.client.perform(post('/v1/exports', { resource: 'tasks', workspace: this.world.installed.workspace }))
  }

  private async again(verb: 'resend' | 'replay'): Promise<void> {
    const { data } = await this.client.perform({ method: 'GET', url: '/v1/events?limit=10' })
    if (data.length > 0)
      await this.client.perform(post(`/v1/events/${this.world.dice.pick<{ id: string }>(data).id}/${verb}`, {}))
  }
}
