import { command } from './command.ts'
import { csvOptions, dateOptions, importOptions, readPair, runOptions, tableOf, wordOptions } from './import/options.ts'

/** Imports issues that Jira exported; a newer export brings in what is new. */
export const importJira = command({
  name: 'import jira',
  group: 'Bringing data in',
  summary: "Import Jira's CSV export (all fields)",
  details:
    'Each project of Jira becomes a project, each status a column; comments, labels and links come along. Type, sprints,\n' +
    'components, versions, reporter and story points become custom fields (jira_…). Attachments, work logs and watchers\n' +
    'stay behind.\n\n' +
    'Dates are read as Jira writes them; --time-zone is that of the user who exported. Run again, also with a newer\n' +
    'export in the same file, it makes nothing twice. Exits with 1 when issues were refused.',
  argument: { shows: '<file>', does: 'the CSV file' },
  options: {
    ...wordOptions,
    priority: {
      shows: '<word=priority>',
      does: 'what a priority is here; may be repeated',
      many: true,
      read: readPair,
    },
    ...csvOptions,
    ...dateOptions,
    ...importOptions,
  },
  examples: [
    'atrium import jira issues.csv --workspace wsp_01… --dry-run',
    "atrium import jira issues.csv --workspace wsp_01… --status 'In UAT=in_review' --time-zone Europe/Berlin",
  ],
  async run({ status, priority, delimiter, encoding, dateOrder, timeZone = 'UTC', ...given }, file) {
    const { jiraSource } = await import('./import/source-jira.ts')
    const { runImport } = await import('./import/run.ts')
    const words = { status: tableOf(status), priority: tableOf(priority) }
    const form = { ...words, delimiter, encoding, dates: { order: dateOrder, zone: timeZone } }
    return await runImport(await jiraSource(file, form), runOptions(given, form))
  },
})
