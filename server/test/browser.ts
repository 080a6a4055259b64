/**
 * A real browser for tests of pages: Chromium from npm with its libraries and fonts, so a bare Linux machine needs no system
 * package. It reaches only the loopback, keeps its own security (unlike with the flags that the package proposes for cloud
 * functions), and records what a page must not do: request other origins, violate its policy, log errors.
 *
 * The package has Chromium for Linux on x64 only. Elsewhere an installed Chrome is used, or what ATRIUM_TEST_BROWSER names.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core'

const root = join(import.meta.dirname, '../..')

export interface WatchedPage {
  readonly page: Page
  /** URLs that the page requested from other origins. */
  readonly foreign: string[]
  /** What the page's Content-Security-Policy refused. */
  readonly violations: string[]
  /** Errors in the console, and uncaught exceptions. */
  readonly errors: string[]
}

export interface OpenBrowser {
  readonly browser: Browser
  /** A page in its own context, watched from its first request. `origin` is the server whose page it is. */
  open(origin: string, options?: BrowserContextOptions): Promise<WatchedPage>
  close(): Promise<void>
}

export async function openBrowser(): Promise<OpenBrowser> {
  const browser = await chromium.launch(await launchOptions())
  return {
    browser,
    open: (origin, options) => openWatched(browser, origin, options),
    close: () => browser.close(),
  }
}

/** Runs in the page before the page's own scripts. */
const watchViolations = `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  reportViolation(effectiveDirective + ' ' + blockedURI))`

async function openWatched(browser: Browser, origin: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options })
  const watched: WatchedPage = { page: await context.newPage(), foreign: [], violations: [], errors: [] }
  const { page, foreign, violations, errors } = watched
  await context.exposeBinding('reportViolation', (_source, text: string) => violations.push(text))
  await context.addInitScript({ content: watchViolations })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol) && url.origin !== origin) foreign.push(url.href)
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
  })
  return watched
}

/**
 * Most pages live for seconds: optimizing their code takes more time than it saves. Code runs many times longer than by default
 * before it is optimized, so what is hot for minutes, like a drawing, still is.
 */
const late_optimization = [
  '--interrupt-budget-for-maglev=1000000',
  '--invocation-count-for-maglev=10000',
  '--interrupt-budget=4000000',
  '--invocation-count-for-turbofan=30000',
].join(',')

async function launchOptions(): Promise<LaunchOptions> {
  // Pages use no WebGL, and drawing them with an emulated GPU takes more than twice the CPU time.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    `--js-flags=${late_optimization}`,
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  ]
  const executablePath = process.env.ATRIUM_TEST_BROWSER
  if (executablePath !== undefined) return { executablePath, args }
  const folder = await unpackChromium()
  if (folder === null) return { channel: 'chrome', args }
  const libraries = [join(folder, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    executablePath: join(folder, 'chromium'),
    args,
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

const archives = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br']

/**
 * Unpacks Chromium into node_modules once. Returns its folder, or null on a platform that the package has none for. Two
 * processes may unpack at the same time; the first to finish wins.
 */
export async function unpackChromium(): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const home = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const folder = join(root, 'node_modules/.cache', `chromium-${version}`)
  if (existsSync(folder)) return folder
  const own = `${folder}.${process.pid}`
  mkdirSync(own, { recursive: true })
  try {
    // The package unpacks into the folder for temporary files only.
    const program = `import { inflate } from ${JSON.stringify(entry)}
      await Promise.all(process.argv.slice(1).map((name) => inflate(name)))`
    const files = archives.map((name) => join(home, 'bin', name))
    const env = { ...process.env, TMPDIR: own }
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, ...files], { env })
    writeFileSync(join(own, 'fonts.conf'), fontsConfig(join(folder, 'fonts'), join(folder, 'fonts-cache')))
    if (!existsSync(folder)) renameSync(own, folder)
  } catch (error) {
    throw new Error('Chromium could not be unpacked.', { cause: error })
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
  return folder
}

function fontsConfig(fonts: string, cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>
`
}
