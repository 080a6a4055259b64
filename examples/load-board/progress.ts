/** A progress bar on a terminal; elsewhere one line per step, which keeps logs readable. */
import type { WriteStream } from 'node:tty'

const width = 30

export class Progress {
  private readonly stream: WriteStream | NodeJS.WritableStream | null
  private readonly isTerminal: boolean
  private step = ''
  private done = 0
  private total = 0
  private shown = ''

  /** `null` shows nothing. */
  constructor(stream: NodeJS.WritableStream | null) {
    this.stream = stream
    this.isTerminal = (stream as WriteStream | null)?.isTTY === true
  }

  start(step: string, total: number): void {
    this.step = step
    this.done = 0
    this.total = total
    if (this.isTerminal) this.draw()
    else this.stream?.write(`${step}: ${total}\n`)
  }

  advance(by = 1): void {
    this.done += by
    if (this.isTerminal) this.draw()
  }

  /** Shows why the load is waiting. */
  waiting(ms: number, reason: string): void {
    const text = `waiting ${Math.ceil(ms / 1000)} s: ${reason}`
    if (this.isTerminal) this.draw(text)
    else if (ms >= 1000) this.stream?.write(`${text}\n`)
  }

  end(): void {
    if (this.isTerminal) this.replace('')
  }

  private draw(remark = `${this.done}/${this.total}`): void {
    const part = this.total === 0 ? 1 : Math.min(1, this.done / this.total)
    const full = Math.round(part * width)
    this.replace(`${this.step.padEnd(13)} ${'█'.repeat(full)}${'░'.repeat(width - full)} ${remark}`)
  }

  private replace(line: string): void {
    if (line === this.shown) return
    this.shown = line
    this.stream?.write(`\r\x1b[2K${line}`)
  }
}
