import { command } from './command.ts'
import { requireMigrated, withStore } from './open.ts'
import { table, time } from './print.ts'

/** Lists mails and notices of browsers that were given up: the dead letters. */
export const mailDead = command({
  name: 'mail dead',
  group: 'Keeping watch',
  summary: 'List mails and browser notices that could not be sent',
  details:
    "A mail is given up when the SMTP server refuses it for good, after seven attempts, or when the process ended twice while it\nsent it; a notice (kind push) in the same way, after five attempts. 'atrium mail retry' sends them again.",
  examples: ['atrium mail dead', 'atrium mail dead --json'],
  async run() {
    const { deadMails } = await import('../resources/notifications/shared/dead-mails.ts')
    const found = await withStore(async (store) => {
      await requireMigrated(store)
      return await deadMails(store.reader('system'))
    })
    const rows = found.map((mail) => [
      mail.id,
      mail.kind,
      mail.user,
      String(mail.attempts),
      time(mail.updated),
      mail.error ?? '',
    ])
    const head = ['MAIL', 'KIND', 'USER', 'ATTEMPTS', 'GIVEN UP', 'ERROR']
    return { json: { mails: found }, text: found.length === 0 ? 'No mail was given up.' : table([head, ...rows]) }
  },
})
