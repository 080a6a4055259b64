import { command } from './command.ts'
import { withServices } from './open.ts'
import { facts } from './print.ts'

/** Restores an archived board; any other stays as it is. */
export const boardRestore = command({
  name: 'board restore',
  group: 'Whiteboard',
  summary: 'Restore an archived board',
  argument: { shows: '<id>', does: 'Id of the board (brd_…).' },
  examples: ['atrium board restore brd_01…'],
  async run(_given, id) {
    return await withServices(async (services) => {
      const { restoreBoard } = await import('../resources/boards/write.ts')
      const json = await restoreBoard(services, id)
      return { json, text: facts(json) }
    })
  },
})
