/** Attachments of imports: their files come from a folder, once, and what has no file keeps its link. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { onOneEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { Client } from './client.ts'

const url = (id: string, name: string) => `https://files.example/attachment/content/${id}/${name}`

/** A board of two cards. */
function board(): string {
  const upload = (id: string, name: string) => ({ id, name, url: url(id, name), isUpload: true })
  const cards = [
    {
      id: '5f58c9c553d5e50e89e24301',
      name: 'Oven',
      idList: 'l1',
      attachments: [
        upload('a1', 'offer.pdf'),
        upload('a2', 'photo.png'),
        upload('a3', '../outside.txt'),
        upload('a4', 'lost [1].txt'),
        { id: 'a5', name: 'Shop', url: 'https://shop.example/', isUpload: false },
      ],
    },
    { id: '5f58c9c553d5e50e89e24302', name: 'Door', idList: 'l1', attachments: [upload('a6', 'photo.png')] },
  ]
  return JSON.stringify({ name: 'Kitchen', lists: [{ id: 'l1', name: 'Doing' }], cards })
}

const jira = `Summary,Issue key,Status,Attachment,Attachment
Pay,SHOP-1,To Do,24/Mar/26 10:02 AM;ada;a;b.txt;https://files.example/secure/attachment/10001/b.txt,24/Mar/26 10:03 AM;ada;c.txt;https://files.example/secure/attachment/10002/c.txt
Ship,SHOP-2,To Do,,
`

onOneEngine('attachments of an import', (engine) => {
  let world: World
  let client: Client
  let folder: string
  before(async () => {
    world = await openWorld(engine)
    client = Client.of(world)
    folder = join(client.folder, 'attachments')
    mkdirSync(join(folder, '5f58c9c553d5e50e89e24301'), { recursive: true })
    mkdirSync(join(folder, 'a6'))
    writeFileSync(join(folder, '5f58c9c553d5e50e89e24301', 'offer.pdf'), '%PDF-1.7 offer')
    // Two attachments have this name, so the name alone says nothing.
    writeFileSync(join(folder, 'photo.png'), 'whose?')
    writeFileSync(join(folder, 'a6', 'photo.png'), 'of the door')
    writeFileSync(join(client.folder, 'outside.txt'), 'not an attachment')
    writeFileSync(join(folder, '10001'), 'first')
    writeFileSync(join(folder, 'c.txt'), 'second')
  })
  after(async () => {
    client.remove()
    await world.close()
  })

  const tasksOf = async (workspace: string) => (await world.get(`/v1/tasks?workspace=${workspace}`)).body.data.reverse()
  const contentsOf = async (task: { attachments: string[] }): Promise<[string, string][]> =>
    await Promise.all(
      task.attachments.map(async (id) => {
        const { body } = await world.get(`/v1/files/${id}`)
        const read = await world.get(body.url.slice(world.server.url.length), { key: null })
        return [body.name, read.text] as [string, string]
      }),
    )
  const filesOf = async (workspace: string) => (await world.get(`/v1/files?workspace=${workspace}`)).body.data.length

  it('are files of their task, once, whatever run brings them; the others keep their links and are reported', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Trello' })).id
    const file = client.file('board.json', board())
    const words = ['import', 'trello', file, '--workspace', workspace, '--json']
    const plan = JSON.parse((await client.run([...words, '--attachments', folder, '--dry-run'])).out)
    assert.deepEqual([plan.files, plan.files_missing, await filesOf(workspace)], [2, 3, 0])

    const first = JSON.parse((await client.run([...words, '--attachments', folder])).out)
    assert.deepEqual([first.created.tasks, first.created.files, first.left_out], [2, 2, 3])
    const [oven, door] = await tasksOf(workspace)
    assert.deepEqual(await contentsOf(oven), [['offer.pdf', '%PDF-1.7 offer']])
    assert.deepEqual(await contentsOf(door), [['photo.png', 'of the door']])
    const reasons = first.notes.map(({ column, reason }: { column: string; reason: string }) => [column, reason])
    assert.deepEqual(
      reasons,
      ['photo.png', '../outside.txt', 'lost [1].txt'].map((name) => [
        'attachments',
        `"${name}" is not in ${folder}. The description has its link.`,
      ]),
    )
    assert.equal(
      oven.description,
      [
        '**Attachments**',
        `- [offer.pdf](${url('a1', 'offer.pdf')})`,
        `- [photo.png](${url('a2', 'photo.png')})`,
        `- [../outside.txt](${url('a3', '../outside.txt')})`,
        `- [lost \\[1\\].txt](${url('a4', 'lost%20[1].txt')})`,
        '- [Shop](https://shop.example/)',
      ].join('\n'),
    )

    for (const more of [[], ['--state', `${file}.elsewhere`]]) {
      const again = JSON.parse((await client.run([...words, '--attachments', folder, ...more])).out)
      assert.equal(again.created.files, 0)
    }
    const tasks = await tasksOf(workspace)
    assert.deepEqual([tasks.length, tasks[0].attachments, await filesOf(workspace)], [2, oven.attachments, 2])

    writeFileSync(join(folder, '5f58c9c553d5e50e89e24301', 'photo.png'), 'of the oven')
    const later = JSON.parse((await client.run([...words, '--attachments', folder])).out)
    assert.deepEqual([later.created.files, later.left_out], [1, 2])
    assert.deepEqual(await contentsOf((await tasksOf(workspace))[0]), [
      ['offer.pdf', '%PDF-1.7 offer'],
      ['photo.png', 'of the oven'],
    ])
  })

  it('of Jira are found by their id or name; without a folder each issue says what it lacks', async () => {
    const file = client.file('issues.csv', jira)
    const run = async (...more: string[]) => {
      const workspace = (await world.make('/v1/workspaces', { title: 'Jira' })).id
      const ran = await client.run(['import', 'jira', file, '--workspace', workspace, '--json', ...more])
      assert.equal(ran.code, 0, ran.err)
      const made = JSON.parse(ran.out)
      const [pay] = await tasksOf(workspace)
      return { made, pay }
    }
    const bare = await run('--state', `${file}.bare`)
    assert.deepEqual(
      bare.made.notes.map(({ key, action, reason }: Record<string, string>) => [key, action, reason]),
      [['SHOP-1', 'left_out', 'The content of 2 attachments is not in the export. The description has the links.']],
    )
    assert.deepEqual([bare.pay.attachments, bare.made.created.files], [[], undefined])
    assert.match(
      bare.pay.description,
      /^\*\*Attachments\*\*\n- \[a;b\.txt\]\(https:\/\/files\.example\/secure\/\S+\)\n- \[c\.txt\]/,
    )
    const full = await run('--state', `${file}.full`, '--attachments', folder)
    assert.deepEqual([full.made.left_out, full.made.created.files], [0, 2])
    assert.deepEqual(await contentsOf(full.pay), [
      ['a;b.txt', 'first'],
      ['c.txt', 'second'],
    ])
  })

  it('from what is not a folder are refused before anything is written', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'None' })).id
    const file = client.file('none.json', board())
    const ran = await client.run(['import', 'trello', file, '--workspace', workspace, '--attachments', file])
    assert.equal(ran.code, 1)
    assert.match(ran.err, /--attachments .*none\.json is not a folder/)
    assert.deepEqual(await tasksOf(workspace), [])
  })
})
