import { command } from './command.ts'
import { readMap } from './import/field-map.ts'
import { csvOptions, dateOptions, importOptions, runOptions } from './import/options.ts'

/** Makes a task of every row of a CSV file; run again, it makes nothing twice. */
export const importCsv = command({
  name: 'import csv',
  group: 'Bringing data in',
  summary: 'Make tasks of the rows of a CSV file',
  details:
    'A field is one of title, description, status, priority, assignee, due_at, completed_at, labels, project, column,\n' +
    'comment, key, blocked_by, blocks or custom_fields.NAME; custom_fields.NAME(number), (boolean) and (list) are read as\n' +
    'such. Behind a colon stands what words become: status=State:Open=todo,Old=canceled,*=backlog, or @FILE with such a\n' +
    'pair on each line. A project that is not there is made.\n\n' +
    'Run again after an interruption it goes on; run once more it makes nothing twice. Exits with 1 when rows were refused.',
  argument: { shows: '<file>', does: 'the CSV file; its first line names the columns' },
  options: {
    map: {
      shows: '<field=column>',
      does: 'where a field comes from; repeated',
      required: true,
      many: true,
      read: readMap,
    },
    labelSeparator: { shows: '<text>', does: 'between the labels of a cell; a comma by default' },
    ...csvOptions,
    ...dateOptions,
    ...importOptions,
  },
  examples: [
    'atrium import csv tasks.csv --workspace wsp_01… --map title=Summary --map status=State:Open=todo --dry-run',
    "atrium import csv tasks.csv --workspace wsp_01… --map title=Name --map 'due_at=Due date' --date-order dmy",
  ],
  async run({ map, labelSeparator = ',', delimiter, encoding, dateOrder, timeZone = 'UTC', ...given }, file) {
    const { csvSource } = await import('./import/source-csv.ts')
    const { runImport } = await import('./import/run.ts')
    const dates = { order: dateOrder, zone: timeZone }
    const form = { map, separator: labelSeparator, delimiter, encoding, dates }
    return await runImport(await csvSource(file, form), runOptions(given, form))
  },
})
