/** Files for an import: what each one is taken for, and what is said of one that cannot be used. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { bounded, lengthFaults } from '../../server/src/imports/bounds.ts'
import { DefinedFields } from '../../server/src/imports/defined-fields.ts'
import type { Note } from '../../server/src/imports/draft.ts'
import { People } from '../../server/src/imports/people.ts'
import { makePlan } from '../../server/src/imports/plan.ts'
import { known_priorities, known_statuses, leave_out } from '../../server/src/imports/vocabulary.ts'
import { task_priorities, task_statuses } from '../../server/src/resources/tasks/task.ts'
import type { Choices } from '../src/pages/work/import/choices.ts'
import { columnDefaults, defaultChoices, fieldKeyOf, guessMap, wordsOf } from '../src/pages/work/import/names.ts'
import { type Encoding, readFile, UnusableFile } from '../src/pages/work/import/read-file.ts'
import { reportCsv } from '../src/pages/work/import/report-csv.ts'
import { sourceOf } from '../src/pages/work/import/source-of.ts'

const fixtures = join(import.meta.dirname, '../../server/test/cli/fixtures')
const fileOf = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name)
const fixture = (name: string) => fileOf(name, new Uint8Array(readFileSync(join(fixtures, name))))

const linear = [
  'ID,Team,Title,Description,Status,Estimate,Priority,Project,Creator,Assignee,Labels,Cycle Name,Created,Completed,Due Date,Parent issue',
  'ENG-1,Engine,Start the engine,,In Progress,3,Urgent,,Ada,bo@acme.example,"cold, wet",Cycle 7,2026-03-01T18:04:05.000Z,,2026-04-01,',
  'ENG-2,Engine,Stop it,,Done,,No priority,Winter,Ada,,,,Tue Mar 03 2026 18:04:05 GMT+0100 (CET),2026-03-04T10:00:00.000Z,,ENG-1',
  'ENG-3,Engine,Think,,Shaping,,Low,,Ada,,,,,,,',
].join('\n')

async function planOf(file: File, change: Partial<Choices> = {}) {
  const read = await readFile(file, null)
  const choices = { ...defaultChoices(read, 'wsp_1', [], false), zone: 'UTC', ...change }
  const people = new People([], undefined)
  const fields = new DefinedFields([], people, () => true)
  const notes: Note[] = []
  const drafts: unknown[] = []
  const source = await sourceOf(read, choices)
  const plan = await makePlan(
    {
      ...{ source, people, fields, project: null },
      check(entry) {
        const checked = bounded(entry, choices.cut, lengthFaults)
        if (checked.draft !== null) drafts.push(checked.draft)
        return checked
      },
    },
    (note) => notes.push(note),
  )
  // biome-ignore lint/suspicious/noExplicitAny: drafts are compared field by field
  return { read, choices, plan, notes, drafts: drafts as any[] }
}

describe('files for an import', () => {
  it('are taken for what they are', async () => {
    const kinds = await Promise.all(
      [
        fixture('trello-board.json'),
        fixture('jira-cloud.csv'),
        fileOf('a.csv', linear),
        fileOf('b.csv', 'Name\nBread'),
      ].map(async (file) => (await readFile(file, null)).kind),
    )
    assert.deepEqual(kinds, ['trello', 'jira', 'linear', 'csv'])
  })

  it('that cannot be used are refused with what is wrong and where', async () => {
    const latin = new Uint8Array([...Buffer.from('Name\nCaf'), 0xe9, 10])
    const cases: [File, string, boolean][] = [
      [fileOf('a.csv', ''), '“a.csv” is empty.', false],
      [fileOf('a.csv', ' \n'), '“a.csv” holds only blank space.', false],
      [
        fileOf('plan.xlsx', 'PK\u0003\u0004…'),
        '“plan.xlsx” is a ZIP archive or a workbook. Export it as CSV, or unpack it first.',
        false,
      ],
      [
        fileOf('a.bin', 'ab\0c'),
        '“a.bin” is not a text: byte 3 is 0. If it is a text in UTF-16, choose that encoding.',
        true,
      ],
      [
        fileOf('a.csv', latin),
        'Line 2 of “a.csv” is not UTF-8: “Caf\uFFFD”. Choose the encoding that it was saved in.',
        true,
      ],
      [
        fileOf('a.json', '{"cards":[]}'),
        '“a.json” is not an export of a Trello board: it has no lists and cards.',
        false,
      ],
      [
        fileOf('a.csv', 'Name,Note\nBread,"rye\nCake,x\n'),
        '“a.csv” is damaged at line 2: a quote opens there and is never closed. There it reads “Bread,"rye”.',
        false,
      ],
      [fileOf('a.csv', 'Name,Note\n\n'), '“a.csv” has no rows below the names of its columns.', false],
      [
        fileOf('big.csv', new Uint8Array(32 * 1024 * 1024 + 1)),
        '“big.csv” has 32.0 MiB. This page reads files up to 32.0 MiB; the command “atrium import” reads larger ones.',
        false,
      ],
    ]
    for (const [file, message, isEncoding] of cases) {
      await assert.rejects(readFile(file, null), (error: unknown) => {
        assert.ok(error instanceof UnusableFile)
        assert.deepEqual([error.message, error.isEncoding], [message, isEncoding])
        return true
      })
    }
    await assert.rejects(readFile(fileOf('a.json', '{"lists": [] "cards": []}'), null), (error: unknown) => {
      assert.match(
        (error as Error).message,
        /^“a\.json” is not JSON: .+ There it reads “\{"lists": \[\] "cards": \[”\.$/,
      )
      return true
    })
  })

  it('are read in the encoding that their mark or a person names', async () => {
    const text = 'Name\nCafé\n'
    const utf16 = new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'))
    const latin = new Uint8Array(Buffer.from(text, 'latin1'))
    const cases: [Uint8Array<ArrayBuffer>, Encoding | null][] = [
      [utf16, null],
      [latin, 'windows-1252'],
      [new Uint8Array(Buffer.from(`\uFEFF${text}`)), null],
    ]
    for (const [bytes, encoding] of cases) {
      const { table } = await readFile(fileOf('a.csv', bytes), encoding)
      assert.deepEqual(
        table?.all.map(({ line, cells }) => [line, cells]),
        [[2, ['Café']]],
      )
    }
  })

  it('become the tasks that the choices make of them', async () => {
    const { plan, drafts, notes } = await planOf(fileOf('linear.csv', linear), { statuses: { Shaping: 'backlog' } })
    assert.deepEqual(
      notes.map(({ line, column }) => [line, column]),
      [[2, 'assignee']],
    )
    assert.deepEqual([...plan.projects.keys()], ['Engine', 'Winter'])
    assert.deepEqual([plan.tasks, plan.links], [3, 1])
    const [first, second] = drafts
    assert.deepEqual(first.fields, {
      title: 'Start the engine',
      status: 'in_progress',
      priority: 'urgent',
      due_at: Date.parse('2026-04-01T00:00Z') / 1000,
      labels: ['cold', 'wet'],
      custom_fields: { linear_key: 'ENG-1', linear_team: 'Engine', linear_estimate: 3, linear_cycle: 'Cycle 7' },
    })
    assert.deepEqual(
      [second.created, second.fields.completed_at, second.links],
      [
        Date.parse('2026-03-03T17:04:05Z') / 1000,
        Date.parse('2026-03-04T10:00Z') / 1000,
        [{ from: 'ENG-2', to: 'ENG-1', kind: 'relates_to' }],
      ],
    )
    const unmapped = await planOf(fileOf('linear.csv', linear))
    assert.deepEqual(
      unmapped.notes.filter(({ action }) => action === 'refused').map(({ line, reason }) => [line, reason]),
      [[4, 'Status is an unknown status: "Shaping"; choose its status under Statuses.']],
    )
  })

  it('go to the project, the column and the person that are chosen, without what is left out', async () => {
    const { plan, drafts, notes } = await planOf(fixture('trello-board.json'), {
      target: { kind: 'new', name: 'Shop' },
      columns: { Doing: 'Baking', Tasting: '' },
      people: { 'Ada Lovelace': '' },
      without: ['cost', 'phase'],
      archived: true,
    })
    assert.deepEqual(
      [...plan.projects.values()].map(({ name, columns }) => [name, [...columns.keys()]]),
      [['Shop', ['Ideas', 'Baking', 'Done']]],
    )
    const oven = drafts.find(({ fields }) => fields.title === 'Buy the oven')
    assert.deepEqual([oven.person, Object.keys(oven.fields.custom_fields).sort()], [[], ['approved', 'trello_url']])
    assert.ok(notes.some(({ reason }) => reason.startsWith('"Ada Lovelace" is mapped to no member')))
    assert.ok(!notes.some(({ column }) => column === 'closed'))
  })

  it('leave out the rows of a status that is to be left out, and note each once', async () => {
    const shaping = await planOf(fileOf('linear.csv', linear), { statuses: { Shaping: leave_out, Done: leave_out } })
    assert.equal(shaping.plan.tasks, 1)
    assert.deepEqual(
      shaping.notes
        .filter(({ line }) => line > 2)
        .map(({ line, column, action, reason }) => [line, column, action, reason]),
      [
        [3, null, 'left_out', 'Status is "Done", whose rows are left out as chosen.'],
        [4, null, 'left_out', 'Status is "Shaping", whose rows are left out as chosen.'],
      ],
    )
    const board = await planOf(fixture('trello-board.json'), { statuses: { Done: leave_out }, archived: true })
    const all = await planOf(fixture('trello-board.json'), { archived: true })
    const inDone = all.plan.projects.get('Launch the bakery')?.columns.has('Done')
    assert.deepEqual([inDone, board.plan.projects.get('Launch the bakery')?.columns.has('Done')], [true, false])
  })
})

describe('the defaults of an import', () => {
  it('know the columns of common lists by their names, each field once', () => {
    assert.deepEqual(guessMap(['Task', 'Name', 'State', 'Tags', 'Due', 'Owner', 'Weight']), {
      Name: 'title',
      State: 'status+column',
      Tags: 'labels',
      Due: 'due_at',
      Owner: 'assignee',
    })
  })

  it('take columns that the project has for names that differ in case and spaces', async () => {
    const read = await readFile(fixture('trello-board.json'), null)
    const words = wordsOf(read, { kind: 'trello', map: {}, archived: false })
    assert.deepEqual(columnDefaults(words, ['doing', 'Done', 'DO-ING']), { Doing: 'doing' })
  })

  it('make a key of a custom field of any name', () => {
    assert.deepEqual(
      ['Cost (€)', '2nd Größe', '重量'].map((name, at) => fieldKeyOf(name, at)),
      ['cost', 'nd_gro_e', 'field_3'],
    )
  })

  it('know every status and priority of a task', () => {
    assert.deepEqual([...known_statuses].sort(), [...task_statuses].sort())
    assert.deepEqual([...known_priorities].sort(), [...task_priorities].sort())
  })
})

it('the report of an import has a line for each task and each thing that was left out, by row', () => {
  const csv = reportCsv({
    arrived: [
      { line: 4, key: 'b', title: '=cake', task: 'BAK-2', outcome: 'there' },
      { line: 2, key: 'a', title: 'Bread, fresh', task: 'BAK-1', outcome: 'created' },
    ],
    notes: [{ line: 3, column: 'Status', key: 'c', action: 'refused', reason: 'Status is unknown.' }],
  })
  assert.deepEqual(csv.split('\r\n'), [
    'Row,Outcome,Column,Task,Title or reason',
    '2,Created,,BAK-1,"Bread, fresh"',
    '3,Row left out,Status,,Status is unknown.',
    "4,Already there,,BAK-2,'=cake",
  ])
})
