/**
 * Breaks the product on purpose while it is loaded: a text of one of its files is read as another. Nothing on disk changes.
 * Loaded before anything else (`--import`), here and in every process that is started from here, which find what to plant
 * in the environment.
 */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface Plant {
  /** From the repository's root. */
  readonly file: string
  /** A text that stands there exactly once. */
  readonly find: string
  readonly put: string
}

const root = join(import.meta.dirname, '..')
const variable = 'PROOF_PLANTS'

/** Plants the faults in this process and in all that it starts. Modules that are loaded already stay as they are. */
export function plant(plants: readonly Plant[]): void {
  process.env[variable] = JSON.stringify(plants)
  process.env.NODE_OPTIONS = `--import=${pathToFileURL(import.meta.filename).href}`
  hook(plants)
}

/** The environment of a process that is to have what is planted here, and more. */
export function planted(more: readonly Plant[] = []): Record<string, string> {
  const plants = [...(JSON.parse(process.env[variable] ?? '[]') as Plant[]), ...more]
  if (plants.length === 0) return {}
  return { [variable]: JSON.stringify(plants), NODE_OPTIONS: `--import=${pathToFileURL(import.meta.filename).href}` }
}

function hook(plants: readonly Plant[]): void {
  const byUrl = Map.groupBy(plants, ({ file }) => pathToFileURL(join(root, file)).href)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const here = byUrl.get(url)
      if (here === undefined || loaded.source === undefined || loaded.source === null) return loaded
      let source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
      for (const { file, find, put } of here) {
        if (source.split(find).length !== 2) throw new Error(`${file} does not hold once: ${find}`)
        source = source.replace(find, () => put)
      }
      return { ...loaded, source }
    },
  })
}

const inherited = process.env[variable]
if (inherited !== undefined) hook(JSON.parse(inherited) as Plant[])
