/** A recipe: a flow that needs a few answers. Its graph is built from them, so what is installed has no placeholders. */
import type { LucideIcon } from 'lucide-react'
import { defaultPort, type EdgeDraft, type GraphDraft, type NodeDraft, versioned } from '../editor/graph.ts'

export interface Question {
  readonly id: string
  readonly label: string
  readonly kind: 'person' | 'project' | 'status' | 'label' | 'days' | 'hours' | 'time' | 'weekday' | 'text' | 'chat'
  readonly hint?: string
  /** What is asked first; an answer is always needed, but a project may be left empty. */
  readonly initial: string
}

export type Answers = Readonly<Record<string, string>>

export interface Recipe {
  readonly id: string
  readonly title: string
  /** One sentence: what it does for the team. */
  readonly text: string
  readonly icon: LucideIcon
  readonly group: string
  readonly questions: readonly Question[]
  readonly graph: (answers: Answers) => GraphDraft
}

export function initialAnswers({ questions }: Recipe): Answers {
  return Object.fromEntries(questions.map(({ id, initial }) => [id, initial]))
}

/** Whether every question has an answer that its kind takes. A project may be left empty: the whole workspace. */
export function isAnswered({ questions }: Recipe, answers: Answers): boolean {
  return questions.every(({ id, kind }) => {
    const answer = (answers[id] ?? '').trim()
    if (kind === 'project') return true
    if (kind === 'days' || kind === 'hours') return /^[1-9]\d{0,2}$/.test(answer)
    if (kind === 'time') return /^([01]\d|2[0-3]):[0-5]\d$/.test(answer)
    return answer !== ''
  })
}

export function node(id: string, type: string, config: NodeDraft['config'], more: Partial<NodeDraft> = {}): NodeDraft {
  return { id, type, config, ...more }
}

/** Nodes that follow one another. An edge from a condition leaves by `true`, one from an approval by `approved`. */
export function chain(...nodes: readonly NodeDraft[]): GraphDraft {
  const edges = nodes.slice(1).map((target, i): EdgeDraft => {
    const source = nodes[i]
    const port = defaultPort(source?.type)
    return { source: source?.id ?? '', ...(port !== 'out' && { port }), target: target.id }
  })
  return versioned({ schema_version: 1, nodes, edges })
}

/** A person's text as a literal of an expression. */
export function quoted(text: string): string {
  return `'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replace(/[\r\n]+/g, ' ')}'`
}

/** `09:30` on weekday 1 as a cron expression. */
export function cronOf(time: string, days: string): string {
  const [hour = '9', minute = '0'] = time.split(':')
  return `${Number(minute)} ${Number(hour)} * * ${days}`
}
