/**
 * Starts and stops the server on command within one process, because loading the program is most of a start. Lines in:
 * `open`, `close`. Lines out: `{"ready":true}` first, then `{"url":"…"}`, `{"closed":true}` or `{"wrong":"…"}`.
 */
import { createInterface } from 'node:readline'
import { readConfig } from '../../server/src/config.ts'
import { type RunningServer, startServer } from '../../server/src/main.ts'

let server: RunningServer | null = null

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
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

print({ ready: true })
for await (const line of createInterface(process.stdin)) {
  print(await carryOut(line).catch((error: Error) => ({ wrong: error.stack })))
}
