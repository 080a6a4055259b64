import { command } from './command.ts'
import { withStore } from './open.ts'
import { placeText } from './print.ts'

/** Brings the database up to date; creates a missing one. Running it again changes nothing. */
export const migrate = command({
  name: 'migrate',
  group: 'Setting up',
  summary: 'Bring the database up to date',
  details: 'A server does the same when it starts; this command does it beforehand.',
  examples: ['atrium migrate'],
  async run() {
    const { migrate: apply } = await import('../db/migrate.ts')
    const { systemClock } = await import('../lib/clock.ts')
    return await withStore(
      async (store, _config, place) => {
        const applied = await apply(store, systemClock.now())
        const done = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`
        return { json: { applied }, text: [...(place === null ? [] : [placeText(place)]), done].join('\n') }
      },
      { create: true },
    )
  },
})
