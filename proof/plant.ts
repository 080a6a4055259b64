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
/** A file that holds the whole program as it is planted (`planted-build.ts`). */
const built_variable = 'PROOF_BUILT'
const program = pathToFileURL(join(root, 'server/src/cli/index.ts')).href
/** By what is planted. */
const builds = new Map<string, string>()

/** Plants the faults in this process and in all that it starts. Modules that are loaded already stay as they are. */
export function plant(plants: readonly Plant[]): void {
  process.env[variable] = JSON.stringify(plants)
  process.env.NODE_OPTIONS = `--import=${pathToFileURL(import.meta.filename).href}`
  hook(plants)
}

/** The environment of a process that is to have what is planted here, and more. */
export function planted(more: readonly Plant[] = []): Record<string, string> {
  const plants = allOf(more)
  if (plants.length === 0) return {}
  const text = JSON.stringify(plants)
  const built = builds.get(text)
  return {
    [variable]: text,
    NODE_OPTIONS: `--import=${pathToFileURL(import.meta.filename).href}`,
    ...(built === undefined ? {} : { [built_variable]: built }),
  }
}

/** What is planted here, and more. */
export function allOf(more: readonly Plant[]): Plant[] {
  return [...(JSON.parse(process.env[variable] ?? '[]') as Plant[]), ...more]
}

/** From here on a program with these plants is run as it was built. */
export function keepBuild(plants: readonly Plant[], file: string): void {
  builds.set(JSON.stringify(plants), pathToFileURL(file).href)
}

/** The source of a file with what is planted there. */
export function withPlants(source: string, here: readonly Plant[]): string {
  let text = source
  for (const { file, find, put } of here) {
    if (text.split(find).length !== 2) throw new Error(`${file} does not hold once: ${find}`)
    text = text.replace(find, () => put)
  }
  return text
}

function hook(plants: readonly Plant[]): void {
  const byUrl = Map.groupBy(plants, ({ file }) => pathToFileURL(join(root, file)).href)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const here = byUrl.get(url)
      if (here === undefined || loaded.source === undefined || loaded.source === null) return loaded
      const source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
      return { ...loaded, source: withPlants(source, here) }
    },
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context)
      const built = process.env[built_variable]
      return built !== undefined && resolved.url === program ? { ...resolved, url: built } : resolved
    },
  })
}

const inherited = process.env[variable]
if (inherited !== undefined) hook(JSON.parse(inherited) as Plant[])
