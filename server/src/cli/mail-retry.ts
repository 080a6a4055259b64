import { command } from './command.ts'
import { requireMigrated, withStore } from './open.ts'

/** Makes all mails and notices of browsers due again that were given up. */
export const mailRetry = command({
  name: 'mail retry',
  group: 'Keeping watch',
  summary: 'Send mails and browser notices again that were given up',
  details: 'The running server sends them. What has nothing to say any longer, because its entry was read, is dropped.',
  examples: ['atrium mail retry'],
  async run() {
    const { retryDeadMails } = await import('../resources/notifications/shared/dead-mails.ts')
    const { systemClock } = await import('../lib/clock.ts')
    const count = await withStore(async (store) => {
      await requireMigrated(store)
      return await retryDeadMails(store, systemClock.now())
    })
    const mails = count === 1 ? '1 mail is' : `${count} mails are`
    return { json: { mails: count }, text: `${mails} due again.` }
  },
})
