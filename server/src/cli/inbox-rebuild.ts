import { command } from './command.ts'
import { requireMigrated, withStore } from './open.ts'

/** Starts a walk over the retained event logs. A running server does the work, and readers see the old entries meanwhile. */
export const inboxRebuild = command({
  name: 'inbox rebuild',
  group: 'Keeping watch',
  summary: 'Derive the entries of all inboxes again',
  details:
    'For inboxes that lack entries or have wrong ones. The server, or its worker process, reads the retained event logs again;\n' +
    'entries keep their marks. May run beside a server.',
  examples: ['atrium inbox rebuild'],
  async run() {
    const { rebuildInboxes } = await import('../notifications/follow.ts')
    const realms = await withStore(async (store) => {
      await requireMigrated(store)
      return await rebuildInboxes(store)
    })
    const data = realms === 1 ? '1 data set' : `${realms} data sets`
    return {
      json: { data_sets: realms },
      text: `The inboxes of ${data} are being derived again by the running server.`,
    }
  },
})
