import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Installation, newInstallation } from './installation.ts'

/** Each of these alone must stop the start. */
const wrong: Readonly<Record<string, readonly string[]>> = {
  ATRIUM_HOST: ['not a host', 'http://127.0.0.1', '127.0.0.256', 'localhost:4010'],
  ATRIUM_PORT: ['http', '65536', '-1', '40.10'],
  ATRIUM_DATABASE_URL: ['mysql://localhost/atrium', 'file:', 'atrium.db', 'postgres://a:b#c@localhost/atrium'],
  ATRIUM_DATABASE_DIRECT_URL: ['mysql://localhost/atrium', 'postgres://localhost/atrium'],
  ATRIUM_DATABASE_READ_URL: ['mysql://localhost/atrium', 'postgres://localhost/atrium'],
  ATRIUM_DATABASE_NODES: ['yes', '1'],
  ATRIUM_PUBLIC_URL: ['atrium.example', 'ftp://atrium.example', 'https://a.example?x=1'],
  ATRIUM_SECRET_KEY: ['secret', Buffer.alloc(16).toString('base64'), `${Buffer.alloc(32).toString('base64')}!`],
  ATRIUM_CREDITS_PER_MINUTE: ['499', 'many', '-500'],
  ATRIUM_CREDITS_PER_DAY: ['0', '1e6'],
  ATRIUM_CREDITS_PER_PLAN_DAY: ['499.5', 'none'],
  ATRIUM_DISABLED_OPERATIONS: ['tasks.explode', 'workspaces.list,nothing'],
  ATRIUM_EGRESS_ALLOWED_HOSTS: ['http://intranet', 'a b'],
  ATRIUM_OPERATOR_MAIL: ['ops', 'ops@acme.example, other@acme.example'],
  ATRIUM_TRUSTED_PROXIES: ['proxy.internal', '10.0.0.0/33', '127.0.0.1:80', 'fe80::1%eth0/64'],
  ATRIUM_EGRESS_ALLOWED_CIDRS: ['10.0.0.0', '10.0.0.0/33', 'intranet/8', '::1/129', '10.0.0.0/8/8'],
  ATRIUM_WEBHOOK_SCHEDULE_SECONDS: ['soon', '1,,x', ',', '-1'],
  ATRIUM_AI_PROVIDER: ['magic', 'ECHO'],
  ATRIUM_AI_BASE_URL: ['ai.example'],
  ATRIUM_AI_BUDGET_MINOR_PER_DAY: ['-1', 'much'],
  ATRIUM_OIDC_PROVIDERS: ['corp', '[]'],
  ATRIUM_WORKERS: ['yes', '0'],
  ATRIUM_UPGRADE_BACKUP: ['yes', '0'],
  ATRIUM_LOG_LEVEL: ['verbose', 'INFO'],
  ATRIUM_PROT: ['4010'],
  ATRIUM_: ['1'],
}

describe('a wrong variable', () => {
  let installation: Installation
  before(async () => {
    installation = await newInstallation('sqlite')
  })
  after(() => installation.remove())

  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      test(`stops the start with one line that names it: ${name}=${value}`, async () => {
        const { code, out, err } = await installation.run(['serve'], { environment: { [name]: value } })
        assert.deepEqual([code, out], [1, ''])
        assert.match(err, /^[^\n]+\n$/)
        assert.ok(err.startsWith(`atrium serve: ${name} `), err)
      })
    }
  }

  test('is named when PostgreSQL is used without a secret key', async () => {
    const environment = { ATRIUM_DATABASE_URL: 'postgres://localhost/atrium' }
    const { code, err } = await installation.run(['serve'], { environment })
    assert.equal(code, 1)
    assert.match(err, /^atrium serve: ATRIUM_SECRET_KEY is required with PostgreSQL[^\n]*\n$/)
  })

  test('is named when a provider of AI lacks what it needs', async () => {
    const environment = { ATRIUM_AI_PROVIDER: 'openai_compatible', ATRIUM_AI_BASE_URL: 'https://ai.example/v1' }
    const { code, err } = await installation.run(['worker'], { environment })
    assert.equal(code, 1)
    assert.match(err, /^atrium worker: ATRIUM_AI_API_KEY is required [^\n]*\n$/)
  })

  test('is the param of the error with --json', async () => {
    const { code, out, err } = await installation.run(['workers', '--json'], { environment: { ATRIUM_PORT: 'x' } })
    assert.deepEqual([code, out], [1, ''])
    assert.deepEqual(JSON.parse(err), {
      error: { message: 'ATRIUM_PORT cannot be "x". Use a whole number from 0 to 65535.', param: 'ATRIUM_PORT' },
    })
  })

  test('is never a secret that is repeated', async () => {
    const { err } = await installation.run(['serve'], { environment: { ATRIUM_SECRET_KEY: 'hunter2' } })
    assert.ok(!err.includes('hunter2'))
  })

  test('is not one that the suite itself uses', async () => {
    const { code, err } = await installation.run(['migrate'], { environment: { ATRIUM_TEST_ANYTHING: '1' } })
    assert.deepEqual([code, err], [0, ''])
  })
})
