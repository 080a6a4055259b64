import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { nameOfCopy } from './copy-project.ts'

onEveryWorld('projects.duplicate', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes Enhancement Proposals' })).id
  })

  const list = async (path: string) => (await world.get(path)).body.data

  it('copies columns, tasks and the dependencies between them, with new numbers', async () => {
    const portfolio = await world.make('/v1/portfolios', { workspace, name: 'Node' })
    const project = await world.make('/v1/projects', {
      workspace,
      name: 'Sidecars',
      description: 'Text',
      portfolio: portfolio.id,
    })
    const inside = { workspace, project: project.id }
    const open = await world.make('/v1/columns', { ...inside, name: 'Open', color: '#118833' })
    const closed = await world.make('/v1/columns', { ...inside, name: 'Closed' })
    await world.make('/v1/columns', { ...inside, name: 'Dropped' }).then(({ id }) => world.delete(`/v1/columns/${id}`))
    const one = await world.make('/v1/tasks', { ...inside, title: 'One', column: open.id, labels: ['a'], due_at: 50 })
    const fields = { title: 'Two', column: closed.id, completed_at: 100, custom_fields: { size: 3 } }
    const two = await world.make('/v1/tasks', { ...inside, ...fields })
    const gone = await world.make('/v1/tasks', { ...inside, title: 'Gone' })
    await world.delete(`/v1/tasks/${gone.id}`)
    await world.make(`/v1/tasks/${one.id}/dependencies`, { workspace, to: two.id, kind: 'precedes' })
    await world.post(`/v1/projects/${project.id}/archive`)
    const user = { type: 'user', id: world.acme.user } as const
    const { secret: key } = await world.key({ owner: user })
    world.clock.advance(5000)
    await world.markWritten()

    const copy = await world.make(`/v1/projects/${project.id}/duplicate`, undefined, { key })
    const { created } = copy
    const fresh = { created, updated: created, revision: 1 }
    assert.deepEqual(copy, {
      ...project,
      ...fresh,
      id: copy.id,
      name: 'Copy of Sidecars',
      duplicated_from: project.id,
    })
    assert.equal(created, project.created + 5)
    await world.assertWritten({
      events: [
        'workflow.project.created',
        ...Array(2).fill('workflow.column.created'),
        ...Array(2).fill('workflow.task.created'),
        'workflow.dependency.created',
      ],
      audit: ['projects.duplicate'],
    })
    const columns = await list(`/v1/columns?project=${copy.id}`)
    assert.deepEqual(
      columns,
      [closed, open].map((column, i) => ({ ...column, ...fresh, id: columns[i].id, project: copy.id })),
    )
    const tasks = await list(`/v1/tasks?project=${copy.id}`)
    const expected = [
      { ...two, number: gone.number + 2, column: columns[0].id },
      { ...one, number: gone.number + 1, column: columns[1].id },
    ].map((task, i) => {
      return { ...task, ...fresh, id: tasks[i].id, key: `KEP-${task.number}`, project: copy.id, creator: user }
    })
    assert.deepEqual(tasks, expected)
    const [dependency] = await list(`/v1/tasks/${tasks[1].id}/dependencies`)
    assert.deepEqual(
      [dependency.project, dependency.from, dependency.to, dependency.kind, dependency.creator],
      [copy.id, tasks[1].id, tasks[0].id, 'precedes', user],
    )
    const later = await world.make('/v1/tasks', { workspace, title: 'Later' })
    assert.equal(later.number, gone.number + 3)
    await assertFolds(world)
  })

  it('copies 99 columns and tasks, and refuses one more without copying any', async () => {
    const project = await world.make('/v1/projects', { workspace, name: 'Large' })
    await world.make('/v1/columns', { workspace, project: project.id, name: 'Only' })
    const data = Array.from({ length: 98 }, (_, i) => ({ title: `Task ${i}`, project: project.id }))
    await world.make('/v1/tasks/batch', { workspace, data })
    const copy = await world.make(`/v1/projects/${project.id}/duplicate`, { name: 'All of it' })
    assert.equal(copy.name, 'All of it')
    assert.equal((await list(`/v1/tasks?project=${copy.id}&limit=100`)).length, 98)
    await world.make('/v1/tasks', { workspace, project: project.id, title: 'One too many' })
    await world.markWritten()
    const reply = await world.post(`/v1/projects/${project.id}/duplicate`)
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    assert.match(reply.body.error.message, /100/)
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await list(`/v1/projects?workspace=${workspace}`))[0].id, copy.id)
  })

  it('an empty project has an empty copy, and a long name is cut', async () => {
    const name = '😀'.repeat(495)
    const project = await world.make('/v1/projects', { workspace, name })
    const copy = await world.make(`/v1/projects/${project.id}/duplicate`, {})
    assert.equal(copy.name, `Copy of ${'😀'.repeat(492)}`)
    assert.equal((await world.patch(`/v1/projects/${copy.id}`, { name: copy.name })).status, 200)
  })
})

it('the name of a copy is cut to 500 characters, never within one', () => {
  assert.equal(nameOfCopy('Sidecars'), 'Copy of Sidecars')
  assert.equal(nameOfCopy('x'.repeat(500)), `Copy of ${'x'.repeat(492)}`)
  assert.equal([...nameOfCopy('😀'.repeat(500))].length, 500)
})
