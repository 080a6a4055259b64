/** One flow: its steps and runs, with the actions Preview, Activate, Run and Pause. */
import './automations.css'
import type { AutomationFlow } from '@atrium/sdk'
import { FlaskConical, Pause, Pencil, Play } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams, useSearch } from 'wouter'
import { FavoriteButton } from '../../app/favorites.tsx'
import { ObjectPage } from '../../app/object-page.tsx'
import { useDirectory, useObject } from '../../data/index.ts'
import {
  Button,
  ButtonLink,
  capitalized,
  dateTime,
  Fact,
  Facts,
  Notice,
  RelativeTime,
  Section,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { ActsFor, AuthorityNotice } from './authority.tsx'
import { FlowPicture } from './editor/flow-picture.tsx'
import { draftOf } from './editor/graph.ts'
import { FlowStatus, permissionsText, triggerText } from './flow-text.tsx'
import { FormSection, hasForm } from './form-section.tsx'
import { HookSection, hasHook } from './hook-section.tsx'
import { hasMailbox, MailboxSection } from './mailbox-section.tsx'
import { PauseDialog } from './pause-dialog.tsx'
import { PreviewDialog } from './preview-dialog.tsx'
import { RunDialog } from './run-dialog.tsx'
import { Runs } from './runs.tsx'
import { toSentence } from './sentence/sentence.ts'
import { VersionsSection } from './versions/versions-section.tsx'

export function FlowPage() {
  const { id = '' } = useParams()
  const flow = useObject('automation_flow', id, (atrium) => atrium.automationFlows.retrieve(id))
  const { data } = flow
  return (
    <ObjectPage
      query={flow}
      title={data?.name ?? t('Flow')}
      beside={data && <FavoriteButton id={id} />}
      trail={<Link href="/automations">{t('Automations')}</Link>}
      description={data === undefined ? ' ' : t('Runs {trigger}.', { trigger: triggerText(data) })}
      actions={(loaded) => <Actions flow={loaded} />}
      alwaysHasActions
    >
      {(loaded) => <Content flow={loaded} />}
    </ObjectPage>
  )
}

function Content({ flow }: { readonly flow: AutomationFlow }) {
  return (
    <>
      {flow.status === 'paused' && (
        <Notice tone="warn" title={flow.pause_origin === 'system' ? t('Paused by Atrium') : t('Paused')}>
          {flow.pause_reason ?? t('No reason given.')}
        </Notice>
      )}
      {flow.authority !== null && <AuthorityNotice flow={flow} authority={flow.authority} />}
      <FlowFacts flow={flow} />
      {hasForm(flow) && <FormSection flow={flow} />}
      {hasMailbox(flow) && <MailboxSection flow={flow} />}
      {hasHook(flow) && <HookSection flow={flow} />}
      <Section title={t('Steps')}>
        <FlowPicture flow={flow} notes={flow.notes} />
      </Section>
      {flow.version > 0 && <VersionsSection flow={flow} />}
      <Section title={t('Runs')}>
        <Runs workspace={flow.workspace} flow={flow.id} />
      </Section>
    </>
  )
}

function FlowFacts({ flow }: { readonly flow: AutomationFlow }) {
  const { nameOf } = useDirectory()
  const permissions = permissionsText(flow.required_scopes)
  return (
    <Facts>
      <Fact name={t('Status')}>
        <FlowStatus flow={flow} />
      </Fact>
      <Fact name={t('Version')}>{flow.version === 0 ? t('Not activated yet') : flow.version}</Fact>
      {flow.activated_at !== null && (
        <Fact name={t('Activated')}>
          {dateTime(flow.activated_at)}
          {flow.activated_by !== null && t(' by {name}', { name: nameOf(flow.activated_by.id) })}
        </Fact>
      )}
      {flow.authority !== null && (
        <Fact name={t('Acts for')}>
          <ActsFor flow={flow} authority={flow.authority} />
        </Fact>
      )}
      <Fact name={t('Last run')}>
        <RelativeTime at={flow.last_run_at} none={t('Never')} />
      </Fact>
      <Fact name={t('Permissions')}>{capitalized(permissions) || t('None')}</Fact>
    </Facts>
  )
}

/** What a sentence can say opens as one; both editors have a tab for the other. */
function editorOf({ graph }: AutomationFlow): 'sentence' | 'edit' {
  return 'sentence' in toSentence(draftOf(graph)) ? 'sentence' : 'edit'
}

function Actions({ flow }: { readonly flow: AutomationFlow }) {
  const isFirstPreviewed = new URLSearchParams(useSearch()).has('preview')
  const [dialog, setDialog] = useState<'preview' | 'run' | 'pause' | null>(isFirstPreviewed ? 'preview' : null)
  const isActive = flow.status === 'active'
  const isManual = flow.graph.nodes.some(({ type }) => type === 'trigger.manual')
  const close = () => setDialog(null)
  return (
    <>
      {isActive && isManual && (
        <Button icon={Play} onClick={() => setDialog('run')}>
          {t('Run now')}
        </Button>
      )}
      {isActive && (
        <Button icon={Pause} onClick={() => setDialog('pause')}>
          {t('Pause')}
        </Button>
      )}
      <ButtonLink icon={Pencil} to={`/automations/${flow.id}/${editorOf(flow)}`}>
        {t('Edit')}
      </ButtonLink>
      <Button kind="primary" icon={FlaskConical} onClick={() => setDialog('preview')}>
        {isActive ? t('Preview') : t('Preview and activate')}
      </Button>
      {dialog === 'preview' && <PreviewDialog flow={flow} onClose={close} />}
      {dialog === 'run' && <RunDialog flow={flow} onClose={close} />}
      {dialog === 'pause' && <PauseDialog flow={flow} onClose={close} />}
    </>
  )
}
