/** A destination as it is at a moment, in a folder of its own: what is left if the machine is lost then. */
import { linkSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FolderDestination, namesBelow } from '../../server/src/db/backup/follow/destination.ts'
import { markerName } from '../../server/src/db/backup/follow/layout.ts'

/**
 * Objects are replaced by others and never changed, so links to them suffice. Names come in order, bases and head before the
 * log, so what they need of it is there.
 */
export async function linkedCopy(place: string, copy: string): Promise<string> {
  const link = (name: string) => {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    linkSync(join(place, name), join(copy, name))
  }
  link(markerName)
  for await (const name of namesBelow(new FolderDestination(place), 'chains')) link(name)
  return copy
}
