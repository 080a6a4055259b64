/**
 * Coverage-guided fuzzing of parsers: inputs that reach new code are kept and mutated. A find is any undeclared error, and any
 * input that takes long.
 */
import type { Dice } from '../dice.ts'
import type { Coverage, ReachedCode } from './coverage.ts'
import { mutateText, mutateValue } from './mutate.ts'
import type { Parser } from './parsers.ts'
import { hardText } from './texts.ts'

/** Inputs between two coverage checks. */
const batch = 256
const chars_max = 20_000
const kept_max = 2000
/** An event loop must not block longer. */
const slow_ms = 50

export interface Find {
  readonly parser: string
  readonly what: string
  readonly input: string
}

interface Field {
  readonly parser: Parser
  readonly kept: string[]
}

export class Hunt {
  inputs = 0
  kept = 0
  private readonly dice: Dice
  private readonly coverage: Coverage
  private readonly fields: readonly Field[]
  private readonly found: (find: Find) => void

  constructor(parsers: readonly Parser[], coverage: Coverage, dice: Dice, found: (find: Find) => void) {
    this.fields = parsers.map((parser) => ({ parser, kept: [...parser.seeds] }))
    this.coverage = coverage
    this.dice = dice
    this.found = found
  }

  /** Reads the seeds first, which load and compile shared code. */
  async begin(): Promise<void> {
    for (const { parser, kept } of this.fields) for (const input of kept) await this.tryInput(parser, input, false)
    this.coverage.takeNew()
  }

  /** Tries about `count` inputs, with the parsers in turn. */
  async run(count: number): Promise<void> {
    for (const end = this.inputs + count; this.inputs < end; ) {
      for (const field of this.fields) await this.tryBatch(field)
    }
  }

  private async tryBatch({ parser, kept }: Field): Promise<void> {
    const tried = Array.from({ length: batch }, () => this.inputFor(parser, kept))
    for (const input of tried) await this.tryInput(parser, input, true)
    this.inputs += tried.length
    const fresh = this.coverage.takeNew()
    if (fresh !== null) await this.keep({ parser, kept }, tried, fresh)
  }

  /** Keeps the inputs that reached the new code, found by bisection. */
  private async keep(field: Field, inputs: readonly string[], fresh: ReachedCode): Promise<void> {
    for (const input of inputs) await this.tryInput(field.parser, input, false)
    const [only] = inputs
    const isOne = inputs.length === 1
    if (!this.coverage.reaches(fresh, isOne) || only === undefined) return
    if (isOne) {
      field.kept.push(only)
      this.kept++
      const { length } = field.kept
      if (length > kept_max) field.kept.splice(this.dice.int(field.parser.seeds.length, length - 1), 1)
      return
    }
    const half = inputs.length >> 1
    await this.keep(field, inputs.slice(0, half), fresh)
    await this.keep(field, inputs.slice(half), fresh)
  }

  private inputFor({ words }: Parser, kept: readonly string[]): string {
    const { dice } = this
    let text = dice.pick(kept)
    for (let more = true; more; more = dice.chance(0.6)) text = this.change(text, words, kept)
    return text.slice(0, chars_max)
  }

  private change(text: string, words: readonly string[], kept: readonly string[]): string {
    const { dice } = this
    const roll = dice.int(0, 9)
    const at = dice.int(0, text.length)
    if (roll < 4) return text.slice(0, at) + dice.pick(words) + text.slice(at + dice.pick([0, 0, 1, 4]))
    if (roll === 4) return text.slice(0, at) + dice.pick(kept).slice(dice.int(0, 20))
    if (roll === 5) return text.slice(0, at) + hardText(dice) + text.slice(at)
    if (roll === 6 && /^[[{]/.test(text)) return changedValue(dice, text)
    return mutateText(dice, text)
  }

  private async tryInput(parser: Parser, input: string, isTimed: boolean): Promise<void> {
    const from = process.threadCpuUsage()
    try {
      await parser.read(input)
    } catch (error) {
      const what = error instanceof Error ? (error.stack ?? error.message).slice(0, 400) : String(error)
      this.found({ parser: parser.name, what: `throws ${what}`, input: input.slice(0, 600) })
    }
    if (isTimed && cpuSince(from) > slow_ms) await this.readAgain(parser, input)
  }

  /** Coverage slows code down, so slow inputs are timed again without it, and only that time counts. */
  private async readAgain(parser: Parser, input: string): Promise<void> {
    const times: number[] = []
    this.coverage.stop()
    for (let i = 0; i < 3; i++) {
      const from = process.threadCpuUsage()
      await Promise.try(() => parser.read(input)).catch(() => {})
      times.push(cpuSince(from))
    }
    this.coverage.begin()
    const least = Math.round(Math.min(...times))
    if (least > slow_ms) this.found({ parser: parser.name, what: `takes ${least} ms`, input: input.slice(0, 600) })
  }
}

function cpuSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1000
}

function changedValue(dice: Dice, text: string): string {
  try {
    return JSON.stringify(mutateValue(dice, JSON.parse(text))) ?? 'null'
  } catch {
    return mutateText(dice, text)
  }
}
