/**
 * Wakes listeners within this process when there may be work. A wake-up only shortens a wait: nothing depends on it.
 */
export class WakeUps {
  private readonly listeners = new Map<string, Set<() => void>>()

  /** Calls `listener` at each wake-up of the topic, until the returned function is called. */
  on(topic: string, listener: () => void): () => void {
    const listeners = this.listeners.get(topic) ?? new Set()
    this.listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  call(topic: string): void {
    for (const listener of this.listeners.get(topic) ?? []) listener()
  }
}
