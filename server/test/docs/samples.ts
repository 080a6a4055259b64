/**
 * Runs the samples of docs/guides/webhooks.md that verify deliveries, in five languages: each as written, in its own folder,
 * beside a driver that feeds it cases. Without an interpreter a sample cannot run; `samples.json` records the sample,
 * driver and cases that passed, so a later change is noticed.
 *
 * `node server/test/docs/samples.ts` runs the installed languages and records what passed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readPage, root } from './page.ts'

export interface Vector {
  readonly name: string
  readonly scheme: 'service' | 'standard'
  readonly valid: boolean
  readonly secret: string
  readonly now: number
  readonly headers: Readonly<Record<string, string>>
  readonly body_base64: string
}

interface Language {
  /** The language of the fence on the page. */
  readonly fence: string
  /** The oldest supported version, as stated on the page. */
  readonly needs: string
  /** The command that prints the interpreter's version. */
  readonly version: readonly string[]
  /** The command that runs the driver in its folder. */
  readonly run: readonly string[]
  readonly driver: string
  /** Paths of sample and driver in that folder. */
  readonly files: readonly [sample: string, driver: string]
}

const drivers = join(import.meta.dirname, 'drivers')

export const languages: Readonly<Record<string, Language>> = {
  node: {
    fence: 'ts',
    needs: '22.18',
    version: [process.execPath, '--version'],
    run: [process.execPath, 'main.mjs'],
    driver: 'node.mjs',
    files: ['webhooks.ts', 'main.mjs'],
  },
  python: {
    fence: 'python',
    needs: '3.10',
    version: ['python3', '--version'],
    run: ['python3', 'main.py'],
    driver: 'python.py',
    files: ['webhooks.py', 'main.py'],
  },
  go: {
    fence: 'go',
    needs: '1.19',
    version: ['go', 'version'],
    run: ['go', 'run', '.'],
    driver: 'go.go',
    files: ['webhooks/webhooks.go', 'main.go'],
  },
  ruby: {
    fence: 'ruby',
    needs: '3.0',
    version: ['ruby', '--version'],
    run: ['ruby', 'main.rb'],
    driver: 'ruby.rb',
    files: ['webhooks.rb', 'main.rb'],
  },
  php: {
    fence: 'php',
    needs: '8.0',
    version: ['php', '--version'],
    run: ['php', 'main.php'],
    driver: 'php.php',
    files: ['webhooks.php', 'main.php'],
  },
}

const vectors_file = join(root, 'docs/guides/webhook-vectors.json')
const record_file = join(import.meta.dirname, 'samples.json')

export const readVectors = () => JSON.parse(readFileSync(vectors_file, 'utf8')) as Vector[]

/** Language → what passed and with which interpreter. */
export type Recorded = Readonly<Record<string, { readonly sha256: string; readonly ran_with: string }>>

export const readRecorded = () => JSON.parse(readFileSync(record_file, 'utf8')) as Recorded

/** The first block of its language on the page. */
function sampleOf({ fence }: Language): string {
  const block = readPage('docs/guides/webhooks.md').blocks.find(({ language }) => language === fence)
  if (block === undefined) throw new Error(`docs/guides/webhooks.md has no sample in ${fence}`)
  return block.text
}

/** The digest of a sample, its driver and the cases. */
export function digestOf(language: Language): string {
  const parts = [sampleOf(language), readFileSync(join(drivers, language.driver)), readFileSync(vectors_file)]
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

/** The first line of the interpreter's version; `null` if it is missing or too old. */
export function interpreter({ version: [file = '', ...words], needs }: Language): string | null {
  const { status, stdout } = spawnSync(file, words, { encoding: 'utf8' })
  const [line = ''] = (stdout ?? '').split('\n')
  const [has = ''] = /\d+\.\d+/.exec(line) ?? []
  return status === 0 && rank(has) >= rank(needs) ? line : null
}

function rank(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 1000 + minor
}

/** The sample's verdict on each case. */
export function judge(language: Language, cases: readonly Vector[]): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-sample-'))
  try {
    const [sample, driver] = language.files
    mkdirSync(join(folder, dirname(sample)), { recursive: true })
    writeFileSync(join(folder, sample), sampleOf(language))
    copyFileSync(join(drivers, language.driver), join(folder, driver))
    writeFileSync(join(folder, 'go.mod'), 'module sample\n')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const [file = '', ...words] = language.run
    const env = {
      ...process.env,
      GOTOOLCHAIN: 'local',
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const ran = spawnSync(file, words, { cwd: folder, env, input: JSON.stringify(cases), encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`${language.fence}: ${ran.error ?? ''}${ran.stdout}${ran.stderr}`)
    return JSON.parse(ran.stdout) as boolean[]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function record(): void {
  const recorded: Record<string, Recorded[string]> = { ...readRecorded() }
  const cases = readVectors()
  const expected = cases.map(({ valid }) => valid)
  for (const [name, language] of Object.entries(languages)) {
    const ran_with = interpreter(language)
    if (ran_with === null) {
      console.log(`${name}: not on this machine, its record stays`)
      continue
    }
    const judged = judge(language, cases)
    const wrong = cases.filter((_case, i) => judged[i] !== expected[i]).map((each) => `${each.scheme}: ${each.name}`)
    if (!isDeepStrictEqual(judged, expected)) throw new Error(`${name} misjudges ${wrong.join(', ')}`)
    recorded[name] = { sha256: digestOf(language), ran_with }
    console.log(`${name}: ${cases.length} cases, ${ran_with}`)
  }
  writeFileSync(record_file, `${JSON.stringify(recorded, null, 2)}\n`)
}

if (import.meta.main) record()
