/** The thread that writes the request log (`writer.ts`): one transaction after the other, until it is closed. */
import { parentPort, workerData } from 'node:worker_threads'
import { type LogRequest, LogWrites } from './writes.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')
const log = new LogWrites(workerData as string)
let last = Promise.resolve()

async function answer(request: LogRequest): Promise<void> {
  if (request !== 'close') port?.postMessage({ number: request.number, ...(await log.write(request.statements)) })
  else {
    log.close()
    port?.close()
  }
}

port.on('message', (request: LogRequest) => {
  last = last.then(() => answer(request))
})
