import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { onEveryEngine } from '../engines.ts'
import { openWorld } from '../world.ts'

const run = promisify(execFile)
const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')

/** The shell blocks of the README, in order. */
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] as string)

onEveryEngine('the README', (engine) => {
  it('its curl lines, run as written one after the other, do what they say', async () => {
    const world = await openWorld(engine)
    try {
      const separator = '\n----\n'
      const script = blocks.map(
        (block) => `${block.replaceAll('http://127.0.0.1:4010', world.server.url)}\nprintf '${separator}'`,
      )
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
        env: { ...process.env, ATRIUM_KEY: world.acme.key },
      })
      const [workspace, , task, found, completed] = stdout
        .split(separator)
        .map((text) => (text === '' ? null : JSON.parse(text)))
      assert.deepEqual([workspace.object, workspace.key], ['workspace', 'KEP'])
      assert.deepEqual([task.key, task.workspace, task.labels], ['KEP-1', workspace.id, ['docs']])
      assert.deepEqual(found.data, [task])
      assert.deepEqual([completed.id, completed.status], [task.id, 'done'])
      assert.equal(blocks.length, 5)
    } finally {
      await world.close()
    }
  })
})
