import { command } from './command.ts'
import { withServices } from './open.ts'
import { facts } from './print.ts'

/** Names the room that a board had in an earlier system. */
export const boardSet = command({
  name: 'board set',
  group: 'Whiteboard',
  summary: 'Set the legacy room id of a board',
  details: 'The API also finds the board by this id, unless another board has the same one.',
  argument: { shows: '<id>', does: 'Id of the board (brd_…).' },
  options: { legacyRoomId: { shows: '<room>', does: 'Room id; "" for none.', required: true } },
  examples: ['atrium board set brd_01… --legacy-room-id room-42'],
  async run({ legacyRoomId }, id) {
    return await withServices(async (services) => {
      const { setBoard } = await import('../resources/boards/write.ts')
      const json = await setBoard(services, id, { legacy_room_id: legacyRoomId })
      return { json, text: facts(json) }
    })
  },
})
