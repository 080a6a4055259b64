/** The access that people of the organization have given to applications, a page at a time. Only owners see and end it. */
import { useState } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { PageTurn } from '../../app/page-turn.tsx'
import { ScopeWords } from '../../app/scope-words.tsx'
import { useApp, useAppWrite, useDirectory } from '../../data/index.ts'
import type { GrantOfPerson } from '../../data/shapes.ts'
import { Section } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { GrantList, GrantRow } from './grant-list.tsx'

export function PeopleGrants() {
  const [cursor, setCursor] = useState<string | null>(null)
  const list = useApp('GET organization/oauth-grants', cursor === null ? { query: {} } : { query: { cursor } })
  return (
    <Section
      title={t('Applications of people')}
      description={t(
        'Programs that people have allowed to work in this organization with their account, and what they can do. Only owners see this list.',
      )}
    >
      <GrantList
        label={t('Applications of people')}
        list={list}
        empty={t('None. What a person allows to an application is listed here.')}
        item={(grant) => <GrantItem key={grant.id} grant={grant} />}
      />
      <PageTurn cursor={cursor} next={list.data?.next_cursor ?? null} onTurn={setCursor} />
    </Section>
  )
}

function GrantItem({ grant }: { readonly grant: GrantOfPerson }) {
  const { id, application, scopes, user } = grant
  const { nameOf } = useDirectory()
  const { name } = application
  const person = nameOf(user)
  const end = useAppWrite('DELETE organization/oauth-grants/{id}', {
    invalidates: ['GET organization/oauth-grants', 'GET oauth/grants'],
    toastErrors: false,
    done: () => t('The access of {name} for {person} has ended', { name, person }),
  })
  return (
    <GrantRow
      grant={grant}
      title={`${name} · ${person}`}
      details={
        <details>
          <summary>{t('What it can do')}</summary>
          <ScopeWords scopes={scopes} label={t('What {name} can do for {person}', { name, person })} />
        </details>
      }
    >
      <ConfirmButton
        action={t('End access')}
        title={t('End the access of {name} for {person}?', { name, person })}
        write={end}
        run={() => end.run({ params: { id } })}
        onDone={() => {}}
      >
        {t('Its tokens stop working immediately. To use it again, {person} has to allow it again.', { person })}
      </ConfirmButton>
    </GrantRow>
  )
}
