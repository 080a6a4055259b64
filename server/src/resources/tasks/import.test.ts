import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'

onEveryWorld('imported tasks and comments', (world) => {
  let workspace: string
  let member: string
  let ordinary: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
    member = (await world.get('/v1/members')).body.data[0].user
    ordinary = (await world.make('/v1/api_keys', { name: 'Ordinary', scopes: ['tasks:write', 'comments:write'] }))
      .secret
  })

  const send = (data: object[], key = world.acme.key, source = 'jira') =>
    world.post('/v1/tasks/import', { workspace, source, data }, { key })

  it('keep the time of creation and the author; events and audit log name the credential', async () => {
    await world.markWritten()
    const { status, body } = await send([{ external_id: 'A-1', title: 'Old', created: 1_600_000_000, creator: member }])
    assert.equal(status, 200)
    const [{ task, key, ...imported }] = body.data
    assert.deepEqual(imported, { object: 'imported_task', external_id: 'A-1', outcome: 'created' })
    const shown = (await world.get(`/v1/tasks/${key}`)).body
    assert.deepEqual([shown.id, shown.created, shown.creator], [task, 1_600_000_000, { type: 'user', id: member }])
    await world.assertWritten({ events: ['workflow.task.created'], audit: ['tasks.import'] })
    const [entry] = (await world.get('/v1/audit_logs?limit=1')).body.data
    assert.equal(entry.credential, (await world.get('/v1/me')).body.id)
    const comment = await world.make(`/v1/tasks/${task}/comments/import`, {
      ...{ workspace, body: 'Then', created: 1_600_000_100, author: member },
    })
    assert.deepEqual([comment.created, comment.author], [1_600_000_100, { type: 'user', id: member }])
  })

  it('are created once for each external id of a source, and say whether the source has changed', async () => {
    const outcomes = async (data: object[], source?: string) =>
      (await send(data, world.acme.key, source)).body.data.map((each: { outcome: string }) => each.outcome)
    const [first, second] = [
      { external_id: 'B-1', title: 'One', version: 'v1' },
      { external_id: 'B-2', title: 'Two' },
    ]
    assert.deepEqual(await outcomes([first]), ['created'])
    await world.markWritten()
    assert.deepEqual(await outcomes([first]), ['unchanged'])
    assert.deepEqual(await outcomes([{ ...first, title: 'Other', version: 'v2' }]), ['changed'])
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(await outcomes([{ ...first, version: 'v2' }, second]), ['changed', 'created'])
    assert.deepEqual(await outcomes([first], 'trello'), ['created'])
    const { task } = (await send([first])).body.data[0]
    assert.equal((await world.get(`/v1/tasks/${task}`)).body.title, 'One')
    await world.delete(`/v1/tasks/${task}`)
    assert.deepEqual(await outcomes([first]), ['deleted'])
  })

  it('refuse a time and an author without api:manage', async () => {
    for (const [name, value] of Object.entries({ created: 1_600_000_000, creator: member })) {
      const { status, body } = await send([{ external_id: 'C-1', title: 'x', [name]: value }], ordinary)
      assert.deepEqual([status, body.error.code, body.error.param], [403, 'insufficient_scope', `data[0].${name}`])
    }
    const plain = await send([{ external_id: 'C-1', title: 'x' }], ordinary)
    assert.equal(plain.body.data[0].outcome, 'created')
    const { task } = plain.body.data[0]
    const comment = { workspace, body: 'Then', created: 1_600_000_000 }
    assert.equal((await world.post(`/v1/tasks/${task}/comments/import`, comment, { key: ordinary })).status, 403)
  })

  it('refuse an external id twice, a time in the future and an unknown author, and create nothing', async () => {
    const wrong: [object[], string][] = [
      [
        [
          { external_id: 'D-1', title: 'x' },
          { external_id: 'D-1', title: 'y' },
        ],
        'data[1].external_id',
      ],
      [
        [
          { external_id: 'D-1', title: 'x' },
          { external_id: 'D-2', title: 'y', created: 9_999_999_999 },
        ],
        'data[1].created',
      ],
      [[{ external_id: 'D-1', title: 'x', creator: 'usr_none' }], 'data[0].creator'],
    ]
    for (const [data, param] of wrong) {
      const { status, body } = await send(data)
      assert.deepEqual([status, body.error.param], [400, param])
    }
    assert.equal((await send([{ external_id: 'D-1', title: 'x' }])).body.data[0].outcome, 'created')
  })
})
