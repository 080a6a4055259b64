import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { insertComment, insertDependency, insertProject, workspaceOf } from './rows.test.ts'

onEveryWorld('tasks.delete', (world) => {
  it('deletes the task with its comments and its dependencies in both directions', async () => {
    const workspace = await workspaceOf(world)
    const project = await insertProject(world, workspace)
    const fields = { workspace: workspace.id, project: project.id }
    const task = await world.make('/v1/tasks', { ...fields, title: 'Goes' })
    const other = await world.make('/v1/tasks', { ...fields, title: 'Stays' })
    await insertComment(world, task, 'One')
    await insertComment(world, task, 'Two')
    await insertComment(world, other, 'Elsewhere')
    await insertDependency(world, project, task.id, other.id)
    await insertDependency(world, project, other.id, task.id)
    await world.markWritten()
    const reply = await world.delete(`/v1/tasks/${task.id}`)
    assert.deepEqual(reply.body, { id: task.id, object: 'task', deleted: true })
    await world.assertWritten({
      events: [
        'workflow.task.deleted',
        'workflow.comment.deleted',
        'workflow.comment.deleted',
        'workflow.dependency.deleted',
        'workflow.dependency.deleted',
      ],
      audit: ['tasks.delete'],
    })
    for (const answer of [
      await world.get(`/v1/tasks/${task.id}`),
      await world.delete(`/v1/tasks/${task.id}`),
      await world.patch(`/v1/tasks/${task.id}`, {}),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.code], [410, 'resource_deleted'])
    }
    const listed = await world.get(`/v1/tasks?workspace=${workspace.id}`)
    assert.deepEqual(
      listed.body.data.map((each: { id: string }) => each.id),
      [other.id],
    )
  })

  it('a number is never reused', async () => {
    const workspace = await workspaceOf(world)
    const task = await world.make('/v1/tasks', { workspace: workspace.id, title: 'Goes' })
    await world.delete(`/v1/tasks/${task.id}?workspace=${workspace.id}`)
    assert.equal((await world.make('/v1/tasks', { workspace: workspace.id, title: 'Next' })).number, 2)
  })
})
