/** An import from start to end: its identity, its plan, the work, and the result. */
import { createHash, hash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync, renameSync } from 'node:fs'
import { plain } from '../api/output.ts'
import { type ConnectionFlags, connect, type PatienceFlags } from '../client/connection.ts'
import { failureOf } from '../client/exit-codes.ts'
import type { Client } from '../client/http.ts'
import { Failure, type Outcome } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { table } from '../print.ts'
import { readDefinedFields } from './defined-fields.ts'
import type { Note, Source } from './draft.ts'
import { fetchAll } from './fetch-all.ts'
import { type Identity, identityIn, Journal, replay } from './journal.ts'
import { lock } from './lock.ts'
import { readPeople } from './people.ts'
import { makePlan, type Plan } from './plan.ts'
import { Progress } from './progress.ts'
import { quoted } from './recover.ts'
import { Report } from './report.ts'
import { Steps } from './steps.ts'
import type { Table } from './vocabulary.ts'
import { Worker } from './work.ts'

export interface ImportOptions extends ConnectionFlags, PatienceFlags {
  readonly workspace: string
  readonly project?: string | undefined
  readonly person?: Table | undefined
  readonly cut: boolean
  readonly dryRun: boolean
  readonly strict: boolean
  readonly fresh: boolean
  readonly quiet: boolean
  readonly report?: string | undefined
  readonly state?: string | undefined
  readonly source?: string | undefined
  /** What else decides what becomes of a row. */
  readonly meaning: unknown
}

export async function runImport(source: Source, options: ImportOptions): Promise<Outcome> {
  const client = connect(options, {
    retries: cli_limits.import_retries,
    waitSeconds: cli_limits.import_wait_seconds_default,
  })
  const { identity, origins } = await identityOf(client, source, options)
  const people = await readPeople(client, options.person)
  const fields = await readDefinedFields(client, identity.workspace, people)
  const preparing = { source, people, fields, cut: options.cut, project: identity.project }
  const journalPath = options.state ?? `${source.file}.atrium-import`
  if (options.dryRun) {
    const report = new Report(options.report ?? null)
    const plan = await makePlan(preparing, report)
    return planned(plan, report, journalPath, identity)
  }
  const unlock = lock(journalPath)
  const journal = await openJournal(client, journalPath, identity, source, options.fresh)
  try {
    const report = new Report(options.report ?? `${source.file}.report.csv`)
    const plan = await makePlan(preparing, report)
    if (options.strict && report.counts.refused > 0) {
      const path = report.close()
      throw new Failure(
        `${counted(report.counts.refused, 'row')} would be refused, so nothing was written (--strict). See ${path}.`,
      )
    }
    for (const note of journal.refused.values()) report.add(note)
    const steps = new Steps(client, journal)
    const unheed = steps.heedSignals()
    const { tasks, comments, links: dependencies } = plan
    const progress = new Progress({ tasks, comments, dependencies }, options.quiet)
    const { workspace } = identity
    const worker = new Worker({ ...preparing, client, steps, plan, report, progress, workspace, origins })
    try {
      await steps.settle()
      await worker.run()
      journal.finish()
    } finally {
      unheed()
      progress.end()
      report.close()
    }
    return finished(worker, report, journal, options)
  } finally {
    journal.close()
    unlock()
  }
}

async function identityOf(client: Client, source: Source, options: ImportOptions) {
  const me = (await read(client, '/v1/me')) as { organization: { id: string }; mode: string; scopes: string[] }
  const { id: workspace } = await read(client, `/v1/workspaces/${encodeURIComponent(options.workspace)}`)
  const project =
    options.project === undefined ? null : await requireProject(client, options.project, workspace as string)
  const whose = {
    source: source.kind,
    organization: me.organization.id,
    mode: me.mode,
    workspace: workspace as string,
    project,
    file_sha256: await hashOf(source.file),
    options_sha256: hash('sha256', canonical([options.meaning, options.cut, options.person])),
  }
  const salt = options.fresh ? randomUUID() : ''
  const id = `imp_${hash('sha256', canonical([whose, salt])).slice(0, 24)}`
  const external_source = options.fresh ? id : (options.source ?? source.name)
  const identity: Identity = { id, ...whose, external_source }
  return { identity, origins: me.scopes.includes('api:manage') }
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, each) => (each instanceof Map ? [...each] : each))

async function requireProject(client: Client, id: string, workspace: string): Promise<string> {
  const project = await read(client, `/v1/projects/${encodeURIComponent(id)}?workspace=${workspace}`)
  if (project.status === 'archived')
    throw new Failure(`The project ${id} is archived. Unarchive it, or name another with --project.`)
  return String(project.id)
}

async function read(client: Client, path: string): Promise<Record<string, unknown>> {
  const reply = await client.send({ method: 'GET', path })
  if (reply.status !== 200 || typeof reply.body !== 'object') throw failureOf(reply)
  return reply.body as Record<string, unknown>
}

async function hashOf(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer)
  return digest.digest('hex')
}

async function openJournal(
  client: Client,
  path: string,
  own: Identity,
  source: Source,
  fresh: boolean,
): Promise<Journal> {
  const known = await identityIn(path)
  const journal = new Journal(path, known ?? own, !source.keyed)
  if (known !== null && fresh) {
    await replay(journal)
    if (!journal.finished)
      throw new Failure(`The import of ${path} is not finished. Run the command without --fresh to continue it.`)
    renameSync(path, freeName(path))
    return openJournal(client, path, own, source, fresh)
  }
  if (known === null && !source.keyed) await refuseSecond(client, own, path)
  if (known !== null) requireSame(known, own, path, source.keyed)
  journal.open(await replay(journal))
  return journal
}

function freeName(path: string): string {
  for (let i = 1; ; i++) if (!existsSync(`${path}.${i}`)) return `${path}.${i}`
}

function requireSame(known: Identity, own: Identity, path: string, keyed: boolean): void {
  for (const name of ['source', 'organization', 'mode', 'workspace', 'project'] as const) {
    if (known[name] === own[name]) continue
    throw new Failure(
      `${path} is the journal of another import (${name} ${known[name]}). Name another file with --state.`,
    )
  }
  if (known.options_sha256 !== own.options_sha256) {
    throw new Failure(
      `The import of ${path} began with other options. Give the same options, or another journal with --state.`,
    )
  }
  if (known.file_sha256 !== own.file_sha256 && !keyed) {
    throw new Failure(
      'The file has changed since its import began, and no key shows which rows are new. Import the new rows from a ' +
        'separate file, or map a key with --map key=COLUMN.',
    )
  }
}

/** Without its journal an import cannot continue, and must not silently start over. */
async function refuseSecond(client: Client, { id, workspace }: Identity, path: string): Promise<void> {
  const filter = `custom_fields.import_id = ${quoted(id)}`
  for await (const task of fetchAll(client, '/v1/tasks', { workspace, filter, fields: 'key' })) {
    throw new Failure(
      `This file was imported before (${task.key}), but its journal is not at ${path}. Name it with --state, or import everything again with --fresh.`,
    )
  }
}

function planned(plan: Plan, report: Report, journal: string, identity: Identity): Outcome {
  const path = report.close()
  const { rows, tasks, comments, links, labels, projects, statuses, strangers } = plan
  const json = {
    dry_run: true,
    workspace: identity.workspace,
    rows,
    projects: [...projects.values()].map(({ name, columns }) => ({ name, columns: [...columns.keys()] })),
    tasks,
    statuses: Object.fromEntries(statuses),
    labels,
    comments,
    dependencies: links,
    unknown_people: Object.fromEntries(strangers),
    ...report.counts,
    notes: report.first,
    report: path,
    journal: existsSync(journal) ? journal : null,
  }
  const facts = [
    ['projects', json.projects.map(({ name, columns }) => `${name} (${columns.length} columns)`).join(', ') || '-'],
    ['tasks', `${tasks} of ${rows} rows`],
    ['statuses', [...statuses].map(([name, count]) => `${name} ${count}`).join(', ') || '-'],
    ['labels', String(labels)],
    ['comments', String(comments)],
    ['dependencies', `at most ${links}`],
    ['unknown people', [...strangers].map(([name, count]) => `${name} (${count})`).join(', ') || '-'],
  ]
  const text = [
    'Nothing was written. The import would create:',
    plain_table(facts),
    ...findingsText(report, path),
  ].join('\n')
  return { json, text, bad: report.counts.refused > 0 }
}

const plain_table = (rows: string[][]): string => table(rows.map((row) => row.map(plain)))

function finished(worker: Worker, report: Report, journal: Journal, options: ImportOptions): Outcome {
  const path = Object.values(report.counts).some((count) => count > 0) ? report.path : null
  const { before, ...now } = worker.made
  const json = {
    dry_run: false,
    import: journal.identity.id,
    workspace: journal.identity.workspace,
    created: now,
    created_before: before,
    origins: worker.keepsOrigins,
    ...report.counts,
    notes: report.first,
    report: path,
    journal: journal.path,
  }
  const rows = Object.entries(now).map(([name, count]) => [name, String(count)])
  const filter = `custom_fields.import_id = "${journal.identity.id}"`
  const text = [
    before > 0 ? `Created, besides ${counted(before, 'task')} of earlier runs:` : 'Created:',
    table(rows),
    ...findingsText(report, path),
    ...(worker.keepsOrigins ? [] : ['Creation times and authors were left out: the key lacks the scope api:manage.']),
    `List the tasks: atrium api tasks.list --workspace ${options.workspace} --filter '${filter}'`,
  ].join('\n')
  return { json, text, bad: report.counts.refused > 0 }
}

const counted = (count: number, what: string): string => `${count} ${count === 1 ? what : `${what}s`}`

function findingsText({ counts, first }: Report, path: string | null): string[] {
  const { refused, left_out, cut, changed } = counts
  if (refused + left_out + cut + changed === 0) return []
  const shown = first.map(({ line, column, action, reason }: Note) => [
    `  ${line}`,
    plain(column ?? '-'),
    action.replace('_', ' '),
    plain(reason),
  ])
  const where = path === null ? '' : ` (complete list: ${path})`
  return [
    '',
    `Refused rows: ${refused}; values left out: ${left_out}; texts cut: ${cut}; rows changed since their import: ${changed}${where}.`,
    table(shown),
    '',
  ]
}
