import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { namesWith } from '../../src/automations/expressions/types.ts'
import { compileExpression } from '../../src/automations/expressions.ts'
import { automation_limits } from '../../src/automations/limits.ts'
import { default_retry, default_settings } from '../../src/automations/schema.ts'
import { nodeSchemas } from '../../src/automations/schema-nodes.ts'
import { writeSecret } from '../../src/resources/automation_runs/secrets.ts'
import { onEveryEngine } from '../engines.ts'
import { openWorld } from '../world.ts'

const run = promisify(execFile)
const page = readFileSync(join(import.meta.dirname, '../../../docs/automations.md'), 'utf8')

const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((match) => match[1] as string)

/** The rows of the table under a heading of columns, cell by cell. */
function table(heading: string): string[][] {
  const lines = page.slice(page.indexOf(heading)).split('\n').slice(2)
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(0, end).map((line) => {
    return line.split(' | ').map((cell) => cell.replace(/^\| ?| ?\|$/g, '').trim())
  })
}

const code = (cell: string) => /^`(.*)`$/.exec(cell)?.[1] as string

onEveryEngine('docs/automations.md', (engine) => {
  it('has shell lines that work when run in order', async () => {
    const world = await openWorld(engine, { environment: { ATRIUM_WORKERS: 'true' } })
    try {
      const separator = '\n----\n'
      const script = blocks('sh').map(
        (block) => `${block.replaceAll('http://127.0.0.1:4010', world.server.url)}\nprintf '${separator}'`,
      )
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
        cwd: world.database.folder,
        env: { ...process.env, ATRIUM_KEY: world.acme.key },
      })
      const [, , preview, active, runs, comments, paused, renewed, , again, fromStep, , corrected] = stdout
        .split(separator)
        .map((text) => (text.trim() === '' ? null : JSON.parse(text)))
      const steps = preview.steps.map(({ node, status }: { node: string; status: string }) => [node, status])
      assert.deepEqual(steps, [
        ['urgent', 'would_run'],
        ['ask', 'would_skip'],
      ])
      assert.deepEqual([preview.trigger.status, preview.missing_scopes], ['would_not_start', []])
      assert.deepEqual([active.status, active.version], ['active', 1])
      const [one] = runs.data
      assert.deepEqual([runs.data.length, one.status, one.trigger.node], [1, 'succeeded', 'in_review'])
      const [, asked] = one.steps
      assert.deepEqual([asked.node, asked.changes[0].type], ['ask', 'workflow.comment.created'])
      assert.match(comments.data[0].body, /^Please review AUT-1 today\.$/)
      assert.deepEqual([paused.status, paused.pause_reason], ['paused', 'Only a trial'])
      // The key renews what it has given itself.
      assert.deepEqual([renewed.id, renewed.authority], [active.id, active.authority])
      assert.deepEqual([again.rerun_of, again.rerun_from, again.flow_version], [one.id, null, 1])
      assert.deepEqual([fromStep.rerun_of, fromStep.rerun_from], [one.id, 'ask'])
      assert.deepEqual(
        fromStep.steps.map(({ node, reused }: { node: string; reused: boolean }) => [node, reused]),
        [['urgent', true]],
      )
      const [filed] = corrected.steps
      assert.deepEqual(
        [corrected.status, filed.changes[0].type, filed.changes[0].fields.title.to],
        ['succeeded', 'workflow.task.created', 'The gate is stuck'],
      )
      assert.equal(blocks('sh').length, 13)
    } finally {
      await world.close()
    }
  })

  it('has graphs that the API accepts', async () => {
    const world = await openWorld(engine)
    try {
      const workspace = (await world.make('/v1/workspaces', { title: 'Guide' })).id
      const secret = { name: 'team_chat', value: 'https://chat.example.com/hooks/1' }
      await writeSecret(world.services, { organization: world.acme.id, mode: 'live', ...secret })
      const graphs = blocks('json').map((block) => JSON.parse(block))
      for (const graph of graphs) await world.make('/v1/automation_flows', { workspace, name: 'From the guide', graph })
      assert.equal(graphs.length, 9)
    } finally {
      await world.close()
    }
  })
})

it('docs/automations.md has expressions that give the values beside them', () => {
  const custom_fields = { size: 3 }
  const task = { title: 'Brew', status: 'todo', priority: 'high', labels: ['bug', 'ops'], due_at: null, custom_fields }
  const rows = table('| Expression | Gives |')
  assert.equal(rows.length, 7)
  for (const [source, gives] of rows) {
    const compiled = compileExpression(code(source as string), namesWith({}))
    assert.ok(compiled.ok, `${source}: ${compiled.ok ? '' : compiled.fault.message}`)
    const value = compiled.expression.evaluate({ task, now: 1_785_844_800 })
    assert.deepEqual(value, JSON.parse(code(gives as string)), source as string)
  }
})

it('docs/automations.md lists every node, and the limits and defaults of the program', () => {
  const documented = new Map(table('| What | At most |') as [string, string][])
  const number = (value: number) => value.toLocaleString('en')
  assert.deepEqual(Object.fromEntries(documented), {
    'a graph': `${automation_limits.automation_graph_bytes_max / 1024} KiB`,
    'nodes, edges': `${automation_limits.automation_nodes_max}, ${automation_limits.automation_edges_max}`,
    'steps of a run, with full loops': number(automation_limits.automation_steps_max),
    'tasks of one step': String(automation_limits.automation_many_tasks_max),
    "an expression; a graph's expressions": `${number(automation_limits.automation_expression_chars_max)} characters; ${automation_limits.automation_expressions_max}`,
    'active flows of an organization and mode': String(automation_limits.automation_active_flows_max),
    'open runs of a flow': number(automation_limits.automation_queue_max),
    'flows that start each other': String(automation_limits.automation_chain_max),
    'a schedule fires': `every ${automation_limits.automation_schedule_gap_ms / 60_000} minutes`,
    'an answer of `http.request`': `${automation_limits.automation_response_bytes_max / 1024} KiB, 30 seconds`,
    'a text of `chat.post`': `${number(automation_limits.automation_chat_chars_max)} characters`,
    'people of `approval.wait`; its text and the comment of a decision': `${automation_limits.automation_approvers_max}; ${number(automation_limits.automation_approval_chars_max)} characters`,
    'recipients, subject and text of `mail.send`': `${automation_limits.automation_mail_recipients_max}; ${number(automation_limits.automation_mail_subject_chars_max)} and ${number(automation_limits.automation_mail_chars_max)} characters`,
    'inputs of `trigger.call`; inputs or output of a call': `${automation_limits.automation_call_inputs_max}; ${automation_limits.automation_call_bytes_max / 1024} KiB`,
    'the body of an incoming webhook': `${automation_limits.automation_hook_bytes_max / 1024} KiB, ${automation_limits.automation_hook_depth_max} levels`,
    'requests to an address; to all of an organization': `${automation_limits.automation_hook_requests_max} a minute; ${automation_limits.automation_hooks_requests_max} a minute`,
    'ended runs are kept': `${automation_limits.automation_run_kept_ms / 86_400_000} days, ${number(automation_limits.automation_runs_kept_max)} per flow`,
  })
  const settings = new Map(table('| Setting | Default | Means |').map((row) => [row[0] as string, row[1]] as const))
  const { concurrency } = default_settings
  assert.equal(settings.get('`concurrency.scope`, `.limit`'), `\`${concurrency.scope}\`, ${concurrency.limit}`)
  assert.equal(settings.get('`concurrency.on_conflict`'), `\`${concurrency.on_conflict}\``)
  assert.equal(settings.get('`run_timeout_seconds`'), `${default_settings.run_timeout_seconds / 86_400} days`)
  for (const name of ['max_runs_per_hour', 'debounce_seconds', 'allow_reentry', 'pause_after_failures'] as const) {
    assert.equal(settings.get(`\`${name}\``), String(default_settings[name]), name)
  }
  assert.ok(page.includes('up to 5 times, after 5 seconds, doubling to 15 minutes'))
  const { max_attempts, initial_seconds, backoff, max_seconds } = default_retry
  assert.deepEqual([max_attempts, initial_seconds, backoff, max_seconds / 60], [5, 5, 2, 15])
  const nodes = table('| Node | Does |').flatMap(([names = '']) => {
    const [first = '', ...more] = names.split(', ').map(code)
    return [first, ...more.map((name) => (name.startsWith('.') ? `${first.split('.')[0]}${name}` : name))]
  })
  assert.deepEqual(nodes.toSorted(), Object.keys(nodeSchemas).toSorted())
})
