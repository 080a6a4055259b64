/** Flows on a stage: a workspace with a task to try them with, and flows that are created, activated and saved in the editor. */
import type { Page } from 'playwright-core'
import type { Atrium } from '../../sdk/typescript/src/index.ts'
import type { Stage } from './stage.ts'

/** Where flows are tried. */
export interface FlowPlace {
  readonly workspace: string
  readonly task: string
}

/** A workspace with one task. */
export async function openHarbour({ atrium }: Stage, task: string, labels: readonly string[] = []): Promise<FlowPlace> {
  const workspace = (await atrium.workspaces.create({ title: 'Harbour' })).id
  return { workspace, task: (await atrium.tasks.create({ workspace, title: task, labels: [...labels] })).id }
}

/** Creates a draft. Returns its id. */
export async function makeFlow(
  { automationFlows }: Atrium,
  { workspace }: Pick<FlowPlace, 'workspace'>,
  name: string,
  graph: object,
): Promise<string> {
  // Graphs are data here.
  return (await automationFlows.create({ workspace, name, graph: graph as never })).id
}

/** Activates a flow, with a preview on the task. */
export async function activateFlow(
  { automationFlows }: Atrium,
  { workspace, task }: FlowPlace,
  id: string,
): Promise<void> {
  const { preview_token } = await automationFlows.preview(id, { workspace, task })
  await automationFlows.activate(id, { workspace, preview_token, scope_acknowledged: true })
}

/** Saves the draft in the editor, and waits until it is saved. */
export async function saveFlow(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Save' })
  await button.click()
  await button.waitFor({ state: 'detached' })
}
