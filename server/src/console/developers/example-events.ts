/** An example of each event type: the ones that the documents show, made by the operations' own examples. */
import { readFileSync } from 'node:fs'
import { seconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { projectFile } from '../../lib/project-file.ts'

type Recorded = Readonly<Record<string, object>>

let recorded: Recorded | null = null

function examples(): Recorded {
  recorded ??= JSON.parse(readFileSync(projectFile('docs/examples.json'), 'utf8')).events as Recorded
  return recorded
}

/** An event as all others but that no log has it: it has no sequence. `null`: there is no such type. */
export function exampleEvent(type: string, organization: string, livemode: boolean, now: number): object | null {
  const example = Object.hasOwn(examples(), type) ? examples()[type] : undefined
  if (example === undefined) return null
  const own = { id: newId('evt', now), created: seconds(now), sequence: null, organization, livemode, commit: null }
  return { ...example, ...own }
}
