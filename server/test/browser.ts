/**
 * A real browser for the tests of pages: Chromium from npm, with its libraries and fonts, so that a bare Linux machine needs
 * nothing installed. It cannot reach anything but the loopback, keeps its own security (unlike what the package proposes
 * for functions in a cloud), and writes down what a page must not do: ask elsewhere, break its policy, log errors.
 *
 * Elsewhere than on Linux with x64 the package has no Chromium: there an installed Chrome is used, or what
 * ATRIUM_TEST_BROWSER names.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core'

const root = join(import.meta.dirname, '../..')

export interface WatchedPage {
  readonly page: Page
  /** URLs that the page asked for elsewhere than at its own server. */
  readonly foreign: string[]
  /** What the page's Content-Security-Policy refused. */
  readonly violations: string[]
  /** Errors in the console, and what was thrown and caught by nobody. */
  readonly errors: string[]
}

export interface OpenBrowser {
  readonly browser: Browser
  /** A page in a context of its own, watched from its first request on. `origin` is the server whose page it is. */
  open(origin: string, options?: BrowserContextOptions): Promise<WatchedPage>
  close(): Promise<void>
}

export async function openBrowser(): Promise<OpenBrowser> {
  const browser = await chromium.launch(launching())
  return {
    browser,
    open: (origin, options) => openWatched(browser, origin, options),
    close: () => browser.close(),
  }
}

/** Runs in the page, before anything of its own. */
const watch = `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  tellViolation(effectiveDirective + ' ' + blockedURI))`

async function openWatched(browser: Browser, origin: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options })
  const watched = { page: await context.newPage(), foreign: [], violations: [], errors: [] } as WatchedPage
  const { page, foreign, violations, errors } = watched
  await context.exposeBinding('tellViolation', (_source, text: string) => violations.push(text))
  await context.addInitScript({ content: watch })
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

function launching(): LaunchOptions {
  const named = process.env.ATRIUM_TEST_BROWSER
  const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost']
  if (named !== undefined) return { executablePath: named, args }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome', args }
  const folder = unpacked()
  const libraries = [join(folder, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    executablePath: join(folder, 'chromium'),
    args: [...args, '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

/** The folder of the unpacked browser. Whoever comes first unpacks; two at once do not meet, the second's copy is dropped. */
function unpacked(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const home = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const folder = join(root, 'node_modules/.cache', `chromium-${version}`)
  if (existsSync(folder)) return folder
  const own = `${folder}.${process.pid}`
  mkdirSync(own, { recursive: true })
  try {
    // The package unpacks into the folder for temporary files, and knows no other.
    const program = `import { inflate } from ${JSON.stringify(entry)}
      await Promise.all(process.argv.slice(1).map((name) => inflate(name)))`
    const archives = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br']
    const files = archives.map((name) => join(home, 'bin', name))
    const done = spawnSync(process.execPath, ['--input-type=module', '--eval', program, ...files], {
      env: { ...process.env, TMPDIR: own },
      encoding: 'utf8',
    })
    if (done.status !== 0) throw new Error(`Chromium could not be unpacked: ${done.stderr}`)
    const cache = join(folder, 'fonts-cache')
    writeFileSync(join(own, 'fonts.conf'), fontsOf(join(folder, 'fonts'), cache))
    if (!existsSync(folder)) renameSync(own, folder)
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
  return folder
}

function fontsOf(fonts: string, cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>
`
}
