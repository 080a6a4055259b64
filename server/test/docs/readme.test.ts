/** The README: its calls work in order, its links have targets, and it stays short. Also docs/hosting.md, which lists every variable. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { client_variables, variables } from '../../src/config.ts'
import { onEveryEngine } from '../engines.ts'
import { openWorld } from '../world.ts'
import { readPage } from './page.ts'

const run = promisify(execFile)
const readme = readPage('README.md')
const hosting = readPage('docs/hosting.md')

const words_max = 900

onEveryEngine('the README', (engine) => {
  it('has five calls that work when run in order', async () => {
    const world = await openWorld(engine)
    try {
      const blocks = readme.blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
      const separator = '\n----\n'
      const script = blocks.map(
        (block) => `${block.replaceAll('http://127.0.0.1:4010', world.server.url)}\nprintf '${separator}'`,
      )
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
        env: { ...process.env, ATRIUM_KEY: world.acme.key },
      })
      const [workspace, , task, list, completed] = stdout
        .split(separator)
        .map((text) => (text === '' ? null : JSON.parse(text)))
      assert.deepEqual([workspace.object, workspace.key], ['workspace', 'KEP'])
      assert.deepEqual([task.key, task.workspace, task.labels], ['KEP-1', workspace.id, ['docs']])
      assert.deepEqual(list.data, [task])
      assert.deepEqual([completed.id, completed.status], [task.id, 'done'])
      assert.equal(blocks.length, 5)
    } finally {
      await world.close()
    }
  })
})

it('the README names the two commands and has at most 900 words', () => {
  for (const command of ['npm ci && npm start', 'npm ci && npm test']) assert.ok(readme.text.includes(command), command)
  const words = readme.text.split(/\s+/).length
  assert.ok(words <= words_max, `${words} words: move details to the page they belong to`)
})

it('docs/hosting.md has every variable of the server in its table, and names those of commands', () => {
  const rows = hosting.text.split('\n').filter((line) => line.startsWith('| `ATRIUM_'))
  const inTable = rows.map((row) => row.split('|')[1]).join()
  for (const name of Object.keys(variables)) {
    assert.ok(inTable.includes(`\`${name}\``), `add a row for ${name} to the table of docs/hosting.md`)
  }
  for (const name of Object.keys(client_variables)) {
    assert.ok(hosting.text.includes(`\`${name}\``), `docs/hosting.md does not name ${name}`)
  }
})
