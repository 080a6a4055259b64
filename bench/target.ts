/**
 * What is loaded: a server on its core, the seeded ids, and the requests in its own terms. One script sends the same jobs to the
 * floors and to the product.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The jobs that floors and product share. */
export const jobs = ['get', '304', 'list', 'mix', 'update', 'create'] as const
/** Only the product has `batch`. */
export type Job = (typeof jobs)[number] | 'batch'

export interface Target {
  readonly key: string
  readonly ids: readonly string[]
  /** The list's address up to the id after which it starts. */
  readonly list: string
  readonly create: object
  /** NUMBER is replaced by a new number each time. */
  readonly update: object
  readonly batch?: object
}

/** Enough tasks for the 304s; each ETag is requested once. */
const tags_max = 1000

/** Writes the folder for `load.lua`. */
export function writeTarget(folder: string, target: Target): void {
  mkdirSync(folder, { recursive: true })
  const values = {
    key: target.key,
    list: target.list,
    create: JSON.stringify(target.create),
    update: JSON.stringify(target.update),
    batch: JSON.stringify(target.batch ?? null),
  }
  const lines = Object.entries(values).map(([name, value]) => `  ${name} = [==[${value}]==],`)
  writeFileSync(join(folder, 'target.lua'), `return {\n${lines.join('\n')}\n}\n`)
  writeFileSync(join(folder, 'ids.txt'), target.ids.map((id) => `${id}\n`).join(''))
  writeFileSync(join(folder, 'tags.txt'), '')
}

/** Writes the folder for `load.lua` that spreads requests evenly over several targets. */
export function writeTargets(folder: string, targets: readonly Target[]): void {
  const folders = targets.map((target, i) => {
    const own = join(folder, String(i))
    writeTarget(own, target)
    return own
  })
  const lines = folders.map((own) => `  [==[${own}]==],`)
  writeFileSync(join(folder, 'target.lua'), `return { folders = {\n${lines.join('\n')}\n} }\n`)
}

/** Requests the ETags that the 304 job sends. */
export async function writeTags(folder: string, target: Target, url: string): Promise<void> {
  const step = Math.max(1, Math.floor(target.ids.length / tags_max))
  const lines: string[] = []
  for (let i = 0; i < target.ids.length && lines.length < tags_max; i += step) {
    const id = target.ids[i] as string
    const answer = await fetch(`${url}/v1/tasks/${id}`, { headers: { Authorization: `Bearer ${target.key}` } })
    await answer.arrayBuffer()
    lines.push(`${id} ${answer.headers.get('etag')}\n`)
  }
  writeFileSync(join(folder, 'tags.txt'), lines.join(''))
}
