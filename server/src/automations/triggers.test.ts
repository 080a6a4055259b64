import assert from 'node:assert/strict'
import test from 'node:test'
import { cronFault, isTimeZone, nextFiring } from './cron.ts'
import { graphHash } from './graph-hash.ts'
import type { NodeOf } from './schema.ts'
import { beforeOfEvent, hasTask, taskOfEvent, watches } from './triggers.ts'

const event = (type: string, object: object, previous_attributes: object | null = null) => ({
  type,
  data: { object, previous_attributes },
})

test("an event's task is the object itself or the task that it belongs to", () => {
  assert.equal(taskOfEvent(event('workflow.task.updated', { id: 'tsk_1' })), 'tsk_1')
  assert.equal(taskOfEvent(event('workflow.comment.deleted', { id: 'cmt_1', task: 'tsk_1' })), 'tsk_1')
  assert.equal(taskOfEvent(event('workflow.dependency.created', { id: 'dep_1', from: 'tsk_1', to: 'tsk_2' })), 'tsk_1')
  assert.equal(taskOfEvent(event('workflow.time_entry.started', { id: 'tme_1', task: null })), null)
  assert.equal(taskOfEvent(event('workflow.task.deleted', { id: 'tsk_1' })), null)
  assert.equal(taskOfEvent(event('workflow.project.updated', { id: 'prj_1' })), null)
})

test('whether runs have a task follows from the triggers', () => {
  const watching = (...event_types: string[]) => hasTask({ type: 'trigger.event', config: { event_types } })
  assert.equal(watching('workflow.task.updated', 'workflow.comment.created'), 'always')
  assert.equal(watching('workflow.task.updated', 'workflow.project.updated'), 'sometimes')
  assert.equal(watching('workflow.time_entry.started'), 'sometimes')
  assert.equal(watching('workflow.task.deleted', 'workflow.expense.created'), 'never')
  assert.equal(hasTask({ type: 'trigger.schedule', config: {} }), 'never')
  assert.equal(hasTask({ type: 'trigger.schedule', config: { task_query: 'status = todo' } }), 'always')
  assert.equal(hasTask({ type: 'trigger.manual', config: {} }), 'always')
})

test('a trigger watches its event types and, of updates, its fields', () => {
  const trigger = (changed_fields?: string[]): NodeOf<'trigger.event'> => ({
    id: 't',
    type: 'trigger.event',
    config: {
      event_types: ['workflow.task.updated', 'workflow.task.created'],
      ...(changed_fields === undefined ? {} : { changed_fields }),
    },
  })
  const updated = event(
    'workflow.task.updated',
    { status: 'done', custom_fields: { size: 2, kind: 'a' } },
    { status: 'todo', custom_fields: { size: 1, kind: 'a' } },
  )
  assert.equal(watches(trigger(), updated), true)
  assert.equal(watches(trigger(['status', 'title']), updated), true)
  assert.equal(watches(trigger(['title']), updated), false)
  assert.equal(watches(trigger(['custom_fields.size']), updated), true)
  assert.equal(watches(trigger(['custom_fields.kind']), updated), false)
  assert.equal(watches(trigger(['title']), event('workflow.task.created', {})), true)
  assert.equal(watches(trigger(), event('workflow.task.moved', {})), false)
})

test('the object before an update is computed from the event', () => {
  const updated = event('workflow.task.updated', { id: 'tsk_1', status: 'done', title: 'T' }, { status: 'todo' })
  assert.deepEqual(beforeOfEvent(updated), { id: 'tsk_1', status: 'todo', title: 'T' })
  assert.equal(beforeOfEvent(event('workflow.task.created', { id: 'tsk_1' })), null)
})

const now = Date.UTC(2026, 2, 28, 12)

test('a schedule fires at its local time, also across changes of daylight saving time', () => {
  const berlin = { cron: '30 8 * * *', timezone: 'Europe/Berlin' }
  const first = nextFiring(berlin, now) as number
  assert.equal(new Date(first).toISOString(), '2026-03-29T06:30:00.000Z')
  assert.equal(new Date(nextFiring(berlin, first) as number).toISOString(), '2026-03-30T06:30:00.000Z')
  const before = Date.UTC(2026, 2, 27)
  assert.equal(new Date(nextFiring(berlin, before) as number).toISOString(), '2026-03-27T07:30:00.000Z')
})

test('schedules fire at most every five minutes and at least once in five years', () => {
  const fault = (cron: string) => cronFault({ cron, timezone: 'UTC' }, now)
  const often = 'must not fire more than once in five minutes'
  for (const cron of [
    '*/5 * * * *',
    '0 0 29 2 *',
    '0-55/5 9-17 * * 1-5',
    '59 23 * * *',
    '2,58 9 * * *',
    '0 0 1,15 JAN-MAR *',
  ]) {
    assert.equal(fault(cron), undefined, cron)
  }
  for (const cron of ['* * * * *', '*/4 * * * *', '0,4 3 * * *', '1,58 * * * *', '0,59 0,23 * * *', '*/7 * * * *']) {
    assert.equal(fault(cron), often, cron)
  }
  assert.equal(fault('0 0 31 2 *'), 'must fire at least once in five years')
  for (const cron of [
    '@daily',
    '0 0 * *',
    '0 0 * * * *',
    '60 * * * *',
    '0 24 * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    'x * * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
  ]) {
    assert.notEqual(fault(cron), undefined, cron)
  }
})

test('time zones are those of the IANA', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia', 'Etc/GMT+5'])
    assert.equal(isTimeZone(name), true, name)
  for (const name of ['', '+02:00', 'Mars/Olympus', '2']) assert.equal(isTimeZone(name), false, name)
})

test('the hash of a graph does not depend on the order of its fields', () => {
  const one = graphHash({ schema_version: 1, nodes: [{ id: 'a', type: 'stop' }] })
  assert.equal(one, graphHash({ nodes: [{ type: 'stop', id: 'a' }], schema_version: 1 }))
  assert.notEqual(one, graphHash({ nodes: [{ type: 'stop', id: 'b' }], schema_version: 1 }))
  assert.match(one, /^[0-9a-f]{64}$/)
})
