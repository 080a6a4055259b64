/** The gallery: recipes by what they are for. One is installed as a draft, previewed on a real task, then activated. */
import './gallery.css'
import type { AutomationFlow } from '@atrium/sdk'
import { PenLine, Workflow } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { FormDialog } from '../../../app/form-dialog.tsx'
import { useWrite } from '../../../data/index.ts'
import { Button, Field, Input, Page, Section, Select } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useWorkspaceChoices } from '../editor/choices.ts'
import { graphOf } from '../editor/graph.ts'
import { QuestionField } from './question-field.tsx'
import { type Answers, chain, initialAnswers, isAnswered, node, type Recipe } from './recipe.ts'
import { recipes } from './recipes.ts'

const RecipePicture = lazy(async () => ({ default: (await import('./recipe-picture.tsx')).RecipePicture }))

const first = () =>
  chain(
    // Named by what it is: the event is the first setting that people change.
    node('event', 'trigger.event', { event_types: ['workflow.task.completed'] }),
    node('comment', 'task.comment', { body: { $template: '{{ task.key }} is done.' } }),
  )

const sentence: Recipe = {
  id: 'sentence',
  title: t('Write a sentence'),
  text: t('When … and … then …: a draft with one of each, to be changed card by card.'),
  icon: PenLine,
  group: t('Triage'),
  questions: [],
  graph: first,
}

const canvas: Recipe = {
  ...sentence,
  id: 'canvas',
  title: t('Start on the canvas'),
  text: t('A draft with one trigger and one step, to be changed on the canvas: with branches and loops.'),
  icon: Workflow,
}

/** The editor that opens a draft without a recipe, by its id. */
const editors: Readonly<Record<string, string>> = { sentence: 'sentence', canvas: 'edit' }

export function GalleryPage() {
  const [chosen, setChosen] = useState<Recipe | null>(null)
  const byGroup = Map.groupBy(recipes, ({ group }) => group)
  return (
    <Page
      title={t('New automation')}
      description={t(
        'Write what should happen as a sentence, or select a recipe and answer its questions. Preview it on a task before it is activated.',
      )}
      trail={<Link href="/automations">{t('Automations')}</Link>}
      actions={
        <>
          <Button icon={Workflow} onClick={() => setChosen(canvas)}>
            {t('Start on the canvas')}
          </Button>
          <Button kind="primary" icon={PenLine} onClick={() => setChosen(sentence)}>
            {t('Write a sentence')}
          </Button>
        </>
      }
    >
      {[...byGroup].map(([group, members]) => (
        <Section key={group} title={group}>
          <ul className="recipes">
            {members.map((recipe) => (
              <li key={recipe.id}>
                <RecipeCard recipe={recipe} onChoose={() => setChosen(recipe)} />
              </li>
            ))}
          </ul>
        </Section>
      ))}
      {chosen !== null && <InstallDialog key={chosen.id} recipe={chosen} onClose={() => setChosen(null)} />}
    </Page>
  )
}

function RecipeCard({ recipe, onChoose }: { readonly recipe: Recipe; readonly onChoose: () => void }) {
  const { icon: Icon, title, text } = recipe
  return (
    <button type="button" className="recipe" onClick={onChoose}>
      <Picture recipe={recipe} />
      <Icon aria-hidden="true" className="recipe-icon" />
      <span className="recipe-title">{title}</span>
      <span className="recipe-text">{text}</span>
    </button>
  )
}

interface PictureProps {
  readonly recipe: Recipe
  readonly answers?: Answers
  readonly isNamed?: boolean
}

/** The space of a picture stands before it is there, so that nothing moves. */
function Picture({ recipe, answers, isNamed = false }: PictureProps) {
  const graph = useMemo(() => recipe.graph(answers ?? initialAnswers(recipe)), [recipe, answers])
  return (
    <span className="recipe-frame">
      <Suspense fallback={null}>
        <RecipePicture graph={graph} isNamed={isNamed} />
      </Suspense>
    </span>
  )
}

/** Asks what the recipe needs, creates the draft, and opens it: with the preview, or on the canvas. */
function InstallDialog({ recipe, onClose }: { readonly recipe: Recipe; readonly onClose: () => void }) {
  const [, navigate] = useLocation()
  const editor = editors[recipe.id]
  const workspaces = useWorkspaceChoices()
  const [selected, setSelected] = useState<string | null>(null)
  const workspace = selected ?? workspaces[0]?.value ?? ''
  const [name, setName] = useState(editor === undefined ? recipe.title : t('New flow'))
  const [answers, setAnswers] = useState<Answers>(() => initialAnswers(recipe))
  const write = useWrite({
    write: (atrium, graph: AutomationFlow['graph']) =>
      atrium.automationFlows.create({
        workspace,
        name: name.trim(),
        graph,
        ...(answers.project && { project: answers.project }),
      }),
    waits: false,
    toastErrors: false,
  })
  const install = async () => {
    const flow = await write.run(graphOf(recipe.graph(answers)))
    if (flow !== undefined) navigate(`/automations/${flow.id}${editor === undefined ? '?preview=1' : `/${editor}`}`)
  }
  return (
    <FormDialog
      title={recipe.title}
      description={recipe.text}
      action={editor === undefined ? t('Install and preview') : t('Create')}
      isReady={workspace !== '' && name.trim() !== '' && isAnswered(recipe, answers)}
      write={write}
      onSubmit={install}
      onClose={onClose}
    >
      <Picture recipe={recipe} answers={answers} isNamed />
      {workspaces.length > 1 && (
        <Field label={t('Workspace')}>
          <Select choices={workspaces} value={workspace} onChange={setSelected} />
        </Field>
      )}
      <Field label={t('Name')} required>
        <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      {recipe.questions.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          workspace={workspace}
          value={answers[question.id] ?? ''}
          onChange={(answer) => setAnswers((before) => ({ ...before, [question.id]: answer }))}
        />
      ))}
    </FormDialog>
  )
}
