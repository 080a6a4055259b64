import { eventTypes } from '../../api/event.ts'
import { endpoint } from '../endpoint.ts'

/** Every event type, for choosing; a subscription may also name a pattern. */
export const listEventTypes = endpoint('GET event-types', {
  needs: 'session',
  async handle() {
    return { data: [...eventTypes.values()].map(({ type, noun }) => ({ type, object: noun.object })) }
  },
})
