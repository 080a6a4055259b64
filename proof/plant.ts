/**
 * Replaces text in the product's source files while they are loaded; files on disk do not change. Child processes load this
 * module first (`--import`) and find the plants in their environment.
 */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface Plant {
  /** Relative to the repository's root. */
  readonly file: string
  /** Occurs there exactly once. */
  readonly find: string
  readonly put: string
}

const root = join(import.meta.dirname, '..')
const variable = 'PROOF_PLANTS'
/** Names a bundle of the planted program (`planted-build.ts`). */
const built_variable = 'PROOF_BUILT'
const program = pathToFileURL(join(root, 'server/src/cli/index.ts')).href
/** Plants as JSON → URL of the bundle. */
const builds = new Map<string, string>()

/** Plants in this process, except in modules already loaded, and in all processes that it starts. */
export function plant(plants: readonly Plant[]): void {
  process.env[variable] = JSON.stringify(plants)
  process.env.NODE_OPTIONS = `--import=${pathToFileURL(import.meta.filename).href}`
  hook(plants)
}

/** The environment for a process with the plants of this one, and `more`. */
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

/** The plants of this process, and `more`. */
export function allOf(more: readonly Plant[]): Plant[] {
  return [...(JSON.parse(process.env[variable] ?? '[]') as Plant[]), ...more]
}

/** Programs with exactly these plants will run from the bundle. */
export function keepBuild(plants: readonly Plant[], file: string): void {
  builds.set(JSON.stringify(plants), pathToFileURL(file).href)
}

/** The source of a file with its plants. */
export function withPlants(source: string, here: readonly Plant[]): string {
  let text = source
  for (const { file, find, put } of here) {
    if (text.split(find).length !== 2) throw new Error(`${file} must contain exactly once: ${find}`)
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
