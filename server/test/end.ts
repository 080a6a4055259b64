/**
 * Loaded into every test process. Ends the process when its tests are done but something they left open keeps it alive; their
 * results are written by then. A test is not failed for it. Also notes the processor time of the file.
 */
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { noteProcessorTime } from './processor-time.ts'

const grace_ms = 15_000

// Threads inherit the import, and a hook would make each of them report a run of its own.
if (isMainThread) {
  after(() => {
    setTimeout(() => process.exit(), grace_ms).unref()
  })
  process.once('exit', () => noteProcessorTime(process.argv[1] as string))
}
