/** The object that makes a folder or a bucket the destination of a continuous backup, and says with which key. */
import type { Destination } from './destination.ts'
import { follow_format, type Marker, markerName } from './layout.ts'
import { type BackupKey, DamagedObject, openObject, toObject } from './object.ts'

/** The destination cannot be used, or what lies there cannot be restored; the message names what is wrong. */
export class BadDestination extends Error {}

/** Requires a destination that was begun with this key. False if it was not begun yet. Rejects with BadDestination. */
export async function requireMarker(destination: Destination, key: BackupKey | null): Promise<boolean> {
  const bytes = await destination.get(markerName)
  if (bytes === null) return false
  const { head } = await openNamed<Marker>(bytes, markerName, 'atrium-backup', null)
  if (head.format !== follow_format)
    throw new BadDestination(`${destination.place} has format ${head.format}, which this version does not know`)
  if (head.key === null && key !== null)
    throw new BadDestination(
      `${destination.place} is not encrypted: unset ATRIUM_BACKUP_KEY, or name another destination`,
    )
  if (head.key !== null && key === null)
    throw new BadDestination(`${destination.place} is encrypted: set ATRIUM_BACKUP_KEY to its key`)
  if (head.key !== null && head.key !== key?.fingerprint)
    throw new BadDestination(
      `ATRIUM_BACKUP_KEY is not the key of ${destination.place}: its fingerprint is ${key?.fingerprint}, not ${head.key}`,
    )
  return true
}

/** Makes an empty folder or prefix a destination. */
export async function writeMarker(destination: Destination, key: BackupKey | null): Promise<void> {
  const head: Marker = { kind: 'atrium-backup', format: follow_format, key: key?.fingerprint ?? null }
  const { bytes } = await toObject(head, Buffer.alloc(0), null)
  await destination.put(markerName, bytes)
}

/** Opens an object; one that is damaged is refused by its name. Rejects with BadDestination. */
export async function openNamed<H extends { readonly kind: string }>(
  bytes: Buffer,
  name: string,
  kind: H['kind'],
  key: BackupKey | null,
) {
  try {
    return await openObject<H>(bytes, kind, key)
  } catch (error) {
    if (error instanceof DamagedObject) throw new BadDestination(`${name} ${error.message}`)
    throw error
  }
}
