/** The signed-in person: their name here, their account, and their organizations. */
import '../../design/item-list.css'
import './settings.css'
import { useSession } from '../../data/index.ts'
import { Avatar, Badge, ButtonLink, Card, CopyId, Fact, Facts, Page, Section } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { OwnNameForm } from './own-name-form.tsx'
import { roleNames } from './roles.ts'

export function ProfilePage() {
  return (
    <Page title={t('Profile')} width="narrow" description={t('How others in this organization see you.')}>
      <Identity />
      <OwnNameForm />
      <Account />
      <Organizations />
      <Section title={t('Sign-in')} description={t('Your password, passkeys and sessions.')}>
        <div>
          <ButtonLink to="/settings/security">{t('Security settings')}</ButtonLink>
        </div>
      </Section>
    </Page>
  )
}

function Identity() {
  const { account, user, role } = useSession()
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return (
    <Card>
      <div className="row">
        <Avatar name={name || account.email} id={user.id} size="l" />
        <div className="grow">
          <p className="item-title">
            <span className="cut">{name || account.email}</span>
            <Badge>{roleNames[role]}</Badge>
          </p>
          {name !== '' && <p className="item-hint cut">{account.email}</p>}
        </div>
      </div>
    </Card>
  )
}

function Account() {
  const { account, user, versions } = useSession()
  return (
    <Section title={t('Account')} description={t('Only the operator of the server can change your email address.')}>
      <Card>
        <Facts>
          <Fact name={t('Email')}>{account.email}</Fact>
          <Fact name={t('API version')}>{versions.current}</Fact>
          <Fact name={t('User ID')}>
            <CopyId id={user.id} label={t('Copy user ID')} />
          </Fact>
          <Fact name={t('Account ID')}>
            <CopyId id={account.id} label={t('Copy account ID')} />
          </Fact>
        </Facts>
      </Card>
    </Section>
  )
}

function Organizations() {
  const { organization, organizations } = useSession()
  return (
    <Section title={t('Organizations')} description={t('Switch between them at the top of the navigation.')}>
      <Card flush>
        <ul className="item-list">
          {organizations.map(({ id, name, role }) => (
            <li className="item" key={id}>
              <div className="grow">
                <p className="item-title">
                  <span className="cut">{name}</span>
                  {id === organization.id && <Badge tone="accent">{t('Current')}</Badge>}
                </p>
              </div>
              <Badge>{roleNames[role]}</Badge>
              <CopyId id={id} />
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  )
}
