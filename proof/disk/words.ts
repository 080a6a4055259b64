/** What commands have said when they end, under a cut of the power right behind their end: what `init`, `backup` and `restore` do. */
import { join } from 'node:path'
import { readConfig } from '../../server/src/config.ts'
import { readBackup, writeBackup } from '../../server/src/db/backup.ts'
import { openStore } from '../../server/src/db/open.ts'
import { restoreBackup } from '../../server/src/db/restore.ts'
import type { Store } from '../../server/src/db/store.ts'
import { startServer } from '../../server/src/main.ts'
import { call } from '../../server/test/call.ts'
import { type Installation, install } from '../../server/test/durability/installation.ts'
import { told } from '../mixed.ts'
import { Image } from './image.ts'

const about = { created: 0, secret_key: '' }

/**
 * A key that was given out works, a backup that was named is there and whole, what was restored stands there. Returns how
 * often the power was cut; what follows from something that is lost is not tried.
 */
export async function cutWords(violated: (text: string) => void): Promise<number> {
  const image = new Image(128)
  let cuts = 0
  let isKept = true
  const behind = async (what: string, check: () => Promise<unknown>): Promise<boolean> => {
    image.cut()
    await image.again()
    cuts++
    const lost = (text: string): void => {
      isKept = false
      violated(text)
    }
    await told(lost, what, check)
    return isKept
  }
  const url = (name: string) => `file:${join(image.folder, name, 'atrium.db')}`
  const file = join(image.folder, 'backup.gz')
  try {
    // No secret key is set: the first start makes one beside the database.
    const first = await install(url('first'), join(image.folder, 'first'), { ATRIUM_SECRET_KEY: '' })
    if (!(await behind('the key that was given out', () => assertWorks(first)))) return cuts
    const manifest = await over(url('first'), (store) => writeBackup(store, file, about))
    if (!(await behind('the backup', () => readBackup(file)))) return cuts
    await over(url('other'), (store) => restoreBackup(store, file, 0))
    await behind('what was restored', async () => {
      const again = join(image.folder, 'again.gz')
      const { tables } = await over(url('other'), (store) => writeBackup(store, again, about))
      if (JSON.stringify(tables) !== JSON.stringify(manifest.tables)) throw new Error('it has other rows')
    })
    return cuts
  } finally {
    image.remove()
  }
}

async function over<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

async function assertWorks({ environment, key }: Installation): Promise<void> {
  const server = await startServer(readConfig(environment))
  try {
    const reply = await call(server.url, 'GET', '/v1/me', { key })
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`)
  } finally {
    await server.close()
  }
}
