/** The thread that checkpoints (`checkpoints.ts`): it has its own connection to the file and runs a pass on request. */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteConnection } from './connection.ts'
import { Copier } from './copier.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')
const file = workerData as string
const connection = new SqliteConnection(file, 'checkpoints')
const copier = new Copier(file, connection)

port.on('message', (request: 'checkpoint' | 'close') => {
  if (request === 'checkpoint') port.postMessage(copier.pass())
  else {
    copier.close()
    connection.close()
    port.close()
  }
})
