/** Who is told within this process that there may be something to do. A wake-up only shortens a wait: none is relied on. */
export class WakeUps {
  private readonly listeners = new Map<string, Set<() => void>>()

  /** Calls `listener` at every wake-up of the topic, until the returned function is called. */
  on(topic: string, listener: () => void): () => void {
    const listeners = this.listeners.get(topic) ?? new Set()
    this.listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  call(topic: string): void {
    for (const listener of this.listeners.get(topic) ?? []) listener()
  }
}
