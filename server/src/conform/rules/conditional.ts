/** Entity tags, If-None-Match, If-Match and revisions. */
import { at, codeOf, type Reply, skip } from '../client.ts'
import { isRead, isWrite, type Rule } from '../rule.ts'
import type { Trial } from '../trial.ts'

const strong = /^"[\x21\x23-\x7e]+"$/

export const etag: Rule = {
  name: 'etag',
  promise:
    'Every GET has a strong ETag, equal exactly when the bytes are; If-None-Match with it, in a list or weak, answers 304 without a body (contract/05#entity-tags, contract/05#if-none-match).',
  applies: isRead,
  async check(trial) {
    const { first, call } = await trial.script()
    const tag = first.headers.etag ?? ''
    trial.expect(strong.test(tag), `ETag is ${JSON.stringify(tag)}`, first)
    const revision = trial.operation.kind === 'read' ? at(first.body, 'revision') : undefined
    if (revision !== undefined) {
      trial.expect(tag.startsWith(`"${revision}-`), `ETag ${tag} does not begin with revision ${revision}`)
    } else {
      // `If-Match` would take it for a revision.
      trial.expect(!tag.includes('-'), `ETag ${tag} reads like one with a revision`)
    }
    const ask = (value: string) => trial.send(call, { headers: { 'If-None-Match': value } })
    trial.expectEqual((await ask('*')).status, 304, 'the status with If-None-Match: *')
    trial.expectEqual((await ask('"another"')).status, 200, 'the status with another ETag')
    for (let attempt = 0; attempt < attempts_max; attempt++) {
      if (await checkForms(ask, trial, await readTwice(trial))) return
    }
    skip('its answer keeps changing between reads')
  },
}

/** Reads of an answer that changes meanwhile, such as the last use of a key. */
const attempts_max = 5

/** Two reads with the same bytes; skips if every read differs. */
async function readTwice(trial: Trial): Promise<Reply> {
  const call = await trial.call()
  let last = await trial.send(call)
  for (let i = 0; i < 2; i++) {
    const again = await trial.send(call)
    const isSame = again.text === last.text
    trial.expectEqual(again.headers.etag === last.headers.etag, isSame, 'having the same ETag', again)
    if (isSame) return again
    last = again
  }
  return skip('its answer differs from read to read')
}

/** Whether the answer stayed the same until all forms were tried. A change shows by a 200 with another body and another tag. */
async function checkForms(
  ask: (value: string) => Promise<Reply>,
  trial: Trial,
  { headers, text }: Reply,
): Promise<boolean> {
  const tag = headers.etag ?? ''
  const hasChanged = (reply: Reply) => reply.status === 200 && reply.text !== text && reply.headers.etag !== tag
  const matching = [tag, `W/${tag}`, `"other", ${tag}`, `${tag},"other"`, `"a" , W/"b",W/${tag} `]
  for (const value of matching) {
    const reply = await ask(value)
    if (hasChanged(reply)) return false
    trial.expectEqual(reply.status, 304, `the status with If-None-Match: ${value}`, reply)
    trial.expectEqual(reply.headers.etag, tag, 'the ETag of a 304')
  }
  const others = [`"${tag.slice(1, -2)}"`, 'W/"*"', '""', '', '"*"', '"a", "b"']
  for (const value of trial.sample('etag', others)) {
    const reply = await ask(value)
    if (hasChanged(reply)) return false
    trial.expectEqual(reply.status, 200, `the status with If-None-Match: ${value}`, reply)
    trial.expect(reply.text === text, `another body with If-None-Match: ${value}`, reply)
  }
  return true
}

export const etagChanges: Rule = {
  name: 'etag-changes',
  promise: 'A change raises the revision by one and changes the ETag (contract/05#revisions).',
  applies: (operation) => isWrite(operation) && operation.method === 'PATCH' && operation.target !== null,
  async check(trial) {
    const { before, after, first } = await trial.script()
    if (before === null || after === null || before.status !== 200) return skip('no operation reads its target')
    if (before.text === after.text) skip('its valid call changes nothing')
    trial.expect(
      before.headers.etag !== after.headers.etag,
      `the ETag is ${after.headers.etag} before and after`,
      after,
    )
    const revision = Number(at(before.body, 'revision'))
    if (Number.isInteger(revision)) trial.expectEqual(at(first.body, 'revision'), revision + 1, 'revision', first)
  },
}

const hasRevision: Rule['applies'] = (operation) =>
  isWrite(operation) && operation.method !== 'POST' && operation.target?.schema.properties.revision !== undefined

/** The largest revision that is a number. */
const last = String(Number.MAX_SAFE_INTEGER)
const unreadable = ['abc', '"abc"', '"1', '1"', '-1', '1.0', '01', '"01"', '1e0', '', ',', '"-1"', '1 1', '* ,1', 'W/*']

export const ifMatch: Rule = {
  name: 'if-match',
  promise:
    'If-Match takes a revision in every form; another revision is a conflict that names the current one, an unreadable value is refused (contract/05#if-match).',
  applies: hasRevision,
  async check(trial) {
    const call = await trial.freshCall()
    const target = await trial.readTarget(call)
    const current = Number(at(target?.body, 'revision') ?? 1)
    const send = (value: string) => trial.send(call, { headers: { 'If-Match': value } })
    const next = current + 1
    const others = [`${next}`, `"${next}"`, `"${next}-abc"`, '"0"', `"${next}", "${next + 1}-x"`, `W/"${next}"`, last]
    for (const value of trial.sample('another revision', others)) {
      const reply = await send(value)
      trial.expectRefused(reply, 'resource_conflict', 'If-Match')
      const message = String(at(reply.body, 'error', 'message'))
      const isNamed = message.split(/\D+/).includes(String(current))
      trial.expect(isNamed, `the message does not name revision ${current}`, reply)
    }
    for (const value of trial.sample('unreadable If-Match', unreadable)) {
      trial.expectRefused(await send(value), 'invalid_request_body', 'If-Match')
    }
    const same = [
      `${current}`,
      `"${current}"`,
      `"${current}-abc"`,
      `W/"${current}-abc"`,
      '*',
      `"${next}", "${current}"`,
    ]
    for (const value of [...trial.sample('the same revision', same), target?.headers.etag ?? '*']) {
      await trial.sendGranted(call, `with If-Match: ${value}`, { headers: { 'If-Match': value } })
    }
    const real = await send(`"${current}"`)
    trial.expectEqual(real.status, 200, `the status with If-Match: "${current}"`, real)
  },
}

export const noChange: Rule = {
  name: 'no-change',
  promise: 'A PATCH that changes nothing answers the same bytes and raises no revision (contract/05#unchanged-writes).',
  applies: (operation) => hasRevision(operation) && operation.method === 'PATCH',
  async check(trial) {
    const call = await trial.freshCall()
    const first = await trial.send(call)
    trial.expectEqual(first.status, 200, 'the status', first)
    const again = await trial.send(call)
    trial.mustWriteNothing(again)
    trial.expect(again.text === first.text, 'the same PATCH again answers differently', again)
    const empty = await trial.send({ ...call, body: {} })
    trial.mustWriteNothing(empty)
    if (!trial.operation.bodyOptional) trial.expectRefused(empty, 'invalid_request_body')
    else if (empty.status === 409) skip(`the state of its target refuses it: ${codeOf(empty)}`)
    else trial.expect(empty.text === first.text, 'an empty PATCH answers differently', empty)
  },
}
