/** The short form of a crowd of browsers on one board; `console/test/crowd.ts` runs it with up to 30 pages. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { drawInCrowd } from './crowd/draw.ts'

describe('a crowd of browsers on one board', () => {
  it('ends with the same scene on every page, on a reload and in the API, after losses, cuts and a kill -9', async () => {
    const report = await drawInCrowd({ pages: 3, strokes: 4, seed: 20261127 })
    assert.deepEqual(report.differences, [])
    assert.ok(report.elements > 0 && report.waits > 0, JSON.stringify(report))
  })

  it('shows that it differs if the server keeps the older of two states of an element', async () => {
    // Whether two states meet is a matter of time, so a second crowd is asked if the first saw nothing.
    const found = (await differencesWithFault(7)) || (await differencesWithFault(8))
    assert.match(found, /page 1|the API/)
  })
})

/** What two pages with 20 strokes each find on a server that keeps the older state; empty if nothing. */
async function differencesWithFault(seed: number): Promise<string> {
  const program = [join(import.meta.dirname, 'crowd.ts'), '2', '20', String(seed), '--fault=lower_version_wins']
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const { differences } = JSON.parse(output) as { differences: string[] }
  assert.equal(code, differences.length > 0 ? 1 : 0)
  return differences.join('\n')
}
