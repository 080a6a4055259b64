import './settings.css'
import { useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { fieldErrors, useApp, useAppWrite, useHasRole, useMode, useSession } from '../../data/index.ts'
import {
  Badge,
  ButtonLink,
  Card,
  CopyId,
  CopyText,
  Fact,
  Facts,
  Field,
  Gauge,
  Input,
  inWords,
  Page,
  Section,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { sizeText } from '../../lib/size-text.ts'
import { FormSection } from './form-section.tsx'
import { PeopleGrants } from './people-grants.tsx'
import { Provisioning } from './provisioning.tsx'
import { SecondFactorRule } from './second-factor-rule.tsx'

export function OrganizationPage() {
  const { organization, public_url, versions } = useSession()
  const isOwner = useHasRole('owner')
  return (
    <Page title={t('Organization')} width="narrow">
      <NameForm />
      <SecondFactorRule />
      <Storage />
      <Section title={t('Import')} description={t('Bring tasks from Trello, Jira, Linear, or any list in a CSV file.')}>
        <ButtonLink to="/work/import">{t('Import tasks')}</ButtonLink>
      </Section>
      <Section title={t('About')}>
        <Card>
          <Facts>
            <Fact name={t('Plan')}>
              <Badge>{inWords(organization.plan ?? 'none')}</Badge>
            </Fact>
            <Fact name={t('URL')}>
              <CopyText text={public_url} />
            </Fact>
            <Fact name={t('API versions')}>{versions.all.join(', ')}</Fact>
            <Fact name={t('ID')}>
              <CopyId id={organization.id} />
            </Fact>
          </Facts>
        </Card>
      </Section>
      {isOwner && <PeopleGrants />}
      {isOwner && <Provisioning />}
    </Page>
  )
}

function Storage() {
  const mode = useMode()
  const { data, error, refetch } = useApp('GET storage', { query: { mode } })
  return (
    <Section title={t('Storage')}>
      <Card>
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} plain />
        ) : (
          <Gauge
            label={mode === 'live' ? t('Files') : t('Files of the test data')}
            used={data?.bytes}
            limit={data?.bytes_max ?? null}
            unit={sizeText}
            hint={t('A file counts as long as it is not deleted. The operator of the server sets the limit.')}
          />
        )}
      </Card>
    </Section>
  )
}

function NameForm() {
  const { organization } = useSession()
  const isOwner = useHasRole('owner')
  const [name, setName] = useState(organization.name)
  const write = useAppWrite('PATCH organization', { done: () => t('Name saved'), toastErrors: false })
  const next = name.trim()
  return (
    <FormSection
      title={t('Name')}
      description={isOwner ? undefined : t('Only owners can change it.')}
      isReady={next !== '' && next !== organization.name}
      isReadOnly={!isOwner}
      write={write}
      fields={['name']}
      onSubmit={() => void write.run({ body: { name: next } })}
    >
      <Field label={t('Organization name')} error={fieldErrors(write.error).name}>
        <Input
          value={name}
          maxLength={500}
          readOnly={!isOwner}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      </Field>
    </FormSection>
  )
}
