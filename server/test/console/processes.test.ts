/** Sign-in with several processes, and after a restore to another engine. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { test } from 'node:test'
import { newInstallation } from '../cli/installation.ts'
import { onEveryEngine, onOneEngine } from '../engines.ts'
import { password, tokenOf, Visitor } from './visitor.ts'

onEveryEngine('Two processes', (engine) => {
  test('share the limit of sign-in attempts, also under concurrent attempts', async () => {
    const installation = await newInstallation(engine)
    try {
      const made = await installation.initAcme()
      const servers = [await installation.serve(), await installation.serve()]
      const [first, second] = servers.map(({ url }) => new Visitor(url)) as [Visitor, Visitor]
      await Promise.all([first.arrive(), second.arrive()])
      await first.must('POST', 'set-up', { token: tokenOf(made.setup_url), password })
      const guess = (visitor: Visitor) => visitor.post('session', { email: 'ada@acme.example', password: 'wrong' })
      await Promise.all([first.must('DELETE', 'session'), second.arrive()])
      const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => guess(i % 2 === 0 ? first : second)))
      assert.deepEqual(replies.map((reply) => reply.status).sort(), [...Array(10).fill(401), ...Array(20).fill(429)])
    } finally {
      await installation.remove()
    }
  })
})

onOneEngine('An installation', (engine) => {
  test('restored from its backup on the other engine keeps accounts and sessions', async () => {
    const installation = await newInstallation(engine)
    const other = await newInstallation('postgres', { empty: true })
    try {
      const made = await installation.initAcme()
      const { process, url } = await installation.serve()
      const visitor = new Visitor(url)
      await visitor.arrive()
      await visitor.must('POST', 'set-up', { token: tokenOf(made.setup_url), password })
      process.signal('SIGTERM')
      assert.equal(await process.exit(), 0)
      const file = joinPath(installation.folder, 'all.backup')
      await installation.json('backup', file)
      const ATRIUM_SECRET_KEY = readFileSync(joinPath(installation.folder, 'secret.key'), 'utf8').trim()
      assert.equal((await other.run(['restore', file], { environment: { ATRIUM_SECRET_KEY } })).code, 0)
      const again = new Visitor((await other.serve({ ATRIUM_SECRET_KEY })).url)
      again.cookie = visitor.cookie
      assert.equal((await again.arrive()).account.email, 'ada@acme.example', 'the session continues')
      again.cookie = null
      await again.signIn('ada@acme.example', password)
    } finally {
      await installation.remove()
      await other.remove()
    }
  })
})
