/** Idempotency keys (contract §4.1, decisions §3). */
import { at } from '../client.ts'
import { isWrite, type Rule } from '../rule.ts'

export const idempotencyKey: Rule = {
  name: 'idempotency-key',
  promise: 'Every write needs an Idempotency-Key of 1 to 255 visible characters (contract §4.1, decisions §3).',
  applies: isWrite,
  async check(trial) {
    const call = await trial.call()
    const missing = await trial.send(call, { idempotencyKey: null })
    trial.expectRefused(missing, 'idempotency_key_required', 'Idempotency-Key')
    for (const wrong of ['with space', 'x'.repeat(256), '"open']) {
      const reply = await trial.send(call, { idempotencyKey: wrong })
      trial.expectRefused(reply, 'invalid_idempotency_key', 'Idempotency-Key')
    }
  },
}

export const replay: Rule = {
  name: 'replay',
  promise:
    'The same key with the same input gets the same bytes again, marked Idempotent-Replayed (contract §7, decisions §3).',
  applies: isWrite,
  async check(trial) {
    const { first, again } = await trial.script()
    if (again === null) return
    trial.expectEqual(again.status, first.status, 'the status of the replay', again)
    trial.expect(again.text === first.text, 'the replay differs from the first answer', again)
    trial.expectEqual(again.headers['idempotent-replayed'], 'true', 'Idempotent-Replayed')
    trial.expectEqual(again.headers['original-request'], first.headers['x-request-id'], 'Original-Request')
    trial.expectEqual(first.headers['idempotent-replayed'], undefined, 'Idempotent-Replayed of the first answer')
    trial.expect(
      again.headers['x-request-id'] !== first.headers['x-request-id'],
      'the replay has no X-Request-Id of its own',
    )
  },
}

export const reuse: Rule = {
  name: 'key-reused',
  promise: 'The same key with other input is a conflict (contract §7, decisions §3).',
  applies: isWrite,
  async check(trial) {
    const { refused } = await trial.script()
    trial.expectRefused(refused, 'idempotency_key_reused', 'Idempotency-Key')
    trial.expectEqual(at(refused.body, 'error', 'type'), 'idempotency_error', 'error.type')
  },
}
