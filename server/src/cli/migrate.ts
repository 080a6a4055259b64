import { command } from './command.ts'
import { withStore } from './open.ts'

/** Brings the database up to date, making it where none is. Doing it again applies nothing. */
export const migrate = command({
  name: 'migrate',
  group: 'Setting up',
  summary: 'Bring the database up to date',
  details: 'Starting a server does the same; this is for doing it beforehand.',
  examples: ['atrium migrate'],
  async run() {
    const { migrate: apply } = await import('../db/migrate.ts')
    const { systemClock } = await import('../lib/clock.ts')
    const applied = await withStore((store) => apply(store, systemClock.now()), { create: true })
    const text = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`
    return { json: { applied }, text }
  },
})
