/** A destination belongs to one installation. */
import { readHead } from './chain.ts'
import type { Destination } from './destination.ts'
import { chainsOf } from './layout.ts'
import { BadDestination } from './marker.ts'
import type { BackupKey } from './object.ts'
import { readFollowStatus } from './status.ts'

/**
 * The newest chain must be of the installation with this fingerprint of its secret key. After a rotation of the key the status
 * in the data directory (`folder`) still names the chain. Rejects with BadDestination.
 */
export async function requireOwnChain(
  destination: Destination,
  key: BackupKey | null,
  folder: string,
  secret_key: string,
): Promise<void> {
  const chain = (await chainsOf(destination))[0]
  const head = chain === undefined ? null : await readHead(destination, chain, key)
  if (head === null || head.secret_key === secret_key || readFollowStatus(folder)?.chain === head.chain) return
  throw new BadDestination(
    `${destination.place} holds the backup of another installation: the fingerprint of its secret key is ${head.secret_key}, not ${secret_key}`,
  )
}
