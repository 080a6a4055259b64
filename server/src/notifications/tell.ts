/**
 * What one event tells whom, by the table of kinds. No person hears of an own act, a person hears of an event once, by the kind of
 * most weight. Everything is taken as of the event, so a second walk over the log finds the same; only what a guest sees, and who
 * manages the organization, is taken as it is now.
 */

import { isOneOf } from '../db/dialect.ts'
import { type Placeholder, query } from '../db/query.ts'
import type { EventRow } from '../db/schema.ts'
import type { Reader, Tx } from '../db/store.ts'
import {
  entryId,
  readEntriesOfApproval,
  readEntriesOfAuthority,
  removeEntries,
  removeEntriesOfComment,
  type Source,
  type Told,
  writeEntry,
} from './entries.ts'
import { guestsElsewhere, in_no_project } from './heard-by-guests.ts'
import { type KindName, kind_names, told_events } from './kinds.ts'
import { inbox_limits } from './limits.ts'
import type { SendPlan } from './send-plan.ts'
import { isMentioning, type NewMentions, newMentions, no_mentions, peopleOfTeams } from './team-mentions.ts'
import { type WatchedTask, type Watching, type WatchReason, watchByItself, watchingOf } from './watching.ts'

interface TaskState extends WatchedTask {
  readonly created: number
  readonly workspace: string
  readonly description: string | null
  readonly status: string
}

interface CommentState {
  readonly id: string
  readonly created: number
  readonly workspace: string
  readonly task: string
  readonly body: string
}

interface BoardCommentState {
  readonly id: string
  readonly board: string
  readonly thread: string
  readonly body: string
  /** The name of a guest of a link; null of other authors, absent in events from before guests. */
  readonly guest?: string | null
}

interface RunState {
  readonly id: string
  readonly workspace: string
  readonly automation_flow: string
  readonly flow_version: number
  readonly mode: string
  readonly task: string | null
}

interface FlowState {
  readonly id: string
  readonly workspace: string
  readonly version: number
  /** Absent in events from before it was shown. */
  readonly authority?: {
    readonly acts_for: { readonly type: string; readonly id: string }
    readonly status?: string
  } | null
}

interface ApprovalState {
  readonly id: string
  readonly workspace: string
  readonly automation_flow: string
  readonly automation_run: string
  readonly task: string | null
  readonly asked: readonly string[]
}

interface BoardMemberState {
  readonly board: string
  readonly user: string
}

const ownerOfCredential = query((db, p: Placeholder<{ organization: string; id: string }>) =>
  db
    .selectFrom('credentials')
    .select(['owner_type', 'owner_id'])
    .where('organization', '=', p('organization'))
    .where('id', '=', p('id')),
)

/** For whom credentials of the organization act. */
export const serviceUser = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('organizations').select('service_user').where('organization', '=', p('organization')),
)

const membersAmong = query((db, p: Placeholder<{ organization: string; users: string }>, dialect) =>
  db
    .selectFrom('members')
    .select('user')
    .where('organization', '=', p('organization'))
    .where(isOneOf(dialect, 'user', p('users'))),
)

interface WritersBefore {
  readonly [name: string]: string | number
  readonly realm: number
  readonly board: string
  readonly thread: string
  readonly comment: string
}

/** Comments of a thread before another one, deleted ones included, by people who are members of the board. */
const writersBefore = query((db, p: Placeholder<WritersBefore>) =>
  db
    .selectFrom('board_comments as comment')
    .innerJoin('board_members as member', (join) =>
      join
        .onRef('member.realm', '=', 'comment.realm')
        .onRef('member.board', '=', 'comment.board')
        .onRef('member.user', '=', 'comment.author_id'),
    )
    .select('comment.author_id as user')
    .distinct()
    .where('comment.realm', '=', p('realm'))
    .where('comment.thread', '=', p('thread'))
    .where('comment.board', '=', p('board'))
    .where('comment.id', '<', p('comment'))
    .where('comment.author_type', '=', 'user')
    .where('member.deleted_at', 'is', null)
    .orderBy('comment.author_id'),
)

/** An object as of an event. */
const stateAsOf = query((db, p: Placeholder<{ realm: number; object: string; sequence: number }>) =>
  db
    .selectFrom('events')
    .select('data')
    .where('realm', '=', p('realm'))
    .where('object_id', '=', p('object'))
    .where('sequence', '<=', p('sequence'))
    .orderBy('sequence', 'desc')
    .limit(1),
)

const storedTask = query((db, p: Placeholder<{ realm: number; task: string }>) =>
  db
    .selectFrom('tasks')
    .select(['id', 'project', 'assignee', 'creator_type', 'creator_id'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('task')),
)

const storedBoard = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db.selectFrom('boards').select('project').where('realm', '=', p('realm')).where('id', '=', p('board')),
)

const makerOfLink = query((db, p: Placeholder<{ realm: number; link: string }>) =>
  db
    .selectFrom('board_links')
    .select(['creator_type', 'creator_id'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('link')),
)

const activator = query((db, p: Placeholder<{ realm: number; flow: string; version: number }>) =>
  db
    .selectFrom('automation_versions')
    .select(['activated_by_type', 'activated_by_id'])
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

/** The active members who are owners or administrators, and a person if that one is an active member. */
const managersAnd = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('members')
    .leftJoin('account_memberships', (join) =>
      join
        .onRef('account_memberships.organization', '=', 'members.organization')
        .onRef('account_memberships.user', '=', 'members.user'),
    )
    .select(['members.user', 'account_memberships.role'])
    .where('members.organization', '=', p('organization'))
    .where('members.status', '=', 'active')
    .where((eb) =>
      eb.or([eb('account_memberships.role', 'in', ['owner', 'admin']), eb('members.user', '=', p('user'))]),
    )
    .orderBy('members.user'),
)

const forgetting_events: ReadonlySet<string> = new Set([
  ...['workflow.task.deleted', 'workflow.comment.deleted', 'whiteboard.board_comment.deleted'],
])

/** After them an entry asks for nothing. */
const closing_events: ReadonlySet<string> = new Set([
  ...['approved', 'rejected', 'timed_out', 'canceled'].map((verb) => `automation.approval.${verb}`),
  ...['activated', 'authority_renewed'].map((verb) => `automation.flow.${verb}`),
])

/** Whether an event needs a look at its data. */
export function concernsInbox(type: string): boolean {
  return told_events.has(type) || forgetting_events.has(type) || closing_events.has(type)
}

/** What the events of a step have in common. */
export interface Step {
  readonly generation: number
  /** No person hears, but people watch. */
  readonly isSilent: boolean
  /** Null if nothing is sent. */
  readonly plan: SendPlan | null
  readonly now: number
}

/** Writes the entries of one event, and who watches from it on. Returns the number of entries. */
export async function tell(tx: Tx, event: EventRow, { generation, isSilent, plan, now }: Step): Promise<number> {
  const data = JSON.parse(event.data) as { object: object; previous_attributes: Record<string, unknown> | null }
  const telling = new Telling(tx, event, { generation, isSilent, plan, now })
  switch (event.object) {
    case 'task':
      if (event.type === 'workflow.task.deleted') removeEntries(tx, event.realm, event.object_id, event.sequence, now)
      else await telling.ofTask(data.object as TaskState, data.previous_attributes)
      break
    case 'comment':
      if (event.type === 'workflow.comment.deleted')
        removeEntriesOfComment(tx, event.realm, (data.object as CommentState).task, event.object_id, now)
      else await telling.ofComment(data.object as CommentState, data.previous_attributes)
      break
    case 'board_comment': {
      const comment = data.object as BoardCommentState
      if (event.type === 'whiteboard.board_comment.deleted')
        removeEntriesOfComment(tx, event.realm, comment.board, comment.id, now)
      else await telling.ofBoardComment(comment, data.previous_attributes)
      break
    }
    case 'automation_run':
      await telling.ofRun(data.object as RunState)
      break
    case 'automation_flow':
      if (!closing_events.has(event.type)) await telling.ofFlow(data.object as FlowState)
      // That of an earlier version is renewed while that of the newest may have ended.
      else if ((data.object as FlowState).authority?.status !== 'ended')
        await readEntriesOfAuthority(tx, event.realm, event.object_id, event.created)
      break
    case 'automation_approval': {
      const approval = data.object as ApprovalState
      if (closing_events.has(event.type)) await readEntriesOfApproval(tx, event.realm, approval, event.created)
      else telling.ofApproval(approval)
      break
    }
    case 'board_member':
      telling.ofBoardMember(data.object as BoardMemberState)
  }
  return await telling.write()
}

class Telling {
  private readonly tx: Tx
  private readonly event: EventRow
  private readonly step: Step
  private readonly told = new Map<string, Told>()

  constructor(tx: Tx, event: EventRow, step: Step) {
    this.tx = tx
    this.event = event
    this.step = step
  }

  async ofTask(task: TaskState, previous: Record<string, unknown> | null): Promise<void> {
    const isNew = previous === null
    const isChanged = (field: string) => isNew || Object.hasOwn(previous, field)
    const isReassigned = isChanged('assignee')
    const mentioned = isChanged('description') ? newMentions(task.description, previous?.description) : no_mentions
    const isStatus = !isNew && isChanged('status')
    if ((!isReassigned && !isMentioning(mentioned) && !isStatus) || this.isImported(task)) return
    const watching = await watchingOf(this.tx, this.event.realm, task, this.event.sequence)
    const about = { workspace: task.workspace, subject_type: 'task', subject: task.id, comment: null }
    if (isReassigned && task.assignee !== null)
      this.direct(watching, task.assignee, { ...about, kind: 'assigned', details: {} })
    await this.mention(watching, task.id, mentioned, { ...about, kind: 'mentioned', details: {} })
    const former = !isNew && typeof previous.assignee === 'string' ? previous.assignee : null
    if (isStatus) {
      const details = { from: previous?.status, to: task.status }
      const watchers = watching.watchers()
      // A person who was the assignee until this change has watched the status that it changes.
      if (former !== null && watching.standing(former).reason === null) watchers.push(former)
      for (const user of watchers) this.add(user, { ...about, kind: 'status', details })
    }
    if (former !== null) this.watch(watching, task.id, former, 'assignee')
  }

  async ofComment(comment: CommentState, previous: Record<string, unknown> | null): Promise<void> {
    const isNew = previous === null
    const mentioned = isNew || Object.hasOwn(previous, 'body') ? newMentions(comment.body, previous?.body) : no_mentions
    if ((!isNew && !isMentioning(mentioned)) || this.isImported(comment)) return
    const task = await this.taskBefore(comment.task)
    if (task === null) return
    const watching = await watchingOf(this.tx, this.event.realm, task, this.event.sequence)
    const about = { workspace: comment.workspace, subject_type: 'task', subject: task.id, comment: comment.id }
    await this.mention(watching, task.id, mentioned, { ...about, kind: 'mentioned', details: {} })
    if (!isNew) return
    for (const user of watching.watchers()) this.add(user, { ...about, kind: 'comment', details: {} })
    const author = await this.person()
    if (author !== null) this.watch(watching, task.id, author, 'commenter')
  }

  async ofBoardComment(comment: BoardCommentState, previous: Record<string, unknown> | null): Promise<void> {
    const { id, board, thread, body } = comment
    const isNew = previous === null
    const mentioned = isNew || Object.hasOwn(previous, 'body') ? newMentions(body, previous?.body) : no_mentions
    const guest = comment.guest == null ? {} : { guest: comment.guest }
    const details = { thread, ...guest }
    const about = { workspace: null, subject_type: 'board', subject: board, comment: id, details }
    const { realm, actor_type, actor_id } = this.event
    for (const user of await this.named(mentioned)) this.add(user, { ...about, kind: 'mentioned' })
    for (const [user, team] of await this.ofTeams(mentioned))
      this.add(user, { ...about, kind: 'mentioned', details: { ...details, team } })
    if (!isNew) return
    if (actor_type === 'board_link') {
      const by = await this.tx.first(makerOfLink, { realm, link: actor_id })
      if (by?.creator_type === 'user') this.add(by.creator_id, { ...about, kind: 'board_comment' })
    }
    if (thread === id) return
    for (const { user } of await this.tx.all(writersBefore, { realm, board, thread, comment: id }))
      this.add(user, { ...about, kind: 'board_comment' })
  }

  async ofRun(run: RunState): Promise<void> {
    if (run.mode !== 'live') return
    const holder = await this.holderOf(run)
    if (holder?.type !== 'user') return
    const details = { automation_flow: run.automation_flow, task: run.task }
    const subject = { workspace: run.workspace, subject_type: 'automation_run', subject: run.id, comment: null }
    this.add(holder.id, { ...subject, kind: 'automation_failed', details })
  }

  /** Whose rights the version of a run had: those of the flow if that is its newest version, else those of its activation. */
  private async holderOf(run: RunState): Promise<{ readonly type: string; readonly id: string } | undefined> {
    const { realm, sequence } = this.event
    const { automation_flow: flow, flow_version: version } = run
    const found = await this.tx.first(stateAsOf, { realm, object: flow, sequence })
    const state = found === undefined ? undefined : (JSON.parse(found.data) as { object: FlowState }).object
    if (state?.version === version && state.authority) return state.authority.acts_for
    const by = await this.tx.first(activator, { realm, flow, version })
    return by === undefined ? undefined : { type: by.activated_by_type, id: by.activated_by_id }
  }

  /** If the person for whom it acts cannot renew its rights, owners and administrators can. */
  async ofFlow({ id, workspace, authority }: FlowState): Promise<void> {
    const user = authority?.acts_for.type === 'user' ? authority.acts_for.id : ''
    const found = await this.tx.all(managersAnd, { organization: this.event.organization, user })
    const holder = found.find((each) => each.user === user && each.role !== 'guest')
    const subject = { workspace, subject_type: 'automation_flow', subject: id, comment: null }
    for (const each of holder === undefined ? found : [holder])
      if (each.role !== 'guest')
        this.add(each.user, { ...subject, kind: 'automation_authority', details: { automation_flow: id } })
  }

  ofApproval({ id, workspace, automation_flow, automation_run, task, asked }: ApprovalState): void {
    const about = { workspace, subject_type: 'automation_run', subject: automation_run, comment: null }
    const details = { automation_flow, task, approval: id }
    for (const user of asked) this.add(user, { ...about, kind: 'approval', details })
  }

  ofBoardMember({ board, user }: BoardMemberState): void {
    const about = { workspace: null, subject_type: 'board', subject: board, comment: null }
    this.add(user, { ...about, kind: 'invitation', details: {} })
  }

  /** Writes what was gathered, except to the person who acted. */
  async write(): Promise<number> {
    if (this.told.size === 0 || this.step.isSilent) return 0
    const { realm, id, sequence, created, actor_type, actor_id } = this.event
    const own = (await this.person()) ?? (await this.serviceUser())
    if (own !== null) this.told.delete(own)
    for (const user of await this.guestsElsewhere()) this.told.delete(user)
    const source: Source = {
      realm,
      cause: id,
      at: created,
      event: id,
      sequence,
      actor: { type: actor_type, id: actor_id },
      generation: this.step.generation,
    }
    for (const [user, told] of this.told) {
      writeEntry(this.tx, user, told, source)
      await this.step.plan?.add(realm, user, { id: entryId(user, source), kind: told.kind, at: created })
    }
    return this.told.size
  }

  /** Guests among those told who do not see the subject now. Runs of automations are for no guest. */
  private async guestsElsewhere(): Promise<ReadonlySet<string>> {
    const { realm, organization } = this.event
    const [first] = this.told.values()
    if (first === undefined) return new Set()
    const project = () => projectOfSubject(this.tx, realm, first)
    return await guestsElsewhere(this.tx, { organization, realm }, this.told.keys(), project)
  }

  private add(user: string, told: Told): void {
    const known = this.told.get(user)
    if (known === undefined || weightOf(told.kind) < weightOf(known.kind)) this.told.set(user, told)
  }

  private direct(watching: Watching, user: string, told: Told): void {
    if (watching.standing(user).level !== 'muted') this.add(user, told)
  }

  private async mention(watching: Watching, task: string, mentioned: NewMentions, told: Told): Promise<void> {
    for (const user of await this.named(mentioned)) {
      this.direct(watching, user, told)
      this.watch(watching, task, user, 'mentioned')
    }
    for (const [user, team] of await this.ofTeams(mentioned))
      this.direct(watching, user, { ...told, details: { ...told.details, team } })
  }

  /** The members whom a text mentions by name. */
  private async named({ users }: NewMentions): Promise<string[]> {
    if (users.length === 0) return []
    const { organization } = this.event
    const found = await this.tx.all(membersAmong, { organization, users: JSON.stringify(users) })
    return found.map(({ user }) => user)
  }

  /** The people whom a text mentions by their teams. A guest sees no team, so what a guest writes mentions none. */
  private async ofTeams(mentioned: NewMentions): Promise<ReadonlyMap<string, string>> {
    if (mentioned.teams.length === 0 || (await this.isByGuest())) return new Map()
    const { organization, created: at } = this.event
    return await peopleOfTeams(this.tx, { organization, at }, mentioned)
  }

  private async isByGuest(): Promise<boolean> {
    const { organization, realm, actor_type } = this.event
    if (actor_type === 'board_link') return true
    const author = await this.person()
    return (
      author !== null && (await guestsElsewhere(this.tx, { organization, realm }, [author], in_no_project)).has(author)
    )
  }

  private watch(watching: Watching, subject: string, user: string, reason: WatchReason): void {
    const { realm, sequence } = this.event
    watchByItself(this.tx, realm, { subject, standing: watching.standing(user) }, user, sequence, reason)
  }

  /** An object that is much older than its event comes from another system. */
  private isImported({ created }: { readonly created: number }): boolean {
    const isNew = this.event.type.endsWith('.created')
    return isNew && this.event.created - created * 1000 > inbox_limits.inbox_imported_after_ms
  }

  /** The user who acted; null if it was a credential of the organization, an automation, or the system. */
  private async person(): Promise<string | null> {
    const { organization, actor_type, actor_id } = this.event
    if (actor_type === 'user') return actor_id
    if (actor_type !== 'api_key' && actor_type !== 'access_token') return null
    const credential = await this.tx.first(ownerOfCredential, { organization, id: actor_id })
    return credential?.owner_type === 'user' ? credential.owner_id : null
  }

  /** The API service user, for whom credentials of the organization act. */
  private async serviceUser(): Promise<string | null> {
    const { actor_type, organization } = this.event
    if (actor_type !== 'api_key' && actor_type !== 'access_token') return null
    return (await this.tx.first(serviceUser, { organization }))?.service_user ?? null
  }

  /** The task as of the event, or as it is now if its events are past retention. */
  private async taskBefore(task: string): Promise<WatchedTask | null> {
    const { realm, sequence } = this.event
    const found = await this.tx.first(stateAsOf, { realm, object: task, sequence })
    if (found !== undefined) return (JSON.parse(found.data) as { object: TaskState }).object
    return await currentTask(this.tx, realm, task)
  }
}

/** The project in which an entry's subject is now; the entries of an event have the same subject. */
async function projectOfSubject(
  reader: Reader,
  realm: number,
  { subject_type, subject }: Told,
): Promise<string | null> {
  if (subject_type === 'task') return (await reader.first(storedTask, { realm, task: subject }))?.project ?? null
  return subject_type === 'board'
    ? ((await reader.first(storedBoard, { realm, board: subject }))?.project ?? null)
    : null
}

/** What decides who watches a task, as it is now. */
async function currentTask(reader: Reader, realm: number, task: string): Promise<WatchedTask | null> {
  const row = await reader.first(storedTask, { realm, task })
  if (row === undefined) return null
  const { id, project, assignee, creator_type: type, creator_id } = row
  return { id, project, assignee, creator: { type, id: creator_id } }
}

function weightOf(kind: KindName): number {
  return kind_names.indexOf(kind)
}
