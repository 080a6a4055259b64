import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { exit } from '../../src/cli/client/exit-codes.ts'
import { commands } from '../../src/cli/commands.ts'
import { map_fields } from '../../src/cli/import/field-map.ts'
import { cli_limits } from '../../src/cli/limits.ts'
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
