/** An import from start to end: its identity, its plan, the work, and the result. */
import { createHash, hash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync, renameSync } from 'node:fs'
import type { Api } from '../../imports/api.ts'
import { type FieldRule, readDefinedFields } from '../../imports/defined-fields.ts'
import type { Entry, Note, Source } from '../../imports/draft.ts'
import { fetchAll } from '../../imports/fetch-all.ts'
import type { Identity } from '../../imports/journal.ts'
import { readPeople } from '../../imports/people.ts'
import { makePlan, type Plan } from '../../imports/plan.ts'
import { inFilter } from '../../imports/recover.ts'
import { Steps, Stopped } from '../../imports/steps.ts'
import type { Table } from '../../imports/vocabulary.ts'
import { Worker } from '../../imports/work.ts'
import { valueAdvice } from '../../resources/custom_fields/shared/values.ts'
import { plain } from '../api/output.ts'
import { type ConnectionFlags, connect, type PatienceFlags } from '../client/connection.ts'
import { failureOf } from '../client/exit-codes.ts'
import type { Client } from '../client/http.ts'
import { Failure, type Outcome } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { table } from '../print.ts'
import { Attacher, AttachmentFolder } from './attachments.ts'
import { checked } from './checked.ts'
import { identityIn, JournalFile, replay } from './journal-file.ts'
import { lock } from './lock.ts'
import { Progress } from './progress.ts'
import { Report } from './report.ts'

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
  /** A folder with the content of attachments. */
  readonly attachments?: string | undefined
  /** What else decides what becomes of a row. */
  readonly meaning: unknown
}

export async function runImport(source: Source, options: ImportOptions): Promise<Outcome> {
  const client = connect(options, {
    retries: cli_limits.import_retries,
    waitSeconds: cli_limits.import_wait_seconds_default,
  })
  const { identity, origins } = await identityOf(client, source, options)
  const api = apiOf(client)
  const people = await readPeople(api, options.person)
  const fields = await readDefinedFields(api, identity.workspace, people, fits)
  const check = (entry: Entry): Entry => checked(entry, options.cut)
  const folder = options.attachments === undefined ? null : await AttachmentFolder.open(options.attachments, source)
  const preparing = { source, people, fields, check, project: identity.project }
  const journalPath = options.state ?? `${source.file}.atrium-import`
  if (options.dryRun) {
    const report = new Report(options.report ?? null)
    const plan = await makePlan(preparing, (note) => report.add(note))
    return planned(plan, report, { journal: journalPath, identity, folder })
  }
  const unlock = lock(journalPath)
  const file = await openJournal(api, journalPath, identity, source, options.fresh)
  try {
    const report = new Report(options.report ?? `${source.file}.report.csv`)
    const plan = await makePlan(preparing, (note) => report.add(note))
    if (options.strict && report.counts.refused > 0) {
      const path = report.close()
      throw new Failure(
        `${counted(report.counts.refused, 'row')} would be refused, so nothing was written (--strict). See ${path}.`,
      )
    }
    for (const note of file.journal.refused.values()) report.add(note)
    const steps = new Steps(api, file.journal)
    const unheed = heedSignals(steps)
    const { tasks, comments, links: dependencies } = plan
    const progress = new Progress({ tasks, comments, dependencies }, options.quiet)
    const { workspace } = identity
    const note = (each: Note): void => report.add(each)
    const attacher = folder === null ? null : new Attacher({ client, folder, workspace, report: note })
    const worker = new Worker({
      ...preparing,
      ...(attacher === null ? {} : { attach: (draft, task) => attacher.attach(draft, task) }),
      ...{ api, steps, plan, workspace, origins },
      report: note,
      progress: (what, count) => progress.add(what, count),
    })
    try {
      await steps.settle()
      await worker.run()
      await file.journal.finish()
    } catch (error) {
      throw resumable(error)
    } finally {
      unheed()
      progress.end()
      report.close()
    }
    return finished(worker, report, file, { ...options, files: attacher?.files ?? null })
  } finally {
    file.close()
    unlock()
  }
}

/** The server's own rule decides. */
const fits = (rule: FieldRule, value: unknown): boolean => valueAdvice(rule, value) === null

const resume_advice = 'The journal records what is done: run the same command again to continue.'

const apiOf = (client: Client): Api => ({
  send: (sending) => client.send(sending),
  failure: (reply) => failureOf(reply),
})

function resumable(error: unknown): unknown {
  if (error instanceof Stopped) return new Failure(`Interrupted. ${resume_advice}`, 130)
  if (!(error instanceof Failure)) return error
  return new Failure(`${error.message} ${resume_advice}`, error.exit, error.fields)
}

/** From now on, a signal stops the import between two requests. */
function heedSignals(steps: Steps): () => void {
  const stop = (): void => {
    steps.stop()
    process.stderr.write('atrium: Stopping after this request.\n')
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return () => process.off('SIGINT', stop).off('SIGTERM', stop)
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
  api: Api,
  path: string,
  own: Identity,
  source: Source,
  fresh: boolean,
): Promise<JournalFile> {
  const known = await identityIn(path)
  const file = new JournalFile(path, known ?? own, !source.keyed)
  if (known !== null && fresh) {
    await replay(file)
    if (!file.journal.finished)
      throw new Failure(`The import of ${path} is not finished. Run the command without --fresh to continue it.`)
    renameSync(path, freeName(path))
    return openJournal(api, path, own, source, fresh)
  }
  if (known === null && !source.keyed) await refuseSecond(api, own, path)
  if (known !== null) requireSame(known, own, path, source.keyed)
  file.open(await replay(file))
  return file
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
async function refuseSecond(api: Api, { id, workspace }: Identity, path: string): Promise<void> {
  const filter = `custom_fields.import_id = ${inFilter(id)}`
  for await (const task of fetchAll(api, '/v1/tasks', { workspace, filter, fields: 'key' })) {
    throw new Failure(
      `This file was imported before (${task.key}), but its journal is not at ${path}. Name it with --state, or import everything again with --fresh.`,
    )
  }
}

interface Planned {
  readonly journal: string
  readonly identity: Identity
  readonly folder: AttachmentFolder | null
}

function planned(plan: Plan, report: Report, { journal, identity, folder }: Planned): Outcome {
  const path = report.close()
  const { rows, tasks, comments, links, labels, projects, statuses, strangers } = plan
  const json = {
    dry_run: true,
    workspace: identity.workspace,
    rows,
    projects: [...projects.values()].map(({ name, columns }) => ({ name, columns: [...columns.keys()] })),
    tasks,
    statuses: Object.fromEntries(statuses),
    labels: labels.size,
    comments,
    dependencies: links,
    ...(folder === null ? {} : { files: folder.found, files_missing: folder.missing }),
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
    ...(folder === null ? [] : [['files', `${folder.found}, and ${folder.missing} are not in ${folder.path}`]]),
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

function finished(
  worker: Worker,
  report: Report,
  { path: journal_path, journal }: JournalFile,
  options: Pick<ImportOptions, 'workspace'> & { readonly files: number | null },
): Outcome {
  const path = Object.values(report.counts).some((count) => count > 0) ? report.path : null
  const { before, ...made } = worker.made
  const now = options.files === null ? made : { ...made, files: options.files }
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
    journal: journal_path,
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
