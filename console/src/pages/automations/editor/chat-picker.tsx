/**
 * Selects the chat that a step posts to, by the name of the secret that holds the URL of its webhook. An administrator adds a
 * chat here: its URL is sent once and never shown again.
 */
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { FormDialog } from '../../../app/form-dialog.tsx'
import { fieldErrors, useApp, useAppWrite, useHasRole, useMode } from '../../../data/index.ts'
import { Button, Combobox, Field, Input } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'

interface ChatPickerProps {
  readonly label: string
  readonly value: string
  readonly onChange: (name: string) => void
}

export function ChatPicker({ label, value, onChange }: ChatPickerProps) {
  const mode = useMode()
  const isAdmin = useHasRole('admin')
  const [isAdding, setAdding] = useState(false)
  const { data } = useApp('GET automation-secrets', { query: { mode } })
  const options = useMemo(() => {
    const names = new Set((data?.data ?? []).map(({ name }) => name))
    if (value !== '') names.add(value)
    return [...names].map((name) => ({ value: name, label: name }))
  }, [data, value])
  return (
    <span className="row">
      <Combobox
        label={label}
        options={options}
        value={value === '' ? [] : [value]}
        placeholder={options.length === 0 && !isAdmin ? t('An administrator adds chats') : t('Select a chat…')}
        onChange={([next]) => onChange(next ?? '')}
      />
      {isAdmin && (
        <Button icon={Plus} onClick={() => setAdding(true)}>
          {t('New chat')}
        </Button>
      )}
      {isAdding && <NewChat names={options} onAdd={onChange} onClose={() => setAdding(false)} />}
    </span>
  )
}

interface NewChatProps {
  readonly names: readonly { readonly value: string }[]
  readonly onAdd: (name: string) => void
  readonly onClose: () => void
}

function NewChat({ names, onAdd, onClose }: NewChatProps) {
  const mode = useMode()
  const [text, setText] = useState('')
  const [url, setUrl] = useState('')
  const write = useAppWrite('POST automation-secrets', { invalidates: ['GET automation-secrets'], toastErrors: false })
  const name = text.trim()
  const isTaken = names.some(({ value }) => value === name)
  const errors = fieldErrors(write.error)
  const add = async () => {
    if ((await write.run({ body: { mode, name, value: url.trim() } })) === undefined) return
    onAdd(name)
    onClose()
  }
  return (
    <FormDialog
      title={t('New chat')}
      description={t(
        'In Slack, Mattermost, Rocket.Chat or Zulip, create an incoming webhook for the channel, and paste its URL.',
      )}
      action={t('Add')}
      isReady={name !== '' && URL.canParse(url.trim())}
      write={write}
      fields={['name', 'value']}
      onSubmit={add}
      onClose={onClose}
    >
      <Field
        label={t('Name')}
        hint={isTaken ? t('This name exists: its URL is replaced.') : t('Letters, digits, _ and -: team_chat')}
        error={errors.name}
        required
      >
        <Input autoFocus value={text} maxLength={120} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
      <Field
        label={t('URL of the webhook')}
        hint={t('It is stored encrypted and never shown again.')}
        error={errors.value}
        required
      >
        <Input
          type="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://"
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </Field>
    </FormDialog>
  )
}
