/** The column of cards: what starts the flow, its conditions and its steps, with a place between them for another one. */
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { Badge, capitalized, IconButton, Notice } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { GraphFault } from '../editor/fault-place.ts'
import { freshId, type GraphDraft, isTrigger, type NodeDraft } from '../editor/graph.ts'
import { kindOf } from '../editor/kinds.ts'
import { type FormulaPlace, FormulaPlaceProvider } from '../formula/formula-place.tsx'
import { AddHere, AddOtherwise } from './add-here.tsx'
import type { ChangeNode } from './card-fields.ts'
import { ConditionFields } from './condition-fields.tsx'
import type { Vocabulary } from './names.ts'
import { type Sentence, silentParts, withCards, withoutCard } from './sentence.ts'
import { StepFields, shownPaths } from './step-fields.tsx'
import { TriggerFields, trigger_paths } from './trigger-fields.tsx'
import { variablesFor } from './variables.ts'
import { conditionWords, stepWords, triggerWords } from './words.ts'

type EditSentence = (update: (sentence: Sentence) => Sentence, kind?: string | null) => void

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
  const { when, steps, otherwise } = sentence
  const list = useRef<HTMLOListElement>(null)
  const show = (id: string) => focusCard(list.current, id)
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
      <Row {...props} row={steps} onStart={addStart} onShow={show} />
      {otherwise !== null && <Row {...props} row={otherwise.steps} isOtherwise onShow={show} />}
    </ol>
  )
}

interface RowProps extends SentenceCardsProps {
  readonly row: readonly NodeDraft[]
  /** Whether these are the steps of a condition that is not true. */
  readonly isOtherwise?: boolean
  /** Adds a start, and returns its id. */
  readonly onStart?: () => string
  readonly onShow: (id: string) => void
}

/** Steps that follow one another, with a place before each and at the end for another one. */
function Row(props: RowProps) {
  const { graph, sentence, edit, row, isOtherwise = false, onStart, onShow } = props
  const { otherwise } = sentence
  const editRow = (update: (row: readonly NodeDraft[]) => readonly NodeDraft[]) =>
    edit?.((all) => {
      if (!isOtherwise) return { ...all, steps: update(all.steps) }
      return { ...all, otherwise: all.otherwise && { ...all.otherwise, steps: update(all.otherwise.steps) } }
    })
  const add = (type: string, at: number) => {
    const step = newStep(graph, type)
    editRow((before) => before.toSpliced(at, 0, step))
    return step.id
  }
  const addOtherwise = (of: string) => (type: string) => {
    const step = newStep(graph, type)
    edit?.((before) => ({ ...before, otherwise: { of, steps: [step] } }))
    return step.id
  }
  const fork = isOtherwise ? -1 : row.findIndex(({ id }) => id === otherwise?.of)
  const inBranch = (i: number) => isOtherwise || (fork >= 0 && i > fork)
  const place = { of: row, onAdd: add, onShow, isOtherwise }
  return (
    <>
      {row.map((node, i) => (
        <SentenceCard
          key={node.id}
          {...props}
          node={node}
          word={wordOf(node, isOtherwise && i === 0, i === fork)}
          isInBranch={inBranch(i)}
          before={edit && <AddHere {...place} at={i} onStart={i === 0 ? onStart : undefined} />}
          onMove={(to) => {
            editRow((all) => all.toSpliced(i, 1).toSpliced(to, 0, node))
            onShow(node.id)
          }}
          at={i}
          row={row}
          extra={
            node.type === 'condition' &&
            !isOtherwise &&
            otherwise === null && <AddOtherwise onAdd={addOtherwise(node.id)} onShow={onShow} />
          }
        />
      ))}
      {edit !== null && row.at(-1)?.type !== 'stop' && (
        <li className="sentence-end" data-branch={inBranch(row.length) || undefined}>
          <AddHere {...place} at={row.length} onStart={row.length === 0 ? onStart : undefined} isLast />
        </li>
      )}
    </>
  )
}

function newStep(graph: GraphDraft, type: string): NodeDraft {
  // A new condition has no filters yet.
  const config = type === 'condition' ? { expr: 'true' } : kindOf(type).config
  return { id: freshId(graph, type), type, config }
}

function wordOf({ type }: NodeDraft, isOtherwise: boolean, isFork: boolean): string {
  if (isOtherwise) return type === 'condition' ? t('Otherwise, only if') : t('Otherwise')
  if (isFork) return t('And if')
  return type === 'condition' ? t('And only if') : t('Then')
}

/** The card that was added or moved gets the focus, so that the keyboard continues there. */
function focusCard(list: HTMLElement | null, id: string) {
  requestAnimationFrame(() => {
    const card = list?.querySelector<HTMLElement>(`[data-card="${id}"]`)
    card?.focus({ preventScroll: true })
    card?.scrollIntoView({ block: 'nearest' })
  })
}

interface SentenceCardProps extends SentenceCardsProps {
  readonly node: NodeDraft
  readonly word: string
  readonly before?: React.ReactNode
  /** Its place in its row; undefined for triggers. */
  readonly at?: number
  readonly row?: readonly NodeDraft[]
  /** Whether it is a step of one of two branches. */
  readonly isInBranch?: boolean
  /** Beside the buttons of the card. */
  readonly extra?: React.ReactNode
  readonly onMove?: (to: number) => void
}

function SentenceCard(props: SentenceCardProps) {
  const { node, word, words, before, edit, faults, isInBranch = false } = props
  const own = faults.filter((fault) => fault.node === node.id)
  const title = node.name ?? capitalized(cardTitle(node))
  const rest = silentParts(node)
  // The first field of a start says what it is.
  const isNamed = edit === null || !isTrigger(node) || node.name !== undefined
  return (
    <li className="sentence-item" data-branch={isInBranch || undefined}>
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
    edit?.((all) => withCards(all, apply), `${node.id} ${field}`)
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

function CardActions(props: SentenceCardProps & { readonly title: string }) {
  const { node, at, row = [], sentence, edit, onMove, title, extra } = props
  const last = row.length - 1
  const remove = () => edit?.((all) => withoutCard(all, node.id))
  const isOnlyStart = at === undefined && sentence.when.length === 1
  return (
    <span className="sentence-actions">
      {extra}
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
