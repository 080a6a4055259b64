import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { call } from '../call.ts'
import { password, tokenOf, Visitor } from '../console/visitor.ts'
import { administer, newDatabase, onEveryEngine, onPostgresServer } from '../engines.ts'
import { MailServer } from '../mail-server.ts'
import { type Installation, newInstallation } from './installation.ts'

const secretIn = (text: string): string => (/\batr_live_[0-9A-Za-z]{36}\b/.exec(text) ?? assert.fail(text))[0]

/** A create request of which all but the last byte is sent. */
async function half(url: string, key: string): Promise<{ socket: Socket; finish(): Promise<string> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const body = JSON.stringify({ title: 'In flight' })
  const head =
    `POST /v1/workspaces HTTP/1.1\r\nHost: atrium\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: k1\r\n` +
    `Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.setEncoding('utf8').write(head)
  // The server answers the expectation when it has taken the request.
  const [answer] = (await once(socket, 'data')) as [string]
  assert.match(answer, /^HTTP\/1\.1 100 /)
  socket.write(body.slice(0, -1))
  return {
    socket,
    async finish() {
      let text = ''
      socket.on('data', (part: string) => {
        text += part
      })
      socket.write(body.slice(-1))
      await once(socket, 'close')
      return text
    },
  }
}

onEveryEngine('a server', (engine) => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation(engine, { empty: true })
  })
  after(() => installation.remove())

  test('makes a demo organization on an empty database and shows its key once, not in the log', async () => {
    const { process, url } = await installation.serve()
    const secret = secretIn(process.err)
    assert.equal(process.err.split(secret).length - 1, 2, 'the key itself, and the line that tries it')
    assert.ok(process.err.includes(`curl -H 'Authorization: Bearer ${secret}' ${url}/v1/me`))
    assert.ok(!process.out.includes(secret))
    const me = await call(url, 'GET', '/v1/me', { key: secret })
    assert.equal(me.status, 200)
    assert.equal(me.body.scopes.length, 20)
    const { body } = await call(url, 'GET', `/v1/organizations/${me.body.organization.id}`, { key: secret })
    assert.equal(body.name, 'Demo')
    const { data } = (await call(url, 'GET', '/v1/members', { key: secret })).body
    assert.deepEqual(
      data.map((member: { email: string; role: string }) => [member.email.split('@')[0], member.role]).reverse(),
      [
        ['owner', 'owner'],
        ['jonas', 'engineer'],
        ['mei', 'designer'],
        ['priya', 'engineer'],
        ['tomas', 'support'],
        ['noor', 'engineer'],
      ],
    )
    process.signal('SIGTERM')
    assert.equal(await process.exit(), 0)
  })

  test('gives the demo organization six days of work: tasks, a whiteboard, flows, hours and money, and no further keys', async () => {
    const other = await newInstallation(engine)
    try {
      const { process, url } = await other.serve()
      const key = secretIn(process.err)
      const count = async (path: string) => (await call(url, 'GET', `/v1/${path}`, { key })).body.data.length
      assert.deepEqual(
        process.log.filter(({ level }) => level !== 'info'),
        [],
      )
      assert.equal(await count('tasks?limit=100'), 26)
      assert.equal(await count('tasks?limit=100&filter=due_at!=null%20status!=done'), 11)
      assert.equal(await count('columns?limit=100'), 10)
      assert.equal(await count('boards'), 1)
      assert.equal(await count('automation_flows'), 3)
      assert.equal(await count('time_entries?limit=100'), 14)
      assert.equal(await count('expenses'), 4)
      assert.equal(await count('saved_filters'), 3)
      assert.equal(await count('api_keys'), 1)
      process.signal('SIGTERM')
      assert.equal(await process.exit(), 0)
    } finally {
      await other.remove()
    }
  })

  test('makes no demo organization where there is one already', async () => {
    const { process } = await installation.serve()
    assert.doesNotMatch(process.err, /atr_live_/)
    assert.deepEqual(
      process.log.map((line) => line.msg),
      ['listening'],
    )
    process.signal('SIGINT')
    assert.equal(await process.exit(), 0)
  })

  test('is alive and ready when it says that it listens', async () => {
    const { process, url } = await installation.serve()
    const alive = await call(url, 'GET', '/healthz')
    assert.deepEqual([alive.status, alive.body], [200, { status: 'ok' }])
    assert.equal((await call(url, 'GET', '/readyz')).status, 200)
    await process.kill()
  })

  test('names a broken escape of a path, also when it runs the build', async () => {
    const { process, url } = await installation.serve()
    const { status, body } = await call(url, 'GET', '/v1/tasks/%zz')
    const message = 'The path holds "%zz", which is not percent-encoded UTF-8. Write a literal percent sign as %25.'
    assert.deepEqual([status, body.error.code, body.error.message], [404, 'resource_not_found', message])
    await process.kill()
  })

  test('finishes and commits requests in flight when it receives SIGTERM, and accepts no new ones', async () => {
    const { id, secret } = await firstKey(installation)
    const { process, url } = await installation.serve()
    const request = await half(url, secret)
    process.signal('SIGTERM')
    await process.line('stopping')
    for (let answered = true; answered; ) {
      answered = await call(url, 'GET', '/healthz').then(
        () => true,
        () => false,
      )
    }
    const answer = await request.finish()
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.equal(await process.exit(), 0)
    assert.equal((await process.line('stopped')).level, 'info')

    const { process: next, url: again } = await installation.serve()
    const { data } = (await call(again, 'GET', '/v1/workspaces', { key: secret })).body
    assert.deepEqual(
      data.map((workspace: { title: string }) => workspace.title),
      ['In flight'],
    )
    assert.match(id, /^key_/)
    await next.kill()
  })

  test('ends at once on a second signal', async () => {
    const { secret } = await firstKey(installation)
    const { process, url } = await installation.serve()
    const request = await half(url, secret)
    process.signal('SIGTERM')
    await process.line('stopping')
    process.signal('SIGTERM')
    assert.equal(await process.exit(), 1)
    request.socket.destroy()
  })
})

async function firstKey(installation: Installation): Promise<{ id: string; secret: string }> {
  return (await installation.initAcme('--another')).api_key
}

onEveryEngine('processes that start together on an empty database', (engine) => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation(engine, { empty: true })
  })
  after(() => installation.remove())

  test('make one demo organization between them', async () => {
    const servers = await Promise.all([installation.serve(), installation.serve(), installation.serve()])
    const keys = servers.filter(({ process }) => process.err.includes('atr_live_'))
    assert.equal(keys.length, 1)
    const secret = secretIn((keys[0] as (typeof keys)[0]).process.err)
    for (const { url } of servers) assert.equal((await call(url, 'GET', '/v1/me', { key: secret })).status, 200)
  })
})

onEveryEngine('a process of workers', (engine) => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation(engine)
  })
  after(() => installation.remove())

  test('runs every worker, tells so in the database, and ends in order', async () => {
    const worker = installation.start(['worker'])
    const { workers } = (await worker.line('working')) as { workers: string[] }
    for (;;) {
      const { workers: status } = await installation.json('workers')
      assert.deepEqual(
        status.map((each: { name: string }) => each.name),
        workers,
      )
      if (status.every((each: { last_ended_at: number | null }) => each.last_ended_at !== null)) break
    }
    worker.signal('SIGTERM')
    assert.equal(await worker.exit(), 0)
    assert.deepEqual(
      worker.log.map((line) => line.msg),
      ['working', 'stopping', 'stopped'],
    )
    assert.equal(worker.err, '')
  })
})

describe('a server that receives SIGTERM', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
  })
  after(() => installation.remove())

  test('is not held up by a client that never finishes', async () => {
    const { secret } = await firstKey(installation)
    const { process, url } = await installation.serve()
    const request = await half(url, secret)
    request.socket.on('error', () => {})
    process.signal('SIGTERM')
    assert.equal(await process.exit(), 0)
    request.socket.destroy()
  })

  test('takes the two signals of one Ctrl-C under npm for one', async () => {
    const { secret } = await firstKey(installation)
    const { process, url } = await installation.serve()
    const request = await half(url, secret)
    process.signal('SIGINT')
    await process.line('stopping')
    process.signal('SIGINT')
    assert.match(await request.finish(), /^HTTP\/1\.1 200 /)
    assert.equal(await process.exit(), 0)
  })
})

describe('a server that receives replies', () => {
  let installation: Installation
  let smtp: MailServer
  before(async () => {
    installation = await newInstallation('sqlite')
    smtp = await MailServer.open()
  })
  after(async () => {
    await installation.remove()
    await smtp.close()
  })

  test('listens at its own port; a reply that SIGKILL cuts off, or whose answer is lost, becomes one comment', async () => {
    const { setup_url, user, api_key } = await installation.initAcme('--plan', 'enterprise')
    const port = await freePort()
    const environment = {
      ATRIUM_SMTP_URL: smtp.url,
      ATRIUM_MAIL_FROM: 'atrium@acme.example',
      ATRIUM_INBOUND_MAIL: `smtp://127.0.0.1:${port}?domain=reply.acme.example`,
    }
    let { process, url } = await installation.serve(environment)
    const visitor = new Visitor(url)
    await visitor.arrive()
    await visitor.must('POST', 'set-up', { token: tokenOf(setup_url), password })
    const key = api_key.secret
    const make = async (path: string, body: object) => (await call(url, 'POST', path, { key, body })).body
    const workspace = (await make('/v1/workspaces', { title: 'Bugs' })).id
    const task = await make('/v1/tasks', { workspace, title: 'It crashes', assignee: user })
    const to = (await smtp.next(/It crashes/)).headers.get('reply-to') ?? ''
    assert.match(to, /@reply\.acme\.example$/)

    for (const cut of ['the last byte', 'the answer'] as const) {
      const reply = ['From: ada@acme.example', `To: ${to}`, `Message-ID: <${cut.replaceAll(' ', '-')}@mail.example>`]
      const mail = [...reply, 'Subject: Re: It crashes', '', `Cut after ${cut}.`]
      const sent = await sendMail(port, { from: 'ada@acme.example', to, mail }, cut)
      await process.kill()
      sent.destroy()
      ;({ process, url } = await installation.serve(environment))
      // As a mail server does that heard nothing: again, and once more.
      for (let i = 0; i < 2; i++) (await sendMail(port, { from: 'ada@acme.example', to, mail }, 'the answer')).destroy()
    }
    const { data } = (await call(url, 'GET', `/v1/tasks/${task.id}/comments`, { key })).body
    assert.deepEqual(
      data.map(({ body, author }: { body: string; author: object }) => [body, author]).toReversed(),
      ['Cut after the last byte.', 'Cut after the answer.'].map((body) => [body, { type: 'user', id: user }]),
    )
    process.signal('SIGTERM')
    assert.equal(await process.exit(), 0)
  })

  /** Speaks SMTP up to the last byte of a mail, or up to the answer that it was accepted. */
  async function sendMail(
    port: number,
    { from, to, mail }: { readonly from: string; readonly to: string; readonly mail: readonly string[] },
    until: 'the last byte' | 'the answer',
  ): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    socket.on('error', () => {})
    const answered = async (code: string) => {
      const [answer] = (await once(socket, 'data')) as [string]
      assert.equal(answer.slice(0, 3), code, answer)
    }
    await answered('220')
    for (const [line, code] of [
      ['HELO mail.example', '250'],
      [`MAIL FROM:<${from}>`, '250'],
      [`RCPT TO:<${to}>`, '250'],
      ['DATA', '354'],
    ] as const) {
      socket.write(`${line}\r\n`)
      await answered(code)
    }
    await new Promise((resolve) => socket.write(`${mail.join('\r\n')}\r\n.\r\n`, resolve))
    if (until === 'the answer') await answered('250')
    return socket
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('a server on all addresses, without a public URL', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
  })
  after(() => installation.remove())

  test('prints a link at which a person of this machine signs in, and demands HTTPS of other machines', async () => {
    const { process, url } = await installation.serve({ ATRIUM_HOST: '0.0.0.0' })
    const link = /Set-up link: (\S+)/.exec(process.err)?.[1] ?? assert.fail(process.err)
    const { origin } = new URL(link)
    assert.equal(origin, url.replace('0.0.0.0', 'localhost'))
    const visitor = new Visitor(origin)
    assert.equal((await visitor.arrive()).secure, true)
    await visitor.must('POST', 'set-up', { token: tokenOf(link), password })
    const elsewhere = new Visitor(url.replace('0.0.0.0', '127.0.0.2'))
    assert.equal((await elsewhere.arrive()).secure, false)
    process.signal('SIGTERM')
    assert.equal(await process.exit(), 0)
  })
})

describe('a server whose public URL has a path', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
  })
  after(() => installation.remove())

  test('warns that the console does not load there, and names the URL to use', async () => {
    const { process } = await installation.serve({ ATRIUM_PUBLIC_URL: 'https://tools.example:8443/atrium' })
    assert.match(
      process.out,
      /"level":"warn".*"msg":"ATRIUM_PUBLIC_URL has a path: .*"use":"https:\/\/tools.example:8443"/,
    )
    process.signal('SIGTERM')
    assert.equal(await process.exit(), 0)
  })
})

describe('a start that fails', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
  })
  after(() => installation.remove())

  const fails = async (words: readonly string[], environment: Record<string, string>, line: RegExp): Promise<void> => {
    const { code, out, err } = await installation.run(words, { environment })
    assert.equal(code, 1, err)
    assert.match(err, line)
    assert.match(err, /^[^\n]+\n$/)
    assert.ok(out === '' || words[0] === 'serve', out)
  }

  test('names ATRIUM_PORT when the port is taken, and makes no demo organization then', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    await fails(
      ['serve'],
      { ATRIUM_PORT: String(port) },
      /^atrium serve: 127\.0\.0\.1:\d+ is in use\. Set ATRIUM_PORT /,
    )
    taken.close()
    const { process } = await installation.serve()
    assert.match(process.err, /atr_live_/)
    await process.kill()
  })

  test('names ATRIUM_INBOUND_MAIL when its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const environment = {
      ATRIUM_SMTP_URL: 'smtp://127.0.0.1:1',
      ATRIUM_MAIL_FROM: 'atrium@acme.example',
      ATRIUM_INBOUND_MAIL: `smtp://127.0.0.1:${port}?domain=reply.acme.example`,
    }
    await fails(
      ['serve'],
      environment,
      /^atrium serve: ATRIUM_INBOUND_MAIL: 127\.0\.0\.1:\d+ cannot be listened on: .*EADDRINUSE/,
    )
    taken.close()
  })

  test('names ATRIUM_HOST when the address is not of this machine', async () => {
    await fails(
      ['serve'],
      { ATRIUM_HOST: '192.0.2.1' },
      /^atrium serve: ATRIUM_HOST cannot be "192\.0\.2\.1": it is not an address of this machine/,
    )
  })

  test('says in one line that PostgreSQL cannot be reached, after having waited for it', async () => {
    const environment = {
      ATRIUM_DATABASE_URL: 'postgres://unknown:secret@127.0.0.1:1/none',
      ATRIUM_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    }
    const server = installation.start(['serve'], environment)
    await server.line('waiting for the database')
    assert.equal(await server.exit(), 1)
    assert.equal(
      server.err,
      'atrium serve: The database cannot be reached (ATRIUM_DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1.\n',
    )
  })

  test('says in one line that the data directory cannot be used', async () => {
    const place = '/dev/null/data'
    await fails(
      ['serve'],
      { ATRIUM_DATA_DIR: place },
      /^atrium serve: The data directory .*\(ATRIUM_DATA_DIR\): ENOTDIR/,
    )
  })
})

onPostgresServer('a role that does not own the database', () => {
  test('is refused by one line that says what to change, by each command that creates tables', async () => {
    const installation = await newInstallation('sqlite')
    const database = await newDatabase('postgres')
    const role = `plain_${randomUUID().replaceAll('-', '')}`
    await administer(`create role ${role} login password 'secret'`)
    try {
      const url = new URL(database.url)
      Object.assign(url, { username: role, password: 'secret' })
      const environment = { ATRIUM_DATABASE_URL: url.href, ATRIUM_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') }
      for (const command of ['serve', 'migrate']) {
        const { code, out, err } = await installation.run([command], { environment })
        assert.deepEqual([code, out], [1, ''])
        assert.equal(
          err,
          `atrium ${command}: The role of ATRIUM_DATABASE_URL lacks a right: permission denied for schema public. ` +
            'It must own the database (ALTER DATABASE … OWNER TO …) and its tables.\n',
        )
      }
    } finally {
      await database.remove()
      await administer(`drop role ${role}`)
      await installation.remove()
    }
  })
})
