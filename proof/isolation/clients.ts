/** Clients that change and read the same objects concurrently and record what they saw. */
import type { Reply } from '../../server/test/call.ts'
import type { Dice } from '../dice.ts'
import {
  type Board,
  type Column,
  columnFields,
  commentFields,
  comments_max,
  creationOf,
  type FieldsOf,
  readOf,
  type Send,
  type Sent,
  taskFields,
  view_of_board,
  viewOfColumns,
  viewOfComments,
  viewOfNursery,
} from './board.ts'
import type { Fields, Read, Seen } from './history.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers have every shape
type Shown = any

/** Actions of a client by weight. */
const actions = [
  [20, 'swapTask'],
  [14, 'setField'],
  [12, 'move'],
  [5, 'swapColumn'],
  [6, 'reorder'],
  [10, 'comment'],
  [4, 'swapComment'],
  [5, 'batch'],
  [1, 'duplicate'],
  [3, 'rehearse'],
  [9, 'readTask'],
  [4, 'viewBoard'],
  [4, 'viewColumns'],
  [3, 'viewComments'],
  [2, 'viewNursery'],
] as const

type Action = (typeof actions)[number][1]

const weighted: readonly Action[] = actions.flatMap(([weight, action]) => Array.from({ length: weight }, () => action))

export class Client {
  private readonly number: number
  private readonly board: Board
  private readonly dice: Dice
  private readonly send: Send
  private readonly violated: (text: string) => void

  constructor(number: number, board: Board, dice: Dice, send: Send, violated: (text: string) => void) {
    this.number = number
    this.board = board
    this.dice = dice
    this.send = send
    this.violated = violated
  }

  /** Does one random action. */
  async act(): Promise<void> {
    await this[this.dice.pick(weighted)]()
  }

  private get task(): string {
    const { tasks } = this.board
    // Half of all accesses go to three tasks.
    return tasks[this.dice.chance(0.5) ? this.dice.int(0, 2) : this.dice.int(0, tasks.length - 1)] as string
  }

  /** Sends a request and records what `see` takes from the answer. An unexpected status is a violation. */
  private async ask(sent: Sent, statuses: readonly number[], see: (reply: Reply) => Seen): Promise<Reply> {
    const { history } = this.board
    const began = history.now()
    const reply = await this.send(sent)
    const name = `#${began} ${sent.method} ${sent.path} ${JSON.stringify(sent.body ?? '')}`.slice(0, 200)
    if (statuses.includes(reply.status)) {
      const seen = see(reply)
      for (const { key, version } of [...(seen.reads ?? []), ...(seen.writes ?? [])]) {
        this.board.noteRevision(key, version ?? 0)
      }
      history.add(name, began, seen)
    } else this.violated(`${name} got ${reply.status} ${reply.text}`)
    return reply
  }

  private async view(path: string, fieldsOf: FieldsOf, views: string): Promise<void> {
    await this.ask({ method: 'GET', path }, [200], ({ body }) => ({
      reads: body.data.map((shown: Shown) => readOf(shown, fieldsOf)),
      views,
    }))
  }

  /** PATCH as compare-and-swap: it succeeds, or is refused because the object has changed. */
  private async swap(key: string, path: string, sets: Fields, body: object, fieldsOf: FieldsOf): Promise<void> {
    const expects = this.board.revisions.get(key) ?? 1
    const headers = { 'if-match': `"${expects}"` }
    await this.ask({ method: 'PATCH', path, body, headers }, [200, 409], ({ status, body: shown }) => {
      if (status === 200) return { writes: [{ ...creationOf(shown, fieldsOf, ''), sets, expects }] }
      const current = /current revision is (\d+)/.exec(shown.error.message)?.[1]
      if (current === undefined) this.violated(`a conflict does not name the revision: ${shown.error.message}`)
      const reads = current === undefined ? [] : [{ key, version: Number(current), fields: null }]
      return { reads, refused: Object.values(sets) }
    })
  }

  private async swapTask(): Promise<void> {
    const task = this.task
    const title = this.board.mark()
    await this.swap(task, `/v1/tasks/${task}`, { title }, { title }, taskFields)
  }

  private async swapColumn(): Promise<void> {
    const { id } = this.dice.pick(this.board.columns)
    const name = this.board.mark()
    await this.swap(id, `/v1/columns/${id}`, { name }, { name }, columnFields)
  }

  private async swapComment(): Promise<void> {
    const task = this.task
    const comments = (this.board.comments.get(task) ?? []).filter((id) => id !== '')
    if (comments.length === 0) return await this.comment()
    const id = this.dice.pick(comments)
    const body = this.board.mark()
    await this.swap(id, `/v1/tasks/${task}/comments/${id}`, { body }, { body }, commentFields)
  }

  /** Sets a field that only this client writes, unconditionally: the fields of others must stay. */
  private async setField(): Promise<void> {
    const sets = { [`field${this.number}`]: this.board.mark() }
    const sent: Sent = { method: 'PATCH', path: `/v1/tasks/${this.task}`, body: { custom_fields: sets } }
    await this.ask(sent, [200], ({ body }) => ({ writes: [{ ...creationOf(body, taskFields, ''), sets }] }))
  }

  private async move(): Promise<void> {
    const { id: column, project } = this.board.columns[this.number] as Column
    const body = { project, column }
    await this.ask({ method: 'POST', path: `/v1/tasks/${this.task}/move`, body }, [200], ({ body: shown }) => ({
      writes: [{ ...creationOf(shown, taskFields, ''), sets: body, mayBeNoop: true }],
    }))
  }

  /** Moves some columns of a project to unused positions; sometimes with a foreign column, which refuses the whole request. */
  private async reorder(): Promise<void> {
    const { columns, workspace } = this.board
    const { project } = this.dice.pick(columns)
    const own = this.dice.shuffle(columns.filter((column) => column.project === project)).slice(0, 5)
    const foreign = this.dice.chance(0.15) ? columns.filter((column) => column.project !== project).slice(0, 1) : []
    const data = [...own, ...foreign].map(({ id }) => ({ id, position: 1e6 + Number(this.board.mark().slice(1)) }))
    const body = { workspace, project, data }
    await this.ask({ method: 'POST', path: '/v1/columns/reorder', body }, [200, 400], ({ status, body: shown }) => {
      const positions = data.map(({ position }) => String(position))
      if (status === 400) return { refused: positions }
      return {
        writes: shown.data.map((column: Shown, i: number) => ({
          ...creationOf(column, columnFields, ''),
          sets: { position: positions[i] as string },
        })),
      }
    })
  }

  private async comment(): Promise<void> {
    const { workspace, comments } = this.board
    const task = this.task
    const known = comments.get(task) ?? []
    comments.set(task, known)
    if (known.length >= comments_max) return
    const body = this.board.mark()
    const sent: Sent = { method: 'POST', path: `/v1/tasks/${task}/comments`, body: { workspace, body } }
    // Reserved before the answer, so that waiting clients do not exceed the limit.
    const index = known.push('') - 1
    const reply = await this.ask(sent, [200], ({ body: shown }) => ({
      writes: [creationOf(shown, commentFields, viewOfComments(task))],
    }))
    known[index] = reply.body.id
  }

  /** Creates all tasks or none; sometimes the last one is invalid. */
  private async batch(): Promise<void> {
    const count = this.dice.int(2, 6)
    const project = await this.board.reserveTasks(count)
    const isBad = this.dice.chance(0.2)
    const marks = Array.from({ length: count }, () => this.board.mark())
    const data = marks.map((title, i) => ({
      title,
      project,
      ...(isBad && i === count - 1 ? { column: this.board.columns[0]?.id } : {}),
    }))
    const body = { workspace: this.board.workspace, data }
    await this.ask({ method: 'POST', path: '/v1/tasks/batch', body }, [isBad ? 400 : 200], ({ body: shown }) => {
      if (isBad) return { refused: marks }
      return { writes: shown.data.map((task: Shown) => creationOf(task, taskFields, viewOfNursery(project))) }
    })
  }

  /** A dry run, which is rolled back. Its answer shows the revision it would have changed. */
  private async rehearse(): Promise<void> {
    const task = this.task
    const title = this.board.mark()
    const sent: Sent = { method: 'PATCH', path: `/v1/tasks/${task}`, body: { title }, headers: { prefer: 'dry-run' } }
    await this.ask(sent, [200], ({ body }) => ({
      reads: [{ key: task, version: body.answer.revision - 1, fields: null }],
      refused: [title],
    }))
  }

  private async readTask(): Promise<void> {
    const task = this.task
    const path = `/v1/tasks/${task}`
    const reply = await this.ask({ method: 'GET', path }, [200], ({ body }) => ({ reads: [readOf(body, taskFields)] }))
    if (this.dice.chance(0.5)) return
    const headers = { 'if-none-match': String(reply.headers.etag) }
    await this.ask({ method: 'GET', path, headers }, [200, 304], ({ status, body }) => ({
      reads: [status === 200 ? readOf(body, taskFields) : readOf(reply.body, taskFields)],
    }))
  }

  private async viewBoard(): Promise<void> {
    const { projects } = this.board
    const ofAll = projects.map((project) => `project=${project}`).join('&')
    // Queries for which the engines use different indexes.
    const query = this.dice.pick([
      ofAll,
      `${ofAll}&sort=-priority,due_at`,
      `${ofAll}&filter=custom_fields.origin:*`,
      `${ofAll}&sort=title`,
    ])
    await this.view(`/v1/tasks?limit=100&${query}`, taskFields, view_of_board)
  }

  private async viewColumns(): Promise<void> {
    const project = this.dice.pick(this.board.projects)
    await this.view(`/v1/columns?limit=100&project=${project}`, columnFields, viewOfColumns(project))
  }

  private async viewComments(): Promise<void> {
    const task = this.task
    await this.view(`/v1/tasks/${task}/comments?limit=100`, commentFields, viewOfComments(task))
  }

  private async viewNursery(): Promise<void> {
    const project = this.board.nurseryNow
    if (project === '') return await this.readTask()
    await this.view(`/v1/tasks?limit=100&project=${project}`, taskFields, viewOfNursery(project))
  }

  /** A copy shows its project at one moment. No client changes the copy, so it can be read afterwards. */
  private async duplicate(): Promise<void> {
    const { history } = this.board
    const project = this.dice.pick(this.board.projects)
    const sent: Sent = { method: 'POST', path: `/v1/projects/${project}/duplicate`, body: { name: 'A copy' } }
    const began = history.now()
    const reply = await this.send(sent)
    const ended = history.now()
    if (reply.status !== 200) return this.violated(`a project could not be duplicated: ${reply.status} ${reply.text}`)
    const columns = (await this.send({ method: 'GET', path: `/v1/columns?limit=100&project=${reply.body.id}` })).body
    const tasks = (await this.send({ method: 'GET', path: `/v1/tasks?limit=100&project=${reply.body.id}` })).body
    const reads = [...this.copiedColumns(project, columns.data), ...this.copiedTasks(project, columns.data, tasks.data)]
    history.operations.push({ name: `#${began} duplicate ${project}`, began, ended, reads, writes: [] })
  }

  private original(color: string): string {
    return this.board.columns.find((column) => column.color === color)?.id ?? color
  }

  private copiedColumns(project: string, columns: readonly Shown[]): Read[] {
    return columns.map(({ color, name, position }) => ({
      key: this.original(color),
      version: null,
      fields: { name, position: String(position), project },
    }))
  }

  private copiedTasks(project: string, columns: readonly Shown[], tasks: readonly Shown[]): Read[] {
    const colors = new Map<string, string>(columns.map(({ id, color }) => [id, color]))
    return tasks.map((task) => ({
      key: this.board.origins.get(task.custom_fields.origin) ?? task.id,
      version: null,
      fields: { ...taskFields(task), project, column: this.original(colors.get(task.column) ?? task.column) },
    }))
  }
}
