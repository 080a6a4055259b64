import { readFileSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { limits } from '../api/limits.ts'
import { command, Failure, UsageError } from './command.ts'
import { realmOf, withServices } from './open.ts'
import { modeOption, organizationOption, text } from './options.ts'
import { facts } from './print.ts'

/** Publishes a drawing as the next snapshot of an existing or a new board. */
export const boardImport = command({
  name: 'board import',
  group: 'Whiteboard',
  summary: 'Publish an Excalidraw file on a board',
  details:
    'Without --board, creates a board named by --name or after the file. Items that are already published are not\n' +
    'published again. A damaged file is refused as a whole; the error names the place of the damage.',
  argument: { shows: '<file>', does: 'The drawing (.excalidraw).' },
  options: {
    organization: organizationOption,
    board: { shows: '<id>', does: 'Board to publish on, by its id or legacy room id.' },
    name: { shows: '<name>', does: 'Name of the new board.', read: text(limits.title_chars_max) },
    legacyRoomId: { shows: '<room>', does: 'Legacy room id of the board; "" for none.' },
    mode: modeOption,
  },
  examples: [
    'atrium board import plan.excalidraw --organization org_01… --name Plan',
    'atrium board import plan.excalidraw --organization org_01… --board brd_01…',
  ],
  async run({ organization, board, name, legacyRoomId, mode }, path) {
    if (board !== undefined && name !== undefined) {
      throw new UsageError('Give --board for an existing board, or --name for a new one.', 'name')
    }
    const file = readDrawingFile(path)
    return await withServices(async (services) => {
      const { importBoard } = await import('../resources/board_items/import.ts')
      const json = await importBoard(services, {
        organization,
        ...(await realmOf(services, organization, mode)),
        file,
        ...(board === undefined ? { name: name ?? nameOf(path) } : { board }),
        ...(legacyRoomId === undefined ? {} : { legacy_room_id: legacyRoomId }),
      })
      return { json, text: facts(json) }
    })
  },
})

/** The file's bytes. One that is over the limit is not read into memory first. */
function readDrawingFile(path: string): Uint8Array {
  try {
    if (statSync(path).size > limits.board_import_bytes_max) {
      throw new Failure(`${path} has more than ${limits.board_import_bytes_max} bytes, the limit of an import.`)
    }
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${path} cannot be read: ${(error as Error).message}.`)
  }
}

function nameOf(path: string): string {
  return [...basename(path, extname(path))].slice(0, limits.title_chars_max).join('') || 'Board'
}
