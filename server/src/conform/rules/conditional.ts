/** Conditional requests (contract §4.1, decisions §5). */
import { at } from '../client.ts'
import { isRead, isWrite, type Rule } from '../rule.ts'
import { skip } from '../trial.ts'

const strong = /^"[\x21\x23-\x7e]+"$/

export const etag: Rule = {
  name: 'etag',
  promise:
    'Every GET has a strong ETag; If-None-Match with it answers 304 without a body (contract §4.1, decisions §5).',
  applies: isRead,
  async check(trial) {
    const { first, again, call } = await trial.script()
    const tag = first.headers.etag ?? ''
    trial.expect(strong.test(tag), `ETag is ${JSON.stringify(tag)}`, first)
    const revision = at(first.body, 'revision')
    if (trial.operation.kind === 'read' && revision !== undefined) {
      trial.expect(tag.startsWith(`"${revision}-`), `ETag ${tag} does not begin with revision ${revision}`)
    }
    const changes = /^(?:usage|me|jobs|audit_logs|events|api_keys)\./.test(trial.operation.id)
    if (again !== null && !changes) {
      trial.expectEqual(again.status, 304, 'the status with If-None-Match', again)
      trial.expectEqual(again.headers.etag, tag, 'the ETag of the 304')
    }
    const other = await trial.send(call, { headers: { 'If-None-Match': '"another"' } })
    trial.expectEqual(other.status, 200, 'the status with another ETag', other)
    const any = await trial.send(call, { headers: { 'If-None-Match': '*' } })
    trial.expectEqual(any.status, 304, 'the status with If-None-Match: *', any)
  },
}

export const etagChanges: Rule = {
  name: 'etag-changes',
  promise: 'A change raises the revision by one and changes the ETag (decisions §5).',
  applies: (operation) => isWrite(operation) && operation.method === 'PATCH' && operation.target !== null,
  async check(trial) {
    const { before, after, first } = await trial.script()
    if (before === null || after === null || before.status !== 200) skip('nothing reads its target')
    if (before.text === after.text) skip('its valid call changed nothing')
    trial.expect(
      before.headers.etag !== after.headers.etag,
      `the ETag is ${after.headers.etag} before and after`,
      after,
    )
    const revision = Number(at(before.body, 'revision'))
    if (Number.isInteger(revision)) trial.expectEqual(at(first.body, 'revision'), revision + 1, 'revision', first)
  },
}

const revised: Rule['applies'] = (operation) =>
  isWrite(operation) && operation.method !== 'POST' && operation.target?.schema.properties.revision !== undefined

export const ifMatch: Rule = {
  name: 'if-match',
  promise:
    'A write with the If-Match of another revision is a conflict that names the current one; an unreadable one is refused (decisions §5).',
  applies: revised,
  async check(trial) {
    const call = await trial.call()
    const stale = await trial.send(call, { headers: { 'If-Match': '"987654321-x"' } })
    trial.expectRefused(stale, 'resource_conflict')
    const current = at((await trial.readTarget(call))?.body, 'revision')
    const message = String(at(stale.body, 'error', 'message'))
    trial.expect(
      current === undefined || message.includes(String(current)),
      `the message does not name revision ${current}`,
      stale,
    )
    const unreadable = await trial.send(call, { headers: { 'If-Match': 'not-a-revision"' } })
    trial.expectRefused(unreadable, 'invalid_request_body', 'If-Match')
  },
}
