import { command } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { advise, attachmentOptions, importOptions, runOptions, tableOf, wordOptions } from './options.ts'

/** Imports a board that Trello exported; a newer export adds the new cards. */
export const importTrello = command({
  name: 'import trello',
  group: 'Bringing data in',
  summary: "Import a board from Trello's JSON export",
  details:
    'The board becomes a project, its lists become columns, its cards tasks. Checklists and links of attachments become\n' +
    'part of the description; with --attachments their files are attached. Comments and custom fields are imported. Known names of lists (Doing, Done …) set the\n' +
    'status; --status maps others. Archived cards are skipped without --archived import.\n\n' +
    'Run it again, also with a newer export in the same file: it creates nothing twice. Exits with 1 if cards were refused.',
  argument: { shows: '<file>', does: 'JSON file that Trello exported.' },
  options: {
    ...wordOptions,
    archived: {
      shows: '<what>',
      does: 'What to do with archived cards and lists: skip (default) or import.',
      choices: ['skip', 'import'],
    },
    ...attachmentOptions,
    ...importOptions,
  },
  examples: [
    'atrium import trello board.json --workspace wsp_01… --dry-run',
    "atrium import trello board.json --workspace wsp_01… --status 'Shipping=in_review' --person ada=ada@acme.example",
  ],
  async run({ status, archived = 'skip', ...given }, file) {
    const hasAttachments = given.attachments !== undefined
    const { readTrelloBoard, trelloSource } = await import('../../imports/trello.ts')
    const { readText } = await import('../client/read-in.ts')
    const { ofFile } = await import('./csv-rows.ts')
    const { runImport } = await import('./run.ts')
    const form = { status: tableOf(status), archived }
    const text = await readText(file, cli_limits.import_json_bytes_max)
    const board = await ofFile(file, () => readTrelloBoard(file, text))
    return await runImport(
      trelloSource(board, { ...form, archived, hasAttachments }, advise.words),
      runOptions(given, form),
    )
  },
})
