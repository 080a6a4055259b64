/** The floors of the console's source: what may import what, as its README says. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { it } from 'node:test'

const source = join(import.meta.dirname, '../src')

/** Folder → the folders it may import from besides itself. */
const below: Readonly<Record<string, readonly string[]>> = {
  design: [],
  data: [],
  app: ['design', 'data', 'pages'],
  pages: ['design', 'data', 'app'],
}

/** The register of areas and the pages for everybody are what of the shell knows pages. */
const knowing_pages = ['app/areas.ts', 'app/public-pages.tsx', 'app/router.tsx']

/** `pages/work/board/card.tsx` → `pages`, `work` */
const placeOf = (file: string) => file.split('/').slice(0, 2) as [string, string]

it('imports point down, and no area of pages knows another', () => {
  const wrong = globSync('**/*.{ts,tsx}', { cwd: source }).flatMap((file) => {
    const [floor, area] = placeOf(file)
    const imports = readFileSync(join(source, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)
    return [...imports].flatMap(([, path = '']) => {
      const to = relative(source, join(source, dirname(file), path))
      const [toFloor, toArea] = placeOf(to)
      const types = floor === 'data' && to.startsWith('../../server/src/console/shapes')
      const isOwn = floor === toFloor && (floor !== 'pages' || area === toArea || toArea.endsWith('.ts'))
      const isBelow = below[floor]?.includes(toFloor) && (toFloor !== 'pages' || knowing_pages.includes(file))
      return types || isOwn || isBelow || file === 'main.tsx' ? [] : [`${file} imports ${to}`]
    })
  })
  assert.deepEqual(wrong, [])
})

it('a class name belongs to one area: styles of pages that were seen before stay loaded', () => {
  const areas = new Map<string, Set<string>>()
  for (const file of globSync('pages/**/*.css', { cwd: source })) {
    const [, area] = placeOf(file)
    const text = readFileSync(join(source, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
    for (const [selector] of text.matchAll(/[^{}]+(?=\{)/g)) {
      for (const [, name = ''] of selector.matchAll(/\.([a-z][\w-]*)/g)) {
        areas.set(name, (areas.get(name) ?? new Set()).add(area))
      }
    }
  }
  const design = globSync('{design,app}/**/*.css', { cwd: source }).map((file) =>
    readFileSync(join(source, file), 'utf8'),
  )
  const shared = [...areas].filter(([name, by]) => by.size > 1 && !design.some((text) => text.includes(`.${name}`)))
  assert.deepEqual(
    shared.map(([name, by]) => `${name} of ${[...by].join(', ')}`),
    [],
  )
})
