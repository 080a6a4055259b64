/** The values of all promises. Rejects with the first error, when all have ended: none continues after it. */
export async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises)
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return settled.map((each) => (each as PromiseFulfilledResult<T>).value)
}
