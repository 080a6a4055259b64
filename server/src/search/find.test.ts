/**
 * Random searches on both engines find what a plain look through the texts finds, in the same order. The words of the texts are
 * written down here, so that the look does not depend on how the index divides texts. ATRIUM_TEST_SEARCHES sets how many are tried.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../test/engines.ts'
import { indexForSearch } from '../../test/search-index.ts'
import { openWorld, type World } from '../../test/world.ts'
import type { Reader } from '../db/store.ts'
import { findDocuments, type Hit } from './find.ts'
import { rebuildIndex } from './follow.ts'
import { readSearchQuery } from './search-query.ts'

const searches = Number(process.env.ATRIUM_TEST_SEARCHES ?? 250)
const objects_count = 60

/** Ways to write a word, and the words that each of them stands for. A word in capitals here goes on: it may be a prefix. */
const writings: readonly (readonly [writings: readonly string[], words: readonly string[]])[] = [
  [['Kubernetes', 'KUBERNETES', 'ｋubernetes'], ['kubernetes']],
  [['kube', 'Kube'], ['kube']],
  [['Straße', 'STRASSE', 'strasse'], ['strasse']],
  [['naïve', 'nai\u0308ve', 'NAIVE'], ['naive']],
  [['İstanbul', 'istanbul', 'ISTANBUL', 'ıstanbul'], ['istanbul']],
  [['Łódź', 'lodz'], ['lodz']],
  [['Привет', 'ПРИВЕТ'], ['привет']],
  [['Σίσυφος', 'ΣΊΣΥΦΟΣ'], ['σισυφοσ']],
  [['שָׁלוֹם', 'שלום'], ['שלום']],
  [['한국어', '\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165'], ['한국어']],
  [['नमस्ते'], ['नमस्ते']],
  [['日本語'], ['日', '本', '語']],
  [['本日'], ['本', '日']],
  [
    ['ガス', 'カ\u3099ス', 'ｶﾞｽ'],
    ['ガ', 'ス'],
  ],
  [['สวน'], ['ส', 'ว', 'น']],
  [['🚀'], ['🚀']],
  [
    ['x-ray', 'X_Ray'],
    ['x', 'ray'],
  ],
  [['v1.2'], ['v1', '2']],
  [['the'], ['the']],
  [['The'], ['the']],
]
const spaceless = /[日本語ガスสวน🚀]/u

let seed = 20_261_123
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * bound)
}
const one = <T>(of: readonly T[]): T => of[below(of.length)] as T

interface Written {
  readonly text: string
  /** The words with how each was written, in order. */
  readonly parts: readonly (typeof writings)[number][]
  readonly words: readonly string[]
}

function writtenText(count: number): Written {
  const parts = Array.from({ length: count }, () => one(writings))
  const text = parts.map(([ways]) => one(ways)).join(one([' ', ' ', ', ', '\n']))
  return { text, parts, words: parts.flatMap(([, words]) => words) }
}

interface Known {
  readonly id: string
  readonly title: Written
  readonly body: Written
  readonly updated: number
}

interface Sought {
  readonly words: readonly string[]
  readonly isPrefix: boolean
}

function occurs({ words, isPrefix }: Sought, text: readonly string[]): boolean {
  return text.some((_, at) =>
    words.every((word, i) =>
      isPrefix && i === words.length - 1 ? text[at + i]?.startsWith(word) === true : text[at + i] === word,
    ),
  )
}

/** The plain look: all objects, tried one by one and sorted. */
function look(known: readonly Known[], terms: readonly Sought[], excluded: readonly Sought[]): string[] {
  const found = known.flatMap((each) => {
    const anywhere = (term: Sought) => occurs(term, each.title.words) || occurs(term, each.body.words)
    if (!terms.every(anywhere) || excluded.some(anywhere)) return []
    return [{ ...each, rank: terms.every((term) => occurs(term, each.title.words)) ? 1 : 2 }]
  })
  return found.sort((a, b) => a.rank - b.rank || b.updated - a.updated).map(({ id }) => id)
}

/** A random query about these texts, and what it means. */
function anyQuery(known: readonly Known[]): { query: string; terms: Sought[]; excluded: Sought[] } {
  const parts: string[] = []
  const terms: Sought[] = []
  const excluded: Sought[] = []
  const { parts: near } = one([one(known).title, one(known).body])
  for (let n = 1 + below(3); n > 0; n--) {
    const start = below(near.length)
    const phrase = near.slice(start, start + 1 + below(3))
    const isExcluded = terms.length > 0 && below(4) === 0
    const isQuoted = phrase.length > 1 || below(5) === 0
    const text = phrase.map(([ways]) => one(ways)).join(' ')
    const sought = { words: phrase.flatMap(([, words]) => words), isPrefix: false }
    parts.push(`${isExcluded ? '-' : ''}${isQuoted ? `"${text}"` : text}`)
    if (isExcluded) excluded.push(sought)
    else terms.push({ ...sought, isPrefix: !isQuoted })
  }
  // Only the last word is a prefix.
  const last = terms.findLastIndex(({ isPrefix }) => isPrefix)
  const meant = terms.map((term, i) => {
    const isPrefix = i === last && !spaceless.test(term.words.at(-1) as string)
    return { ...term, isPrefix }
  })
  return { query: parts.join(' '), terms: meant, excluded }
}

onEveryEngine('finding documents', (engine) => {
  let world: World
  let realm: number
  let reader: Reader
  const known: Known[] = []
  before(async () => {
    seed = 20_261_123
    world = await openWorld(engine)
    realm = world.acme.realms.live
    reader = world.services.store.reader({ organization: world.acme.id, realms: [realm] })
    const workspace = (await world.make('/v1/workspaces', { title: 'Texts' })).id
    for (let i = 0; i < objects_count; i++) {
      world.clock.advance(1)
      const [title, body] = [writtenText(1 + below(4)), writtenText(1 + below(12))]
      const texts = { description: body.text, workspace }
      const made =
        i % 6 === 5
          ? await world.make('/v1/projects', { ...texts, name: title.text.replaceAll('\n', ' ') })
          : await world.make('/v1/tasks', { ...texts, title: title.text.replaceAll('\n', ' ') })
      known.push({ id: made.id, title, body, updated: i })
    }
    await indexForSearch(world.services, realm)
  })
  after(() => world?.close())

  async function idsOf(query: string): Promise<string[]> {
    const search = readSearchQuery(query)
    assert.ok(search !== null, query)
    const criteria = { realm, search, types: undefined, workspace: undefined, seen: undefined }
    const found: string[] = []
    let position: Hit | null = null
    for (;;) {
      const hits: Hit[] = await findDocuments(reader, criteria, position, 7)
      found.push(...hits.map(({ object }) => object))
      if (hits.length < 7) return found
      position = hits.at(-1) ?? null
    }
  }

  async function compare(count: number): Promise<number> {
    let some = 0
    for (let i = 0; i < count; i++) {
      const { query, terms, excluded } = anyQuery(known)
      const expected = look(known, terms, excluded)
      assert.deepEqual(await idsOf(query), expected, query)
      if (expected.length > 0) some++
    }
    return some
  }

  it('finds what a look through all texts finds, in the same order, page by page', async () => {
    assert.ok((await compare(searches)) > searches / 3)
  })

  it('finds the same after the index was built again', async () => {
    await world.services.store.write('system', (tx) => rebuildIndex(tx, realm))
    await indexForSearch(world.services, realm, 7)
    await compare(30)
  })
})
