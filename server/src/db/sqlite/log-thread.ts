/** The thread that writes the request log (`log-writer.ts`): one transaction after the other, until it is closed. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Asked, LogWrites } from './log-writes.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')
const log = new LogWrites(workerData as string)
let last = Promise.resolve()

async function answer(asked: Asked): Promise<void> {
  if (asked !== 'close') port?.postMessage({ number: asked.number, ...(await log.write(asked.statements)) })
  else {
    log.close()
    port?.close()
  }
}

port.on('message', (asked: Asked) => {
  last = last.then(() => answer(asked))
})
