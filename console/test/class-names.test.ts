/** Styles of an area stay loaded after its page was left, so areas must not share class names. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const source = join(import.meta.dirname, '../src')

it('a class name belongs to one area, or to the design system', () => {
  const areas = new Map<string, Set<string>>()
  for (const file of globSync('pages/**/*.css', { cwd: source })) {
    const area = file.split('/')[1] as string
    const text = readFileSync(join(source, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
    for (const [selector] of text.matchAll(/[^{}]+(?=\{)/g)) {
      for (const [, name = ''] of selector.matchAll(/\.([a-z][\w-]*)/g)) {
        areas.set(name, (areas.get(name) ?? new Set()).add(area))
      }
    }
  }
  const design = globSync('{design,app,shell}/**/*.css', { cwd: source }).map((file) =>
    readFileSync(join(source, file), 'utf8'),
  )
  const shared = [...areas].filter(([name, by]) => by.size > 1 && !design.some((text) => text.includes(`.${name}`)))
  assert.deepEqual(
    shared.map(([name, by]) => `${name} of ${[...by].join(', ')}`),
    [],
  )
})
