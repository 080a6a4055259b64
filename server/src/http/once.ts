/** Calls `make` on the first call and keeps its result. A failure is not kept: the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= make().catch((error: unknown) => {
      result = null
      throw error
    })
    return result
  }
}
