import { command } from '../command.ts'
import {
  advise,
  attachmentOptions,
  csvOptions,
  dateOptions,
  importOptions,
  readPair,
  runOptions,
  tableOf,
  wordOptions,
} from './options.ts'

/** Imports issues that Jira exported; a newer export adds the new ones. */
export const importJira = command({
  name: 'import jira',
  group: 'Bringing data in',
  summary: "Import Jira's CSV export (all fields)",
  details:
    'Each project of Jira becomes a project, each status a column; comments, labels and links are imported. Type, sprints,\n' +
    'components, versions, reporter and story points become custom fields (jira_…). Links of attachments become part of the description;\n' +
    'with --attachments their files are attached. Work logs and watchers are not imported.\n\n' +
    '--time-zone is the time zone of the user who exported. Run it again, also with a newer export in the same file: it\n' +
    'creates nothing twice. Exits with 1 if issues were refused.',
  argument: { shows: '<file>', does: 'CSV file that Jira exported.' },
  options: {
    ...wordOptions,
    priority: {
      shows: '<word=priority>',
      does: 'Priority for a word of the source; may be repeated.',
      many: true,
      read: readPair,
    },
    ...csvOptions,
    ...dateOptions,
    ...attachmentOptions,
    ...importOptions,
  },
  examples: [
    'atrium import jira issues.csv --workspace wsp_01… --dry-run',
    "atrium import jira issues.csv --workspace wsp_01… --status 'In UAT=in_review' --time-zone Europe/Berlin",
  ],
  async run({ status, priority, delimiter, encoding, dateOrder, timeZone = 'UTC', ...given }, file) {
    const { jiraSource } = await import('../../imports/jira.ts')
    const { ofFile, openCsv } = await import('./csv-rows.ts')
    const { runImport } = await import('./run.ts')
    const words = { status: tableOf(status), priority: tableOf(priority) }
    const form = { ...words, delimiter, encoding, dates: { order: dateOrder, zone: timeZone } }
    const csv = await openCsv(file, form)
    const source = await ofFile(file, () =>
      jiraSource(csv, { ...form, hasAttachments: given.attachments !== undefined }, advise.words),
    )
    return await runImport(source, runOptions(given, form))
  },
})
