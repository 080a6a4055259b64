/**
 * Refuses phrases in code, documents and console texts that usually hide a noun, and says what to write instead:
 * `bin/check words`, a part of `bin/check lint`. A finding asks to rewrite the sentence, not to swap the phrase. docs/words.md has the words in use.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** These name the phrases. */
const own_files = ['build/words.ts', 'server/test/docs/words.test.ts']

/** Phrase → what to write instead. The phrase is a regular expression that starts and ends at a word's boundary. */
export const phrases: readonly (readonly [phrase: string, instead: string])[] = [
  ['whoever', 'name the actor: "a caller", "the operator", "the next reader"'],
  ['nobody|somebody|no one', 'name the actor, or use the passive: "is not read by any process"'],
  ['of no account|no matter of', '"is ignored", "does not matter"'],
  ['any more', '"no longer", or say what is true now'],
  ['anew', '"again", "from the start"'],
  ['oftener|by leaps|of its own accord', '"more often", "suddenly", "by itself"'],
  ['so many|that many', 'name the number: "N rows", "`limit` items"'],
  ['in these hands', '"the lease was lost"'],
  [
    '(?:is|are|was|were) (?:told|told of|said so)|(?:told|tells) of|tells? whether',
    '"reports", "records", "names", "states"',
  ],
  ['(?:is|are) let go|lets? go|letting go', '"is released", "releases"'],
  ['mends?|mended|mending', '"fixes", "repairs", "corrects"'],
  ['hands? out|handed out|handing out', '"issues", "returns", "grants"'],
  ['close[sd]? a circle|in a circle', '"creates a cycle", "cycle"'],
  ['turns? it round|turned round', '"reverses the order", "sorts descending"'],
  ['there (?:is|are) none|(?:is|are) none', '"does not exist", "is missing", "has no …"'],
  ['that there (?:is|are) not', '"unknown", "that does not exist"'],
  ['stands? behind|comes? behind|goes on behind', '"follows", "after"'],
  ['stands? still', '"stops", "is paused"'],
  ['before it is time', '"early", "before the deadline"'],
  ['is known by', '"is identified by"'],
  ['as it is spelt|spelt', '"spelled", "written as"'],
  ['the like of|and the like', 'list them, or name the class'],
  ['what is left of', '"the rest of", "remaining"'],
  ['goes? on with', '"continues with"'],
  ['is gone over|what comes in|what goes out', '"is scanned", "input", "output"'],
  ['is no [a-z]+ that', '"is not a … that"'],
  ['out of the way of', 'say what is avoided'],
  ['for want of', '"without", "because … is missing"'],
  ['in its turn|by turns', '"in order", "alternately"'],
  ['as good as', '"almost", or the measured difference'],
  ['more than enough|well enough', 'give the bound'],
]

/** Written by programs, or by others: package texts, contracts, recorded answers, measurements. */
const skipped =
  /generated|^docs\/(openapi|examples)\.json$|package-lock\.json$|^bench\/results\/|^proof\/results\/|^docs\/sbom|LICENSE$/
const checked = /\.(?:ts|tsx|mjs|md|css|html|sh)$|^bin\//

export interface Finding {
  readonly file: string
  readonly line: number
  readonly phrase: string
  readonly instead: string
}

const patterns = phrases.map(([phrase, instead]) => ({ pattern: new RegExp(`\\b(?:${phrase})\\b`, 'gi'), instead }))

/** The findings of one text, in any case; `None` is Python's, and `nobody` in quotes is the user of that name. */
export function findPhrases(file: string, text: string): Finding[] {
  return text
    .split('\n')
    .flatMap((content, i) =>
      patterns.flatMap(({ pattern, instead }) =>
        [...content.matchAll(pattern)]
          .filter(({ 0: phrase, index }) => !phrase.endsWith('None') && !isUserName(phrase, content[index - 1]))
          .map(([phrase]) => ({ file, line: i + 1, phrase, instead })),
      ),
    )
}

function isUserName(phrase: string, before: string | undefined): boolean {
  return phrase === 'nobody' && (before === '`' || before === "'")
}

function trackedFiles(paths: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '--', ...paths], { cwd: root, encoding: 'utf8' }).split('\n')
  return listed.filter((file) => checked.test(file) && !skipped.test(file) && !own_files.includes(file))
}

function main(): void {
  const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
  const findings = trackedFiles(paths).flatMap((file) => findPhrases(file, readFileSync(join(root, file), 'utf8')))
  for (const { file, line, phrase, instead } of findings) {
    process.stdout.write(`${file}:${line}  "${phrase}": write ${instead}\n`)
  }
  process.stdout.write(`${findings.length} findings. Rewrite the sentence; docs/words.md has the words in use.\n`)
  if (findings.length > 0) process.exitCode = 1
}

if (import.meta.main) main()
