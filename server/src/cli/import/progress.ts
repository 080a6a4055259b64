/** How far an import is, on standard error: one line that is written over on a terminal, else a line now and then. */
import { cli_limits } from '../limits.ts'

export class Progress {
  private readonly totals: Readonly<Record<string, number>>
  private readonly counts: Record<string, number> = {}
  private readonly quiet: boolean
  private written_at = performance.now()
  private shown = false

  constructor(totals: Readonly<Record<string, number>>, quiet: boolean) {
    this.totals = totals
    this.quiet = quiet
  }

  add(what: string, count: number): void {
    this.counts[what] = (this.counts[what] ?? 0) + count
    if (this.quiet) return
    if (process.stderr.isTTY) {
      process.stderr.write(`\r\x1b[K${this.line()}`)
      this.shown = true
    } else if (performance.now() - this.written_at >= cli_limits.import_progress_ms) {
      this.written_at = performance.now()
      process.stderr.write(`${this.line()}\n`)
    }
  }

  end(): void {
    if (this.shown) process.stderr.write('\r\x1b[K')
  }

  private line(): string {
    const parts = Object.entries(this.totals)
      .filter(([, total]) => total > 0)
      .map(([what, total]) => `${what} ${this.counts[what] ?? 0} of ${total}`)
    return `atrium: ${parts.join(', ')}`
  }
}
