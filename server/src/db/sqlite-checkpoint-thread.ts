/** The thread that checkpoints (`sqlite-checkpoints.ts`): a connection of its own to the file, and a pass whenever asked. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Pass } from './sqlite-checkpoints.ts'
import { SqliteConnection } from './sqlite-connection.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')
const connection = new SqliteConnection(workerData as string, 'checkpoints')

/** Whether the files have what was copied into them, or a sync will tell; of what others have copied nothing is known. */
let isSure = false

function pass(): Pass {
  try {
    if (!isSure) connection.recopy()
    isSure = true
    return connection.checkpoint()
  } catch {
    // The disk failed or the file is gone: writers will say so. The next pass opens it anew.
    connection.drop()
    isSure = isSure && recopied()
    return null
  }
}

function recopied(): boolean {
  try {
    connection.recopy()
    return true
  } catch {
    return false
  }
}

port.on('message', (asked: 'checkpoint' | 'close') => {
  if (asked === 'checkpoint') port.postMessage(pass())
  else {
    connection.close()
    port.close()
  }
})
