/** Webhook endpoints with receivers, and tasks whose events are delivered to them. */
import { drainDeliveries } from '../src/workers/deliveries/deliveries.ts'
import type { Reply } from './call.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import type { World } from './world.ts'

export const endpointPath = '/v1/webhook_endpoints'

export class Webhooks {
  readonly world: World
  readonly workspace: string
  /** Open receivers. An endpoint uses the first by default. */
  readonly opened: Receiver[] = []

  constructor(world: World, workspace: string) {
    this.world = world
    this.workspace = workspace
  }

  async open(): Promise<Receiver> {
    const made = await openReceiver()
    this.opened.push(made)
    return made
  }

  /** Removes every endpoint and closes every receiver. */
  async clear(): Promise<void> {
    for (const { id } of (await this.world.get(`${endpointPath}?limit=100`)).body.data)
      await this.world.delete(`${endpointPath}/${id}`)
    for (const each of this.opened.splice(0)) await each.close()
  }

  /** Creates an endpoint, by default for the events of tasks. */
  endpoint(body: object = {}, to = this.opened[0] as Receiver): Promise<Reply['body']> {
    return this.world.make(endpointPath, { url: to.url, event_types: ['workflow.task.*'], ...body })
  }

  /** Creates a task, and so an event. */
  task(title = 'Ship it'): Promise<Reply['body']> {
    return this.world.make('/v1/tasks', { workspace: this.workspace, title })
  }

  /** Delivers all due deliveries. */
  drain(): ReturnType<typeof drainDeliveries> {
    return drainDeliveries(this.world.services)
  }

  async lastEvent(): Promise<Reply['body']> {
    return (await this.world.get('/v1/events?limit=1')).body.data[0]
  }

  /** The delivery of an event to an endpoint, as the API shows it. */
  async deliveryOf(event: string, endpoint: string): Promise<Reply['body']> {
    const { deliveries } = (await this.world.get(`/v1/events/${event}`)).body
    return deliveries.find((row: { webhook_endpoint: string }) => row.webhook_endpoint === endpoint)
  }

  /** The number of endpoints. */
  async count(): Promise<number> {
    return (await this.world.get(`${endpointPath}?limit=100`)).body.data.length
  }

  /** An endpoint, as the API shows it. */
  async shown(id: string): Promise<Reply['body']> {
    return (await this.world.get(`${endpointPath}/${id}`)).body
  }
}

/** Creates a workspace for the tasks, and no endpoint. */
export async function openWebhooks(world: World): Promise<Webhooks> {
  return new Webhooks(world, (await world.make('/v1/workspaces', { title: 'Deliveries' })).id)
}
