/** Who one is here, and by which name. */
import './settings.css'
import { useSession } from '../../data/index.ts'
import { Avatar, Badge, ButtonLink, Card, CopyText, Fact, Facts, Page, Section } from '../../design/index.ts'
import { OwnNameForm } from './own-name-form.tsx'
import { roleNames } from './roles.ts'

export function ProfilePage() {
  const { account, user, organization, organizations, role, versions } = useSession()
  const own = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return (
    <Page title="Profile" width="narrow" description="How you appear to others in this organization.">
      <Card>
        <div className="row">
          <Avatar name={own || account.email} id={user.id} size="l" />
          <div className="grow">
            <p className="item-title">
              <span className="cut">{own || account.email}</span>
              <Badge>{roleNames[role]}</Badge>
            </p>
            {own !== '' && <p className="item-hint cut">{account.email}</p>}
          </div>
        </div>
      </Card>
      <OwnNameForm />
      <Section title="Account" description="The address is kept by whoever runs the server: atrium member set.">
        <Card>
          <Facts>
            <Fact name="Address for sign-in">{account.email}</Fact>
            <Fact name="User">
              <CopyText text={user.id} />
            </Fact>
            <Fact name="Account">
              <CopyText text={account.id} />
            </Fact>
            <Fact name="API version">{versions.current}</Fact>
          </Facts>
        </Card>
      </Section>
      <Section title="Organizations" description="Switch between them at the top of the navigation.">
        <Card flush>
          <ul className="item-list">
            {organizations.map((each) => (
              <li className="item" key={each.id}>
                <div className="grow">
                  <p className="item-title">
                    <span className="cut">{each.name}</span>
                    {each.id === organization.id && <Badge tone="accent">Open</Badge>}
                  </p>
                  <CopyText text={each.id} className="item-hint" />
                </div>
                <Badge>{roleNames[each.role]}</Badge>
              </li>
            ))}
          </ul>
        </Card>
      </Section>
      <Section title="Password, passkeys and sessions" description="How you sign in, and where you are signed in.">
        <div>
          <ButtonLink to="/settings/security">Security</ButtonLink>
        </div>
      </Section>
    </Page>
  )
}
