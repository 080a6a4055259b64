/** The form of every answer, and that refusals, replays and reads write nothing. */
import { at } from '../client.ts'
import { conformLimits } from '../conform-limits.ts'
import { always, isWrite, type Rule } from '../rule.ts'
import { faultsOfAnswer, faultsOfTimes } from '../shapes.ts'
import type { Trial } from '../trial.ts'

/** The valid call and some refusals, so that these rules can be tried alone. */
async function provoke(trial: Trial): Promise<void> {
  await trial.script()
  const call = await trial.call()
  await trial.send(call, { key: null })
  await trial.send(call, { key: 'atr_live_x' })
  await trial.send(call, { key: await trial.kit.stock.keyWith(['files:read']) })
}

export const headers: Rule = {
  name: 'headers',
  promise:
    'Every answer has an X-Request-Id of its own, Content-Type, Cache-Control, Vary and Service-Version; a success has its price, a GET its ETag (contract/04#headers, contract/05#caching).',
  applies: always,
  async check(trial) {
    await provoke(trial)
    for (const fault of trial.headerFaults) trial.fail(fault)
  },
}

export const errors: Rule = {
  name: 'errors',
  promise:
    'Every error is in the envelope, with the status and type of its code, and a code of the operation’s class (contract/02#error-envelope, contract/02#code-classes).',
  applies: always,
  async check(trial) {
    await provoke(trial)
    for (const fault of trial.errorFaults) trial.fail(fault)
  },
}

export const noEffect: Rule = {
  name: 'no-effect',
  promise:
    'A refused request, a dry run, a replay, a read and a write that changes nothing write no event and no audit entry (contract/05#unchanged-writes, contract/03#replay).',
  applies: always,
  isLast: true,
  async check(trial) {
    await provoke(trial)
    for (const event of await trial.kit.logs.entries('events')) {
      const id = String(at(event, 'request', 'id'))
      trial.expect(!trial.idle.has(id), `${id} emitted ${at(event, 'type')}`)
    }
    for (const entry of await trial.kit.logs.entries('audit_logs')) {
      const id = String(at(entry, 'request'))
      trial.expect(!trial.idle.has(id), `${id} wrote the audit entry ${at(entry, 'action')}`)
    }
  },
}

export const answers: Rule = {
  name: 'answers',
  promise:
    'Answers are valid against the OpenAPI document and have no field that it does not name (contract/14#common-fields).',
  applies: always,
  async check(trial) {
    const { first } = await trial.script()
    if (trial.operation.streams) {
      trial.expect(/^retry: \d+\n/.test(first.text), 'the stream does not begin with retry', first)
      return
    }
    for (const fault of faultsOfAnswer(trial.operation, first.body)) trial.fail(fault)
    if (trial.operation.kind !== 'list') return
    trial.expectEqual(at(first.body, 'url'), first.path.split('?')[0], 'url', first)
    const isLast = at(first.body, 'has_more') === false
    trial.expectEqual(at(first.body, 'next_cursor') === null, isLast, 'having no next_cursor', first)
  },
}

export const times: Rule = {
  name: 'times',
  promise: 'Times are integers in Unix seconds; only duration_ms is in milliseconds (contract/01#times).',
  applies: ({ streams }) => !streams,
  async check(trial) {
    const { first, call } = await trial.script()
    for (const fault of faultsOfTimes(first.body)) trial.fail(fault)
    const created = at(first.body, 'created')
    const creates =
      isWrite(trial.operation) && trial.operation.method === 'POST' && Object.keys(call.params).length === 0
    if (!creates || typeof created !== 'number') return
    const difference = Math.abs(created - Date.parse(first.headers.date ?? '') / 1000)
    const isClose = !(difference > conformLimits.clock_difference_seconds_max)
    trial.expect(isClose, `created is ${created}, far from the Date of the answer`)
  },
}
