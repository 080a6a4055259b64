/** The column of cards: what starts the flow, its conditions and its steps, with a place between them for another one. */
import { ArrowDown, ArrowUp, Plus, Trash2, Zap } from 'lucide-react'
import { useRef } from 'react'
import { Badge, Button, capitalized, IconButton, Menu, type MenuEntry, Notice } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { GraphFault } from '../editor/fault-place.ts'
import { freshId, type GraphDraft, isTrigger, type NodeDraft } from '../editor/graph.ts'
import { groupNames, groups, kindOf, kinds } from '../editor/kinds.ts'
import { type FormulaPlace, FormulaPlaceProvider } from '../formula/formula-place.tsx'
import type { ChangeNode } from './card-fields.ts'
import { ConditionFields } from './condition-fields.tsx'
import type { Vocabulary } from './names.ts'
import { type Sentence, silentParts } from './sentence.ts'
import { StepFields, shownPaths } from './step-fields.tsx'
import { TriggerFields, trigger_paths } from './trigger-fields.tsx'
import { variablesFor } from './variables.ts'
import { conditionWords, stepWords, triggerWords } from './words.ts'

export type EditSentence = (update: (sentence: Sentence) => Sentence, kind?: string | null) => void

interface SentenceCardsProps {
  readonly graph: GraphDraft
  readonly sentence: Sentence
  readonly words: Vocabulary
  readonly faults: readonly GraphFault[]
  /** What formulas need to know beside the graph. */
  readonly place: Pick<FormulaPlace, 'flow' | 'example'>
  /** Null while the flow cannot be changed. */
  readonly edit: EditSentence | null
}

export function SentenceCards(props: SentenceCardsProps) {
  const { graph, sentence, edit } = props
  const { when, steps } = sentence
  const list = useRef<HTMLOListElement>(null)
  const show = (id: string) => focusCard(list.current, id)
  const add = (type: string, at: number) => {
    const id = freshId(graph, type)
    // A new condition has no filters yet.
    const config = type === 'condition' ? { expr: 'true' } : kindOf(type).config
    const step: NodeDraft = { id, type, config }
    edit?.((before) => ({ ...before, steps: before.steps.toSpliced(at, 0, step) }))
    return id
  }
  const addStart = () => {
    const id = freshId(graph, 'trigger.event')
    const start: NodeDraft = { id, type: 'trigger.event', config: { event_types: ['workflow.task.created'] } }
    edit?.((before) => ({ ...before, when: [...before.when, start] }))
    return id
  }
  return (
    <ol className="sentence" aria-label={t('Sentence')} ref={list}>
      {when.map((node, i) => (
        <SentenceCard key={node.id} {...props} node={node} word={i === 0 ? t('When@@sentence') : t('Or when')} />
      ))}
      {steps.map((node, i) => (
        <SentenceCard
          key={node.id}
          {...props}
          node={node}
          word={node.type === 'condition' ? t('And only if') : t('Then')}
          before={
            edit && <AddHere at={i} of={steps} onAdd={add} onStart={i === 0 ? addStart : undefined} onShow={show} />
          }
          onMove={(to) => {
            edit?.((all) => ({ ...all, steps: all.steps.toSpliced(i, 1).toSpliced(to, 0, node) }))
            show(node.id)
          }}
          at={i}
        />
      ))}
      {edit !== null && steps.at(-1)?.type !== 'stop' && (
        <li className="sentence-end">
          <AddHere
            at={steps.length}
            of={steps}
            onAdd={add}
            onStart={steps.length === 0 ? addStart : undefined}
            onShow={show}
            isLast
          />
        </li>
      )}
    </ol>
  )
}

/** The card that was added or moved gets the focus, so that the keyboard continues there. */
function focusCard(list: HTMLElement | null, id: string) {
  requestAnimationFrame(() => {
    const card = list?.querySelector<HTMLElement>(`[data-card="${id}"]`)
    card?.focus({ preventScroll: true })
    card?.scrollIntoView({ block: 'nearest' })
  })
}

interface AddHereProps {
  readonly at: number
  readonly of: readonly NodeDraft[]
  /** Adds a card, and returns its id. */
  readonly onAdd: (type: string, at: number) => string
  readonly onStart: (() => string) | undefined
  readonly onShow: (id: string) => void
  readonly isLast?: boolean
}

/** Kinds that make a graph more than a sentence, or have an entry of their own. */
const canvas_only: ReadonlySet<string> = new Set(['switch', 'for_each', 'condition', 'stop'])

function AddHere({ at, of, onAdd, onStart, onShow, isLast }: AddHereProps) {
  const place = useRef<HTMLDivElement>(null)
  const added = useRef<string | null>(null)
  const next = of[at]
  const add = (type: string) => () => {
    added.current = onAdd(type, at)
  }
  const start = () => {
    added.current = onStart?.() ?? null
  }
  const items: readonly MenuEntry[] = [
    { label: t('And only if …'), icon: kindOf('condition').icon, onSelect: add('condition') },
    ...(onStart === undefined ? [] : [{ label: t('Or when something else happens'), icon: Zap, onSelect: start }]),
    ...groups
      .filter((group) => group !== 'triggers')
      .flatMap((group): readonly MenuEntry[] => {
        const offered = Object.entries(kinds).filter(([type, kind]) => kind.group === group && !canvas_only.has(type))
        const entries = offered.map(([type, { title, icon }]) => ({ label: title, icon, onSelect: add(type) }))
        return entries.length === 0 ? [] : [{ heading: groupNames[group] }, ...entries]
      }),
  ]
  const label = next === undefined ? t('Add a step') : t('Add before {title}', { title: kindOf(next.type).title })
  return (
    <div className="sentence-add" ref={place}>
      <Menu
        align="start"
        label={label}
        trigger={
          isLast ? <Button icon={Plus}>{t('Add a step')}</Button> : <IconButton icon={Plus} label={label} size="s" />
        }
        items={items}
        onClose={() => {
          if (added.current === null) place.current?.querySelector('button')?.focus()
          else onShow(added.current)
          added.current = null
        }}
      />
    </div>
  )
}

interface SentenceCardProps extends SentenceCardsProps {
  readonly node: NodeDraft
  readonly word: string
  readonly before?: React.ReactNode
  /** Its place among the steps; undefined for triggers. */
  readonly at?: number
  readonly onMove?: (to: number) => void
}

function SentenceCard(props: SentenceCardProps) {
  const { node, word, words, before, edit, faults } = props
  const own = faults.filter((fault) => fault.node === node.id)
  const title = node.name ?? capitalized(cardTitle(node))
  const rest = silentParts(node)
  // The first field of a start says what it is.
  const isNamed = edit === null || !isTrigger(node) || node.name !== undefined
  return (
    <li className="sentence-item">
      {before}
      <section
        className="sentence-card"
        data-kind={kindName(node)}
        data-tone={own.length > 0 ? 'bad' : undefined}
        data-card={node.id}
        aria-label={`${word}: ${title}`}
        tabIndex={-1}
      >
        <header className="sentence-head">
          <span className="sentence-word">{word}</span>
          <h2 className={isNamed ? 'sentence-title grow' : 'unseen'}>
            {edit === null ? readOnlyText(node, words) : title}
          </h2>
          {!isNamed && <span className="grow" />}
          {own.length > 0 && (
            <Badge tone="bad">{t('{count, plural, one {Problem} other {# problems}}', { count: own.length })}</Badge>
          )}
          {edit !== null && <CardActions {...props} title={title} />}
        </header>
        {node.ui?.note !== undefined && <p className="sentence-note">{node.ui.note}</p>}
        {edit !== null && (
          <FormulaPlaceProvider {...props.place} workspace={words.workspace} graph={props.graph} node={node.id}>
            <CardFields {...props} own={own} />
          </FormulaPlaceProvider>
        )}
        {rest.length > 0 && (
          <p className="subtle">{t('Also set, and kept as it is: {rest}.', { rest: rest.join(', ') })}</p>
        )}
      </section>
    </li>
  )
}

function kindName(node: NodeDraft): string {
  return isTrigger(node) ? 'when' : node.type === 'condition' ? 'if' : 'then'
}

/** The fields say the rest. */
function cardTitle(node: NodeDraft): string {
  if (node.type === 'condition') return t('all of this is true')
  return isTrigger(node) ? t('this happens') : kindOf(node.type).title
}

function readOnlyText(node: NodeDraft, words: Vocabulary): string {
  if (node.type === 'condition') return conditionWords(node.config.expr, words)
  return isTrigger(node) ? triggerWords(node, words).replace(/^(?:when|wenn) /, '') : stepWords(node, words)
}

function CardFields({ node, sentence, words, edit, own }: SentenceCardProps & { readonly own: readonly GraphFault[] }) {
  const change: ChangeNode = (update, field) => {
    const apply = (before: NodeDraft) => (before.id === node.id ? update(before) : before)
    // Typing in one field is one step of undo.
    edit?.(({ when, steps }) => ({ when: when.map(apply), steps: steps.map(apply) }), `${node.id} ${field}`)
  }
  const fields = { node, words, faults: own, onChange: change, variables: variablesFor(sentence, node.id) }
  const known = isTrigger(node) ? trigger_paths : node.type === 'condition' ? ['expr'] : shownPaths(node, words)
  return (
    <div className="stack">
      {own
        .filter(({ setting }) => !known.includes(setting))
        .map(({ setting, message }) => (
          <Notice key={`${setting} ${message}`} tone="bad" title={setting || t('This card')}>
            {message}
          </Notice>
        ))}
      {isTrigger(node) ? (
        <TriggerFields {...fields} />
      ) : node.type === 'condition' ? (
        <ConditionFields {...fields} path="expr" label={t('Filters')} root="task" />
      ) : (
        <StepFields {...fields} />
      )}
    </div>
  )
}

function CardActions({ node, at, sentence, edit, onMove, title }: SentenceCardProps & { readonly title: string }) {
  const last = sentence.steps.length - 1
  const remove = () =>
    edit?.(({ when, steps }) => ({
      when: when.filter(({ id }) => id !== node.id),
      steps: steps.filter(({ id }) => id !== node.id),
    }))
  const isOnlyStart = at === undefined && sentence.when.length === 1
  return (
    <span className="sentence-actions">
      {at !== undefined && onMove !== undefined && last > 0 && (
        <>
          <IconButton
            icon={ArrowUp}
            label={t('Move {title} up', { title })}
            size="s"
            disabled={at === 0}
            onClick={() => onMove(at - 1)}
          />
          <IconButton
            icon={ArrowDown}
            label={t('Move {title} down', { title })}
            size="s"
            disabled={at === last}
            onClick={() => onMove(at + 1)}
          />
        </>
      )}
      {!isOnlyStart && <IconButton icon={Trash2} label={t('Remove {title}', { title })} size="s" onClick={remove} />}
    </span>
  )
}
