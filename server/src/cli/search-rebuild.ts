import { command } from './command.ts'
import { requireMigrated, withStore } from './open.ts'

/** Starts the index of search again from the objects. A running server does the work, and searches use the old index meanwhile. */
export const searchRebuild = command({
  name: 'search rebuild',
  group: 'Keeping watch',
  summary: 'Build the index of search again',
  details:
    'For an index that does not find what it should. The server, or its worker process, writes every object again while\n' +
    "searches go on with what is there; 'atrium doctor' shows how far it is. May run beside a server.",
  examples: ['atrium search rebuild'],
  async run() {
    const { rebuildAll } = await import('../search/follow.ts')
    const realms = await withStore(async (store) => {
      await requireMigrated(store)
      return await rebuildAll(store)
    })
    const data = realms === 1 ? '1 data set' : `${realms} data sets`
    return { json: { data_sets: realms }, text: `The index of ${data} is being built again by the running server.` }
  },
})
