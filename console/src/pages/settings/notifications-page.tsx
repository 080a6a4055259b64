/** When each kind of notification is sent by mail, which ones browsers show, and the quiet hours. The inbox always has all of them. */
import './settings.css'
import { useState } from 'react'
import { fieldErrors, useAppWrite, useSession } from '../../data/index.ts'
import type { MailWay, NotificationKind } from '../../data/shapes.ts'
import { Checkbox, Field, Input, Page, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Browsers } from './browsers.tsx'
import { FormSection } from './form-section.tsx'

/** Each kind with its words and what holds without a choice, as the table of docs/inbox.md says. */
const kinds: readonly {
  readonly kind: NotificationKind
  readonly label: string
  readonly way: MailWay
  readonly isPushed: boolean
}[] = [
  { kind: 'assigned', label: t('A task is assigned to you'), way: 'at_once', isPushed: true },
  { kind: 'mentioned', label: t('You are mentioned'), way: 'at_once', isPushed: true },
  { kind: 'invitation', label: t('You are invited to a board'), way: 'at_once', isPushed: true },
  { kind: 'approval', label: t('You are asked for an approval'), way: 'at_once', isPushed: true },
  { kind: 'automation_failed', label: t('An automation of yours has failed'), way: 'digest', isPushed: true },
  { kind: 'automation_authority', label: t('The permissions of an automation end'), way: 'at_once', isPushed: true },
  { kind: 'comment', label: t('A comment on a task that you watch'), way: 'digest', isPushed: true },
  {
    kind: 'board_comment',
    label: t('A reply in a thread of a board that you wrote in'),
    way: 'digest',
    isPushed: true,
  },
  { kind: 'status', label: t('The status of a task that you watch changes'), way: 'digest', isPushed: false },
  { kind: 'due_tomorrow', label: t('A task of yours is due tomorrow'), way: 'digest', isPushed: false },
  { kind: 'overdue', label: t('A task of yours is overdue'), way: 'digest', isPushed: true },
]

const ways: readonly { readonly value: MailWay; readonly label: string }[] = [
  { value: 'at_once', label: t('At once') },
  { value: 'digest', label: t('In the daily digest') },
  { value: 'never', label: t('Never') },
]

/** Mail of automations is no notice: it has no digest, and browsers do not show it. */
const automation_ways = ways.filter(({ value }) => value !== 'digest')

export function NotificationsPage() {
  return (
    <Page
      title={t('Notifications')}
      width="narrow"
      description={t('Everything is in your inbox. Choose what else reaches you.')}
    >
      <KindsForm />
      <QuietForm />
      <Browsers />
    </Page>
  )
}

/** Each kind with its mail and its notice in browsers. */
function KindsForm() {
  const { preferences, mail: sendsMail } = useSession()
  const [mail, setMail] = useState(preferences.mail)
  const [push, setPush] = useState(preferences.push)
  const write = useAppWrite('PATCH preferences', { done: () => t('Notifications saved'), toastErrors: false })
  const isChanged =
    mail.automation_mail !== preferences.mail.automation_mail ||
    kinds.some(({ kind }) => mail[kind] !== preferences.mail[kind] || push[kind] !== preferences.push[kind])
  return (
    <FormSection
      title={t('Your notices')}
      description={sendsMail ? undefined : t('This installation sends no mail. Your choice holds once it does.')}
      isReady={isChanged}
      isWide
      write={write}
      fields={['mail', 'push']}
      onSubmit={() => void write.run({ body: { mail, push } })}
    >
      <ul className="told">
        <li className="told-kind told-head" aria-hidden="true">
          <span />
          <span>{t('Mail')}</span>
          <span>{t('Browser@@notice')}</span>
        </li>
        {kinds.map(({ kind, label, way, isPushed }) => (
          <li key={kind} className="told-kind">
            <span>{label}</span>
            <Select
              aria-label={t('{kind}: mail', { kind: label })}
              value={mail[kind] ?? way}
              onChange={(next) => setMail({ ...mail, [kind]: next as MailWay })}
              choices={ways}
            />
            <Checkbox
              label={t('{kind}: in browsers', { kind: label })}
              hiddenLabel
              checked={push[kind] ?? isPushed}
              onChange={(next) => setPush({ ...push, [kind]: next })}
            />
          </li>
        ))}
        <li className="told-kind">
          <span>{t('An automation writes to you')}</span>
          <Select
            aria-label={t('{kind}: mail', { kind: t('An automation writes to you') })}
            value={mail.automation_mail ?? 'at_once'}
            onChange={(next) => setMail({ ...mail, automation_mail: next as MailWay })}
            choices={automation_ways}
          />
          <span />
        </li>
      </ul>
    </FormSection>
  )
}

const default_from = 20 * 60
const default_to = 8 * 60

function QuietForm() {
  const { preferences } = useSession()
  const [isQuiet, setQuiet] = useState(preferences.quiet_from !== null)
  const [from, setFrom] = useState(textOf(preferences.quiet_from ?? default_from))
  const [to, setTo] = useState(textOf(preferences.quiet_to ?? default_to))
  const write = useAppWrite('PATCH preferences', { done: () => t('Quiet hours saved'), toastErrors: false })
  const next = isQuiet ? { quiet_from: minuteOf(from), quiet_to: minuteOf(to) } : { quiet_from: null, quiet_to: null }
  const isComplete = !isQuiet || (next.quiet_from !== null && next.quiet_to !== null)
  const faults = fieldErrors(write.error)
  return (
    <FormSection
      title={t('Quiet hours')}
      description={t('Mail and notices in browsers wait until they are over, in the time zone of your dates.')}
      isReady={isComplete && (next.quiet_from !== preferences.quiet_from || next.quiet_to !== preferences.quiet_to)}
      write={write}
      fields={['quiet_from', 'quiet_to']}
      onSubmit={() => void write.run({ body: next })}
    >
      <Checkbox label={t('Nothing at certain hours')} checked={isQuiet} onChange={setQuiet} />
      {isQuiet && (
        <>
          <Field label={t('From')} error={faults.quiet_from}>
            <Input type="time" value={from} onChange={({ currentTarget }) => setFrom(currentTarget.value)} />
          </Field>
          <Field label={t('To')} error={faults.quiet_to}>
            <Input type="time" value={to} onChange={({ currentTarget }) => setTo(currentTarget.value)} />
          </Field>
        </>
      )}
    </FormSection>
  )
}

function textOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

/** Null if the text is no time of day. */
function minuteOf(text: string): number | null {
  const [hours, minutes] = text.split(':').map(Number)
  return hours === undefined || minutes === undefined || Number.isNaN(hours + minutes) ? null : hours * 60 + minutes
}
