/** The limits of all folders: each has one name and one value, and those that the contract states are as it states them. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { limits } from '../src/api/limits.ts'
import { automation_limits } from '../src/automations/limits.ts'

const source = join(import.meta.dirname, '../src')
const files = globSync('*/limits.ts', { cwd: source }).sort()

async function allLimits(): Promise<[file: string, name: string, value: unknown][]> {
  const modules = await Promise.all(files.map(async (file) => [file, await import(join(source, file))] as const))
  return modules.flatMap(([file, module]) =>
    Object.values<object>(module).flatMap((object) =>
      Object.entries(object).map(([name, value]): [string, string, unknown] => [file, name, value]),
    ),
  )
}

test('every limit is a positive number', async () => {
  for (const [file, name, value] of await allLimits()) {
    assert.ok(Number.isFinite(value) && Number(value) > 0, `${file}: ${name} must be a positive number`)
  }
})

test('no two limits share a name', async () => {
  const names = new Map<string, string>()
  for (const [file, name] of await allLimits()) {
    assert.equal(names.get(name), undefined, `${name} is in ${names.get(name)} and in ${file}: keep one of them`)
    names.set(name, file)
  }
})

test('every limit is used', async () => {
  const code = globSync('**/*.ts', { cwd: source, exclude: ['**/limits.ts', '**/*.test.ts'] })
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n')
  for (const [file, name] of await allLimits()) {
    assert.match(code, new RegExp(`\\b${name}\\b`), `${file}: nothing uses ${name}; remove it`)
  }
})

test('the limits that the contract states have its values', () => {
  assert.equal(limits.page_limit_max, 100)
  assert.equal(limits.idempotency_window_ms, 86_400_000)
  assert.equal(limits.secret_overlap_ms, 86_400_000)
  assert.equal(limits.request_log_retention_ms, 604_800_000)
  assert.equal(limits.export_url_ms, 3_600_000)
  assert.equal(limits.task_count_cache_ms, 60_000)
  assert.equal(limits.safe_integer_max, 9_007_199_254_740_991)
  assert.equal(automation_limits.automation_nodes_max, 100)
})
