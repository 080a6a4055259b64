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
const urlIn = (text: string): string => (/^Atrium listens on (\S+)\.$/m.exec(text) ?? assert.fail(text))[1] as string
const commandIn = (text: string): string[] =>
  ((/^ {4}bin\/atrium (link create .*)$/m.exec(text) ?? assert.fail(text))[1] as string).split(' ')

const list = async (url: string, key: string, path: string): Promise<object[]> =>
  (await call(url, 'GET', `/v1/${path}?limit=100`, { key })).body.data

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

  test('completes a demo that was cut short, wherever, once and for all', async () => {
    const cuts = [
      { path: 'workspaces', count: 1 },
      { path: 'tasks', count: 12 },
      { path: 'automation_flows', count: 2 },
    ]
    let key = ''
    for (const { path, count } of cuts) {
      const start = installation.start(['serve'])
      await start.until(() => start.err.includes(key === '' ? '/v1/me' : 'created again'))
      if (key === '') key = secretIn(start.err)
      const url = urlIn(start.err)
      while ((await list(url, key, path)).length < count);
      await start.kill()
    }
    const { process, url } = await installation.serve()
    assert.match(process.err, /^The creation of the organization "Demo" was interrupted\. Its work is created again;/m)
    const counts = {
      workspaces: 1,
      tasks: 26,
      columns: 10,
      boards: 1,
      automation_flows: 3,
      time_entries: 14,
      expenses: 4,
    }
    for (const [path, count] of Object.entries(counts)) assert.equal((await list(url, key, path)).length, count, path)
    assert.equal((await list(url, key, 'members')).length, 6)
    const verdict = await installation.json('audit', 'verify')
    assert.equal(verdict.ok, true)
    await process.kill()
    const { process: next } = await installation.serve()
    assert.doesNotMatch(next.err, /interrupted/)
  })

  test('keeps what was written into a demo that was cut short', async () => {
    const first = installation.start(['serve'])
    await first.until(() => first.err.includes('/v1/me'))
    const key = secretIn(first.err)
    const url = urlIn(first.err)
    const mine = await call(url, 'POST', '/v1/workspaces', { key, body: { title: 'Mine' } })
    assert.equal(mine.status, 200)
    await first.kill()
    const { process, url: again } = await installation.serve()
    assert.equal((await call(again, 'GET', `/v1/workspaces/${mine.body.id}`, { key })).status, 200)
    assert.match(process.err, /interrupted, and other changes followed: .*lacks some of the demo's work/)
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
