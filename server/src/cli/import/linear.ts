import { command } from '../command.ts'
import { advise, csvOptions, importOptions, readPair, runOptions, tableOf, wordOptions } from './options.ts'

/** Imports issues that Linear exported; a newer export adds the new ones. */
export const importLinear = command({
  name: 'import linear',
  group: 'Bringing data in',
  summary: "Import Linear's CSV export",
  details:
    'Each project of Linear becomes a project; issues without one go into a project with the name of their team. Each status\n' +
    'becomes a column; labels, priorities, dates and links are imported. Team, estimate, cycle, milestone, initiatives and\n' +
    'parent become custom fields (linear_…). The export has no comments and attachments.\n\n' +
    'Run it again, also with a newer export in the same file: it creates nothing twice. Exits with 1 if issues were refused.',
  argument: { shows: '<file>', does: 'CSV file that Linear exported.' },
  options: {
    ...wordOptions,
    priority: {
      shows: '<word=priority>',
      does: 'Priority for a word of the source; may be repeated.',
      many: true,
      read: readPair,
    },
    ...csvOptions,
    ...importOptions,
  },
  examples: [
    'atrium import linear issues.csv --workspace wsp_01… --dry-run',
    "atrium import linear issues.csv --workspace wsp_01… --status 'Shaping=backlog' --person ada=ada@acme.example",
  ],
  async run({ status, priority, delimiter, encoding, ...given }, file) {
    const { linearSource } = await import('../../imports/linear.ts')
    const { ofFile, openCsv } = await import('./csv-rows.ts')
    const { runImport } = await import('./run.ts')
    const form = { status: tableOf(status), priority: tableOf(priority), delimiter, encoding }
    const csv = await openCsv(file, form)
    const source = await ofFile(file, () => linearSource(csv, form, advise.words))
    return await runImport(source, runOptions(given, form))
  },
})
