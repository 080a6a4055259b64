import './settings.css'
import { useState } from 'react'
import { fieldErrors, useAppWrite, useHasRole, useSession } from '../../data/index.ts'
import { Badge, Card, CopyId, CopyText, Fact, Facts, Field, Input, inWords, Page, Section } from '../../design/index.ts'
import { FormSection } from './form-section.tsx'

export function OrganizationPage() {
  const { organization, public_url, versions } = useSession()
  return (
    <Page title="Organization" width="narrow">
      <NameForm />
      <Section title="About">
        <Card>
          <Facts>
            <Fact name="Plan">
              <Badge>{inWords(organization.plan ?? 'none')}</Badge>
            </Fact>
            <Fact name="URL">
              <CopyText text={public_url} />
            </Fact>
            <Fact name="API versions">{versions.all.join(', ')}</Fact>
            <Fact name="ID">
              <CopyId id={organization.id} />
            </Fact>
          </Facts>
        </Card>
      </Section>
    </Page>
  )
}

function NameForm() {
  const { organization } = useSession()
  const isOwner = useHasRole('owner')
  const [name, setName] = useState(organization.name)
  const write = useAppWrite('PATCH organization', { done: () => 'Name saved', toastErrors: false })
  const next = name.trim()
  return (
    <FormSection
      title="Name"
      description={isOwner ? undefined : 'Only owners can change it.'}
      isReady={next !== '' && next !== organization.name}
      isReadOnly={!isOwner}
      write={write}
      fields={['name']}
      onSubmit={() => void write.run({ body: { name: next } })}
    >
      <Field label="Organization name" error={fieldErrors(write.error).name}>
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
