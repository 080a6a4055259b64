import './settings.css'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useAppWrite, useMay, useSession } from '../../data/index.ts'
import { Badge, Button, Card, CopyText, Fact, Facts, Field, Input, Page, Section, sending } from '../../design/index.ts'

export function OrganizationPage() {
  const { organization, public_url, versions } = useSession()
  return (
    <Page title="Organization" width="narrow">
      <NameForm />
      <Section title="About">
        <Card>
          <Facts>
            <Fact name="Id">
              <CopyText text={organization.id} />
            </Fact>
            <Fact name="Plan">
              <Badge>{organization.plan ?? 'none'}</Badge>
            </Fact>
            <Fact name="Address">
              <CopyText text={public_url} />
            </Fact>
            <Fact name="API versions">{versions.all.join(', ')}</Fact>
          </Facts>
        </Card>
      </Section>
    </Page>
  )
}

function NameForm() {
  const { organization } = useSession()
  const may = useMay('owner')
  const [name, setName] = useState(organization.name)
  const write = useAppWrite('PATCH organization', { done: () => 'Name saved', toastErrors: false })
  const isSame = name.trim() === organization.name || name.trim() === ''
  return (
    <Section title="Name" description={may ? undefined : 'Owners can change it.'}>
      <form onSubmit={sending(() => !isSame && void write.run({ body: { name: name.trim() } }))}>
        <Card
          foot={
            may && (
              <Button type="submit" busy={write.busy} disabled={isSame}>
                Save
              </Button>
            )
          }
        >
          <div className="stack form-narrow">
            <Field label="Name of the organization" error={faultsOf(write.error).name}>
              <Input
                value={name}
                maxLength={500}
                readOnly={!may}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
            </Field>
            <FormError error={write.error} at={['name']} />
          </div>
        </Card>
      </form>
    </Section>
  )
}
