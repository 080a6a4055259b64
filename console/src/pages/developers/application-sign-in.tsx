/** How people sign in to an application with their account: its kind, redirect URIs and secret. */
import { useState } from 'react'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { SecretDialog } from '../../app/secret-dialog.tsx'
import { fieldErrors, useAppWrite, useMode } from '../../data/index.ts'
import type { Application, ApplicationKind, ApplicationSignIn } from '../../data/shapes.ts'
import { Button, Checkbox, Fact, Facts, Field, Radios, Section, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'

/** Whether people sign in, and how; `uris` has a line for each address. */
export interface SignInDraft {
  readonly isOn: boolean
  readonly kind: ApplicationKind
  readonly uris: string
}

export const no_sign_in: SignInDraft = { isOn: false, kind: 'public', uris: '' }

export function urisOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

interface SignInFieldsProps {
  readonly draft: SignInDraft
  readonly error: string | undefined
  readonly onChange: (draft: SignInDraft) => void
}

export function SignInFields({ draft, error, onChange }: SignInFieldsProps) {
  return (
    <>
      <Checkbox
        label={t('People sign in to it with their account')}
        hint={t('They see what it asks for and decide. It gets its tokens by OAuth.')}
        checked={draft.isOn}
        onChange={(isOn) => onChange({ ...draft, isOn })}
      />
      {draft.isOn && (
        <>
          <Radios
            label={t('Where it runs')}
            value={draft.kind}
            options={[
              {
                value: 'public',
                label: t('On people’s devices'),
                hint: t('In a browser, on a computer or a phone: it keeps no secret.'),
              },
              { value: 'confidential', label: t('On a server'), hint: t('It proves itself with a secret.') },
            ]}
            onChange={(kind) => onChange({ ...draft, kind })}
          />
          <RedirectUris value={draft.uris} error={error} onChange={(uris) => onChange({ ...draft, uris })} />
        </>
      )}
    </>
  )
}

interface RedirectUrisProps {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function RedirectUris({ value, error, onChange }: RedirectUrisProps) {
  return (
    <Field
      label={t('Redirect URIs')}
      hint={t('One on each line, exactly as the application sends them. Only the port of a local address may differ.')}
      error={error}
      required
    >
      <TextArea
        rows={3}
        spellCheck={false}
        placeholder="https://app.example/callback"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Field>
  )
}

interface SignInSectionProps {
  readonly application: Application
  readonly signIn: ApplicationSignIn
}

export function SignInSection({ application, signIn }: SignInSectionProps) {
  const [isEditing, setEditing] = useState(false)
  const { kind, redirect_uris, secret_hint } = signIn
  return (
    <Section
      title={t('Sign-in')}
      actions={
        <>
          <Button size="s" onClick={() => setEditing(true)}>
            {t('Edit redirect URIs')}
          </Button>
          {kind === 'confidential' && <NewSecret application={application} />}
        </>
      }
    >
      <Facts>
        <Fact name={t('Where it runs')}>{kind === 'public' ? t('On people’s devices') : t('On a server')}</Fact>
        <Fact name={t('Redirect URIs')}>
          <ul className="plain-list dev-mono">
            {redirect_uris.map((uri) => (
              <li key={uri}>{uri}</li>
            ))}
          </ul>
        </Fact>
        {secret_hint !== null && (
          <Fact name={t('Secret')}>
            <span className="dev-mono">{secret_hint}…</span>
          </Fact>
        )}
      </Facts>
      {isEditing && <EditRedirectUris application={application} signIn={signIn} onClose={() => setEditing(false)} />}
    </Section>
  )
}

function EditRedirectUris({ application, signIn, onClose }: SignInSectionProps & { readonly onClose: () => void }) {
  const mode = useMode()
  const [text, setText] = useState(signIn.redirect_uris.join('\n'))
  const write = useAppWrite('PATCH applications/{id}', {
    invalidates: ['GET applications'],
    toastErrors: false,
    done: () => t('Redirect URIs saved'),
  })
  const redirect_uris = urisOf(text)
  const save = async () => {
    if ((await write.run({ params: { id: application.id }, body: { mode, redirect_uris } })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Redirect URIs of {name}', { name: application.name })}
      action={t('Save')}
      isReady={redirect_uris.length > 0}
      write={write}
      fields={['redirect_uris']}
      onSubmit={save}
      onClose={onClose}
    >
      <RedirectUris value={text} error={fieldErrors(write.error).redirect_uris} onChange={setText} />
    </FormDialog>
  )
}

function NewSecret({ application: { id, name } }: { readonly application: Application }) {
  const mode = useMode()
  const [secret, setSecret] = useState<string | null>(null)
  const write = useAppWrite('POST applications/{id}/secret', { invalidates: ['GET applications'], toastErrors: false })
  const create = async () => {
    const created = await write.run({ params: { id }, body: { mode } })
    if (created !== undefined) setSecret(created.secret)
    return created
  }
  return (
    <>
      <ConfirmButton
        action={t('New secret')}
        title={t('New secret for {name}?', { name })}
        write={write}
        run={create}
        onDone={() => {}}
      >
        {t('The current secret stops working immediately. Access that people have given stays.')}
      </ConfirmButton>
      {secret !== null && (
        <SecretDialog title={t('New secret: {name}', { name })} secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  )
}
