/**
 * The catalogue of the console's texts. Without arguments it writes `src/language/en.json`, all texts of the code in English
 * (`npm run generate`). `--check` refuses a list that is out of date, a text without a German one, a text whose values
 * differ from those of the code, and a text for people that does not go through the catalogue (`bin/check generated`).
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { values } from './src/language/values.ts'
import { parsePlaces, textsOf, untranslated } from './text-source.ts'

const source = join(import.meta.dirname, 'src')
const english_path = join(source, 'language/en.json')
const german_path = join(source, 'language/de.json')

export interface Catalogue {
  readonly texts: readonly string[]
  /** What is wrong, a sentence each. */
  readonly faults: readonly string[]
}

/** Every text of the code, and what the code gets wrong. */
export function readCatalogue(): Catalogue {
  const texts = new Set<string>(values)
  const faults: string[] = []
  for (const file of globSync('**/*.{ts,tsx}', { cwd: source }).toSorted()) {
    if (file.startsWith('language/')) continue
    const code = readFileSync(join(source, file), 'utf8')
    for (const { text, fault, line } of textsOf(file, code)) {
      if (text !== null) texts.add(text)
      if (fault !== null) faults.push(`console/src/${file}:${line}: ${fault}`)
    }
    for (const { line, text } of untranslated(file, code)) {
      faults.push(`console/src/${file}:${line}: “${text}” is shown to people: write t('…').`)
    }
  }
  return { texts: [...texts].toSorted(), faults }
}

/** What a language lacks or has too much of. */
export function translationFaults(texts: readonly string[], translated: Readonly<Record<string, string>>): string[] {
  const known = new Set(texts)
  const missing = texts.filter((text) => (translated[text] ?? '') === '').map((text) => `has no text for “${text}”`)
  const surplus = Object.keys(translated).filter((text) => !known.has(text))
  const others = Object.entries(translated).filter(([text, own]) => known.has(text) && !haveSameValues(text, own))
  return [
    ...missing,
    ...surplus.map((text) => `has “${text}”, which the code does not use`),
    ...others.map(([text, own]) => `has other values in “${own}” than “${text}”`),
  ]
}

function haveSameValues(text: string, own: string): boolean {
  return [...parsePlaces(text)].toSorted().join() === [...parsePlaces(own)].toSorted().join()
}

export function readGerman(): Record<string, string> {
  return JSON.parse(readFileSync(german_path, 'utf8')) as Record<string, string>
}

function main(): void {
  const { texts, faults } = readCatalogue()
  const content = `${JSON.stringify(texts, null, 2)}\n`
  const isChecking = process.argv.includes('--check')
  const isStale = readFileSync(english_path, 'utf8') !== content
  const german = translationFaults(texts, readGerman()).map((fault) => `console/src/language/de.json ${fault}.`)
  if (isStale && !isChecking) writeFileSync(english_path, content)
  const stale = isStale && isChecking ? ['console/src/language/en.json is out of date: run npm run generate.'] : []
  const all = [...stale, ...faults, ...german]
  if (all.length > 0) process.stdout.write(`${all.join('\n')}\n`)
  if (isChecking && all.length > 0) process.exitCode = 1
}

if (import.meta.main) main()
