import { command } from './command.ts'
import { withServices } from './open.ts'
import { facts } from './print.ts'

/** Brings an archived board back; one that is not archived stays as it is. */
export const boardRestore = command({
  name: 'board restore',
  group: 'Whiteboard',
  summary: 'Bring an archived board back',
  argument: { shows: '<id>', does: 'the board (brd_…)' },
  examples: ['atrium board restore brd_01…'],
  async run(_given, id) {
    return await withServices(async (services) => {
      const { restoreBoard } = await import('../resources/boards/write.ts')
      const json = await restoreBoard(services, id)
      return { json, text: facts(json) }
    })
  },
})
