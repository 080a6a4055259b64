/** OpenID providers and the bucket of files in the configuration: what is read, and the line that names what is wrong. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from './config.ts'

const entry = {
  id: 'corp',
  name: 'Example Corp',
  organization: 'org_01K6ZQ0V7T0000000000000000',
  issuer: 'https://login.example.com/realms/corp',
  client_id: 'atrium',
  client_secret: 'a secret of the client',
  domains: ['Example.com'],
}

const read = (...entries: readonly object[]) => readConfig({ ATRIUM_OIDC_PROVIDERS: JSON.stringify(entries) }).openid

describe('OpenID providers', () => {
  it('are an empty list unless they are set', () => {
    assert.deepEqual(readConfig({}).openid, [])
  })

  it('are read with their defaults', () => {
    const [first, second] = read(entry, {
      ...entry,
      id: 'local',
      issuer: 'http://localhost:8080',
      client_secret: undefined,
      role_claim: 'groups',
      roles: { staff: 'admin' },
      default_role: 'owner',
    })
    assert.deepEqual(first, {
      id: 'corp',
      name: 'Example Corp',
      organization: 'org_01K6ZQ0V7T0000000000000000',
      issuer: 'https://login.example.com/realms/corp',
      clientId: 'atrium',
      clientSecret: 'a secret of the client',
      domains: ['example.com'],
      roleClaim: null,
      roles: {},
      defaultRole: 'member',
      secondFactor: [],
    })
    const { clientSecret, roleClaim, roles, defaultRole } = second ?? {}
    assert.deepEqual([clientSecret, roleClaim, roles, defaultRole], [null, 'groups', { staff: 'admin' }, 'owner'])
  })

  const wrong: readonly (readonly [change: object, line: RegExp])[] = [
    [{ id: undefined }, /^ATRIUM_OIDC_PROVIDERS entry 1: "id" must be /],
    [{ id: 'Corp' }, /entry 1 \(Corp\): "id" must be 1 to 32 of a-z, 0-9 and -\.$/],
    [{ name: ' ' }, /entry 1 \(corp\): "name" must be /],
    [{ organization: 'acme' }, /"organization" must be the id of the organization/],
    [{ issuer: 'http://login.example.com' }, /"issuer" must be an https URL.*http is only allowed on the loopback/],
    [{ issuer: 'https://login.example.com/?tenant=1' }, /"issuer" must be /],
    [{ issuer: 'https://user:password@login.example.com' }, /"issuer" must be /],
    [{ client_id: 7 }, /"client_id" must be /],
    [{ client_secret: '' }, /"client_secret" must be /],
    [{ domains: [] }, /"domains" must be 1 to 100 domains/],
    [{ domains: ['@example.com'] }, /"domains" must be /],
    [{ roles: { staff: 'admin' } }, /"role_claim" and "roles" are only allowed together\.$/],
    [{ role_claim: 'groups' }, /"role_claim" and "roles" are only allowed together\.$/],
    [{ role_claim: 'groups', roles: { staff: 'boss' } }, /"roles" must be an object/],
    [{ second_factor: false }, /"second_factor" must be true, or 1 to 20 values of the claim acr\.$/],
    [{ second_factor: [] }, /"second_factor" must be true/],
    [{ default_role: 'boss' }, /"default_role" must be owner, admin or member\.$/],
    [{ clientid: 'x' }, /"clientid" is not a key\. Did you mean client_id\?$/],
  ]
  for (const [change, line] of wrong) {
    it(`stop the start with a line that names entry and key: ${JSON.stringify(change)}`, () => {
      assert.throws(() => read({ ...entry, ...change }), { message: line })
    })
  }

  it('have ids that differ, and at most 20 of them', () => {
    assert.throws(() => read(entry, entry), { message: 'ATRIUM_OIDC_PROVIDERS entry 2 (corp): "id" is used twice.' })
    const many = Array.from({ length: 21 }, (_, i) => ({ ...entry, id: `corp-${i}` }))
    assert.throws(() => read(...many), { message: 'ATRIUM_OIDC_PROVIDERS must be a JSON array of 1 to 20 providers.' })
  })

  it('have secrets that no line repeats', () => {
    const secret = `${'s'.repeat(2001)}`
    assert.throws(
      () => read({ ...entry, client_secret: secret }),
      (error: Error) => !error.message.includes('sss'),
    )
  })
})

describe('the bucket of files', () => {
  const url = { ATRIUM_FILES_URL: 's3://acme/atrium?endpoint=https://s3.example.com' }
  const aws = {
    ...{ AWS_ACCESS_KEY_ID: 'aws key', AWS_SECRET_ACCESS_KEY: 'aws secret', AWS_SESSION_TOKEN: 'aws session' },
    AWS_REGION: 'eu-central-1',
  }

  it('has the keys and the region of the usual variables of AWS, unless those of Atrium are set', () => {
    const place = { bucket: 'acme', prefix: 'atrium', endpoint: 'https://s3.example.com', pathStyle: true }
    assert.deepEqual(readConfig({ ...url, ...aws }).files.bucket, {
      ...{ ...place, accessKey: 'aws key', secretKey: 'aws secret', sessionToken: 'aws session' },
      region: 'eu-central-1',
    })
    const own = { ATRIUM_FILES_ACCESS_KEY: 'own key', ATRIUM_FILES_SECRET_KEY: 'own secret' }
    assert.deepEqual(readConfig({ ...url, ...own, ...aws }).files.bucket, {
      // A session of AWS belongs to the key of AWS.
      ...{ ...place, accessKey: 'own key', secretKey: 'own secret', sessionToken: null },
      region: 'eu-central-1',
    })
  })

  it('needs both keys', () => {
    assert.throws(() => readConfig(url), { message: 'ATRIUM_FILES_ACCESS_KEY is required with ATRIUM_FILES_URL.' })
    const half = { ...url, AWS_ACCESS_KEY_ID: 'aws key' }
    assert.throws(() => readConfig(half), { message: 'ATRIUM_FILES_SECRET_KEY is required with ATRIUM_FILES_URL.' })
  })
})

describe('the public URL', () => {
  it('is the root of a host, with or without a slash', () => {
    for (const url of ['https://atrium.example', 'https://atrium.example/', 'http://10.0.0.1:8080']) {
      assert.equal(readConfig({ ATRIUM_PUBLIC_URL: url }).publicUrl, url.replace(/\/$/, ''))
    }
  })

  it('may have a path, for the API', () => {
    const url = 'https://tools.example/atrium'
    assert.equal(readConfig({ ATRIUM_PUBLIC_URL: `${url}/` }).publicUrl, url)
  })

  it('is refused with a user, a query or a fragment, and the line says what to use, without a password', () => {
    for (const [url, shown] of [
      ['https://tools.example:8443?x=1', 'https://tools.example:8443/?x=1'],
      ['https://tools.example:8443/#x', 'https://tools.example:8443/#x'],
      ['https://ada:secret@tools.example:8443', 'https://ada@tools.example:8443/'],
    ] as const) {
      assert.throws(() => readConfig({ ATRIUM_PUBLIC_URL: url }), {
        message: `ATRIUM_PUBLIC_URL cannot be "${shown}": it is a scheme, a host name and a port. Use https://tools.example:8443.`,
      })
    }
  })
})

describe('a URL of PostgreSQL', () => {
  const key = { ATRIUM_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') }

  it('takes a password with characters of a URL if they are encoded', () => {
    const url = 'postgres://atrium:a%23b%2Fc%40d@127.0.0.1:5432/atrium'
    assert.equal(readConfig({ ...key, ATRIUM_DATABASE_URL: url }).databaseUrl, url)
  })

  it('is refused if they are not, by a line that says so and does not repeat the password', () => {
    const right = 'postgres://atrium@127.0.0.1/atrium'
    for (const password of ['hunter#2', 'hunter/2', 'hunter?2']) {
      const wrong = `postgres://atrium:${password}@127.0.0.1:5432/atrium`
      for (const [name, settings] of [
        ['ATRIUM_DATABASE_URL', { ATRIUM_DATABASE_URL: wrong }],
        ['ATRIUM_DATABASE_DIRECT_URL', { ATRIUM_DATABASE_URL: right, ATRIUM_DATABASE_DIRECT_URL: wrong }],
        ['ATRIUM_DATABASE_READ_URL', { ATRIUM_DATABASE_URL: right, ATRIUM_DATABASE_READ_URL: wrong }],
      ] as const) {
        assert.throws(
          () => readConfig({ ...key, ...settings }),
          (error: Error) => {
            assert.match(
              error.message,
              new RegExp(`^${name} must be postgres://user:password@host:port/database\\. .*%23`),
            )
            assert.ok(!error.message.includes('hunter'), error.message)
            return true
          },
        )
      }
    }
  })
})
