import { command } from './command.ts'
import { explained, withStore } from './open.ts'
import { placeText } from './print.ts'

/** Brings the database up to date; creates a missing one. Running it again changes nothing. */
export const migrate = command({
  name: 'migrate',
  group: 'Setting up',
  summary: 'Bring the database up to date',
  details:
    'A server does the same when it starts; this command does it beforehand. Data of an earlier version are backed up first,\n' +
    'into the folder upgrades of the data directory.',
  examples: ['atrium migrate'],
  async run() {
    const { systemClock } = await import('../lib/clock.ts')
    const [{ upgrade }, { upgradeBackups }, { secretKeyOf }] = await Promise.all([
      import('../db/backup/upgrade.ts'),
      import('../main.ts'),
      import('../secret-key.ts'),
    ])
    return await withStore(
      async (store, config, place) => {
        const backups = upgradeBackups(config, store, secretKeyOf(config))
        const { applied, backup } = await upgrade(store, systemClock.now(), backups).catch((error) => {
          throw explained(config, error)
        })
        const done = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`
        const lines = [place === null ? null : placeText(place), backup === null ? null : `Backup: ${backup}`, done]
        return { json: { applied, backup }, text: lines.filter((line) => line !== null).join('\n') }
      },
      { create: true },
    )
  },
})
