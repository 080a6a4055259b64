/**
 * The single program counter of a run (decisions §16), without anything that a step does: given what was journaled, which
 * node is next, and whether it runs or is skipped.
 *
 * - The nodes of a scope come in topological order. A node runs when at least one edge to it was taken, or when it is
 *   where a body begins; else it is skipped. So joins run once, and fan-outs one branch after the other.
 * - A step that succeeded takes one port: `out`; of a condition `true` or `false`; of a switch the case's, or `default`.
 * - A step that failed takes `out` under on_error continue, `error` under branch. Under fail it ends the item of the
 *   nearest for_each around it that goes on (on_item_error continue), and the run where there is none.
 * - A for_each is one step; behind it its body is walked once an item, before any other node of its own scope. Bodies of
 *   a for_each that is skipped or has no items are not journaled.
 * - A stop ends the run, also from inside of a body.
 */
import type { Program } from './program.ts'
import type { StepNode } from './schema.ts'

export type StepStatus = 'succeeded' | 'failed' | 'skipped'

/** What a walk needs to know of a step that is over. */
export interface WalkEntry {
  readonly node: string
  /** The numbers of the items, from 0, of the for_each nodes around it; `[]` outside of every body. */
  readonly path: readonly number[]
  readonly status: StepStatus
  /** The port that a condition or a switch chose; of any other step it follows from the status. */
  readonly port?: string | null
  /** How many items a for_each that succeeded goes through. */
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

/** What comes after everything that was journaled. Throws RangeError when the journal is not one of this program. */
export function nextStep(program: Program, journal: WalkJournal): NextStep {
  const walk = new Walk(program, journal.trigger)
  for (const entry of journal.entries) walk.record(entry)
  return walk.next()
}

/** A scope being walked: the run itself, or one item of a body. */
interface Frame {
  readonly order: readonly StepNode[]
  /** The for_each and the number of its items; the run itself has none. */
  readonly loop: { readonly node: string; readonly items: number; readonly goesOn: boolean } | null
  /** The number of the item. */
  item: number
  /** How many nodes of the order are over. */
  at: number
  taken: Set<string>
}

/** A walk that takes one entry after the other, for whoever keeps it between steps. Same rules as `nextStep`. */
export class Walk {
  readonly #program: Program
  readonly #trigger: string
  readonly #frames: Frame[]
  #end: Extract<NextStep, { action: 'finish' }> | null = null

  constructor(program: Program, trigger: string) {
    if (!program.triggers.has(trigger)) throw new RangeError(`the program has no trigger ${trigger}`)
    this.#program = program
    this.#trigger = trigger
    const taken = new Set(program.targets(trigger, 'out'))
    this.#frames = [{ order: orderIn(program, null), loop: null, item: 0, at: 0, taken }]
    this.#settle()
  }

  /** A walk that stands where this one does, and goes on by itself. */
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

  /** Goes on behind a step that is over. Throws RangeError when another one was to come. */
  record(entry: WalkEntry): void {
    const due = this.next()
    const fits = due.action === 'finish' || due.node !== entry.node || due.path.join() !== entry.path.join()
    if (fits || (due.action === 'skip') !== (entry.status === 'skipped')) {
      throw new RangeError(
        `the journal has ${entry.node} [${entry.path}] ${entry.status}, where ${saying(due)} was due`,
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
    if (items > node.config.max_items) throw new RangeError(`${node.id} goes through ${items} items, more than it may`)
    const loop = { node: node.id, items, goesOn: node.config.on_item_error === 'continue' }
    if (items > 0) this.#frames.push({ order: orderIn(this.#program, node.id), loop, item: 0, at: 0, taken: new Set() })
  }

  #fail(frame: Frame, node: StepNode): void {
    const on_error = 'on_error' in node ? (node.on_error ?? 'fail') : 'fail'
    if (on_error === 'fail') this.#giveUp(node)
    else this.#take(frame, node.id, on_error === 'branch' ? 'error' : 'out')
  }

  #giveUp(node: StepNode): void {
    while (this.#top().loop?.goesOn === false) this.#frames.pop()
    const around = this.#top()
    if (around.loop === null) this.#end = { action: 'finish', outcome: 'failed', node: node.id }
    else around.at = around.order.length
  }

  #take(frame: Frame, node: string, port: string): void {
    for (const target of this.#program.targets(node, port)) frame.taken.add(target)
  }

  /** Goes on to the next item, or back out of a body, where nothing is left to walk. */
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
    throw new RangeError(`${node.id} took the port ${port}, and a condition has true and false`)
  }
  if (node.type !== 'switch') return 'out'
  if (port === 'default' || node.config.cases.some((one) => one.port === port)) return port as string
  throw new RangeError(`${node.id} took the port ${port}, which it does not have`)
}

function saying(due: NextStep): string {
  return due.action === 'finish' ? 'nothing' : `${due.node} [${due.path}] to ${due.action}`
}
