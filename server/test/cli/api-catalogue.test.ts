/** Every operation of the catalogue can be called from the command line with what it declares. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { Compile } from 'typebox/compile'
import { catalogue } from '../../src/catalogue.ts'
import { exampleWords } from '../../src/cli/api/help.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, type Things } from '../things.ts'
import { openWorld, type World } from '../world.ts'

onEveryEngine('atrium api', (engine) => {
  let world: World
  let things: Things
  let calls: Calls
  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
    calls = new Calls({ ATRIUM_URL: world.server.url, ATRIUM_KEY: world.acme.key })
  })
  after(async () => {
    await calls.end()
    await world.close()
  })

  for (const operation of catalogue) {
    if (operation.streams) continue
    it(`${operation.id}: its example, written as flags, is answered in the form that it declares`, async () => {
      const { params, query, body } = await things.call(operation)
      const words = exampleWords(operation, { params, query, body }) as string[]
      const { code, out } = await calls.run([...words, '--json'])
      assert.equal(code, 0, out)
      const checker = Compile(operation.returns)
      const answer = JSON.parse(out)
      assert.ok(checker.Check(answer), JSON.stringify([...checker.Errors(answer)].slice(0, 3)))
    })
  }

  it('events.stream: prints the events that happen from now on, and ends after as many as were asked for', async () => {
    let over = false
    const streaming = calls.run(['events.stream', '--types', 'workflow.workspace.*', '--limit', '1', '--json'])
    void streaming.then(() => {
      over = true
    })
    while (!over) await world.make('/v1/workspaces', { title: 'Research' })
    const { code, out } = await streaming
    assert.equal(code, 0, out)
    assert.equal(JSON.parse(out).type, 'workflow.workspace.created')
  })
})

/** One process for all calls: starting one for each would take minutes. */
class Calls {
  private readonly child: ChildProcess
  private text = ''
  private waiting: (() => void) | null = null

  constructor(environment: Record<string, string>) {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_'))
    this.child = spawn(process.execPath, [join(import.meta.dirname, 'many-calls.ts')], {
      env: { ...Object.fromEntries(own), ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.text += text
      this.waiting?.()
    })
    this.child.on('exit', () => this.waiting?.())
  }

  async run(words: readonly string[]): Promise<{ code: number; out: string }> {
    this.text = ''
    this.child.stdin?.write(`${JSON.stringify(words)}\n`)
    for (;;) {
      const [all, out = '', code] = /^([^\0]*)\0(\d+)\n$/.exec(this.text) ?? []
      if (all !== undefined) return { code: Number(code), out }
      if (this.child.exitCode !== null) throw new Error(`the process ended: ${this.text}`)
      await new Promise<void>((resolve) => {
        this.waiting = resolve
      })
    }
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.stdin?.end()
    await ended
  }
}
