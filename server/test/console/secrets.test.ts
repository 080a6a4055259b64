/** Passwords, cookies, links and tokens appear in no log, no audit entry and no table. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { call } from '../call.ts'
import { newInstallation } from '../cli/installation.ts'
import { Drawer } from '../drawer.ts'
import { onEveryEngine } from '../engines.ts'
import { refusal, tokenOf, Visitor } from './visitor.ts'

onEveryEngine('An installation with all logs on', (engine) => {
  test('stores no password, cookie, link or token in clear, and logs the sign-ins', async () => {
    const installation = await newInstallation(engine)
    try {
      const made = await installation.initAcme()
      assert.match(made.setup_url, /\/set-up#[0-9A-Za-z]{43}$/)
      const { process, url } = await installation.serve({ ATRIUM_LOG_LEVEL: 'debug' })
      const [secret, wrong] = ['the first password of Ada', 'a guess at the password']
      const visitor = new Visitor(url)
      await visitor.arrive()
      const secrets = [secret, wrong, made.api_key.secret, tokenOf(made.setup_url)]
      await visitor.must('POST', 'set-up/link', { token: tokenOf(made.setup_url) })
      await visitor.must('POST', 'set-up', { token: tokenOf(made.setup_url), password: secret })
      secrets.push(String(visitor.cookie), await visitor.token(), await visitor.token({ manage: true }))
      const failed = await visitor.post('step-up', { password: wrong })
      assert.deepEqual(refusal(failed), [401, 'sign_in_failed', 'password'])
      await visitor.must('POST', 'step-up', { password: secret })
      const invited = await visitor.must('POST', 'invitations', { email: 'bob@acme.example', role: 'member' })
      const lost = await installation.json(
        'link',
        'create',
        '--organization',
        made.organization,
        '--email',
        'ada@acme.example',
      )
      assert.deepEqual([lost.kind, lost.role], ['reset', 'owner'])
      secrets.push(String(visitor.cookie), tokenOf(invited.url), tokenOf(lost.url))
      const key = made.api_key.secret
      const board = await call(url, 'POST', '/v1/boards', { key, body: { name: 'Plan' } })
      const body = { name: 'Workshop', role: 'editor' }
      const link = await call(url, 'POST', `/v1/boards/${board.body.id}/links`, { key, body })
      const guest = await visitor.must('POST', 'board-guests', { secret: link.body.secret, name: 'Kim' })
      assert.equal((await visitor.post('board-guests', { secret: `${link.body.secret}x`, name: 'Kim' })).status, 404)
      await visitor.get(`board-guests?secret=${link.body.secret}`)
      await new Drawer({ server: url, board: board.body.id, key: guest.token }).joined().then((kim) => kim.leave())
      const comment = { token: guest.token, key: 'first-comment', body: 'Here', position: { x: 0, y: 0 } }
      await visitor.must('POST', 'board-guests/comments', comment)
      secrets.push(link.body.secret, guest.token)
      for (const path of ['session', 'people', 'invitations', 'directory', 'sessions', 'passkeys']) {
        const { text } = await visitor.get(path)
        for (const each of secrets) assert.equal(text.includes(each), false, `GET ${path} contains a secret`)
      }
      process.signal('SIGTERM')
      assert.equal(await process.exit(), 0)
      const file = joinPath(installation.folder, 'all.backup')
      await installation.json('backup', file)
      const everything = gunzipSync(readFileSync(file)).toString()
      assert.ok(everything.includes('ada@acme.example') && everything.includes('argon2id'))
      for (const each of secrets) {
        assert.equal((process.out + process.err).includes(each), false, `the log contains ${each}`)
        assert.equal(everything.includes(each), false, `the database contains ${each}`)
      }
      assert.ok(process.log.some((line) => line.msg === 'a sign-in failed'))
      assert.deepEqual(await installation.json('audit', 'verify').then(({ ok }) => ok), true)
    } finally {
      await installation.remove()
    }
  })
})
