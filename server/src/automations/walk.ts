/**
 * The program counter of a run: given the journal, it decides which node is next and whether it runs or is skipped
 * (contract/16#execution-order). A for_each is one step; its body then runs once per item before any other node of its
 * scope, and is not journaled if the for_each is skipped or has no items. A failure under on_error `fail` ends the item
 * of the nearest enclosing for_each with on_item_error `continue`, or else the run. A stop ends the run, also from
 * inside a body.
 */
import type { Program } from './program.ts'
import type { StepNode } from './schema.ts'
import { approvalPorts, callPorts } from './sketch.ts'

type StepStatus = 'succeeded' | 'failed' | 'skipped'

/** The journal fields that decide the order. */
export interface WalkEntry {
  readonly node: string
  /** The item numbers, from 0, of the enclosing for_each nodes; `[]` outside of bodies. */
  readonly path: readonly number[]
  readonly status: StepStatus
  /** The port that a condition, a switch, an approval or a call chose; for other steps it follows from the status. */
  readonly port?: string | null
  /** The number of items of a for_each that succeeded. */
  readonly items?: number | null
}

export interface WalkJournal {
  /** The trigger that started the run. */
  readonly trigger: string
  /** In the order they happened. */
  readonly entries: readonly WalkEntry[]
}

export type NextStep =
  | { readonly action: 'run' | 'skip'; readonly node: string; readonly path: readonly number[] }
  /** `node` is the stop that was reached, or the step whose failure ended the run. */
  | { readonly action: 'finish'; readonly outcome: 'succeeded' | 'failed'; readonly node: string | null }

/** The step after the journaled ones. Throws RangeError if the journal does not fit this program. */
export function nextStep(program: Program, journal: WalkJournal): NextStep {
  const walk = new Walk(program, journal.trigger)
  for (const entry of journal.entries) walk.record(entry)
  return walk.next()
}

/** A scope in execution: the run itself, or one item of a body. */
interface Frame {
  readonly order: readonly StepNode[]
  /** The for_each with the number of its items; null for the run itself. */
  readonly loop: { readonly node: string; readonly items: number; readonly continues: boolean } | null
  /** The number of the item. */
  item: number
  /** How many nodes of the order are finished. */
  at: number
  taken: Set<string>
}

/**
 * A walk that records one entry at a time, for callers that keep it between steps. The rules are those of `nextStep`.
 */
export class Walk {
  readonly #program: Program
  readonly #trigger: string
  readonly #frames: Frame[]
  #end: Extract<NextStep, { action: 'finish' }> | null = null

  constructor(program: Program, trigger: string) {
    if (!program.triggers.has(trigger)) throw new RangeError(`The program has no trigger ${trigger}.`)
    this.#program = program
    this.#trigger = trigger
    const taken = new Set(program.targets(trigger, 'out'))
    this.#frames = [{ order: orderIn(program, null), loop: null, item: 0, at: 0, taken }]
    this.#settle()
  }

  /** An independent copy at the same position. */
  clone(): Walk {
    const copy = new Walk(this.#program, this.#trigger)
    const frames = this.#frames.map((frame) => ({ ...frame, taken: new Set(frame.taken) }))
    copy.#frames.splice(0, copy.#frames.length, ...frames)
    copy.#end = this.#end
    return copy
  }

  next(): NextStep {
    if (this.#end !== null) return this.#end
    const frame = this.#top()
    const { id } = frame.order[frame.at] as StepNode
    const runs = frame.taken.has(id) || (frame.loop !== null && frame.at === 0)
    return { action: runs ? 'run' : 'skip', node: id, path: this.#path() }
  }

  /** Records a finished step and advances. Throws RangeError if another step was due. */
  record(entry: WalkEntry): void {
    const due = this.next()
    const fits = due.action === 'finish' || due.node !== entry.node || due.path.join() !== entry.path.join()
    if (fits || (due.action === 'skip') !== (entry.status === 'skipped')) {
      throw new RangeError(
        `The journal has ${entry.node} [${entry.path}] ${entry.status}, where ${describeStep(due)} was due.`,
      )
    }
    const frame = this.#top()
    const node = frame.order[frame.at] as StepNode
    frame.at++
    if (entry.status === 'succeeded') this.#succeed(frame, node, entry)
    else if (entry.status === 'failed') this.#fail(frame, node)
    this.#settle()
  }

  #succeed(frame: Frame, node: StepNode, entry: WalkEntry): void {
    if (node.type === 'stop') {
      this.#end = { action: 'finish', outcome: node.config.outcome, node: node.id }
      return
    }
    this.#take(frame, node.id, portTaken(node, entry))
    if (node.type !== 'for_each') return
    const items = entry.items ?? 0
    if (items > node.config.max_items)
      throw new RangeError(`${node.id} has ${items} items, but max_items is ${node.config.max_items}.`)
    const loop = { node: node.id, items, continues: node.config.on_item_error === 'continue' }
    if (items > 0) this.#frames.push({ order: orderIn(this.#program, node.id), loop, item: 0, at: 0, taken: new Set() })
  }

  #fail(frame: Frame, node: StepNode): void {
    const on_error = 'on_error' in node ? (node.on_error ?? 'fail') : 'fail'
    if (on_error === 'fail') this.#giveUp(node)
    else this.#take(frame, node.id, on_error === 'branch' ? 'error' : 'out')
  }

  #giveUp(node: StepNode): void {
    while (this.#top().loop?.continues === false) this.#frames.pop()
    const around = this.#top()
    if (around.loop === null) this.#end = { action: 'finish', outcome: 'failed', node: node.id }
    else around.at = around.order.length
  }

  #take(frame: Frame, node: string, port: string): void {
    for (const target of this.#program.targets(node, port)) frame.taken.add(target)
  }

  /** Advances to the next item, or out of a body, where no node is left. */
  #settle(): void {
    while (this.#end === null) {
      const frame = this.#top()
      if (frame.at < frame.order.length) return
      if (frame.loop === null) this.#end = { action: 'finish', outcome: 'succeeded', node: null }
      else if (frame.item + 1 === frame.loop.items) this.#frames.pop()
      else {
        frame.item++
        frame.at = 0
        frame.taken = new Set()
      }
    }
  }

  #top(): Frame {
    return this.#frames.at(-1) as Frame
  }

  #path(): readonly number[] {
    return this.#frames.slice(1).map(({ item }) => item)
  }
}

function orderIn(program: Program, scope: string | null): readonly StepNode[] {
  return program.order.get(scope) ?? []
}

function portTaken(node: StepNode, { port }: WalkEntry): string {
  if (node.type === 'condition') {
    if (port === 'true' || port === 'false') return port
    throw new RangeError(`${node.id} took the port ${port}, but a condition has only true and false.`)
  }
  if (node.type === 'approval.wait') {
    if (approvalPorts(node.config).some((one) => one === port)) return port as string
    throw new RangeError(`${node.id} took the port ${port}, which it does not have.`)
  }
  if (node.type === 'flow.call' && port !== undefined && port !== null) {
    if (callPorts(node.config).some((one) => one === port)) return port
    throw new RangeError(`${node.id} took the port ${port}, which it does not have.`)
  }
  if (node.type !== 'switch') return 'out'
  if (port === 'default' || node.config.cases.some((one) => one.port === port)) return port as string
  throw new RangeError(`${node.id} took the port ${port}, which it does not have.`)
}

function describeStep(due: NextStep): string {
  return due.action === 'finish' ? 'nothing' : `${due.node} [${due.path}] to ${due.action}`
}
