/** Example events by type: those in the reference, recorded from the operations' examples. */
import { readFileSync } from 'node:fs'
import { seconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { projectFile } from '../../lib/project-file.ts'

type RecordedEvents = Readonly<Record<string, object>>

let recorded: RecordedEvents | null = null

function loadExamples(): RecordedEvents {
  recorded ??= JSON.parse(readFileSync(projectFile('docs/examples.json'), 'utf8')).events as RecordedEvents
  return recorded
}

/** An example event with a fresh id; its sequence is null, because no event log contains it. `null` for an unknown type. */
export function exampleEvent(type: string, organization: string, livemode: boolean, now: number): object | null {
  const example = Object.hasOwn(loadExamples(), type) ? loadExamples()[type] : undefined
  if (example === undefined) return null
  const fields = { id: newId('evt', now), created: seconds(now), sequence: null, organization, livemode, commit: null }
  return { ...example, ...fields }
}
