/** `atrium import jira`, `linear` and `trello`: their own exports, as they write them. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { addMember } from '../../src/resources/members/write.ts'
import { onOneEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { Client, fixture } from './client.ts'

onOneEngine('atrium import', (engine) => {
  let world: World
  let client: Client
  let bo: string
  let ada: string
  before(async () => {
    world = await openWorld(engine)
    client = Client.of(world)
    const people = [{ email: 'bo@acme.example', first_name: 'Bo', last_name: 'Berg' }, { email: 'al@acme.example' }]
    const [first, second] = await Promise.all(people.map((each) => addMember(world.services, world.acme.id, each)))
    ;[bo, ada] = [first?.user as string, second?.user as string]
  })
  after(async () => {
    client.remove()
    await world.close()
  })

  const workspaceOf = async (title: string): Promise<string> => (await world.make('/v1/workspaces', { title })).id
  // biome-ignore lint/suspicious/noExplicitAny: tests read objects of every shape
  const list = async (path: string): Promise<any[]> =>
    (await world.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`)).body.data.reverse()
  const names = (objects: { name: string }[]) => objects.map(({ name }) => name)

  it('jira: issues with their project, statuses, people, comments, links and fields; a newer export adds what is new', async () => {
    const workspace = await workspaceOf('Jira')
    const file = client.file('jira.csv', fixture('jira-cloud.csv'))
    const words = [
      'import',
      'jira',
      file,
      '--workspace',
      workspace,
      '--person',
      'Ada Lovelace=al@acme.example',
      '--time-zone',
      'Europe/Berlin',
    ]
    const first = await client.run([...words, '--json'])
    const made = JSON.parse(first.out)
    assert.deepEqual(
      [first.code, made.created],
      [1, { projects: 1, columns: 4, tasks: 4, comments: 2, dependencies: 4 }],
    )
    assert.deepEqual(
      made.notes.map(({ line, column, key, action }: Record<string, unknown>) => [line, column, key, action]),
      [
        [9, 'assignee', 'SHOP-3', 'left_out'],
        [11, 'Status', 'OPS-7', 'refused'],
        [12, 'title', 'SHOP-5', 'refused'],
        [10, 'links', 'SHOP-4', 'left_out'],
        [10, 'links', 'SHOP-4', 'left_out'],
      ],
    )
    const [project] = await list(`/v1/projects?workspace=${workspace}`)
    assert.equal(project.name, 'Web shop')
    assert.deepEqual(names(await list(`/v1/columns?project=${project.id}`)), [
      'In Progress',
      'Selected for Development',
      'Weird state',
      'Done',
    ])
    const [epic, card, tests, formula] = await list(`/v1/tasks?workspace=${workspace}`)
    assert.deepEqual([epic.status, card.status, tests.status, formula.status], ['in_progress', 'todo', 'todo', 'done'])
    assert.deepEqual(
      [epic.priority, card.priority, tests.priority, formula.priority],
      ['high', 'urgent', 'low', 'medium'],
    )
    assert.deepEqual([epic.assignee, card.assignee, tests.assignee, formula.assignee], [ada, bo, null, ada])
    assert.deepEqual([card.labels, card.due_at], [['payment', 'backend'], Date.parse('2026-12-31T00:00+01:00') / 1000])
    assert.match(card.description, /^h2\. Why\n\nCustomers ask for it; "card first" they say\.\n/)
    const { import_id, ...fields } = card.custom_fields
    assert.equal(import_id, made.import)
    assert.deepEqual(fields, {
      jira_key: 'SHOP-2',
      jira_type: 'Story',
      jira_reporter: 'Ada Lovelace',
      jira_created: '2026-03-24T09:15:00.000Z',
      jira_parent: 'SHOP-1',
      jira_epic: 'SHOP-1',
      jira_components: ['Payments', 'Backend'],
      jira_fix_versions: ['1.0'],
      jira_sprints: ['Sprint 12', 'Sprint 13'],
      jira_story_points: 5,
      import_row: 'SHOP-2',
    })
    assert.deepEqual(
      [formula.title, formula.completed_at],
      [`=cmd|'/c calc'!A1`, Date.parse('2026-03-25T12:05+01:00') / 1000],
    )
    assert.deepEqual([card.created, card.creator], [Date.parse('2026-03-24T09:15Z') / 1000, { type: 'user', id: ada }])
    const comments = await list(`/v1/tasks/${card.id}/comments`)
    const service_user = comments[0].author.id
    assert.deepEqual(
      comments.map(({ body, created, author }) => [body, new Date(created * 1000).toISOString(), author]),
      [
        [
          'Grace Hopper, 2026-03-24 10:00 UTC:\n\nWhich provider? Semicolons; too.',
          '2026-03-24T10:00:00.000Z',
          { type: 'service_user', id: service_user },
        ],
        ['The one\nwith two lines.', '2026-03-25T08:30:00.000Z', { type: 'user', id: ada }],
      ],
      'a member is the author, of others the text says who wrote it',
    )
    const links = (
      await Promise.all([epic, card, tests, formula].map(({ id }) => list(`/v1/tasks/${id}/dependencies`)))
    ).flat()
    assert.deepEqual(
      new Set(links.map(({ from, to, kind }) => `${from} ${kind} ${to}`)),
      new Set([
        `${card.id} blocks ${formula.id}`,
        `${card.id} blocks ${tests.id}`,
        `${card.id} relates_to ${epic.id}`,
        `${tests.id} relates_to ${card.id}`,
      ]),
    )

    client.file('jira.csv', fixture('jira-cloud.csv').toString().replace('\n,SHOP-5,', '\nName it,SHOP-5,'))
    const second = JSON.parse((await client.run([...words, '--json'])).out)
    assert.deepEqual(second.created, { projects: 0, columns: 1, tasks: 1, comments: 0, dependencies: 1 })
    assert.deepEqual([second.created_before, second.refused], [4, 1])
    await finds(workspace, words, file)
  })

  /** The same export without its journal, then with a changed row, then with a key of few rights. */
  const finds = async (workspace: string, words: string[], file: string): Promise<void> => {
    const counted = async () => (await list(`/v1/tasks?workspace=${workspace}`)).length
    const tasks = await counted()
    await world.markWritten()
    const elsewhere = JSON.parse((await client.run([...words, '--state', `${file}.elsewhere`, '--json'])).out)
    assert.deepEqual([elsewhere.created.tasks, elsewhere.created.comments, elsewhere.created_before], [0, 0, tasks])
    assert.deepEqual([elsewhere.changed, await counted()], [0, tasks])
    const before = client.read('jira.csv')
    client.file('jira.csv', before.replace('h2. Why', 'h2. Why not'))
    for (const state of [`${file}.atrium-import`, `${file}.third`]) {
      const { changed, created, notes } = JSON.parse((await client.run([...words, '--state', state, '--json'])).out)
      assert.deepEqual([changed, created.tasks], [1, 0])
      const { key, reason } = notes.find((note: { action: string }) => note.action === 'changed')
      assert.equal(key, 'SHOP-2')
      assert.match(reason, /^The row has changed since it was imported as \S+\. The task was not changed\.$/)
    }
    assert.equal(await counted(), tasks)
  }

  it('leaves times and authors out with a key that may not set them, and says so', async () => {
    const scopes = ['api:read', 'workspaces:read', 'projects:read', 'projects:write', 'tasks:read', 'tasks:write']
    const { secret } = await world.make('/v1/api_keys', {
      name: 'Few',
      scopes: [...scopes, 'comments:read', 'comments:write'],
    })
    const workspace = await workspaceOf('Few')
    const file = client.file('few.csv', fixture('jira-cloud.csv'))
    const words = ['import', 'jira', file, '--workspace', workspace, '--time-zone', 'Europe/Berlin']
    const { out } = await client.run(words, { environment: { ATRIUM_KEY: secret } })
    assert.match(out, /^Creation times and authors were left out: the key lacks the scope api:manage\.$/m)
    const tasks = await list(`/v1/tasks?workspace=${workspace}`)
    assert.ok(tasks.length === 4 && tasks.every(({ created }) => created > Date.parse('2026-04-01') / 1000))
  })

  it('trello: lists in their order as columns, cards with checklists, labels, members, due dates and comments', async () => {
    const workspace = await workspaceOf('Trello')
    const file = client.file('board.json', fixture('trello-board.json'))
    const words = [
      'import',
      'trello',
      file,
      '--workspace',
      workspace,
      '--person',
      'adalovelace=al@acme.example',
      '--json',
    ]
    const plan = JSON.parse((await client.run([...words, '--dry-run'])).out)
    assert.deepEqual(
      [plan.tasks, plan.projects],
      [4, [{ name: 'Launch the bakery', columns: ['Ideas', 'Doing', 'Tasting', 'Done'] }]],
    )
    assert.deepEqual(await list(`/v1/tasks?workspace=${workspace}`), [])
    const ran = await client.run(words)
    const made = JSON.parse(ran.out)
    assert.deepEqual(
      [ran.code, made.created, made.refused, made.left_out],
      [1, { projects: 1, columns: 4, tasks: 4, comments: 2, dependencies: 0 }, 1, 2],
    )
    assert.deepEqual(
      made.notes.map(({ line, column, action }: Record<string, unknown>) => [line, column, action]),
      [
        [4, 'closed', 'left_out'],
        [5, 'title', 'refused'],
        [1, 'idMembers', 'left_out'],
      ],
    )
    const [name, oven, bread, lease] = await list(`/v1/tasks?workspace=${workspace}`)
    assert.deepEqual(
      [name.title, oven.title, bread.title, lease.title],
      ['Find a name', 'Buy the oven', 'Try the sourdough', 'Sign the lease'],
    )
    assert.deepEqual([name.status, oven.status, bread.status, lease.status], ['done', 'in_progress', 'todo', 'done'])
    assert.deepEqual([oven.assignee, bread.assignee, oven.due_at], [ada, bo, Date.parse('2026-09-01T10:00Z') / 1000])
    assert.deepEqual(oven.labels, ['urgent', 'green'])
    const { import_id: _, ...fields } = oven.custom_fields
    assert.deepEqual(fields, {
      cost: 1200.5,
      phase: 'Before opening',
      approved: true,
      trello_url: 'https://trello.com/c/DrXnHrWo',
      import_row: 'card-oven',
    })
    assert.equal(
      oven.description,
      'Gas or electric?\n\n**Before we buy**\n- [x] Measure the door\n- [ ] Ask the landlord\n\n**Attachments**\n' +
        '- [offer.pdf](https://trello.com/1/cards/card-oven/attachments/att-1/download/offer.pdf)',
    )
    assert.deepEqual(
      (await list(`/v1/tasks/${oven.id}/comments`)).map(({ body, author }) => [body, author.id]),
      [
        ['The gas pipe ends next door.', ada],
        ['Electric, then.', bo],
      ],
    )
  })

  it('trello: archived cards when asked for, statuses of lists as given by the options', async () => {
    const workspace = await workspaceOf('Archive')
    const file = client.file('archive.json', fixture('trello-board.json'))
    const words = [
      'import',
      'trello',
      file,
      '--workspace',
      workspace,
      '--archived',
      'import',
      '--status',
      'Tasting=in_review',
      '--json',
    ]
    const made = JSON.parse((await client.run(words)).out)
    assert.equal(made.created.tasks, 5)
    const tasks = await list(`/v1/tasks?workspace=${workspace}`)
    const found = (title: string) => tasks.find((each) => each.title === title)
    assert.deepEqual([found('Sell ice cream').status, found('Sell ice cream').labels], ['canceled', ['archived']])
    assert.equal(found('Try the sourdough').status, 'in_review')
  })

  it('linear: issues with project, status, priority, people, dates, fields and links, once', async () => {
    const workspace = await workspaceOf('Linear')
    const rows = [
      'ID,Team,Title,Status,Estimate,Priority,Project,Assignee,Labels,Cycle Name,Created,Completed,Due Date,Parent issue',
      'ENG-1,Engine,Start it,In Progress,3,Urgent,,bo@acme.example,"cold, wet",Cycle 7,2026-03-01T18:04:05.000Z,,2026-04-01,',
      'ENG-2,Engine,Stop it,Done,,No priority,,,,,Sun Mar 01 2026 19:04:05 GMT+0100 (CET),2026-03-02T10:00:00.000Z,,ENG-1',
      'ENG-3,Engine,Think,Shaping,,Low,,,,,,,,',
    ]
    const file = client.file('linear.csv', `${rows.join('\n')}\n`)
    const words = ['import', 'linear', file, '--workspace', workspace, '--json']
    const ran = await client.run(words)
    const made = JSON.parse(ran.out)
    assert.deepEqual([ran.code, made.created], [1, { projects: 1, columns: 2, tasks: 2, comments: 0, dependencies: 1 }])
    assert.deepEqual(
      made.notes.map(({ line, reason }: Record<string, unknown>) => [line, reason]),
      [[4, `Status is an unknown status: "Shaping"; map it with --status 'Shaping=in_progress'.`]],
    )
    const [first, second] = await list(`/v1/tasks?workspace=${workspace}`)
    const { import_id: _, ...fields } = first.custom_fields
    assert.deepEqual(
      [first.title, first.status, first.priority, first.assignee, first.labels, first.created],
      ['Start it', 'in_progress', 'urgent', bo, ['cold', 'wet'], Date.parse('2026-03-01T18:04:05Z') / 1000],
    )
    assert.deepEqual(fields, {
      linear_key: 'ENG-1',
      linear_team: 'Engine',
      linear_estimate: 3,
      linear_cycle: 'Cycle 7',
      import_row: 'ENG-1',
    })
    assert.deepEqual(
      [second.created, second.completed_at],
      [Date.parse('2026-03-01T18:04:05Z') / 1000, Date.parse('2026-03-02T10:00Z') / 1000],
    )
    const { created } = JSON.parse(
      (await client.run([...words, '--status', 'Shaping=backlog', '--state', `${file}.2`])).out,
    )
    assert.deepEqual([created.tasks, (await list(`/v1/tasks?workspace=${workspace}`)).length], [1, 3])
  })

  it('refuses files that Jira, Linear or Trello did not export', async () => {
    const workspace = await workspaceOf('Wrong')
    const wrong: [string, string, string, RegExp][] = [
      ['jira', 'a.csv', 'Name,State\nx,y\n', /not an export of Jira: it has no column "Summary"/],
      ['jira', 'b.csv', 'Summary,State\nx,y\n', /not an export of Jira: it has no column "Issue key"/],
      ['linear', 'l.csv', 'ID,Title\nx,y\n', /not an export of Linear: it has no column "Status"/],
      ['trello', 'a.json', '{"cards":[]}', /not an export of a Trello board/],
      ['trello', 'b.json', '{"cards":', /is not JSON/],
    ]
    for (const [kind, name, text, message] of wrong) {
      const refused = await client.refused('import', kind, client.file(name, text), '--workspace', workspace)
      assert.match(refused.message, message)
    }
  })
})
