/** The texts of a form's page that its flow does not write, in the languages of the console. */
import type { AnswerFault } from '../../resources/automation_runs/shared/form-answers.ts'

export type Language = 'en' | 'de'

interface Texts {
  readonly send: string
  readonly required: string
  readonly choose: string
  readonly trap: string
  readonly check: string
  readonly again: string
  readonly uncertain: string
  readonly full: string
  readonly faults: Readonly<Record<AnswerFault, string>>
  /** A heading and a sentence for each page without a form. */
  readonly missing: readonly [string, string]
  readonly closed: readonly [string, string]
  readonly thanks: readonly [string, string]
  readonly busy: readonly [string, string]
  readonly unreadable: readonly [string, string]
  readonly unavailable: readonly [string, string]
}

export const texts: Readonly<Record<Language, Texts>> = {
  en: {
    send: 'Send',
    required: 'required',
    choose: 'Choose',
    trap: 'Leave this field empty',
    check: 'Please correct what is marked. Nothing was sent yet.',
    again: 'Please send the form once more. Nothing was sent yet.',
    uncertain: 'The form could not be sent for certain. Please send it once more; it counts only once.',
    full: 'The form takes no more answers at the moment. Nothing was sent. Please try again later.',
    faults: {
      required: 'Please fill this in.',
      too_long: 'This is too long: at most {most} characters.',
      not_plain: 'Please use one line of plain text.',
      no_option: 'Please choose one of the options.',
      no_number: 'Please enter a number, such as 12 or 3.5.',
      no_date: 'Please enter a date as year-month-day, such as 2027-01-31.',
      no_email: 'Please enter an e-mail address, such as name@example.com.',
    },
    missing: ['Nothing here', 'There is no form at this address.'],
    closed: ['Closed', 'This form is closed. It takes no answers at the moment.'],
    thanks: ['Thank you', 'Your answers were sent.'],
    busy: ['Please wait', 'Too many answers were sent from here. Go back, wait a minute, and send again.'],
    unreadable: ['Not sent', 'What was sent could not be read, or it is too large. Go back and shorten it.'],
    unavailable: ['Please try again', 'The form cannot be shown at the moment. Load the page again.'],
  },
  de: {
    send: 'Senden',
    required: 'Pflichtfeld',
    choose: 'Bitte wählen',
    trap: 'Dieses Feld bitte leer lassen',
    check: 'Bitte korrigieren Sie, was markiert ist. Es wurde noch nichts gesendet.',
    again: 'Bitte senden Sie das Formular noch einmal. Es wurde noch nichts gesendet.',
    uncertain: 'Es ist nicht sicher, ob das Formular ankam. Bitte senden Sie es noch einmal; es zählt nur einmal.',
    full: 'Das Formular nimmt zurzeit nichts mehr an. Es wurde nichts gesendet. Bitte versuchen Sie es später.',
    faults: {
      required: 'Bitte füllen Sie dieses Feld aus.',
      too_long: 'Das ist zu lang: höchstens {most} Zeichen.',
      not_plain: 'Bitte geben Sie eine Zeile einfachen Text ein.',
      no_option: 'Bitte wählen Sie eine der Möglichkeiten.',
      no_number: 'Bitte geben Sie eine Zahl ein, etwa 12 oder 3,5.',
      no_date: 'Bitte geben Sie ein Datum als Jahr-Monat-Tag ein, etwa 2027-01-31.',
      no_email: 'Bitte geben Sie eine E-Mail-Adresse ein, etwa name@example.com.',
    },
    missing: ['Hier ist nichts', 'Unter dieser Adresse gibt es kein Formular.'],
    closed: ['Geschlossen', 'Dieses Formular ist geschlossen. Es nimmt zurzeit nichts an.'],
    thanks: ['Danke', 'Ihre Angaben wurden gesendet.'],
    busy: [
      'Bitte warten',
      'Von hier wurde zu oft gesendet. Gehen Sie zurück, warten Sie eine Minute und senden Sie erneut.',
    ],
    unreadable: ['Nicht gesendet', 'Das Gesendete war nicht lesbar oder zu groß. Gehen Sie zurück und kürzen Sie es.'],
    unavailable: ['Bitte noch einmal', 'Das Formular ist gerade nicht erreichbar. Laden Sie die Seite neu.'],
  },
}

/** The first language of `Accept-Language` that there is; English otherwise. Preferences are taken in the order sent. */
export function languageOf(accepted: string | undefined): Language {
  for (const range of (accepted ?? '').split(',')) {
    const tag = range.trim().slice(0, 2).toLowerCase()
    if (tag === 'de' || tag === 'en') return tag
  }
  return 'en'
}
