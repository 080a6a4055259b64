/** Results that come piece by piece: written no faster than they are read. */

/** Writes a text; returns when there is room for more. A reader that has gone, as `| head`, ends the process in peace. */
export async function writeOut(text: string): Promise<void> {
  const { stdout } = process
  if (stdout.write(text)) return
  await new Promise<void>((resolve) => {
    const go = (): void => {
      stdout.off('drain', go)
      stdout.off('close', go)
      stdout.off('error', go)
      resolve()
    }
    stdout.on('drain', go)
    stdout.on('close', go)
    stdout.on('error', go)
  })
}

let heeded = false

/** From here on the process ends if its output is closed. */
export function endWithReader(): void {
  if (heeded) return
  heeded = true
  process.stdout.on('error', (error: { code?: string }) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

/** Whether a person reads the results. */
export function isTerminal(): boolean {
  return process.stdout.isTTY === true
}
