import type { Caller } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import { limits } from '../limits.ts'

/** The streams that are open in this process. */
export class OpenStreams {
  private readonly open = new Map<string, Set<() => void>>()

  get size(): number {
    let size = 0
    for (const ends of this.open.values()) size += ends.size
    return size
  }

  /** Refuses with 429 when the credential has the maximum number of streams (contract/12#stream-limit). */
  requireRoom(caller: Caller): void {
    if ((this.open.get(caller.credential)?.size ?? 0) < limits.streams_max) return
    throw refuse('rate_limit_exceeded', {
      message: `A credential may have ${limits.streams_max} streams open.`,
      retryAfter: limits.stream_retry_ms / 1000,
    })
  }

  /** Counts a stream until the returned function is called. */
  add(caller: Caller, end: () => void): () => void {
    const ends = this.open.get(caller.credential) ?? new Set()
    this.open.set(caller.credential, ends.add(end))
    return () => {
      ends.delete(end)
      if (ends.size === 0) this.open.delete(caller.credential)
    }
  }

  /** Ends the streams of a credential that is no longer valid. */
  endOf(credential: string): void {
    for (const end of [...(this.open.get(credential) ?? [])]) end()
  }

  /** Ends all streams cleanly before the process stops. */
  end(): void {
    for (const ends of [...this.open.values()]) for (const end of [...ends]) end()
  }
}
