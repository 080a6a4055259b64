import { command } from '../command.ts'
import { readMap } from './field-map.ts'
import { advise, csvOptions, dateOptions, importOptions, runOptions } from './options.ts'

/** Creates a task for each row of a CSV file; running it again creates nothing twice. */
export const importCsv = command({
  name: 'import csv',
  group: 'Bringing data in',
  summary: 'Create a task for each row of a CSV file',
  details:
    'A field is one of title, description, status, priority, assignee, due_at, completed_at, labels, project, column,\n' +
    'comment, key, blocked_by, blocks or custom_fields.NAME. custom_fields.NAME(number), (boolean) and (list) set the type of\n' +
    'a field that the workspace does not define. A defined one has its own: numbers, days, checkboxes, options and people\n' +
    'by name; a value that does not fit refuses its row, before anything is written.\n' +
    'After a colon, words are mapped: status=State:Open=todo,Old=canceled,*=backlog, or @FILE with a pair on each line. A\n' +
    'missing project is created.\n\n' +
    'Run it again to continue after an interruption; it creates nothing twice. Exits with 1 if rows were refused.',
  argument: { shows: '<file>', does: 'CSV file; its first line names the columns.' },
  options: {
    map: {
      shows: '<field=column>',
      does: 'Column of a field; repeat it for each field.',
      required: true,
      many: true,
      read: readMap,
    },
    labelSeparator: { shows: '<text>', does: 'Separator of the labels in a cell; a comma by default.' },
    ...csvOptions,
    ...dateOptions,
    ...importOptions,
  },
  examples: [
    'atrium import csv tasks.csv --workspace wsp_01… --map title=Summary --map status=State:Open=todo --dry-run',
    "atrium import csv tasks.csv --workspace wsp_01… --map title=Name --map 'due_at=Due date' --date-order dmy",
  ],
  async run({ map, labelSeparator = ',', delimiter, encoding, dateOrder, timeZone = 'UTC', ...given }, file) {
    const { csvSource } = await import('../../imports/csv-entry.ts')
    const { openCsv } = await import('./csv-rows.ts')
    const { placesIn } = await import('./field-map.ts')
    const { runImport } = await import('./run.ts')
    const dates = { order: dateOrder, zone: timeZone }
    const form = { map, separator: labelSeparator, delimiter, encoding, dates }
    const csv = await openCsv(file, form)
    const places = placesIn(csv.header, map)
    return await runImport(
      csvSource(csv, { places, dates, separator: labelSeparator }, advise.csv),
      runOptions(given, form),
    )
  },
})
