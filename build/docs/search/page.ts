/** The search of the documents. It is complete in one script, so that it also works in pages that are opened as files. */

import { sections } from 'virtual:sections'
import MiniSearch, { type SearchResult } from 'minisearch'

const results_max = 30
const excerpt_chars = 220
/** Characters before the first word that is found. */
const before_chars = 60
/** Share of a word's characters that may be wrong. */
const fuzzy = 0.15

const index = new MiniSearch({
  fields: ['title', 'page', 'text'],
  searchOptions: { prefix: true, fuzzy, combineWith: 'AND', boost: { title: 4, page: 2 } },
})
index.addAll(sections.map((section, id) => ({ id, ...section })))

const field = document.querySelector<HTMLInputElement>('header input')
const status = document.querySelector('#status')
const list = document.querySelector('#results')

function show(): void {
  const query = field?.value.trim() ?? ''
  const found = query === '' ? [] : index.search(query)
  if (status !== null) status.textContent = query === '' ? 'Type what you look for.' : countOf(found.length)
  list?.replaceChildren(...found.slice(0, results_max).map(entryOf))
}

function countOf(count: number): string {
  if (count === 0) return 'Nothing was found. Try fewer words.'
  if (count === 1) return '1 result'
  return count > results_max ? `${count} results, the best ${results_max} first` : `${count} results`
}

function entryOf({ id, terms }: SearchResult): HTMLElement {
  const section = sections[id]
  const entry = document.createElement('li')
  if (section === undefined) return entry
  const link = document.createElement('a')
  link.href = section.to
  link.textContent = section.title
  const page = document.createElement('span')
  page.textContent = section.title === section.page ? '' : ` in ${section.page}`
  const text = document.createElement('p')
  text.textContent = excerptOf(section.text, terms)
  entry.append(link, page, text)
  return entry
}

/** A part of the text that begins shortly before the first word found. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)
  const found = Math.min(...places)
  const start = places.length === 0 || found < before_chars ? 0 : text.lastIndexOf(' ', found - before_chars) + 1
  const part = text.slice(start, start + excerpt_chars)
  return `${start > 0 ? '…' : ''}${part}${start + excerpt_chars < text.length ? '…' : ''}`
}

if (field !== null) {
  field.value = new URLSearchParams(location.search).get('q') ?? ''
  field.addEventListener('input', () => {
    history.replaceState(null, '', `?${new URLSearchParams({ q: field.value })}`)
    show()
  })
  field.focus()
}
show()
