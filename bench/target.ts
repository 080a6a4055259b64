/**
 * What is loaded: a server pinned to a core, the ids that it was seeded with, and the requests in its own words. The
 * same script sends the same jobs to the floors and to the product.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What floors and product are compared in. */
export const jobs = ['get', '304', 'list', 'mix', 'update', 'create'] as const
/** `batch` is the product's alone. */
export type Job = (typeof jobs)[number] | 'batch'

export interface Target {
  readonly key: string
  readonly ids: readonly string[]
  /** The list's address up to the id that it starts after. */
  readonly list: string
  readonly create: object
  /** NUMBER stands for a number that is new every time. */
  readonly update: object
  readonly batch?: object
}

/** Enough that the 304s are not of one task; each ETag is asked for once. */
const tags_max = 1000

/** Writes the folder that `load.lua` reads. */
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

/** Asks the running server for the ETags with which the 304 job comes back. */
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
