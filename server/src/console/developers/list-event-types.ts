import { eventTypes } from '../../api/declare/event.ts'
import { endpoint } from '../endpoint.ts'

/** Lists all event types. */
export const listEventTypes = endpoint('GET event-types', {
  needs: 'session',
  async handle() {
    return { data: [...eventTypes.values()].map(({ type, noun }) => ({ type, object: noun.object })) }
  },
})
