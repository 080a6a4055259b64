/**
 * Bundles the program with its plants, as it is installed: the bundle starts in a third of the time.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildServer, entry } from '../build/server.ts'
import { allOf, keepBuild, type Plant, withPlants } from './plant.ts'

const root = join(import.meta.dirname, '..')
let builds = 0

/** Bundles with these plants and those of this process. `planted` then uses the bundle. */
export async function buildPlanted(more: readonly Plant[]): Promise<void> {
  const plants = allOf(more)
  const byFile = Map.groupBy(plants, ({ file }) => join(root, file))
  const folder = join(root, `dist/build/planted-${process.pid}-${builds++}`)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const transform = (code: string, id: string) => {
    const here = byFile.get(id)
    return here === undefined ? null : withPlants(code, here)
  }
  await buildServer(folder, [{ name: 'plants', transform: { order: 'pre', handler: transform } }])
  keepBuild(plants, join(folder, entry))
}
