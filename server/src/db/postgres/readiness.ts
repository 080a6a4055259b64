/** Whether another server can be used: after a failure nothing is sent there until a probe has found it ready again. */
import { setTimeout as sleep } from 'node:timers/promises'

export class Readiness {
  private readonly examine: () => Promise<boolean>
  private readonly pause_ms: number
  private ready = false
  private probing: Promise<void> | null = null
  private readonly stop = new AbortController()
  private readonly first = Promise.withResolvers<void>()
  /** Resolves when the first probe has ended. */
  readonly examined = this.first.promise

  /** Probes at the interval `pause_ms` from `rest` on. `examine` never rejects. */
  constructor(examine: () => Promise<boolean>, pause_ms: number) {
    this.examine = examine
    this.pause_ms = pause_ms
  }

  get isReady(): boolean {
    return this.ready
  }

  /** Nothing is sent there until a probe has succeeded. */
  rest(): void {
    this.ready = false
    if (this.stop.signal.aborted) return
    this.probing ??= this.recover().finally(() => {
      this.probing = null
    })
  }

  private async recover(): Promise<void> {
    const { signal } = this.stop
    while (!signal.aborted) {
      this.ready = (await this.examine()) && !signal.aborted
      this.first.resolve()
      if (this.ready) return
      await sleep(this.pause_ms, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** Ends the probes. */
  async close(): Promise<void> {
    this.ready = false
    this.stop.abort()
    await this.probing
  }
}
