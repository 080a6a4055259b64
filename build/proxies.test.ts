/**
 * The examples of reverse proxies in `deploy/`, run by Debian's nginx and Caddy in front of a real server: certificate, redirect,
 * uploads, streams, WebSockets, and the client's address. Only names of files and ports are replaced.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { WebSocket } from 'ws'
import { found } from '../server/src/cli/founding.ts'
import { readConfig } from '../server/src/config.ts'
import { newId } from '../server/src/lib/ids.ts'
import { type RunningServer, startServer } from '../server/src/main.ts'
import { test_environment } from '../server/test/environment.ts'
import { freePort } from '../server/test/postgres.ts'

const root = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'atrium-proxies-'))
const host = 'atrium.example'
const [certificate, key] = [join(work, 'fullchain.pem'), join(work, 'privkey.pem')]
/** A second address of this machine: the client's, while the proxy's is 127.0.0.1. */
const client_address = '127.0.0.2'

interface Ports {
  readonly plain: number
  readonly secure: number
  readonly atrium: number
}

interface Proxy {
  readonly name: string
  readonly program: string
  /** Ends it at once, with its own processes. */
  readonly end: 'SIGTERM' | 'SIGKILL'
  readonly start: (folder: string, ports: Ports) => readonly string[]
}

const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8')

/** A replacement must find its text: the example is what is tried. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((now, [from, to]) => {
    assert.ok(now.includes(from), `the example no longer has ${from}`)
    return now.replaceAll(from, to)
  }, text)
}

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    end: 'SIGTERM',
    start(folder, { plain, secure, atrium }) {
      const example = replaced(read('nginx.conf'), [
        ['listen 80;', `listen 127.0.0.1:${plain};`],
        ['listen 443 ssl;', `listen 127.0.0.1:${secure} ssl;`],
        ['    listen [::]:80;\n', ''],
        ['    listen [::]:443 ssl;\n', ''],
        ['/etc/ssl/atrium/fullchain.pem', certificate],
        ['/etc/ssl/atrium/privkey.pem', key],
        ['127.0.0.1:4010', `127.0.0.1:${atrium}`],
      ])
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`)
      const main = `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${example}}\n`
      writeFileSync(join(folder, 'nginx.conf'), main)
      return ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;']
    },
  },
  {
    name: 'Caddy',
    program: '/usr/bin/caddy',
    // It waits a minute for connections otherwise.
    end: 'SIGKILL',
    start(folder, { plain, secure, atrium }) {
      const example = replaced(read('Caddyfile'), [
        ['atrium.example {', `atrium.example {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`],
        ['127.0.0.1:4010', `127.0.0.1:${atrium}`],
      ])
      const settings = `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${secure}\n\tstorage file_system ${folder}\n}\n`
      writeFileSync(join(folder, 'Caddyfile'), settings + example)
      return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
    },
  },
]

/** Where a program is: in Debian's place, or in the path. Null if it is not installed. */
function installed({ program, name }: Proxy): string | null {
  for (const each of [program, name.toLowerCase()]) {
    try {
      return execFileSync('sh', ['-c', 'command -v "$0"', each], { encoding: 'utf8' }).trim()
    } catch {}
  }
  return null
}

interface Reply {
  readonly status: number
  readonly body: Buffer
}

let server: RunningServer
let api_key: string
before(async () => {
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      ...subject,
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'pipe' },
  )
  const environment = {
    ATRIUM_DATA_DIR: join(work, 'data'),
    ATRIUM_PUBLIC_URL: `https://${host}`,
    ATRIUM_TRUSTED_PROXIES: '127.0.0.1',
  }
  server = await startServer(readConfig({ ...test_environment, ...environment }))
  const founding = { name: 'Acme', ownerEmail: 'owner@acme.example', plan: 'enterprise', domains: [] } as const
  const organization = await found(server.services, founding)
  assert.ok(organization)
  api_key = organization.api_key.secret
})
after(async () => {
  await server.close()
  rmSync(work, { recursive: true })
})

for (const proxy of proxies) {
  const program = installed(proxy)
  const reason = `${proxy.name} is not installed (apt-get install ${proxy.name.toLowerCase()})`
  describe(`${proxy.name} with the example`, { skip: program === null ? reason : false }, () => {
    let ports: Ports
    let child: ChildProcess
    let said = ''
    before(async () => {
      const folder = join(work, proxy.name)
      mkdirSync(folder)
      const { port } = new URL(server.url)
      ports = { plain: await freePort(), secure: await freePort(), atrium: Number(port) }
      child = spawn(program ?? '', proxy.start(folder, ports), {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { HOME: folder },
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (text) => {
          said += text
        })
      await listening()
    })
    after(async () => {
      child.kill(proxy.end)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })

    async function listening(): Promise<void> {
      for (;;) {
        if (child.exitCode !== null) assert.fail(`${proxy.name} ended: ${said}`)
        if (
          await send('GET', '/readyz').then(
            ({ status }) => status === 200,
            () => false,
          )
        )
          return
      }
    }

    const target = (): RequestOptions => ({
      ...{ host: '127.0.0.1', port: ports.secure, servername: host, ca: readFileSync(certificate) },
      localAddress: client_address,
    })
    const fields = (more: Readonly<Record<string, string>> = {}) => ({
      host,
      authorization: `Bearer ${api_key}`,
      ...more,
    })

    function send(
      method: string,
      path: string,
      payload?: Buffer | object,
      more?: Readonly<Record<string, string>>,
    ): Promise<Reply> {
      const body = payload === undefined || Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload))
      const json = { 'content-type': 'application/json', 'idempotency-key': newId('req', Date.now()) }
      return new Promise((resolve, reject) => {
        const sent = request(
          { ...target(), method, path, headers: fields({ ...(body ? json : {}), ...more }) },
          (answer) => {
            const chunks: Buffer[] = []
            answer.on('data', (chunk: Buffer) => chunks.push(chunk))
            answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }))
          },
        )
        sent.on('error', reject)
        sent.end(body)
      })
    }
    const made = async (title: string, more?: Readonly<Record<string, string>>) => {
      const { status, body } = await send('POST', '/v1/workspaces', { title }, more)
      assert.equal(status, 200, body.toString())
      return JSON.parse(body.toString()).id as string
    }

    it('leads from http to https', async () => {
      const [answer] = await once(
        get({ host: '127.0.0.1', port: ports.plain, path: '/work?a=b', headers: { host } }),
        'response',
      )
      answer.resume()
      assert.ok([301, 308].includes(answer.statusCode), String(answer.statusCode))
      assert.equal(new URL(answer.headers.location).protocol, 'https:')
      assert.equal(answer.headers.location.replace(`:${ports.secure}`, ''), `https://${host}/work?a=b`)
    })

    it('passes on the address of the client, which no header of the client replaces', async () => {
      const id = await made('Address', { 'x-forwarded-for': '203.0.113.9' })
      const { body } = await send('GET', `/v1/audit_logs?target=${id}`)
      const sources = JSON.parse(body.toString()).data.map(({ source }: { source: { ip: string } }) => source.ip)
      assert.deepEqual(sources, [client_address])
    })

    it('passes on an upload larger than its own limits, and the same bytes come back', async () => {
      const workspace = await made('Files')
      const content = Buffer.alloc(3 * 2 ** 20, 'Atrium ')
      const { status, body } = await send('POST', `/v1/files?workspace=${workspace}&name=a.bin`, content)
      assert.equal(status, 200, body.toString())
      const { origin, pathname, search } = new URL(JSON.parse(body.toString()).url)
      assert.equal(origin, `https://${host}`)
      assert.ok((await send('GET', pathname + search)).body.equals(content))
    })

    it('passes on an event of a stream at once', async () => {
      const stream = request({
        ...target(),
        path: '/v1/events/stream?types[]=*',
        headers: fields({ accept: 'text/event-stream' }),
      })
      stream.end()
      const [answer] = await once(stream, 'response')
      assert.equal(answer.statusCode, 200)
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk
      })
      const id = await made('Streamed')
      while (!text.includes(id)) await once(answer, 'data')
      stream.destroy()
    })

    it('opens WebSockets of pages of Atrium, and of no others', async () => {
      const path = `wss://127.0.0.1:${ports.secure}/app/api/boards/${newId('brd', Date.now())}/live`
      const open = (origin: string) => new WebSocket(path, { ...target(), headers: { host, origin } } as never)
      const own = open(`https://${host}`)
      await once(own, 'open')
      own.terminate()
      const [error] = await once(open('https://evil.example'), 'error')
      assert.match(String(error), /Unexpected server response: 403/)
    })

    it('does not show the metrics', async () => {
      const { status, body } = await send('GET', '/metrics')
      assert.equal(status, 404, body.toString())
    })
  })
}
