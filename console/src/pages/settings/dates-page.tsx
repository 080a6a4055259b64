/** Time zone, language of dates, and first day of the week of the person, for all browsers. */
import './settings.css'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { toast } from '../../app/toasts.ts'
import { fieldErrors, useAppWrite, useSession } from '../../data/index.ts'
import { Combobox, dateTime, Field, Page, Select, useNow } from '../../design/index.ts'
import { languageOf, t, textLanguage } from '../../language/index.ts'
import { FormSection } from './form-section.tsx'

/** The browser's own. */
const unset = ''
const zones: readonly string[] = Intl.supportedValuesOf('timeZone')
const languages = [
  'en',
  'en-GB',
  'de',
  'fr',
  'es',
  'it',
  'nl',
  'pl',
  'pt-BR',
  'sv',
  'da',
  'fi',
  'cs',
  'tr',
  'uk',
  'ja',
  'ko',
  'zh-CN',
  'ar',
  'he',
]
const names = new Intl.DisplayNames(textLanguage(), { type: 'language' })
const week_days = [
  { value: '1', label: t('Monday') },
  { value: '6', label: t('Saturday') },
  { value: '7', label: t('Sunday') },
]

/** Set while the page is loaded again in the language that was saved. */
const switched_key = 'atrium.language-switched'

export function DatesPage() {
  const now = useNow()
  return (
    <Page
      title={t('Language and dates')}
      width="narrow"
      description={t('Now it is {now} for you.', { now: dateTime(now) })}
    >
      <DatesForm />
    </Page>
  )
}

function DatesForm() {
  const { preferences } = useSession()
  const [zone, setZone] = useState(preferences.time_zone ?? unset)
  const [language, setLanguage] = useState(preferences.language ?? unset)
  const [week, setWeek] = useState(String(preferences.week_starts_on ?? 1))
  const write = useAppWrite('PATCH preferences', { done: () => t('Dates saved'), toastErrors: false })
  const next = { time_zone: zone || null, language: language || null, week_starts_on: Number(week) }
  const languageSelect = useRef<HTMLSelectElement>(null)
  useSwitched(languageSelect)
  const save = async () => {
    const isSwitch = languageOf(next.language) !== textLanguage()
    if (isSwitch) sessionStorage.setItem(switched_key, '1')
    if ((await write.run({ body: next })) === undefined) sessionStorage.removeItem(switched_key)
  }
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const faults = fieldErrors(write.error)
  const isChanged =
    next.time_zone !== preferences.time_zone ||
    next.language !== preferences.language ||
    next.week_starts_on !== (preferences.week_starts_on ?? 1)
  return (
    <FormSection
      title={t('Your dates')}
      description={t('Texts in German or English and dates on all pages, quiet hours and reminders follow.')}
      isReady={isChanged}
      write={write}
      fields={['time_zone', 'language', 'week_starts_on']}
      onSubmit={() => void save()}
    >
      <Field label={t('Time zone')} error={faults.time_zone}>
        <Combobox
          label={t('Time zone')}
          value={[zone]}
          onChange={([value]) => setZone(value ?? unset)}
          options={[
            { value: unset, label: t('Of this browser: {own}', { own }) },
            ...zones.map((name) => ({ value: name, label: name.replaceAll('_', ' ') })),
          ]}
        />
      </Field>
      <Field label={t('Language')} error={faults.language}>
        <Select
          ref={languageSelect}
          value={language}
          onChange={setLanguage}
          choices={[
            { value: unset, label: languageOf(null) === 'de' ? t('German (default)') : t('English (default)') },
            ...languages.map((tag) => ({ value: tag, label: names.of(tag) ?? tag })),
          ]}
        />
      </Field>
      <Field label={t('First day of the week')} error={faults.week_starts_on}>
        <Select value={week} onChange={setWeek} choices={week_days} />
      </Field>
    </FormSection>
  )
}

/** After the page was loaded in another language, the person goes on where they were, and reads that it was saved. */
function useSwitched(control: RefObject<HTMLSelectElement | null>): void {
  useEffect(() => {
    if (sessionStorage.getItem(switched_key) === null) return
    sessionStorage.removeItem(switched_key)
    control.current?.focus()
    toast({ text: t('Dates saved') })
  }, [control])
}
