/** The thread that checkpoints (`checkpoints.ts`): a connection of its own to the file, and a pass whenever asked. */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteConnection } from './connection.ts'
import { Copier } from './copier.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')
const file = workerData as string
const connection = new SqliteConnection(file, 'checkpoints')
const copier = new Copier(file, connection)

port.on('message', (asked: 'checkpoint' | 'close') => {
  if (asked === 'checkpoint') port.postMessage(copier.pass())
  else {
    copier.close()
    connection.close()
    port.close()
  }
})
