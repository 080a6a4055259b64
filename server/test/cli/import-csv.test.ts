/** `atrium import csv`: files as programs and people really write them. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { addMember } from '../../src/resources/members/write.ts'
import { onOneEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { Client } from './client.ts'

const odd = [
  'Nr;Summary;State;Due;Tag;Tag;Who;Points;Note',
  '1;"Buy; ""good"" bread";Open;04.08.2026;food;food, shop;bo@acme.example;3,5;=SUM(A1:A9)',
  '2;"Two',
  'lines";In Dev;2026-08-05 09:30;;;Bo Berg;;+1',
  '',
  ';;;;;;;;',
  '3;Strange state;Limbo;;;;;;',
  '4;Two days;Open;3/4/2026;;;;;',
  '5;No day;Open;31.02.2026;;;;;',
  `6;${'x'.repeat(501)};Open;;;;;;`,
  '7;;Open;;;;;;',
  '8;Too many;Open;;a;b;c;4;e;f;g',
  '9;Unassigned;open;;;;Zoe;much;',
  '3;Twice the key;Open;;;;;;',
  '10;Last without end;done;24/Mar/26 10:02 AM;"a,b,a";;;;',
].join('\r\n')

const mapping = [
  ...['--map', 'key=Nr', '--map', 'title=Summary', '--map', 'status=State:In Dev=in_progress', '--map', 'due_at=Due'],
  ...['--map', 'labels=Tag', '--map', 'assignee=Who', '--map', 'custom_fields.points(number)=Points'],
  ...['--map', 'custom_fields.note=Note', '--time-zone', 'Europe/Berlin'],
]

const refusals = [
  [7, 'State', 'refused', /^State is an unknown status: "Limbo"; --map status=State:WORD=todo maps it\.$/],
  [8, 'Due', 'refused', /^Due can mean two days; give --date-order dmy or mdy\.$/],
  [9, 'Due', 'refused', /^Due is not a day of the calendar: "31\.02\.2026"\.$/],
  [10, 'title', 'refused', /^The field `title` must have at most 500 characters\.$/],
  [11, 'title', 'refused', /^The field `title` must have at least 1 character\.$/],
  [12, null, 'refused', /^The row has 11 cells, but the first line has 9; put a text with a delimiter in quotes\.$/],
  [13, 'Points', 'refused', /^Points is not a number: "much"\.$/],
  [14, 'Nr', 'refused', /^An earlier row has the key "3" too\.$/],
] as const

onOneEngine('atrium import csv', (engine) => {
  let world: World
  let client: Client
  let workspace: string
  let bo: string
  before(async () => {
    world = await openWorld(engine)
    client = Client.of(world)
    const member = { email: 'bo@acme.example', first_name: 'Bo', last_name: 'Berg' }
    bo = (await addMember(world.services, world.acme.id, member)).user
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
  })
  after(async () => {
    client.remove()
    await world.close()
  })

  const command = (file: string, ...more: string[]): string[] => [
    'import',
    'csv',
    file,
    '--workspace',
    workspace,
    ...more,
  ]
  const imported = async (id: string) => {
    const filter = encodeURIComponent(`custom_fields.import_id = "${id}"`)
    // biome-ignore lint/suspicious/noExplicitAny: tests read tasks of every shape
    return (await world.get(`/v1/tasks?workspace=${workspace}&limit=100&filter=${filter}`)).body.data.reverse() as any[]
  }

  it('a dry run shows exactly what would be created and refused, with lines, and writes nothing, here or on the server', async () => {
    const file = client.file('odd.csv', `\ufeff${odd}`)
    await world.markWritten()
    const { code, out, err } = await client.run([...command(file, ...mapping), '--dry-run', '--json'])
    assert.deepEqual([code, err], [1, ''])
    const plan = JSON.parse(out)
    assert.deepEqual(
      [plan.rows, plan.tasks, plan.refused, plan.left_out, plan.statuses],
      [11, 3, 8, 0, { todo: 1, in_progress: 1, done: 1 }],
    )
    for (const [i, [line, column, action, reason]] of refusals.entries()) {
      const note = plan.notes[i]
      assert.deepEqual([note.line, note.column, note.action], [line, column, action], JSON.stringify(note))
      assert.match(note.reason, reason)
    }
    assert.deepEqual([plan.notes.length, plan.report, plan.journal], [8, null, null])
    await world.assertWritten({ events: [], audit: [] })
    assert.ok(!existsSync(`${file}.report.csv`) && !existsSync(`${file}.atrium-import`))
  })

  it('makes of every usable row a task as it stands, formulas as texts, and reports the rest with line and column', async () => {
    const file = client.file('real.csv', `\ufeff${odd}`)
    const { code, out } = await client.run([
      ...command(file, ...mapping),
      '--json',
      '--report',
      join(client.folder, 'r.json'),
    ])
    const made = JSON.parse(out)
    assert.deepEqual([code, made.created.tasks, made.refused], [1, 3, 8])
    const [bread, lines, last] = await imported(made.import)
    const own = { import_id: made.import }
    assert.deepEqual(
      [bread.title, bread.status, bread.labels, bread.assignee, bread.custom_fields],
      [
        'Buy; "good" bread',
        'todo',
        ['food', 'shop'],
        bo,
        { points: 3.5, note: '=SUM(A1:A9)', ...own, import_row: '1' },
      ],
    )
    assert.equal(bread.due_at, Date.parse('2026-08-04T00:00+02:00') / 1000)
    assert.deepEqual([lines.title, lines.status, lines.assignee], ['Two\nlines', 'in_progress', bo])
    assert.equal(lines.due_at, Date.parse('2026-08-05T09:30+02:00') / 1000)
    assert.equal(lines.custom_fields.note, '+1')
    assert.deepEqual(
      [last.status, last.labels, last.due_at],
      ['done', ['a', 'b'], Date.parse('2026-03-24T10:02+01:00') / 1000],
    )
    const report = JSON.parse(client.read('r.json'))
    assert.deepEqual(
      report.map(({ line }: { line: number }) => line),
      refusals.map(([line]) => line),
    )
    assert.deepEqual(Object.keys(report[0]), ['line', 'column', 'key', 'action', 'reason'])
  })

  it('reads values as the custom fields that the workspace defines, and names each that does not fit before it writes', async () => {
    const { id } = await world.make('/v1/workspaces', { title: 'Typed' })
    const options = [
      { id: 'idea', name: 'Idea' },
      { id: 'live', name: 'Live, now' },
    ]
    for (const [key, type] of Object.entries({
      ...{ points: 'number', day: 'date', paid: 'checkbox', stage: 'select' },
      ...{ tags: 'multi_select', buyer: 'person', page: 'url', code: 'text' },
    })) {
      const own = type.endsWith('select') ? { options } : {}
      await world.make('/v1/custom_fields', { workspace: id, key, name: `The ${key}`, type, ...own })
    }
    const names = ['points', 'day', 'paid', 'stage', 'tags', 'buyer', 'page', 'code', 'free']
    const file = client.file(
      'typed.csv',
      [
        ['title', ...names].join(';'),
        'Fits;3,5;4/Aug/26;yes;LIVE, NOW;Idea, idea;bo@acme.example;https://acme.example/a;007;8',
        'By id;2;2026-02-28;no;idea;Live, now;Bo Berg;http://acme.example;x;y',
        'Empty;;;;;;;;;',
        'Number;many;;;;;;;;',
        'Day;;2026-02-30;;;;;;;',
        'Check;;;maybe;;;;;;',
        'Option;;;;Ideas;;;;;',
        'Options;;;;;Idea,Sold;;;;',
        'Person;;;;;;Zoe;;;',
        'Address;;;;;;;acme.example;;',
      ].join('\n'),
    )
    const map = ['title=title', ...names.map((name) => `custom_fields.${name}=${name}`)].flatMap((each) => [
      '--map',
      each,
    ])
    const typed = ['import', 'csv', file, '--workspace', id, ...map]
    await world.markWritten()
    const plan = JSON.parse((await client.run([...typed, '--dry-run', '--json'])).out)
    const listed = 'its options are Idea, Live, now.'
    assert.deepEqual(
      plan.notes.map(({ line, column, reason }: Record<string, unknown>) => [line, column, reason]),
      [
        [5, 'points', 'points is not a number: "many".'],
        [6, 'day', 'day is not a day of the calendar: "2026-02-30".'],
        [7, 'paid', 'paid is neither true nor false: "maybe".'],
        [8, 'stage', `stage is not an option of "The stage": "Ideas"; ${listed}`],
        [9, 'tags', `tags is not an option of "The tags": "Sold"; ${listed}`],
        [10, 'buyer', 'buyer names no active member: "Zoe"; name the member with --person \'Zoe=EMAIL\'.'],
        [11, 'page', 'page does not fit the field "The page": "acme.example".'],
      ],
    )
    await client.refused(...typed, '--strict')
    await world.assertWritten({ events: [], audit: [] })
    const { code, out } = await client.run([...typed, '--json'])
    assert.deepEqual([code, JSON.parse(out).refused], [1, 7])
    const { data } = (await world.get(`/v1/tasks?workspace=${id}&limit=100`)).body
    const values = data
      .reverse()
      .map(({ custom_fields: { import_id, import_row, ...own } }: { custom_fields: Record<string, unknown> }) => own)
    assert.deepEqual(values, [
      {
        ...{ points: 3.5, day: '2026-08-04', paid: true, stage: 'live', tags: ['idea'] },
        ...{ buyer: bo, page: 'https://acme.example/a', code: '007', free: '8' },
      },
      {
        ...{ points: 2, day: '2026-02-28', paid: false, stage: 'idea', tags: ['live'] },
        ...{ buyer: bo, page: 'http://acme.example', code: 'x', free: 'y' },
      },
      {},
    ])
  })

  it('makes nothing at all with --strict when a row is refused; cuts long texts with --cut', async () => {
    const file = client.file('strict.csv', `Name\nGood\n${'y'.repeat(600)}\n`)
    await world.markWritten()
    const strict = await client.refused(...command(file, '--map', 'title=Name', '--strict'))
    assert.match(strict.message, /^1 row would be refused, so nothing was written \(--strict\)\. See /)
    await world.assertWritten({ events: [], audit: [] })
    const cut = client.file('cut.csv', `Name\nGood\n${'y'.repeat(600)}\n`)
    const made = await client.json(...command(cut, '--map', 'title=Name', '--cut'))
    assert.deepEqual([made.created.tasks, made.refused, made.cut], [2, 0, 1])
    assert.equal((await imported(made.import))[1].title, 'y'.repeat(500))
  })

  it('reads tabs, pipes, old line ends, other encodings; refuses the line that is not UTF-8, and no other', async () => {
    const map = ['--map', 'title=Größe']
    const forms: [string, Buffer, string[]][] = [
      ['tab', Buffer.from('Nr\tGröße\r1\tgroß\r'), []],
      ['pipe', Buffer.from('Nr|Größe\n1|groß'), []],
      ['sep', Buffer.from('sep=|\nNr|Größe\n1|groß\n'), []],
      ['utf16', Buffer.from('\ufeffNr,Größe\r\n1,groß\r\n', 'utf16le'), []],
      ['latin', Buffer.from('Nr,Größe\n1,groß\n', 'latin1'), ['--encoding', 'windows-1252']],
    ]
    for (const [name, bytes, more] of forms) {
      const { import: id, created } = await client.json(...command(client.file(`${name}.csv`, bytes), ...map, ...more))
      assert.deepEqual([name, created.tasks, (await imported(id))[0].title], [name, 1, 'groß'])
    }
    const mixed = Buffer.concat([Buffer.from('Name\nfirst\n'), Buffer.from([0xfc, 0x0a]), Buffer.from('third\n')])
    const ran = await client.run([...command(client.file('mixed.csv', mixed), '--map', 'title=Name'), '--json'])
    const { created, notes } = JSON.parse(ran.out)
    assert.deepEqual([created.tasks, notes.length, notes[0].line, notes[0].column], [2, 1, 3, 'Name'])
  })

  it('uses existing projects and columns by name, or puts everything into one project', async () => {
    const project = (await world.make('/v1/projects', { workspace, name: 'Launch' })).id
    const column = (await world.make('/v1/columns', { workspace, project, name: 'Next' })).id
    const file = client.file('places.csv', 'Name,Project,List\nA,Launch,Next\nB,Launch,Later\nC,Other,Next\nD,,Next\n')
    const map = ['--map', 'title=Name', '--map', 'project=Project', '--map', 'column=List']
    const made = await client.json(...command(file, ...map))
    assert.deepEqual([made.created.projects, made.created.columns, made.left_out], [1, 2, 1])
    const [a, b, c, d] = await imported(made.import)
    assert.deepEqual([a.project, a.column, b.project], [project, column, project])
    assert.ok(c.project !== project && c.project !== null)
    assert.deepEqual([d.project, d.column], [null, null])
    const all = client.file('one.csv', 'Name,List\nA,Next\n')
    const into = await client.json(...command(all, '--map', 'title=Name', '--map', 'column=List', '--project', project))
    assert.deepEqual(
      [into.created.projects, into.created.columns, (await imported(into.import))[0].column],
      [0, 0, column],
    )
  })

  it('says what is wrong with the file or the map before anything is read', async () => {
    const file = client.file('wrong.csv', 'Name,State\nA,x\n')
    const wrong: [string[], number, RegExp][] = [
      [command(file), 2, /--map/],
      [command(file, '--map', 'titel=Name'), 2, /Did you mean title\?/],
      [command(file, '--map', 'title=Nmae'), 1, /no column "Nmae"\. Did you mean Name\?/],
      [command(file, '--map', 'status=State'), 1, /every task needs a title/],
      [command(file, '--map', 'title=Name', '--map', 'status=State:x'), 1, /must be WORD=WORD/],
      [command(file, '--map', 'title=Name', '--map', 'blocks=State'), 1, /Give --map key=COLUMN/],
      [command(file, '--map', 'title=Name', '--time-zone', 'Mars/Base'), 2, /time zone/],
      [command(join(client.folder, 'none.csv'), '--map', 'title=Name'), 1, /cannot be read/],
      [command(client.file('empty.csv', ''), '--map', 'title=Name'), 1, /is empty/],
      [command(client.file('open.csv', 'Name\nA\n"never closed\nB\n'), '--map', 'title=Name'), 1, /damaged at line 3/],
      [['import', 'csv', file, '--workspace', 'wsp_none', '--map', 'title=Name'], 3, /No such workspace/],
    ]
    await world.markWritten()
    for (const [words, code, message] of wrong) {
      const ran = await client.run([...words, '--json'])
      assert.deepEqual([ran.code, ran.out], [code, ''], `${words.join(' ')}: ${ran.err}`)
      assert.match(JSON.parse(ran.err).error.message, message)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('reads a large file without holding it: three times the memory that it may have', async () => {
    const line = `"${'lorem ipsum '.repeat(40)}",open\n`
    const file = client.file('large.csv', `Text,State\n${line.repeat(200_000)}`)
    const words = command(file, '--map', 'title=Text', '--map', 'status=State', '--dry-run', '--json')
    const { code, out } = await client.run(words, { environment: { NODE_OPTIONS: '--max-old-space-size=32' } })
    assert.deepEqual([code, JSON.parse(out).tasks], [0, 200_000])
  })
})
