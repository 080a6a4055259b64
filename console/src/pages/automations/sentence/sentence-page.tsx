/**
 * A flow as a sentence: *when … and … then …*, cards in a column. It edits the same draft as the canvas. A graph that a sentence cannot
 * say is not touched: the page names the part that is the reason and leads to it on the canvas.
 */
import './sentence.css'
import { Workflow } from 'lucide-react'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { ButtonLink, Empty, Page } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useDraft } from '../editor/draft.ts'
import { useFaults } from '../editor/faults.ts'
import { DraftTools, EditorFrame, type EditorProps, EditorTabs, Locked, Problems } from '../editor/frame.tsx'
import type { ExampleTask } from '../formula/formula-place.tsx'
import { SentenceCards } from './cards.tsx'
import { useVocabulary } from './names.ts'
import { type Obstacle, type Sentence, toGraph, toSentence } from './sentence.ts'
import { sentenceText } from './words.ts'

export function SentencePage() {
  return <EditorFrame editor={SentenceEditor} />
}

function SentenceEditor({ flow, trail }: EditorProps) {
  const draft = useDraft(flow)
  const { graph, isChanged, change } = draft
  const check = useFaults(flow, graph, isChanged)
  const [example, setExample] = useState<string | null>(null)
  const [call, giveCall] = useState<ExampleTask['call']>()
  const words = useVocabulary(flow.workspace)
  const reading = useMemo(() => toSentence(graph), [graph])
  const isLocked = flow.status === 'active'
  const edit = (update: (sentence: Sentence) => Sentence, kind: string | null = null) =>
    change((before) => {
      const read = toSentence(before)
      return 'sentence' in read ? toGraph(update(read.sentence), before) : before
    }, kind)
  return (
    <Page
      title={flow.name}
      trail={trail}
      width="narrow"
      tabs={<EditorTabs flow={flow} here="sentence" />}
      actions={<DraftTools flow={flow} draft={draft} check={check} />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: undo for the fields inside, which have the focus */}
      <div className="stack" onKeyDown={(event) => !isLocked && onKeys(event, draft)}>
        {isLocked && <Locked flow={flow} />}
        <Problems check={check} />
        {'obstacle' in reading ? (
          <NoSentence flow={flow.id} obstacle={reading.obstacle} />
        ) : (
          <>
            <p className="sentence-text">{sentenceText(reading.sentence, words)}</p>
            <SentenceCards
              key={draft.undone}
              graph={graph}
              sentence={reading.sentence}
              words={words}
              faults={check.faults}
              place={{
                flow: flow.id,
                example: { id: example, select: setExample, give: giveCall, ...(call && { call }) },
              }}
              edit={isLocked ? null : edit}
            />
            <Settings settings={graph.settings} />
          </>
        )}
      </div>
    </Page>
  )
}

function NoSentence({ flow, obstacle }: { readonly flow: string; readonly obstacle: Obstacle }) {
  const { node, text } = obstacle
  return (
    <Empty
      icon={Workflow}
      title={t('This flow is not one sentence')}
      actions={
        <ButtonLink icon={Workflow} to={`/automations/${flow}/edit${node === null ? '' : `?step=${node}`}`}>
          {t('Show it on the canvas')}
        </ButtonLink>
      }
    >
      {t('{text} Nothing of it is changed here: edit it on the canvas.', { text })}
    </Empty>
  )
}

/** Settings of the graph that no card shows. */
function Settings({ settings }: { readonly settings: Readonly<Record<string, unknown>> | undefined }) {
  const names = Object.entries(settings ?? {}).map(([key, value]) => {
    return `${key.replaceAll('_', ' ')} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`
  })
  if (names.length === 0) return null
  return (
    <p className="subtle">
      {t('This flow also has settings, which stay as they are: {names}.', { names: names.join(', ') })}
    </p>
  )
}

function onKeys(event: KeyboardEvent, { undo, redo }: ReturnType<typeof useDraft>) {
  // A text has an undo of its own.
  const isTyping =
    event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]') !== null
  const key = event.key.toLowerCase()
  if (isTyping || !(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y')) return
  event.preventDefault()
  event.stopPropagation()
  if (key === 'y' || event.shiftKey) redo()
  else undo()
}
