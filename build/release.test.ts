/** A release as its users get it: each artefact is used in an empty folder, by what its own README says. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { dependencies } from '../proof/dependencies.ts'
import { whyNoPython } from '../sdk/python/interpreter.ts'
import { freePort, startPostgres } from '../server/test/postgres.ts'
import { startS3 } from '../server/test/s3-server.ts'
import { packFolder } from './release/archive.ts'
import { changelogSection } from './release/changelog.ts'
import { checkRelease, ReleaseRefused } from './release/checks.ts'
import { readCompose } from './release/compose.ts'
import { buildContainer, type Containers, MirrorUnreachable, whyNoContainer } from './release/container.ts'
import { release_limits } from './release/limits.ts'
import { loadedPart } from './release/node-binary.ts'
import { checkSizes, writeServer } from './release/program.ts'
import { codeBlocks, newStranger, type Stranger } from './release/stranger.ts'
import { artefactNames, makeRelease, sizesIn, writeSdk } from './release.ts'

const root = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'atrium-release-'))
const release = checkRelease(root, true)
const names = artefactNames(release.version)
const made = join(work, 'release')
/** How often a preview is looked for: it takes some of these answers, unless it never comes. */
const tries_max = 10_000
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

/** Without Python its packages are not made, and everything else is tried. */
const withPython = whyNoPython() === null

before(() => makeRelease(made, release, withPython))
after(() => rmSync(work, { recursive: true }))

describe('the artefacts', () => {
  it('are those that SHA256SUMS lists, with the bytes it says', () => {
    const missing = withPython ? [names.sums] : [names.sums, names.wheel, names.pythonSource]
    const listed = Object.values(names).filter((name) => !missing.includes(name))
    const checked = execFileSync('sha256sum', ['--check', '--strict', names.sums], { cwd: made, encoding: 'utf8' })
    assert.deepEqual(checked.trim().split('\n').sort(), listed.map((name) => `${name}: OK`).sort())
    assert.deepEqual([...sizesIn(made).keys()].sort(), [...listed, names.sums].sort())
  })

  it('have the documents as a site', () => {
    const listed = execFileSync('tar', ['-tzf', names.docs], { cwd: made, encoding: 'utf8' }).split('\n')
    for (const file of [
      'index.html',
      'guides/first-call.html',
      'guides/first-call.md',
      'openapi.json',
      'openapi.yaml',
      'atrium.postman_collection.json',
      'llms.txt',
    ])
      assert.ok(listed.includes(`atrium-docs/${file}`), file)
  })

  it('say what is new, and what they are made of', () => {
    const { date, text } = release.section
    assert.equal(read(made, names.notes), `# Atrium ${release.version}\n\n${date}\n\n${text}\n`)
    const bill = JSON.parse(read(made, names.bill))
    const required = bill.components.filter(({ scope }: { scope: string }) => scope === 'required')
    assert.deepEqual(
      [bill.bomFormat, bill.specVersion, bill.metadata.component.version],
      ['CycloneDX', '1.6', release.version],
    )
    assert.equal(required.length, dependencies().filter(({ runtime }) => runtime).length)
  })
})

describe('the package of the program, in an empty folder', () => {
  let stranger: Stranger
  let installed: string
  let readme: string[]
  before(async () => {
    stranger = newStranger(join(work, 'program'), [join(made, names.program)])
    const page = await stranger.shell(`tar -xzOf ${names.program} package/README.md`)
    readme = codeBlocks(page, 'sh')
    assert.equal(readme.length, 3)
    installed = join(stranger.folder, 'atrium')
  })

  it('runs from its file by npx: console, API and reference are served, and a task is created with the printed key', async () => {
    const s3 = await startS3(join(work, 'objects'))
    const environment = { ...s3.environment, ATRIUM_PORT: '0', ATRIUM_CREDITS_PER_MINUTE: 'unlimited' }
    const server = await stranger.start(readme[0] ?? '', environment)
    try {
      const { ATRIUM_KEY = '' } = { ATRIUM_KEY: /atr_live_\w+/.exec(server.said)?.[0] }
      const first = (readme[2] ?? '').replace('http://127.0.0.1:4010', server.url)
      const { id: workspace } = JSON.parse(await stranger.shell(first, { ATRIUM_KEY }))
      const call = async (method: string, path: string, body?: string | Buffer<ArrayBuffer>) => {
        const headers = {
          Authorization: `Bearer ${ATRIUM_KEY}`,
          'Idempotency-Key': path,
          'Content-Type': 'application/json',
        }
        const answer = await fetch(`${server.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
        return { status: answer.status, body: (await answer.json()) as Record<string, string> }
      }
      const task = await call('POST', '/v1/tasks', JSON.stringify({ workspace, title: 'Unpack' }))
      assert.deepEqual([task.status, task.body.key], [200, 'HAN-1'])
      for (const path of [
        '/',
        '/readyz',
        '/docs',
        '/docs/scalar.js',
        '/docs/reference.json',
        '/docs/index.html',
        '/v1/openapi.json',
      ]) {
        const answer = await fetch(`${server.url}${path}`, { headers: { Accept: 'text/html' } })
        const text = await answer.text()
        assert.equal(answer.status, 200, `${path}: ${text.slice(0, 200)}`)
        if (path === '/') assert.match(text, /<script type="module"[^>]* src="\/assets\//)
      }
      // The content goes to a bucket, and a thread makes the preview: both libraries are loaded when they are used.
      const picture = readFileSync(join(root, 'docs/pictures/board.png'))
      let file = await call('POST', `/v1/files?workspace=${workspace}&name=board.png`, picture)
      assert.equal(file.status, 200)
      for (let tries = 0; !file.body.preview_url && tries < tries_max; tries++)
        file = await call('GET', `/v1/files/${file.body.id}`)
      assert.ok(file.body.preview_url, 'the picture has no preview')
      const preview = Buffer.from(await (await fetch(file.body.preview_url)).arrayBuffer())
      assert.equal(preview.toString('latin1', 8, 12), 'WEBP')
      await callWithSdk(server.url, ATRIUM_KEY)
    } finally {
      await server.end()
      await s3.close()
    }
  })

  it('is installed by unpacking it, without npm and Node', async () => {
    const PATH = join(work, 'no-node')
    mkdirSync(PATH)
    for (const tool of ['mkdir', 'tar', 'gzip', 'sh', 'bash', 'dirname']) symlinkSync(`/bin/${tool}`, join(PATH, tool))
    assert.equal(await stranger.shell(readme[1] ?? '', { PATH }), `${release.version}\n`)
  })

  it('is within its bounds, has no dependencies, and holds the notices of what is bundled', () => {
    const { portable, unpacked } = checkSizes(sizesIn(installed))
    assert.ok(unpacked > portable && portable > 0)
    const { dependencies: needed, os, cpu, libc } = JSON.parse(read(installed, 'package.json'))
    assert.deepEqual([needed, os, cpu, libc], [undefined, ['linux'], [process.arch], ['glibc']])
    const notices = read(installed, 'NOTICES.md')
    for (const name of ['kysely', 'react', '@aws-sdk/client-s3', '@napi-rs/image', '@excalidraw/excalidraw'])
      assert.match(notices, new RegExp(`^- ${name} \\d`, 'm'))
    assert.doesNotMatch(notices, /^- @biomejs\/biome|undefined/m)
  })

  it('holds what a second build makes, byte for byte', async () => {
    const again = join(work, 'again')
    await writeServer(join(again, 'server'))
    writeSdk(join(again, 'sdk'))
    for (const [second, first] of [
      ['server', 'dist/build/server'],
      ['sdk', 'sdk/typescript'],
    ] as const) {
      const files = [...sizesIn(join(again, second)).keys()]
      assert.deepEqual(files, [...sizesIn(join(installed, first)).keys()])
      const different = files.filter(
        (file) => !readFileSync(join(again, second, file)).equals(readFileSync(join(installed, first, file))),
      )
      assert.deepEqual(different, [])
    }
  })
})

describe('the container', { skip: whyNoContainer() ?? false }, () => {
  let containers: Containers | null = null
  before(async () => {
    containers = await buildContainer(join(work, 'container'), join(made, names.program)).catch((error) => {
      if (error instanceof MirrorUnreachable) return null
      throw error
    })
  })
  after(() => containers?.remove())

  it('runs without root on a read-only file system, is healthy, and finds its volume again; its image is within its bound', async (test) => {
    if (containers === null) return test.skip('no mirror of Debian can be reached')
    const environment = { ATRIUM_HOST: '127.0.0.1', ATRIUM_PORT: String(await freePort()) }
    const first = await containers.start('first', environment)
    const headers = { Authorization: `Bearer ${/atr_live_\w+/.exec(first.said)?.[0]}` }
    const { podman } = containers
    await podman('healthcheck', 'run', 'first')
    const said = await podman('exec', 'first', 'sh', '-c', 'id -u; touch /x 2>&1 || atrium --version')
    assert.match(said, new RegExp(`^10001\n.*Read-only file system\n${release.version}\n$`))
    await podman('stop', 'first')
    assert.equal(await podman('inspect', '--format', '{{.State.ExitCode}}', 'first'), '0\n')
    const second = await containers.start('second', environment)
    assert.equal((await fetch(`${second.url}/v1/me`, { headers })).status, 200)
    const bytes = await containers.bytes()
    assert.ok(bytes <= release_limits.image_bytes_max, `the image has ${bytes} bytes`)
  })

  it('runs on PostgreSQL with the settings of the compose file, and finds its data again', async (test) => {
    if (containers === null) return test.skip('no mirror of Debian can be reached')
    await using postgres = await startPostgres()
    const { atrium } = composed()
    await asImageOfPostgres(postgres.url)
    const url = new URL(atrium.environment.ATRIUM_DATABASE_URL ?? '')
    assert.equal(url.host, 'postgres')
    // The network of the test is the host's, where no name stands for the service.
    url.host = `127.0.0.1:${postgres.port}`
    const environment = { ...atrium.environment, ATRIUM_DATABASE_URL: url.href }
    const here = () => ({ ...environment, ATRIUM_HOST: '127.0.0.1', ATRIUM_PORT: String(port) })
    const port = await freePort()
    const first = await containers.start('composed', here(), atrium.options)
    const headers = { Authorization: `Bearer ${/atr_live_\w+/.exec(first.said)?.[0]}` }
    assert.equal((await fetch(`${first.url}/v1/me`, { headers })).status, 200)
    await containers.podman('healthcheck', 'run', 'composed')
    await containers.podman('stop', 'composed')
    const second = await containers.start('composed_again', here(), atrium.options)
    assert.equal((await fetch(`${second.url}/v1/me`, { headers })).status, 200)
  })
})

describe('the compose file', () => {
  it('starts Atrium when PostgreSQL is healthy, is reached from this machine only, and needs three values', () => {
    const { atrium, postgres, services } = composed()
    assert.deepEqual([...services.keys()], ['atrium', 'postgres'])
    assert.deepEqual([atrium.after, atrium.ports, postgres.ports], [['postgres'], ['127.0.0.1:4010:4010'], []])
    assert.equal(new URL(atrium.environment.ATRIUM_DATABASE_URL ?? '').password, postgres.environment.POSTGRES_PASSWORD)
    assert.deepEqual(postgres.environment, { POSTGRES_USER: 'atrium', POSTGRES_DB: 'atrium', POSTGRES_PASSWORD: 'abc' })
    for (const name of Object.keys(composeValues))
      assert.throws(() => composed({ [name]: '' }), new RegExp(`${name} is required`))
  })
})

const composeValues = {
  POSTGRES_PASSWORD: 'abc',
  ATRIUM_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  ATRIUM_PUBLIC_URL: 'https://atrium.example',
}

function composed(changed: Readonly<Record<string, string>> = {}) {
  const services = readCompose(read(root, 'deploy/compose.yaml'), { ...composeValues, ...changed })
  const [atrium, postgres] = [services.get('atrium'), services.get('postgres')]
  assert.ok(atrium !== undefined && postgres !== undefined)
  return { atrium, postgres, services }
}

/** Makes the role and the database that the image of PostgreSQL makes of its environment: the role is a superuser. */
async function asImageOfPostgres(url: string): Promise<void> {
  const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = composed().postgres.environment
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create role ${POSTGRES_USER} superuser login password '${POSTGRES_PASSWORD}'`)
  await client.query(`create database ${POSTGRES_DB} owner ${POSTGRES_USER}`)
  await client.end()
}

/** Installs the SDK from its file in an empty folder and runs the first snippet of its README. */
async function callWithSdk(url: string, key: string): Promise<void> {
  const stranger = newStranger(join(work, 'sdk'), [join(made, names.sdk)])
  await stranger.shell(`npm install --offline ./${names.sdk}`)
  const [snippet = ''] = codeBlocks(read(stranger.folder, 'node_modules/@atrium/sdk/README.md'), 'ts')
  writeFileSync(join(stranger.folder, 'snippet.mjs'), snippet)
  assert.equal(await stranger.shell('node snippet.mjs', { ATRIUM_URL: url, ATRIUM_KEY: key }), 'WRI-1 todo\n')
}

describe('packing', () => {
  it('makes the same bytes of the same files, whatever their order, times, modes and owner', () => {
    const [one, two] = ['one', 'two'].map((name) => join(work, name, 'package')) as [string, string]
    for (const [folder, files] of [
      [one, ['a.txt', 'b.txt']],
      [two, ['b.txt', 'a.txt']],
    ] as const) {
      mkdirSync(folder, { recursive: true })
      for (const name of files) writeFileSync(join(folder, name), name)
    }
    utimesSync(join(two, 'a.txt'), 1, 1)
    chmodSync(join(two, 'b.txt'), 0o600)
    for (const folder of [one, two]) packFolder(folder, `${folder}.tgz`, '2027-01-31')
    assert.deepEqual(readFileSync(`${two}.tgz`), readFileSync(`${one}.tgz`))
    assert.equal(
      execFileSync('tar', ['-tzf', `${one}.tgz`], { encoding: 'utf8' }),
      'package/\npackage/a.txt\npackage/b.txt\n',
    )
    chmodSync(join(two, 'a.txt'), 0o755)
    packFolder(two, `${two}.tgz`, '2027-01-31')
    assert.notDeepEqual(readFileSync(`${two}.tgz`), readFileSync(`${one}.tgz`))
  })

  it('refuses a package over its bounds and names its largest files', () => {
    const sizes = new Map([
      ['runtime/node', release_limits.unpacked_bytes_max],
      ['docs/openapi.json', 1],
    ])
    assert.throws(() => checkSizes(sizes), /has 160\.0 MiB, over 160\.0 MiB\. Largest files: runtime\/node/)
    const heavy = new Map([['console/dist/a.js', release_limits.portable_bytes_max + 1]])
    assert.throws(() => checkSizes(heavy), /not native.*console\/dist\/a\.js/)
  })

  it('cuts symbols off ELF files only', () => {
    assert.throws(() => loadedPart(Buffer.from('#!/bin/sh\n')), /no 64-bit ELF file/)
  })
})

describe('a release is refused', () => {
  const tree = join(work, 'tree')
  const write = (version: string, sdk: string, changelog: string) => {
    writeFileSync(join(tree, 'package.json'), JSON.stringify({ version }))
    writeFileSync(join(tree, 'sdk/typescript/package.json'), JSON.stringify({ version: sdk }))
    writeFileSync(join(tree, 'sdk/python/pyproject.toml'), `[project]\nname = "atrium"\nversion = "${sdk}"\n`)
    writeFileSync(join(tree, 'CHANGELOG.md'), changelog)
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.example', ...args], { cwd: tree })
  const reasonsOf = (isDirtyAllowed: boolean): string[] => {
    try {
      checkRelease(tree, isDirtyAllowed)
      return []
    } catch (error) {
      assert.ok(error instanceof ReleaseRefused)
      return error.message.split('\n')
    }
  }
  const section = '# Changelog\n\n## [1.2.0] - 2027-01-31\n\n### Added\n\n- More.\n\n[1.2.0]: https://atrium.example\n'
  before(() => {
    for (const folder of ['sdk/typescript', 'sdk/python']) mkdirSync(join(tree, folder), { recursive: true })
    write('1.2.0', '1.2.0', section)
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '--message', 'Begin')
  })

  it('for changes that are not committed, unless they are allowed', () => {
    assert.deepEqual(reasonsOf(false), [])
    writeFileSync(join(tree, 'new.txt'), '')
    assert.deepEqual(reasonsOf(false), [
      'The working tree has changes that no commit has: new.txt. Commit them, or pass --allow-dirty.',
    ])
    assert.deepEqual(reasonsOf(true), [])
    rmSync(join(tree, 'new.txt'))
  })

  it('for a version without a section in the changelog, and for two versions, with all reasons at once', () => {
    write('1.3.0', '1.2.0', section)
    assert.deepEqual(reasonsOf(true), [
      'package.json has version 1.3.0, sdk/typescript/package.json has 1.2.0. Set both to the same one.',
      'package.json has version 1.3.0, sdk/python/pyproject.toml has 1.2.0. Set both to the same one.',
      'CHANGELOG.md has no section "## [1.3.0] - YYYY-MM-DD" with a text. Write what the version changes.',
    ])
    assert.match(reasonsOf(false).at(-1) ?? '', /no commit has: package\.json\. Commit/)
    assert.deepEqual(changelogSection(section, '1.2.0'), { date: '2027-01-31', text: '### Added\n\n- More.' })
    assert.equal(changelogSection(section.replace(' - 2027-01-31', ''), '1.2.0'), null)
    assert.equal(changelogSection('## [1.2.0] - 2027-01-31\n\n## [1.1.0] - 2027-01-01\n\n- Old.\n', '1.2.0'), null)
  })

  it('by the command, with exit code 1 and nothing written', () => {
    const copy = join(work, 'elsewhere')
    for (const path of [
      'build',
      'proof/dependencies.ts',
      'sdk/typescript/build.ts',
      'sdk/typescript/package.json',
      'sdk/python/pyproject.toml',
      'sdk/python/interpreter.ts',
      'console/build.ts',
      'server/src/derive/guides.ts',
      'package.json',
    ])
      cpSync(join(root, path), join(copy, path), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    assert.throws(
      () => execFileSync(process.execPath, [join(copy, 'build/release.ts')], { cwd: copy, stdio: 'pipe' }),
      (error: { status: number; stderr: Buffer }) => {
        assert.equal(error.status, 1)
        assert.match(
          error.stderr.toString(),
          /^The release is refused\.\nCHANGELOG\.md has no section .*\n.* is no git working tree/,
        )
        return true
      },
    )
    assert.equal(sizesIn(join(copy, 'dist')).size, 0)
  })
})
