/** Power cuts right after a command reports success: what `init`, `backup` and `restore` wrote must be on disk. */
import { join } from 'node:path'
import { readConfig } from '../../server/src/config.ts'
import { readBackup, writeBackup } from '../../server/src/db/backup/backup.ts'
import { restoreBackup } from '../../server/src/db/backup/restore.ts'
import { startServer } from '../../server/src/main.ts'
import { call } from '../../server/test/call.ts'
import { type Installation, install } from '../../server/test/durability/installation.ts'
import { reportFailure, type Violated } from '../row.ts'
import { withStore } from '../with-store.ts'
import { Image } from './image.ts'

const about = { created: 0, secret_key: '' }

/**
 * After each cut: a new API key works, a backup is complete, restored rows are there. Returns the number of cuts; it stops
 * at the first loss, since the rest builds on it.
 */
export async function cutAfterCommands(violated: Violated): Promise<number> {
  const image = new Image(128)
  let cuts = 0
  let isKept = true
  const survives = async (what: string, check: () => Promise<unknown>): Promise<boolean> => {
    image.cut()
    await image.restorePower()
    cuts++
    const lost = (text: string): void => {
      isKept = false
      violated(text)
    }
    await reportFailure(lost, what, check)
    return isKept
  }
  const url = (name: string) => `file:${join(image.folder, name, 'atrium.db')}`
  const file = join(image.folder, 'backup.gz')
  try {
    // Without ATRIUM_SECRET_KEY the first start creates a key file beside the database.
    const first = await install(url('first'), join(image.folder, 'first'), { ATRIUM_SECRET_KEY: '' })
    if (!(await survives('the new API key', () => assertKeyWorks(first)))) return cuts
    const manifest = await withStore(url('first'), (store) => writeBackup(store, file, about))
    if (!(await survives('the backup', () => readBackup(file)))) return cuts
    await withStore(url('other'), (store) => restoreBackup(store, file, 0))
    await survives('the restored database', async () => {
      const again = join(image.folder, 'again.gz')
      const { tables } = await withStore(url('other'), (store) => writeBackup(store, again, about))
      if (JSON.stringify(tables) !== JSON.stringify(manifest.tables)) throw new Error('it has other rows')
    })
    return cuts
  } finally {
    image.remove()
  }
}

async function assertKeyWorks({ environment, key }: Installation): Promise<void> {
  const server = await startServer(readConfig(environment))
  try {
    const reply = await call(server.url, 'GET', '/v1/me', { key })
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`)
  } finally {
    await server.close()
  }
}
