/**
 * The import that runs in this page, by the work of the command line: it goes on while the person visits other pages, can be
 * stopped between two requests, and continues from its journal. Only one tab runs it at a time.
 */
import type { Api } from '../../../../../server/src/imports/api.ts'
import { faultOf } from '../../../../../server/src/imports/api.ts'
import { bounded, lengthFaults } from '../../../../../server/src/imports/bounds.ts'
import { type FieldRule, readDefinedFields } from '../../../../../server/src/imports/defined-fields.ts'
import { sha256 } from '../../../../../server/src/imports/digest.ts'
import type { Entry, Note, SourceKind } from '../../../../../server/src/imports/draft.ts'
import { type Identity, Journal } from '../../../../../server/src/imports/journal.ts'
import { readPeople } from '../../../../../server/src/imports/people.ts'
import { makePlan, type Plan, type Preparing } from '../../../../../server/src/imports/plan.ts'
import { Steps, Stopped } from '../../../../../server/src/imports/steps.ts'
import { Worker } from '../../../../../server/src/imports/work.ts'
import { confirmManaging, hasErrorCode, sendPlain, UserCanceled } from '../../../data/index.ts'
import { t } from '../../../language/index.ts'
import { createStore, useStore } from '../../../lib/store.ts'
import type { Choices } from './choices.ts'
import {
  type Arrived,
  dropImport,
  type Finished,
  type KeptImport,
  type KeptLine,
  keepFinished,
  keepImport,
  keptFinished,
  keptImport,
  openRecords,
} from './kept-import.ts'
import { page_limits } from './limits.ts'
import { type Encoding, type ReadFile, readFile } from './read-file.ts'
import { sourceOf } from './source-of.ts'

export type Counts = Readonly<Record<'tasks' | 'comments' | 'dependencies', number>>

export type JobState =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'running'
      readonly file: string
      readonly done: Counts
      readonly total: Counts | null
      readonly waits: string | null
    }
  | { readonly kind: 'stopped'; readonly file: string; readonly reason: string | null }
  | { readonly kind: 'finished'; readonly file: string; readonly report: ImportReport }

export interface ImportReport extends Finished {
  readonly arrived: readonly Arrived[]
}

/** Undefined until the browser's database has been read. */
const job = createStore<JobState | undefined>(undefined)
let running: Steps | null = null
let isStopping = false

export const useJob = (): JobState | undefined => useStore(job)

type Mode = Parameters<typeof sendPlain>[0]

/** Reads what an earlier page left; does nothing while an import runs. */
export async function findJob(owner: string): Promise<void> {
  if (job.get()?.kind === 'running') return
  const kept = await keptImport(owner).catch(() => null)
  const finished = kept === null ? null : await keptFinished()
  if (job.get()?.kind === 'running') return
  if (kept === null) job.set({ kind: 'none' })
  else if (finished === null) job.set({ kind: 'stopped', file: kept.file.name, reason: null })
  else job.set({ kind: 'finished', file: kept.file.name, report: { ...finished, arrived: await arrivedBefore() } })
}

export async function discardJob(): Promise<void> {
  await dropImport()
  job.set({ kind: 'none' })
}

export function stopJob(): void {
  isStopping = true
  running?.stop()
}

/** The id of an import: the same for the same content in the same workspace, whatever was chosen. */
export async function importId(workspace: string, kind: SourceKind, file: string, again: string): Promise<string> {
  return `imp_${(await sha256(JSON.stringify([workspace, kind, file, again]))).slice(0, 24)}`
}

export interface Starting {
  /** Account, organization and mode of the session. */
  readonly owner: string
  readonly organization: string
  readonly mode: Mode
  readonly file: File
  readonly encoding: Encoding | null
  readonly read: ReadFile
  readonly choices: Choices
}

export async function startJob({ owner, organization, mode, file, encoding, read, choices }: Starting): Promise<void> {
  const { workspace, again, target } = choices
  const source = await sourceOf(read, choices)
  const id = await importId(workspace, choices.kind, read.sha256, again)
  const project = target.kind === 'existing' ? target.id : null
  const identity: Identity = {
    ...{ id, organization, mode, workspace, project, source: choices.kind, file_sha256: read.sha256 },
    options_sha256: await sha256(JSON.stringify(choices)),
    external_source: again === '' ? source.name : id,
  }
  if (choices.origins) await confirmManaging(mode)
  await keepImport({ owner, file, encoding, choices, identity })
  await resumeJob(owner)
}

/** Runs the kept import, from its beginning or from where it stopped. */
export async function resumeJob(owner: string): Promise<void> {
  if (job.get()?.kind === 'running') return
  const kept = await keptImport(owner)
  if (kept === null) return job.set({ kind: 'none' })
  const none = { tasks: 0, comments: 0, dependencies: 0 }
  job.set({ kind: 'running', file: kept.file.name, done: none, total: null, waits: null })
  isStopping = false
  const ran = await alone(async () => {
    try {
      const report = await run(kept)
      job.set({ kind: 'finished', file: kept.file.name, report })
    } catch (error) {
      job.set({ kind: 'stopped', file: kept.file.name, reason: error instanceof Stopped ? null : reasonOf(error) })
    }
  })
  if (!ran) job.set({ kind: 'stopped', file: kept.file.name, reason: t('It runs in another tab of this browser.') })
}

function reasonOf(error: unknown): string {
  if (error instanceof UserCanceled || hasErrorCode(error, 'step_up_required')) {
    return t('To keep times and authors, confirm that it is you.')
  }
  return error instanceof Error ? error.message : String(error)
}

/** Runs unless another tab does. */
async function alone(work: () => Promise<void>): Promise<boolean> {
  return await navigator.locks.request('atrium-import', { ifAvailable: true }, async (lock) => {
    if (lock === null) return false
    await work()
    return true
  })
}

async function run(kept: KeptImport): Promise<ImportReport> {
  const { choices, identity } = kept
  if (choices.origins) await confirmManaging(identity.mode as Mode)
  const api = apiOf(identity.mode as Mode, choices.origins)
  const read = await readFile(kept.file, kept.encoding)
  const preparing = await prepare(api, read, choices)
  const notes: Note[] = []
  const report = (note: Note) => void notes.push(note)
  const plan = await makePlan(preparing, report)
  const lines = await openRecords<KeptLine>('line')
  const journal = new Journal(identity, !preparing.source.keyed, lines.append)
  for (const line of lines.before) journal.take(line)
  for (const note of journal.refused.values()) report(note)
  const steps = new Steps(api, journal)
  running = steps
  if (isStopping) steps.stop()
  const arrivals = await Arrivals.open()
  const made = countDone(plan)
  try {
    await steps.settle()
    const worker = new Worker({
      ...preparing,
      ...{ api, steps, plan, report, origins: choices.origins, workspace: choices.workspace },
      progress: (what, count) => made(what, count),
      arrived: (draft, outcome, task) => arrivals.add(draft, outcome, task),
    })
    await worker.run()
    await arrivals.flush()
    await journal.finish()
    return await finish(worker, notes, arrivals.all)
  } finally {
    running = null
    await arrivals.flush()
  }
}

async function finish(worker: Worker, notes: readonly Note[], arrived: readonly Arrived[]): Promise<ImportReport> {
  const { done } = job.get() as Extract<JobState, { kind: 'running' }>
  const projects = [...new Map([...worker.projectIds].map(([name, id]) => [id, name]))].map(
    ([id, name]) => [id, name] as const,
  )
  const finished = { notes, projects, comments: done.comments, dependencies: done.dependencies }
  await keepFinished(finished)
  return { ...finished, arrived }
}

/** What a file becomes, with the members and the fields of the workspace. */
export async function prepare(api: Api, file: ReadFile, choices: Choices): Promise<Preparing> {
  const chosen = Object.entries(choices.people).filter(([, user]) => user !== '')
  const people = await readPeople(api, new Map(chosen))
  const fields = await readDefinedFields(api, choices.workspace, people, fits)
  const source = await sourceOf(file, choices)
  const check = (entry: Entry): Entry => bounded(entry, choices.cut, lengthFaults)
  return { source, people, fields, check, project: choices.target.kind === 'existing' ? choices.target.id : null }
}

/** Values that were read are of their field's type already; the server checks them again. */
function fits({ type }: FieldRule, value: unknown): boolean {
  return type !== 'url' || (/^https?:\/\/[^\s]+$/i.test(String(value)) && URL.canParse(String(value)))
}

/** Shows what is done of a plan. */
function countDone({ tasks, comments, links }: Plan): (what: keyof Counts, count: number) => void {
  const total = { tasks, comments, dependencies: links }
  const done = { tasks: 0, comments: 0, dependencies: 0 }
  const show = () => {
    const state = job.get()
    if (state?.kind === 'running') job.set({ ...state, done: { ...done }, total, waits: null })
  }
  show()
  return (what, count) => {
    done[what] += count
    show()
  }
}

/** What became of the rows, kept in batches. A row of an earlier run is there already. */
class Arrivals {
  readonly all: Arrived[]
  private readonly known: Set<string>
  private readonly append: (batch: readonly Arrived[]) => Promise<void>
  private pending: Arrived[] = []

  private constructor(before: readonly Arrived[], append: (batch: readonly Arrived[]) => Promise<void>) {
    this.all = [...before]
    this.known = new Set(before.map(({ key }) => key))
    this.append = append
  }

  static async open(): Promise<Arrivals> {
    const { before, append } = await openRecords<readonly Arrived[]>('arrived')
    return new Arrivals(before.flat(), append)
  }

  add(
    { line, key, fields }: { line: number; key: string; fields: { title: string } },
    outcome: Arrived['outcome'],
    task: string | null,
  ): void {
    if (this.known.has(key)) return
    this.known.add(key)
    const arrived = { line, key, title: fields.title, task, outcome }
    this.all.push(arrived)
    this.pending.push(arrived)
    if (this.pending.length >= 100) void this.flush()
  }

  async flush(): Promise<void> {
    const batch = this.pending
    this.pending = []
    if (batch.length > 0) await this.append(batch)
  }
}

async function arrivedBefore(): Promise<readonly Arrived[]> {
  return (await openRecords<readonly Arrived[]>('arrived')).before.flat()
}

/**
 * `/v1` as the signed-in user, with `api:manage` if `manage`. A request is repeated until it is answered, or the import is
 * stopped.
 */
export function apiOf(mode: Mode, manage = false): Api {
  return {
    async send(sending) {
      let waited_s = 0
      for (let pause_ms: number = page_limits.pause_ms_min; ; ) {
        const answer = await sendPlain(mode, sending, manage)
        if (answer === null || answer.status === 500 || answer.status === 502) {
          await pause(pause_ms, t('The server cannot be reached. The import continues when it answers.'))
          pause_ms = Math.min(page_limits.pause_ms_max, pause_ms * 2)
          continue
        }
        const { status, retryAfter } = answer
        const waits = (status === 429 || status === 503 || status === 409) && retryAfter !== null
        if (!waits || waited_s + retryAfter > page_limits.wait_s_max) return answer
        waited_s += retryAfter
        const why = status === 429 ? t('The credits are used up') : t('The server is busy')
        await pause(
          Math.max(1, retryAfter) * 1000,
          t('{why}. The import continues in {retryAfter} s.', { why, retryAfter }),
        )
      }
    },
    failure(reply) {
      const fault = faultOf(reply)
      return new Error(fault?.message ?? t('The server answered {status}.', { status: reply.status }))
    },
  }
}

/** A wait that the page shows; a stop ends it at once. */
async function pause(ms: number, waits: string): Promise<void> {
  const until = Date.now() + ms
  const state = job.get()
  if (state?.kind === 'running') job.set({ ...state, waits })
  while (Date.now() < until) {
    if (isStopping) throw new Stopped()
    await new Promise((resolve) => setTimeout(resolve, Math.min(200, until - Date.now())))
  }
}
