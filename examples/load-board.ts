/**
 * Loads a folder of NDJSON files into a running Atrium through its API and reports what it did. Existing objects are left
 * unchanged, so it can run any number of times.
 *
 *   npm run example:load-board -- FOLDER --url URL --key KEY [--members FILE.json] [--title T] [--kind K] [--strict]
 */
import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Api, Refused, Stopped } from './load-board/api.ts'
import { loadBoard } from './load-board/load.ts'
import { Progress } from './load-board/progress.ts'

const usage = `usage: npm run example:load-board -- FOLDER --url URL --key KEY [options]

  FOLDER            folder with tasks.ndjson and, optionally, projects, members and dependencies
  --url URL         of the server (default ATRIUM_URL, else http://127.0.0.1:4010)
  --key KEY         an API key that reads and writes workspaces, projects and tasks (default ATRIUM_KEY)
  --members FILE    JSON, handle → usr_ id: the first author found there becomes the assignee
  --title TITLE     of the workspace (default: Kubernetes Enhancement Proposals)
  --kind KIND       of the dependencies: relates_to (default), blocks, precedes or duplicates
  --strict          exit 1 if anything was refused

Exit codes: 0 success, 1 something was refused (with --strict), 2 wrong usage, 3 stopped: run it again to resume.`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: process.env.ATRIUM_URL ?? 'http://127.0.0.1:4010' },
      key: { type: 'string', default: process.env.ATRIUM_KEY ?? '' },
      members: { type: 'string' },
      title: { type: 'string' },
      kind: { type: 'string' },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [folder] = positionals
  if (values.help) {
    console.log(usage)
    return 0
  }
  if (positionals.length !== 1 || folder === undefined || values.key === '' || !URL.canParse(values.url)) {
    console.error(usage)
    return 2
  }
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    console.error(`${folder} is not a folder.`)
    return 2
  }
  const members = values.members === undefined ? {} : JSON.parse(readFileSync(values.members, 'utf8'))
  const progress = new Progress(process.stderr)
  const { url, key, title, kind } = values
  const api = new Api({ url, key, onWait: (ms, reason) => progress.waiting(ms, reason) })
  try {
    const report = await loadBoard(api, progress, {
      folder,
      members,
      ...(title === undefined ? {} : { title }),
      ...(kind === undefined ? {} : { kind }),
    })
    progress.end()
    console.log(report.text())
    console.log(`\n${api.requests} requests`)
    return values.strict && report.refusals.length > 0 ? 1 : 0
  } catch (error) {
    progress.end()
    if (!(error instanceof Stopped) && !(error instanceof Refused)) throw error
    console.error(`stopped: ${error.message}\nRun it again to resume.`)
    return 3
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
