import { command } from './command.ts'
import { importOptions, runOptions, tableOf, wordOptions } from './import/options.ts'

/** Imports a board that Trello exported; a newer export brings in what is new. */
export const importTrello = command({
  name: 'import trello',
  group: 'Bringing data in',
  summary: "Import a board from Trello's JSON export",
  details:
    'The board becomes a project, its lists become columns, its cards tasks. Checklists and links of attachments come\n' +
    'into the description, comments and custom fields along. A list whose name says so (Doing, Done …) sets the status;\n' +
    '--status says it of others. Archived cards stay behind, unless --archived import takes them.\n\n' +
    'Run again, also with a newer export in the same file, it makes nothing twice. Exits with 1 when cards were refused.',
  argument: { shows: '<file>', does: 'the JSON file' },
  options: {
    ...wordOptions,
    archived: {
      shows: '<what>',
      does: 'archived cards and lists: skip (default) or import',
      choices: ['skip', 'import'],
    },
    ...importOptions,
  },
  examples: [
    'atrium import trello board.json --workspace wsp_01… --dry-run',
    "atrium import trello board.json --workspace wsp_01… --status 'Shipping=in_review' --person ada=ada@acme.example",
  ],
  async run({ status, archived = 'skip', ...given }, file) {
    const { trelloSource } = await import('./import/source-trello.ts')
    const { runImport } = await import('./import/run.ts')
    const form = { status: tableOf(status), archived }
    return await runImport(await trelloSource(file, form), runOptions(given, form))
  },
})
