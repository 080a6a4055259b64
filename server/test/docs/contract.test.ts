/**
 * The contract (docs/contract): citations of it, written `contract/NN#anchor`, name headings that exist, and its tables of
 * codes, event types and fields are those of the code.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { it } from 'node:test'
import { errorKinds } from '../../src/api/declare/errors.ts'
import { allEventTypes } from '../../src/derive/event-types.ts'
import { nearest } from '../../src/lib/nearest.ts'
import { anchorsOf, readPage, root } from './page.ts'
import { type Line, linesOf, repositoryFiles } from './repository.ts'

/** Page number → anchors of its headings, the title's first. */
const pages = new Map(
  globSync('docs/contract/[0-9][0-9]-*.md', { cwd: root })
    .sort()
    .map((path) => [basename(path).slice(0, 2), [...anchorsOf(readPage(path))]]),
)

const lines = repositoryFiles('.ts', '.tsx', '.mjs', '.md', '.py').flatMap(linesOf)

it('has the contract’s 17 pages, numbered without a gap', () => {
  const numbers = Array.from({ length: 17 }, (_none, index) => String(index + 1).padStart(2, '0'))
  assert.deepEqual([...pages.keys()], numbers)
})

it('every citation of the contract names a heading of its page', () => {
  const faults = lines.flatMap(faultsIn)
  assert.deepEqual(faults, [], `\n${faults.join('\n')}\nThe headings stand in docs/contract/.`)
})

it('no citation names a section by number', () => {
  const old = lines.filter(({ path, text }) => path !== ownPath && /\b(?:contract|decisions|extensions) §/.test(text))
  const places = old.map(({ path, line, text }) => `${path}:${line}: ${text.trim()}`)
  assert.deepEqual(
    places,
    [],
    `\n${places.join('\n')}\nWrite contract/NN#anchor instead (docs/contract/README.md#citations).`,
  )
})

const ownPath = 'server/test/docs/contract.test.ts'

/** What is wrong with the citations of a line; page numbers that are followed by `-` belong to links. */
function faultsIn({ path, line, text }: Line): string[] {
  const citations = text.matchAll(/\bcontract\/(\d+)(?![\d-])(?:#([\w-]*))?/g)
  return [...citations].flatMap(([citation, number = '', anchor]) => {
    const place = `${path}:${line}: ${citation}`
    const [, ...anchors] = pages.get(number) ?? []
    if (anchors.length === 0) return [`${place}: page ${number} does not exist. Pages: 01 to 17.`]
    if (anchor === undefined || anchors.includes(anchor)) return []
    const close = nearest(anchor, anchors) ?? anchors.join(', ')
    return [`${place}: page ${number} has no heading "${anchor}". Nearest: ${close}.`]
  })
}

it('the table of error codes has every code with its status and type', () => {
  const rows = tableBelow('02', '## Error codes').map(([code, status, type]) => [plain(code), Number(status), type])
  const declared = Object.entries(errorKinds).map(([code, { status, type }]) => [code, status, type])
  assert.deepEqual(new Map(rows.map((row) => [row[0], row])), new Map(declared.map((row) => [row[0], row])))
})

it('the table of event types has every type', async () => {
  const rows = tableBelow('10', '## Event types').flatMap(([, object = '', verbs = '']) => {
    return verbs.split(', ').map((verb) => `${plain(object)}.${plain(verb)}`)
  })
  const declared = (await allEventTypes()).map(({ type }) => type)
  assert.deepEqual(rows.sort(), declared.sort(), 'Add the type to the table of docs/contract/10-events.md#event-types.')
})

it('the tables of resources have every field of every resource', () => {
  for (const [, heading = ''] of textOf('14').matchAll(/^## (.+)$/gm)) {
    if (heading === 'Common fields') continue
    const schema = schemas[schema_names[heading] ?? pascal(heading)]
    assert.ok(schema, `docs/contract/14-resources.md: "${heading}" names no schema of docs/openapi.json.`)
    const named = tableBelow('14', `## ${heading}`, '| Field |').flatMap(([names = '']) => names.split(', ').map(plain))
    const about = `docs/contract/14-resources.md#${heading}: the table must name exactly the fields of the resource.`
    assert.deepEqual(named.sort(), Object.keys(schema.properties).sort(), about)
  }
})

const { schemas } = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')).components as {
  readonly schemas: Readonly<Record<string, { readonly properties: object }>>
}

/** Headings that differ from the name of their schema. */
const schema_names: Readonly<Record<string, string>> = { 'Request log entry': 'RequestLog' }

function pascal(heading: string): string {
  return heading.replaceAll(
    /(?:^| )(\w)(\w*)/g,
    (_, first: string, rest: string) => first.toUpperCase() + rest.toLowerCase(),
  )
}

function textOf(number: string): string {
  const [path = ''] = globSync(`docs/contract/${number}-*.md`, { cwd: root })
  return readPage(path).text
}

/** The cells of the first table of a section, or of the one whose header begins so; without the header. */
function tableBelow(number: string, heading: string, header = '|'): string[][] {
  const [, section = ''] = textOf(number).split(`${heading}\n`)
  const own = section.split('\n## ', 1)[0] ?? ''
  const lines = own.slice(own.indexOf(`\n${header}`) + 1).split('\n')
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(2, end < 0 ? undefined : end).map((line) => line.slice(2, -2).split(' | '))
}

function plain(cell = ''): string {
  return cell.trim().replaceAll('`', '')
}
