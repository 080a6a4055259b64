/** The layers in the documents are those that dependency-cruiser enforces. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

type Layers = Readonly<Record<string, readonly string[]>>

const root = new URL('../../../', import.meta.url)

interface Rules {
  readonly layers: Readonly<Record<string, Layers>>
  readonly folders: Layers
  readonly default: { readonly forbidden: readonly { readonly name: string; readonly from: object }[] }
}

/** Imported by the tests: files that share a process must not await at the top level. */
async function enforced(): Promise<Rules> {
  return (await import(new URL('.dependency-cruiser.mjs', root).href)) as Rules
}

/** Reads a table with the columns layer, description and allowed imports: names in backticks, or `nothing`. */
function documentedLayers(document: string, folder: string): Layers {
  const rows = readFileSync(new URL(document, root), 'utf8').matchAll(/^\| `([\w./<>-]+)` \| .* \| (.*) \|$/gm)
  return Object.fromEntries(
    [...rows].flatMap(([, path = '', imports = '']) => {
      if (!path.startsWith(`${folder}/`)) return []
      const [, name = ''] = /^([\w.-]+)/.exec(path.slice(folder.length + 1)) ?? []
      return [[name, [...imports.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] as string)]]
    }),
  )
}

/** Reads the table with the columns folder and other folders that it may import. */
function documentedFolders(): Layers {
  const text = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8')
  const [, table = ''] = /^\| Folder \| Other folders and files \|\n\|.*\n((?:\|.*\n)+)/m.exec(text) ?? []
  return Object.fromEntries(
    [...table.matchAll(/^\| `([\w/]+)\/` \| (.*) \|$/gm)].map(([, folder = '', others = '']) => [
      folder,
      [...others.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] as string),
    ]),
  )
}

/** One line for each layer whose imports differ, with the change that makes them equal. */
function differences(document: string, documented: Layers, enforced: Layers): string[] {
  const names = [...new Set([...Object.keys(enforced), ...Object.keys(documented)])]
  return names.flatMap((name) => {
    const [said, checked] = [documented[name], enforced[name]]
    if (checked === undefined) return [`${name}: remove its row from ${document}, or add it to .dependency-cruiser.mjs`]
    if (said === undefined) return [`${name}: add a row to ${document}. May import: ${quoted(checked)}`]
    if (said.toSorted().join() === checked.toSorted().join()) return []
    return [`${name}: ${document} allows ${quoted(said)}; .dependency-cruiser.mjs allows ${quoted(checked)}`]
  })
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || 'nothing'

describe('The layers', () => {
  for (const [document, folder, source] of [
    ['ARCHITECTURE.md', 'server/src', 'server/src'],
    ['ARCHITECTURE.md', 'api', 'server/src/api'],
    ['console/README.md', 'src', 'console/src'],
  ] as const) {
    it(`of ${source} are the same in ${document} and in .dependency-cruiser.mjs`, async () => {
      const found = differences(document, documentedLayers(document, folder), (await enforced()).layers[source] ?? {})
      assert.deepEqual(found, [], 'Decide which one is right and change the other:')
    })
  }

  it('of the folders beside each other are the same in ARCHITECTURE.md and in .dependency-cruiser.mjs', async () => {
    const found = differences('ARCHITECTURE.md', documentedFolders(), (await enforced()).folders)
    assert.deepEqual(found, [], 'Decide which one is right and change the other:')
  })

  it('have no cycle that is excused', async () => {
    const rules = (await enforced()).default.forbidden
    const cycles = rules.find(({ name }) => name === 'no-cycles')?.from
    assert.deepEqual(cycles, { path: '^(server/src|console/src|proof|sdk/typescript/src)/' })
  })
})
