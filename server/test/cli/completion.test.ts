import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { catalogue } from '../../src/catalogue.ts'
import { commands } from '../../src/cli/commands.ts'
import { candidatesFor } from '../../src/cli/completion/candidates.ts'
import { shells } from '../../src/cli/completion/scripts.ts'
import { Client } from './client.ts'
import { program } from './terminal.ts'

const run = promisify(execFile)

/** The candidates for a line; its last word may be begun. */
const values = (line: string): string[] => candidatesFor(commands, line.split(' ').slice(1)).map(({ value }) => value)

describe('completion', () => {
  let client: Client
  before(() => {
    client = new Client('http://127.0.0.1:9', 'atr_live_x')
  })
  after(() => client.remove())

  it('knows the commands, word by word', () => {
    const first = values('atrium ')
    for (const { name } of commands) assert.ok(first.includes(name.split(' ')[0] as string), name)
    assert.equal(new Set(first).size, first.length)
    assert.deepEqual(values('atrium key '), ['create'])
    assert.deepEqual(values('atrium import t'), ['trello'])
    assert.deepEqual(values('atrium profile '), ['add', 'list', 'use', 'remove'])
    assert.deepEqual(values('atrium nonsense '), [])
  })

  it('knows every operation, its flags once each, and the words that a flag takes', () => {
    assert.deepEqual(
      values('atrium api '),
      catalogue.map(({ id }) => id),
    )
    assert.deepEqual(values('atrium api tasks.ba'), ['tasks.batch'])
    assert.deepEqual(values('atrium api tasks.create --p'), ['--project', '--priority', '--parent', '--profile'])
    assert.deepEqual(values('atrium api tasks.create --priority high --p'), ['--project', '--parent', '--profile'])
    assert.deepEqual(values('atrium api tasks.create --labels a --l'), ['--labels', '--limit'])
    assert.deepEqual(values('atrium api tasks.create --priority '), ['none', 'low', 'medium', 'high', 'urgent'])
    assert.deepEqual(values('atrium api tasks.create --priority=h'), ['--priority=high'])
    assert.deepEqual(values('atrium api tasks.create --priority = h'), ['--priority=high'])
    assert.deepEqual(values('atrium api api_keys.create --scopes tasks:'), ['tasks:read', 'tasks:write'])
    assert.deepEqual(values('atrium api tasks.list --fields id,ti'), ['id,title'])
    assert.deepEqual(values('atrium api tasks.list --output j'), ['json', 'jsonl'])
    assert.deepEqual(values('atrium api tasks.list --filter '), [])
    assert.deepEqual(values('atrium api --out'), ['--output'])
  })

  it('knows the options of commands, their choices, and the event types', () => {
    assert.deepEqual(values('atrium key create --mode '), ['live', 'test'])
    assert.ok(values('atrium import csv f.csv --map a=b --').includes('--map'), 'it may be repeated')
    assert.ok(!values('atrium import csv f.csv --dry-run --').includes('--dry-run'))
    assert.deepEqual(values('atrium import csv f.csv --dry-run --dr'), [])
    assert.ok(values('atrium events tail --types workflow.task.').includes('workflow.task.created'))
    assert.deepEqual(values('atrium completion f'), ['fish'])
  })

  it('prints a script for each shell, and refuses others', async () => {
    for (const shell of shells) {
      const { code, out } = await client.run(['completion', shell])
      assert.equal(code, 0)
      assert.match(out, /atrium __complete -- /)
    }
    assert.equal((await client.run(['completion', 'tcsh'])).code, 2)
  })

  it('bash completes a line with the script', async () => {
    const script = `
      eval "$(atrium completion bash)"
      complete -p atrium
      COMP_WORDS=(atrium api tasks.create --status in_); COMP_CWORD=4
      _atrium; echo "\${COMPREPLY[*]}"
      COMP_WORDS=(atrium api tasks.); COMP_CWORD=2
      _atrium; echo "\${COMPREPLY[0]}"`
    const env = { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` }
    const { stdout } = await run('bash', ['-euc', script], { env })
    assert.equal(stdout, 'complete -o default -F _atrium atrium\nin_progress in_review\ntasks.list\n')
  })
})
