/**
 * `node build/keep-data.ts` writes the data that this version leaves behind into `build/kept/VERSION`, where later versions are
 * tried with them (`kept-data.test.ts`): the demo organization with a file, as a data directory of SQLite and as a backup, which
 * PostgreSQL loads. Run it once, from the commit that is released: what is kept is the work of the released program.
 * `--tasks 100000 FOLDER` writes data with that number of tasks more into another folder; tests read it as `ATRIUM_TEST_KEPT`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { foundDemo } from '../server/src/cli/founding.ts'
import { type Config, readConfig } from '../server/src/config.ts'
import { writeBackup } from '../server/src/db/backup/backup.ts'
import { openStore } from '../server/src/db/open.ts'
import { readPieces } from '../server/src/files/backup.ts'
import { type Clock, HandClock } from '../server/src/lib/clock.ts'
import { Sealer } from '../server/src/lib/seal.ts'
import { openFiles, startServer } from '../server/src/main.ts'
import { verifyAudit } from '../server/src/resources/audit_logs/verify.ts'
import { secretKeyOf } from '../server/src/secret-key.ts'
import { about_file, backup_file, data_file, type KeptFacts, kept_environment, keptFolder } from './kept-data.ts'
import { packFolder } from './release/archive.ts'
import { checkRelease, type Release, ReleaseRefused } from './release/checks.ts'

const root = join(import.meta.dirname, '..')
const content = 'Attached by the version that made these data.\n'

/** Tasks of a request. */
const batch_max = 100

/**
 * Writes the data of a version into a new folder, with `more` tasks besides those of the demo. Its clock shows noon (UTC) of the
 * day of the release.
 */
export async function keepData(folder: string, { version, section }: Release, more = 0): Promise<void> {
  if (existsSync(folder))
    throw new ReleaseRefused(`${folder} exists. Remove it only if ${version} was not published yet.`)
  const work = mkdtempSync(join(tmpdir(), 'atrium-kept-'))
  const [data, next] = [join(work, 'data'), join(work, 'next')]
  for (const each of [data, next]) mkdirSync(each)
  try {
    const clock = new HandClock(Date.parse(`${section.date}T12:00:00Z`))
    const config = readConfig({ ...kept_environment, ATRIUM_DATA_DIR: data })
    const facts = await makeData(config, clock, more)
    // From the closed database: a server that ends writes what it has in memory, such as the request log.
    const made = await backUp(config, clock, facts.organization, join(next, backup_file))
    writeFileSync(
      join(next, about_file),
      `${JSON.stringify({ version, ...facts, ...made } satisfies KeptFacts, null, 2)}\n`,
    )
    packFolder(data, join(next, data_file), section.date)
    mkdirSync(folder, { recursive: true })
    for (const name of [about_file, backup_file, data_file])
      writeFileSync(join(folder, name), readFileSync(join(next, name)))
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Creates the demo organization with a file and `more` tasks, through a server. */
async function makeData(config: Config, clock: Clock, more: number) {
  const server = await startServer(config, { clock })
  try {
    const access = await foundDemo(server.services)
    if (access === null) throw new Error('The database is not empty.')
    const { organization, api_key } = access
    return { organization, ...(await factsOf(server.url, api_key.secret, more)) }
  } finally {
    await server.close()
  }
}

async function backUp(config: Config, clock: Clock, organization: string, file: string) {
  const store = await openStore(config.databaseUrl)
  try {
    const audit = await verifyAudit(store, organization)
    if (!audit.ok) throw new Error(audit.message)
    const about = { created: clock.now(), secret_key: new Sealer(secretKeyOf(config)).fingerprint }
    const { store: content } = openFiles(config, store)
    const read = (key: string, bytes: number) => readPieces(content, key, bytes)
    const { rows, migrations } = await writeBackup(store, file, about, read)
    return { audit_entries: audit.entries, rows, migrations }
  } finally {
    await store.close()
  }
}

/** Adds a file and `more` tasks, and asks the API for what a later version has to find. */
async function factsOf(url: string, key: string, more: number) {
  let calls = 0
  const call = async (method: string, path: string, body?: string) => {
    const type = path.startsWith('/v1/files') ? 'text/plain' : 'application/json'
    const headers = { Authorization: `Bearer ${key}`, 'Idempotency-Key': `keep-${++calls}`, 'Content-Type': type }
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  const workspace = (await call('GET', '/v1/workspaces')).data[0].id
  const file = await call('POST', `/v1/files?workspace=${workspace}&name=kept.txt`, content)
  const tasks = (await call('GET', `/v1/tasks?workspace=${workspace}&limit=100`)).data as {
    id: string
    title: string
  }[]
  const [task] = tasks
  if (task === undefined) throw new Error('The demo organization has no task.')
  for (let made = 0; made < more; made += batch_max) {
    const data = Array.from({ length: Math.min(batch_max, more - made) }, (_, i) => ({ title: `Task ${made + i}` }))
    await call('POST', '/v1/tasks/batch', JSON.stringify({ workspace, data }))
  }
  return {
    key,
    workspace,
    tasks: tasks.length + more,
    task: { id: task.id, title: task.title },
    file: { id: file.id, content },
  }
}

if (import.meta.main) {
  try {
    const { values, positionals } = parseArgs({ options: { tasks: { type: 'string' } }, allowPositionals: true })
    const release = checkRelease(root, true)
    const folder = positionals[0] === undefined ? keptFolder(release.version) : join(positionals[0], release.version)
    await keepData(folder, release, Number(values.tasks ?? 0))
    console.log(`written: ${folder}`)
  } catch (error) {
    if (!(error instanceof ReleaseRefused)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
