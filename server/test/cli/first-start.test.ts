/** A first start that is interrupted, and starts before a person has signed in. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { call } from '../call.ts'
import { Visitor } from '../console/visitor.ts'
import { onEveryEngine } from '../engines.ts'
import { type Installation, newInstallation } from './installation.ts'

const secretIn = (text: string): string => (/\batr_live_[0-9A-Za-z]{36}\b/.exec(text) ?? assert.fail(text))[0]
const linkTokenIn = (text: string): string =>
  (/\/set-up#([0-9A-Za-z]{43})\b/.exec(text) ?? assert.fail(text))[1] as string
const commandIn = (text: string): string[] =>
  ((/^ {4}bin\/atrium (link create .*)$/m.exec(text) ?? assert.fail(text))[1] as string).split(' ')

onEveryEngine('a first start', (engine) => {
  let installation: Installation
  beforeEach(async () => {
    installation = await newInstallation(engine)
  })
  afterEach(() => installation.remove())

  test('prints the key and the sign-in link before the demo is complete: killed there, both work at the next start', async () => {
    const first = installation.start(['serve'])
    await first.until(() => first.err.includes('/v1/me'), 'the key')
    await first.kill()
    assert.deepEqual(
      first.log.filter(({ msg }) => msg === 'listening'),
      [],
      'the demo was complete',
    )
    const key = secretIn(first.err)
    const token = linkTokenIn(first.err)
    const { url } = await installation.serve()
    assert.equal((await call(url, 'GET', '/v1/me', { key })).status, 200)
    const owner = new Visitor(url)
    await owner.arrive()
    await owner.must('POST', 'set-up', { token, password: 'correct horse battery' })
    const { process } = await installation.serve()
    assert.equal(process.err, '', 'a person has signed in')
  })

  test('leaves an organization that every later start says how to enter, until a person has signed in', async () => {
    const { organization } = await installation.initAcme()
    for (let start = 0; start < 2; start++) {
      const { process } = await installation.serve()
      await process.kill()
      const words = commandIn(process.err)
      const made = await installation.json(...words)
      assert.deepEqual([made.organization, made.email, made.role], [organization, 'ada@acme.example', 'owner'])
    }
  })
})
