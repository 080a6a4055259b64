/**
 * Serves when it is told to and stops when it is told to, over and over in one process: loading the program is what a start
 * costs most. Lines in: `open`, `close`. Lines out: JSON, `{"url":"…"}` and `{"closed":true}` or what went wrong.
 */
import { createInterface } from 'node:readline'
import { readConfig } from '../../server/src/config.ts'
import { type RunningServer, startServer } from '../../server/src/main.ts'

let server: RunningServer | null = null

function tell(said: object): void {
  process.stdout.write(`${JSON.stringify(said)}\n`)
}

async function carryOut(line: string): Promise<object> {
  if (line === 'open') {
    server = await startServer(readConfig())
    return { url: server.url }
  }
  await server?.close()
  server = null
  return { closed: true }
}

tell({ ready: true })
for await (const line of createInterface(process.stdin)) {
  tell(await carryOut(line).catch((error: Error) => ({ wrong: error.stack })))
}
