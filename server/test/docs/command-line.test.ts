import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { clientFlags } from '../../src/cli/api/flags.ts'
import { exit } from '../../src/cli/client/exit-codes.ts'
import { commands } from '../../src/cli/commands.ts'
import { cli_limits } from '../../src/cli/limits.ts'
import { client_variables, variables } from '../../src/config.ts'
import { map_fields } from '../../src/imports/csv-entry.ts'
import { addMember } from '../../src/resources/members/write.ts'
import { program } from '../cli/terminal.ts'
import { onOneEngine } from '../engines.ts'
import { openWorld } from '../world.ts'

const run = promisify(execFile)
const page = readFileSync(join(import.meta.dirname, '../../../docs/command-line.md'), 'utf8')

/** The shell blocks, in order. */
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] as string)

onOneEngine('docs/command-line.md', (engine) => {
  it('has shell lines that work when run in order', async () => {
    const world = await openWorld(engine)
    try {
      const ada = await addMember(world.services, world.acme.id, { email: 'ada@acme.example' })
      const separator = '\n----\n'
      const script = blocks.map(
        (block) => `${block.replaceAll('http://127.0.0.1:4010', world.server.url)}\nprintf '${separator}'`,
      )
      const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_'))
      const folder = world.database.folder
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
        cwd: folder,
        env: {
          ...Object.fromEntries(own),
          PATH: `${dirname(program)}:${process.env.PATH}`,
          XDG_CONFIG_HOME: folder,
          ATRIUM_KEY: world.acme.key,
        },
      })
      const said = stdout.split(separator).map((text) =>
        text
          .trim()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)),
      )
      // biome-ignore lint/suspicious/noExplicitAny: tests read documents of every shape
      const [[profile], [task], [listed, updated, dry], events, [plan, made], nothing] = said as any
      assert.deepEqual([profile.name, profile.default, profile.organization], ['acme', true, world.acme.id])
      assert.deepEqual(
        [task.key, task.priority, task.labels, task.due_at],
        ['KEP-1', 'high', ['docs', 'q3'], Date.parse('2026-09-01') / 1000],
      )
      assert.deepEqual(listed, { key: 'KEP-1', title: 'Write the proposal' })
      assert.deepEqual(
        [updated.status, updated.revision, dry.object, dry.answer.status],
        ['in_progress', 2, 'dry_run', 'done'],
      )
      assert.deepEqual(
        events.map(({ type }: { type: string }) => type),
        ['workflow.task.created', 'workflow.task.updated'],
      )
      assert.deepEqual([plan.tasks, plan.refused, plan.statuses], [3, 0, { todo: 1, in_progress: 1, backlog: 1 }])
      assert.deepEqual([made.created.tasks, made.refused], [3, 0])
      assert.deepEqual(nothing, [])
      const { data } = (await world.get(`/v1/tasks?filter=${encodeURIComponent('title = "Order flour"')}`)).body
      assert.deepEqual([data[0].assignee, data[0].labels], [ada.user, ['food', 'urgent']])
      assert.equal(blocks.length, 6)
    } finally {
      await world.close()
    }
  })
})

it('docs/command-line.md names every exit code, import field and client command', () => {
  const codes = [...page.matchAll(/^\| (\d+) \| /gm)].map((match) => Number(match[1]))
  assert.deepEqual(codes, [...Object.values(exit), 130])
  for (const field of map_fields) assert.ok(page.includes(`\`${field}\``), field)
  for (const { name, group } of commands) {
    if (group !== 'Using the API' && group !== 'Bringing data in') continue
    for (const word of name.split(' ')) assert.ok(page.includes(word), name)
  }
  assert.ok(page.includes(`${cli_limits.client_retries_default} times (\`--retries\`)`))
  assert.equal(cli_limits.client_wait_seconds_default, 120)
  assert.equal(cli_limits.import_wait_seconds_default, 15 * 60)
})

const source = join(import.meta.dirname, '../../src')
const literal = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/y

/** The first argument of each error of a file that is a text, with whether the text ends there. */
function messagesIn(text: string): { message: string; whole: boolean }[] {
  return [...text.matchAll(/new (?:Failure|UsageError|ConfigError)\(\s*/g)].flatMap(({ 0: start, index }) => {
    literal.lastIndex = index + start.length
    const found = literal.exec(text)?.[0]
    if (found === undefined) return []
    return [{ message: found.slice(1, -1), whole: /^\s*[,)]/.test(text.slice(literal.lastIndex)) }]
  })
}

it('every error of the command line is a sentence: a capital first letter, or a name, and a full stop', () => {
  const files = ['config.ts', 'secret-key.ts', ...globSync('cli/**/*.ts', { cwd: source })]
  const messages = files.flatMap((file) => messagesIn(readFileSync(join(source, file), 'utf8')))
  assert.ok(messages.length > 90, `${messages.length} messages found`)
  const wrong = messages.filter(
    ({ message, whole }) => !/^(?:[A-Z'"]|--[a-z$]|\$\{)/.test(message) || (whole && !/(?:[.?!…]|\})$/.test(message)),
  )
  assert.deepEqual(wrong, [])
})

it('every option, argument and variable is described by a sentence', () => {
  const described = [
    ...commands.flatMap(({ options = {}, argument }) => [...Object.values(options), ...(argument ? [argument] : [])]),
    ...Object.values(clientFlags),
  ].map(({ does }) => does)
  const meanings = Object.values({ ...variables, ...client_variables }).map(([, meaning]) => meaning)
  const wrong = [...described, ...meanings].filter((text) => !/^[A-Z"][\s\S]*\.$/.test(text))
  assert.deepEqual(wrong, [])
})
