/** Idempotency keys. */
import { at } from '../client.ts'
import { isWrite, type Rule } from '../rule.ts'

export const idempotencyKey: Rule = {
  name: 'idempotency-key',
  promise:
    'Every write needs an Idempotency-Key of 1 to 255 visible characters (contract/03#required-key, contract/03#key-format).',
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
    'The same key with the same input answers the same bytes again, marked Idempotent-Replayed (contract/03#replay).',
  applies: isWrite,
  async check(trial) {
    const { first, repeated } = await trial.script()
    const original = first.headers['x-request-id']
    for (const name of ['idempotent-replayed', 'original-request']) {
      trial.expectEqual(first.headers[name], undefined, `${name} of the first answer`)
    }
    for (const reply of repeated) {
      trial.expectEqual(reply.status, first.status, 'the status of the replay', reply)
      trial.expect(reply.text === first.text, 'the replay differs from the first answer', reply)
      trial.expectEqual(reply.headers['idempotent-replayed'], 'true', 'idempotent-replayed')
      trial.expectEqual(reply.headers['original-request'], original, 'original-request')
      trial.expect(reply.headers['x-request-id'] !== original, 'the replay has the first X-Request-Id')
    }
  },
}

export const reuse: Rule = {
  name: 'key-reused',
  promise: 'The same key with other input is a conflict (contract/03#replay, contract/03#fingerprint).',
  applies: isWrite,
  async check(trial) {
    const { refused } = await trial.script()
    trial.expectRefused(refused, 'idempotency_key_reused', 'Idempotency-Key')
    trial.expectEqual(at(refused.body, 'error', 'type'), 'idempotency_error', 'error.type')
  },
}
