/** What differs between two graphs: nodes that were added, removed or changed with their settings, edges, and settings of the flow. */
import { t } from '../../../language/index.ts'
import type { EdgeDraft, GraphDraft, NodeDraft } from '../editor/graph.ts'
import { kindOf } from '../editor/kinds.ts'
import { titleOf } from '../editor/summary.ts'

export interface SettingChange {
  /** What changed: the field's label, or the path of the setting. */
  readonly label: string
  /** Undefined where the setting is missing. */
  readonly before: unknown
  readonly after: unknown
}

export interface Difference {
  readonly kind: 'added' | 'removed' | 'changed'
  readonly title: string
  /** The node; null for the connections and the settings of the flow. */
  readonly node: string | null
  readonly changes: readonly SettingChange[]
}

/** What the picture says of a node. */
interface Mark {
  readonly tone: 'good' | 'bad' | 'warn'
  readonly text: string
}

export interface Comparison {
  readonly differences: readonly Difference[]
  /** The newer graph with the nodes that were removed. */
  readonly union: GraphDraft
  readonly marks: ReadonlyMap<string, Mark>
}

/** The place of a node on the canvas and its note do not change what it does; the note is shown on its card. */
const looks: ReadonlySet<string> = new Set(['ui', 'id', 'config'])

export function compareGraphs(before: GraphDraft, after: GraphDraft): Comparison {
  const old = new Map(before.nodes.map((node) => [node.id, node]))
  const present = new Set(after.nodes.map(({ id }) => id))
  const removed = before.nodes.filter(({ id }) => !present.has(id))
  const nodes = [
    ...after.nodes.flatMap((node) => nodeDifference(old.get(node.id), node)),
    ...removed.map((node): Difference => ({ kind: 'removed', title: titleOf(node), node: node.id, changes: [] })),
  ]
  const names = new Map([...before.nodes, ...after.nodes].map((node) => [node.id, titleOf(node)]))
  const rest = [...edgeDifference(before, after, names), ...settingsDifference(before, after)]
  const differences = [...nodes, ...rest]
  const lost = before.edges.filter(({ source, target }) => !present.has(source) || !present.has(target))
  const union = { ...after, nodes: [...after.nodes, ...removed], edges: [...after.edges, ...lost] }
  return { differences, union, marks: marksOf(nodes) }
}

function nodeDifference(before: NodeDraft | undefined, after: NodeDraft): Difference[] {
  const about = { title: titleOf(after), node: after.id }
  if (before === undefined) return [{ kind: 'added', ...about, changes: [] }]
  const changes = [...fieldChanges(before, after), ...configChanges(before, after)]
  return changes.length === 0 ? [] : [{ kind: 'changed', ...about, changes }]
}

function fieldChanges(before: NodeDraft, after: NodeDraft): SettingChange[] {
  const a: Readonly<Record<string, unknown>> = { ...before }
  const b: Readonly<Record<string, unknown>> = { ...after }
  return changedNames(a, b)
    .filter((name) => !looks.has(name))
    .map((name) => {
      const [was, is] = name === 'type' ? [kindOf(before.type).title, kindOf(after.type).title] : [a[name], b[name]]
      return { label: fieldNames[name] ?? name, before: was, after: is }
    })
}

const fieldNames: Readonly<Record<string, string>> = {
  name: t('Name'),
  type: t('Kind'),
  parent: t('Loop'),
  retry: t('Retry'),
  on_error: t('On error'),
}

/** Changes by the fields that the editor shows; a setting without a field by its path. */
function configChanges(before: NodeDraft, after: NodeDraft): SettingChange[] {
  const labels = new Map(kindOf(after.type).fields.map(({ path, label }) => [path, label]))
  const [a, b] = [flat(before.config), flat(after.config)]
  return changedNames(a, b).map((path) => ({ label: labels.get(path) ?? path, before: a[path], after: b[path] }))
}

/** Settings by their paths: `set.status`. Formulas, templates and lists are one value. */
function flat(config: Readonly<Record<string, unknown>>, prefix = ''): Record<string, unknown> {
  const entries = Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
    const path = `${prefix}${name}`
    return isGroup(value) ? Object.entries(flat(value, `${path}.`)) : [[path, value]]
  })
  return Object.fromEntries(entries)
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !('$expr' in value) && !('$template' in value)
}

function changedNames(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !isSame(a[name], b[name]))
}

function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

/** JSON with sorted names, because the order of names means nothing. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([x], [y]) => (x < y ? -1 : 1)))
        : each,
    ) ?? 'undefined'
  )
}

function edgeDifference(before: GraphDraft, after: GraphDraft, names: ReadonlyMap<string, string>): Difference[] {
  const textOf = ({ source, port, target }: EdgeDraft) => {
    const from = names.get(source) ?? source
    return `${port === undefined ? from : `${from} (${port})`} → ${names.get(target) ?? target}`
  }
  const keyOf = ({ source, port = '', target }: EdgeDraft) => JSON.stringify([source, port, target])
  const [old, now] = [before, after].map(({ edges }) => new Map(edges.map((edge) => [keyOf(edge), textOf(edge)])))
  const only = (a: ReadonlyMap<string, string> = new Map(), b: ReadonlyMap<string, string> = new Map()) =>
    [...a].flatMap(([key, text]) => (b.has(key) ? [] : [text]))
  const changes = [
    ...only(now, old).map((text) => ({ label: t('Added'), before: undefined, after: text })),
    ...only(old, now).map((text) => ({ label: t('Removed'), before: text, after: undefined })),
  ]
  return changes.length === 0 ? [] : [{ kind: 'changed', title: t('Connections'), node: null, changes }]
}

function settingsDifference(before: GraphDraft, after: GraphDraft): Difference[] {
  const [a, b] = [flat(before.settings ?? {}), flat(after.settings ?? {})]
  const changes = changedNames(a, b).map((path) => ({ label: path, before: a[path], after: b[path] }))
  return changes.length === 0 ? [] : [{ kind: 'changed', title: t('Settings'), node: null, changes }]
}

function marksOf(differences: readonly Difference[]): ReadonlyMap<string, Mark> {
  const looks_of = {
    added: { tone: 'good', text: t('Added') },
    removed: { tone: 'bad', text: t('Removed') },
    changed: { tone: 'warn', text: t('Changed') },
  } as const
  return new Map(differences.flatMap(({ node, kind }) => (node === null ? [] : [[node, looks_of[kind]]])))
}
