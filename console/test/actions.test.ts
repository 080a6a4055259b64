/** The actions on tasks: their keys, and their list in docs/console.md. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { taskActions, walkingKeys } from '../src/pages/work/task-actions/registry.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/console.md'), 'utf8')

test('docs/console.md lists every action on tasks with its keys, its menu path and its way by mouse', () => {
  const rows = taskActions.map(({ title, keys, menu, mouse }) => {
    return `| ${title} | ${keys.map((each) => `\`${each}\``).join(', ')} | ${menu} | ${mouse} |`
  })
  const walking = walkingKeys.map(({ keys, title }) => `| ${keys} | ${title} |`)
  const listed = page.split('\n').filter((line) => line.startsWith('| '))
  const missing = [...rows, ...walking].filter((row) => !listed.includes(row))
  assert.deepEqual(missing, [], 'add these rows to docs/console.md, section Keys and actions')
})

test('no two actions on tasks have the same key', () => {
  const keys = taskActions.flatMap((action) => action.keys)
  assert.equal(new Set(keys).size, keys.length)
})

test('no key of an action on tasks is that of another shortcut of the pages on which tasks are worked on', () => {
  const files = globSync('console/src/{app,shell,pages/work}/**/*.{ts,tsx}', { cwd: root })
  const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const others = [...code.matchAll(/useShortcut\(\s*'([^']+)',\s*t\('([^']+)'/g)].map(([, keys, title]) => ({
    keys,
    title,
  }))
  assert.ok(others.length > 10)
  const own = new Set(taskActions.flatMap(({ keys }) => keys))
  const titles = new Set(taskActions.map(({ title }) => title))
  // The panel has its own button for this action, and the calendar gives way to a task under the mouse.
  const allowed = new Set(['Copy task key', 'Complete task', 'Previous month', 'Previous week'])
  const clashes = others.filter(
    ({ keys = '', title = '' }) => own.has(keys) && !titles.has(title) && !allowed.has(title),
  )
  assert.deepEqual(clashes, [])
})
