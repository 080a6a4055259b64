/** Reads the folder: one JSON object per line in tasks, projects, members and dependencies. Invalid lines are reported. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from './report.ts'

export interface SourceTask {
  readonly source: string
  readonly title: string
  readonly project?: string | null
  readonly status?: string | null
  readonly stage?: string | null
  readonly number?: number | null
  readonly participating?: readonly string[]
  readonly authors?: readonly string[]
  readonly reviewers?: readonly string[]
  readonly approvers?: readonly string[]
  readonly feature_gates?: readonly string[]
  readonly created?: number | null
  readonly updated?: number | null
  readonly latest_milestone?: string | null
  readonly milestone?: Readonly<Record<string, string | null>> | null
}

export interface SourceDependency {
  readonly from: string
  readonly to: string
}

export interface Source {
  readonly tasks: readonly SourceTask[]
  readonly projects: readonly string[]
  readonly members: readonly string[]
  readonly dependencies: readonly SourceDependency[]
}

/** All valid lines; of duplicates the first. */
export function readSource(folder: string, report: Report): Source {
  return {
    tasks: readRows<SourceTask>(folder, 'tasks', ['source', 'title'], ['source'], report),
    projects: readRows<{ name: string }>(folder, 'projects', ['name'], ['name'], report).map(({ name }) => name),
    members: readRows<{ handle: string }>(folder, 'members', ['handle'], ['handle'], report).map(
      ({ handle }) => handle,
    ),
    dependencies: readRows<SourceDependency>(folder, 'dependencies', ['from', 'to'], ['from', 'to'], report),
  }
}

function readRows<T>(folder: string, name: string, texts: string[], unique: string[], report: Report): T[] {
  const file = join(folder, `${name}.ndjson`)
  // Only tasks.ndjson is required.
  if (name !== 'tasks' && !existsSync(file)) return []
  const found = new Map<string, T>()
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue
    const at = `${name}.ndjson:${i + 1}`
    const value = parse(line)
    const lacking = texts.find((field) => typeof value?.[field] !== 'string' || value[field] === '')
    if (value === null || lacking !== undefined) {
      report.refuse(name, at, value === null ? 'not a JSON object' : `no ${lacking}`)
      continue
    }
    const identity = JSON.stringify(unique.map((field) => value[field]))
    if (found.has(identity)) report.note(at, `${unique.map((field) => value[field]).join(' → ')} is listed twice`)
    else found.set(identity, value as T)
  }
  return [...found.values()]
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
