/** The applications to which the person has given access. */
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ScopeWords } from '../../app/scope-words.tsx'
import { useApp, useAppWrite } from '../../data/index.ts'
import type { OauthGrant } from '../../data/shapes.ts'
import { Section } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { GrantList, GrantRow } from './grant-list.tsx'

export function Grants() {
  const list = useApp('GET oauth/grants', {})
  return (
    <Section
      title={t('Applications with access')}
      description={t(
        'Programs that you have allowed to work in this organization. They sign in without your password.',
      )}
    >
      <GrantList
        label={t('Applications with access')}
        list={list}
        empty={t('None. An application that asks for access is listed here after you allow it.')}
        item={(grant) => <GrantItem key={grant.id} grant={grant} />}
      />
    </Section>
  )
}

function GrantItem({ grant }: { readonly grant: OauthGrant }) {
  const { id, application, scopes } = grant
  const { name } = application
  const end = useAppWrite('DELETE oauth/grants/{id}', {
    invalidates: ['GET oauth/grants'],
    toastErrors: false,
    done: () => t('The access of {name} has ended', { name }),
  })
  return (
    <GrantRow grant={grant} title={name}>
      <ConfirmButton
        action={t('End access')}
        title={t('End the access of {name}?', { name })}
        write={end}
        run={() => end.run({ params: { id } })}
        onDone={() => {}}
      >
        <p>
          {t('Its tokens stop working immediately. To use it again, you have to allow it again. Until now it can:')}
        </p>
        <ScopeWords scopes={scopes} label={t('What it can do')} />
      </ConfirmButton>
    </GrantRow>
  )
}
