/** The package as users get it: installed in an empty folder, with every snippet of its README. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, normalize } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Installation, install } from '../../../server/test/durability/installation.ts'
import { endProcesses, serve } from '../../../server/test/durability/processes.ts'
import { type Database, newDatabase, onOneEngine } from '../../../server/test/engines.ts'
import { type Installed, installPackage, nodes, package_folder, runScript, versionOf } from './installed.ts'

const run = promisify(execFile)
const root = join(package_folder, '../..')
const readme = readFileSync(join(package_folder, 'README.md'), 'utf8')
const firstDay = readFileSync(join(root, 'examples/sdk/first-day.ts'), 'utf8')
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1] as string)

/** The snippets as one program, and a delivery for the receiver in them. */
const snippets = `${blocks('ts').join('\n')}
import { createHmac } from 'node:crypto'
const now = Math.floor(Date.now() / 1000)
const sent = JSON.stringify({ type: 'workflow.task.completed', data: { object: { title: 'the page' } } })
const v1 = createHmac('sha256', 'whsec_1').update(\`\${now}.\${sent}\`).digest('hex')
const delivery = (headers: Record<string, string>) => new Request('http://x.example', { method: 'POST', body: sent, headers })
const signed = () => delivery({ 'service-signature': \`t=\${now},v1=\${v1}\` })
const probe = delivery({ 'service-event-type': 'platform.webhook_endpoint.verify' })
const answers = await Promise.all([receive(probe, 'whsec_1'), receive(signed(), 'whsec_1'), receive(signed(), 'whsec_2')])
console.log(answers.map(({ status }) => status))
`

let installed: Installed
before(async () => {
  installed = await installPackage()
  writeFileSync(join(installed.folder, 'snippets.ts'), snippets)
  for (const name of ['first-day.ts', 'first-day.mjs']) writeFileSync(join(installed.folder, name), firstDay)
})
after(() => installed.remove())

describe('the package', () => {
  it('contains modules with declarations and source maps, and has no dependencies', () => {
    const { files } = installed
    const unexpected = files.filter((file) => !/^(dist|src)\/.*\.(js|js\.map|d\.ts|d\.ts\.map|ts)$/.test(file))
    assert.deepEqual(unexpected.sort(), ['LICENSE', 'README.md', 'package.json'])
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(package_folder, 'package.json'), 'utf8'))
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
    const modules = files.filter((file) => file.endsWith('.js'))
    assert.equal(modules.length, files.filter((file) => file.startsWith('src/')).length)
    for (const file of modules.flatMap((each) => [`${each}.map`, each.replace(/\.js$/, '.d.ts.map')])) {
      const { sources } = JSON.parse(readFileSync(join(installed.folder, 'node_modules/@atrium/sdk', file), 'utf8'))
      for (const source of sources)
        assert.ok(files.includes(normalize(join(dirname(file), source))), `${file}: ${source}`)
    }
  })

  it('uses no API of a single platform', () => {
    for (const file of installed.files.filter((each) => each.endsWith('.js'))) {
      const text = readFileSync(join(installed.folder, 'node_modules/@atrium/sdk', file), 'utf8')
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      assert.doesNotMatch(code, /\bfrom '(?!\.)|\brequire\(|\bprocess\.|\bBuffer\b|\bDeno\.|\bBun\./, file)
    }
  })

  it('compiles in strict mode with its users, with types of Node or browsers, with this compiler and the previous one', async () => {
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true }
    const shared = { ...strict, target: 'es2022', module: 'nodenext', skipLibCheck: false }
    const types = join(root, 'node_modules/@types')
    const withNode = { ...shared, lib: ['esnext'], types: ['node'], typeRoots: [types] }
    const withDom = { ...shared, lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] }
    const browser = join(installed.folder, 'browser.ts')
    writeFileSync(
      browser,
      "import { Atrium, type Task } from '@atrium/sdk'\nexport const tasks: Promise<Task[]> = new Atrium({ apiKey: null }).tasks.list().toArray({ max: 9 })\n",
    )
    for (const [name, compilerOptions, files] of [
      ['node', withNode, ['snippets.ts', 'first-day.ts']],
      ['dom', withDom, ['browser.ts']],
    ] as const) {
      const config = join(installed.folder, `tsconfig.${name}.json`)
      writeFileSync(config, JSON.stringify({ compilerOptions, files }))
      for (const compiler of ['@typescript/native/bin/tsc', 'typescript/bin/tsc6']) {
        await run(process.execPath, [join(root, 'node_modules', compiler), '-p', config]).catch((error) => {
          assert.fail(`${compiler} with ${name}: ${error.stdout}`)
        })
      }
    }
  })
})

onOneEngine('with the installed package', (engine) => {
  let database: Database
  let installation: Installation
  before(async () => {
    database = await newDatabase(engine)
    const more = { ATRIUM_WORKERS: 'true', ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' }
    installation = await install(database.url, database.folder, more)
  })
  after(() => database.remove())
  afterEach(endProcesses)

  it('has working snippets in its README', async () => {
    const server = await serve(installation.environment)
    const environment = { ...process.env, ATRIUM_KEY: installation.key, ATRIUM_URL: server.url }
    const { stdout } = await run(process.execPath, ['snippets.ts'], { cwd: installed.folder, env: environment })
    assert.deepEqual(stdout.trim().split('\n'), [
      'WRI-1 todo',
      'true',
      'no such task',
      'Send invoice 2031, Write the first page',
      '1 true 1',
      "done [ 'workflow.task.completed' ] 10",
      'WRI-1 200 1 0',
      'WRI-1 is done',
      'done: the page',
      '[ 204, 204, 400 ]',
    ])
    await server.stop()
  })

  for (const node of nodes()) {
    it(`a stranger’s first day goes well with Node ${versionOf(node)}`, async () => {
      assert.ok(firstDay.trimEnd().split('\n').length <= 30)
      assert.deepEqual(blocks('js'), [firstDay], 'the README shows another script')
      const server = await serve(installation.environment)
      const environment = { ATRIUM_KEY: installation.key, ATRIUM_URL: server.url, PORT: await freePort() }
      const file = node === process.execPath ? 'first-day.ts' : 'first-day.mjs'
      const script = runScript(node, join(installed.folder, file), environment)
      try {
        await script.said('Restart Atrium')
        await server.kill()
        await serve({ ...installation.environment, ATRIUM_PORT: new URL(server.url).port })
        script.enter()
        await Promise.all([script.said('Streamed: Onboarded'), script.said('Webhook: workflow.project.updated')])
        assert.deepEqual(script.lines.toSorted(), [
          'Read 250 tasks.',
          'Restart Atrium, then press Enter.',
          'Streamed: Onboarded',
          'Webhook: platform.webhook_endpoint.verify',
          'Webhook: workflow.project.updated',
        ])
      } finally {
        await script.end()
      }
    })
  }
})

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}
