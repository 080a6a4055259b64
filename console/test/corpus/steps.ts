/** Steps of flows whose every setting that people write has the corpus, for the editor: a flow for each kind of start. */
import type { AutomationGraph } from '../../../sdk/typescript/src/index.ts'
import { valuesOf } from './samples.ts'

interface Step {
  readonly type: string
  readonly config: object
  /** What the settings of the step show as it was written. */
  readonly shown: readonly string[]
}

const text = valuesOf('automation_flows.graph').join(' ')
/** As much as a setting of this many characters takes. */
const cut = (chars: number) => text.slice(0, chars)
const template = (chars: number) => ({ $template: cut(chars) })
/** In a formula, which the editor shows as code. */
const formulaOf = (name: string) => `${name} == ${JSON.stringify(cut(400))}`
const formula = formulaOf('task.title')
/** In JSON, which the editor shows as code. */
const inJson = JSON.stringify(cut(400)).slice(1, -1)

const starts: readonly Step[] = [
  { type: 'trigger.manual', config: { label: cut(80) }, shown: [cut(80)] },
  {
    type: 'trigger.form',
    config: {
      ...{ title: cut(120), introduction: cut(500), thanks: cut(500) },
      fields: [
        { key: 'long', label: cut(80), kind: 'long_text', hint: cut(120) },
        { key: 'area', label: 'Area', kind: 'select', options: [cut(60)] },
      ],
    },
    shown: [cut(120), cut(500), cut(80), cut(60)],
  },
  {
    type: 'trigger.call',
    config: { inputs: [{ key: 'word', kind: 'text', label: cut(120) }] },
    shown: [cut(120)],
  },
  { type: 'trigger.mail', config: { when: formulaOf('mail.subject') }, shown: [formulaOf('mail.subject')] },
]

/** Their steps have no task to act on. */
const without_task = ['trigger.form', 'trigger.mail', 'trigger.call']

const stepsFor = (user: string): readonly Step[] => [
  {
    type: 'task.create',
    config: { set: { title: template(400), description: template(1000), labels: [cut(80)] } },
    shown: [cut(400), cut(1000), cut(80)],
  },
  {
    type: 'task.create_many',
    config: { parent: '$subject', tasks: [{ title: template(400) }, { title: cut(200) }] },
    shown: [cut(400), cut(200)],
  },
  {
    type: 'task.create_many',
    config: { items: { $expr: `[${JSON.stringify(cut(300))}]` }, max_items: 5, set: { title: template(400) } },
    shown: [JSON.stringify(cut(300)), cut(400)],
  },
  {
    type: 'task.update_many',
    config: { parent: '$subject', max_tasks: 5, set: { description: template(1000) } },
    shown: [cut(1000)],
  },
  { type: 'task.update_parent', config: { set: { title: template(400) } }, shown: [cut(400)] },
  { type: 'task.label', config: { add: [cut(80)] }, shown: [cut(80)] },
  { type: 'task.comment', config: { body: template(1000) }, shown: [cut(1000)] },
  { type: 'timer.start', config: { note: template(400) }, shown: [cut(400)] },
  { type: 'approval.wait', config: { people: [user], text: template(400) }, shown: [cut(400)] },
  {
    type: 'http.request',
    config: {
      ...{ method: 'POST', url: `https://maps.example/${encodeURIComponent(cut(80))}` },
      ...{ body: { [cut(80)]: cut(400) }, headers: { 'x-note': cut(400) } },
    },
    shown: [encodeURIComponent(cut(80)), inJson],
  },
  { type: 'chat.post', config: { secret: 'team_chat', text: template(400) }, shown: [cut(400)] },
  {
    type: 'mail.send',
    config: { to: [user], subject: template(100), text: template(1000) },
    shown: [cut(100), cut(1000)],
  },
  {
    type: 'ai.step',
    config: { operation: 'classify', instructions: template(1000), labels: [cut(80), 'other'], max_output_tokens: 50 },
    shown: [cut(1000), cut(80)],
  },
  { type: 'condition', config: { expr: formula }, shown: [formula] },
  { type: 'switch', config: { cases: [{ port: 'first', expr: formula }] }, shown: [formula] },
  {
    type: 'stop',
    config: { outcome: 'failed', message: template(400), output: { note: cut(400) } },
    shown: [cut(400), inJson],
  },
]

export interface EditedFlow {
  readonly graph: AutomationGraph
  /** By id of a step: the texts of its settings. */
  readonly shown: Readonly<Record<string, readonly string[]>>
}

/** Flows with all steps that hold texts. Each step has the corpus in its name and note, too. */
export function hostileFlows(user: string): EditedFlow[] {
  const steps = stepsFor(user)
  // What needs no task is the end.
  return starts.map((start) => flowOf([start, ...(without_task.includes(start.type) ? steps.slice(-1) : steps)]))
}

function flowOf(steps: readonly Step[]): EditedFlow {
  const nodes = steps.map(({ type, config }, at) => {
    const place = { x: (at % 4) * 320, y: Math.floor(at / 4) * 200 }
    return { id: `step_${at}`, type, name: cut(120), config, ui: { ...place, note: cut(300) } }
  })
  // A condition and a switch leave by ports, so each step follows the start.
  const edges = nodes.slice(1).map(({ id }) => ({ source: 'step_0', target: id }))
  const graph = { schema_version: 8, nodes, edges } as unknown as AutomationGraph
  return { graph, shown: Object.fromEntries(steps.map(({ shown }, at) => [`step_${at}`, [...shown, cut(120)]])) }
}
