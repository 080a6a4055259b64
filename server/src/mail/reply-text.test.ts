/** What is cut from replies, by what mail programs write. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { reply_marker, replyText } from './reply-text.ts'

const quoted = `> ${reply_marker}\n>\n> ATR-7 It crashes\n>\n> Ben commented:\n>     Since when?\n`

const replies: readonly (readonly [from: string, sent: string, own: string])[] = [
  [
    'Gmail, English',
    `Since Monday.\n\nOn Thu, Nov 26, 2026 at 2:03 PM Atrium <atrium@acme.example> wrote:\n\n${quoted}`,
    'Since Monday.',
  ],
  [
    'Gmail, English, with a wrapped line',
    `Since Monday.\n\nIt is worse now.\n\nOn Thu, Nov 26, 2026 at 2:03 PM Atrium <\natrium-of-a-long-name@acme.example> wrote:\n\n${quoted}`,
    'Since Monday.\n\nIt is worse now.',
  ],
  [
    'Gmail, German',
    `Seit Montag.\n\nAm Do., 26. Nov. 2026 um 14:03 Uhr schrieb Atrium <\natrium@acme.example>:\n\n${quoted}`,
    'Seit Montag.',
  ],
  [
    'Apple Mail, English',
    `Since Monday.\n\nSent from my iPhone\n\n> On 26. Nov 2026, at 14:03, Atrium <atrium@acme.example> wrote:\n> \n${quoted}`,
    'Since Monday.',
  ],
  [
    'Apple Mail, German',
    `Seit Montag.\n\nVon meinem iPhone gesendet\n\n> Am 26.11.2026 um 14:03 schrieb Atrium <atrium@acme.example>:\n> \n> ${quoted}`,
    'Seit Montag.',
  ],
  [
    'Thunderbird, English',
    `Since Monday.\n\nOn 11/26/26 14:03, Atrium wrote:\n${quoted}\n-- \nAda Lovelace\nAcme`,
    'Since Monday.',
  ],
  ['Thunderbird, German', `Seit Montag.\n\nAm 26.11.26 um 14:03 schrieb Atrium:\n${quoted}`, 'Seit Montag.'],
  [
    'Thunderbird, below the quote',
    `On 11/26/26 14:03, Atrium wrote:\n${quoted}\nSince Monday.\n\n-- \nAda Lovelace`,
    'Since Monday.',
  ],
  [
    'Thunderbird, between the quotes',
    `Am 26.11.26 um 14:03 schrieb Atrium:\n> ${reply_marker}\n> Since when?\n\nMonday.\n\n> And where?\n\nIn the list.\n> The end`,
    'Monday.\n\n> And where?\n\nIn the list.',
  ],
  [
    'Outlook, English',
    `Since Monday.\n\nKind regards\nAda\n\n________________________________\nFrom: Atrium <atrium@acme.example>\nSent: Thursday, November 26, 2026 2:03 PM\nTo: Ada <ada@acme.example>\nSubject: ATR-7 It crashes\n\n${reply_marker}\n\nATR-7 It crashes`,
    'Since Monday.\n\nKind regards\nAda',
  ],
  [
    'Outlook, German',
    `Seit Montag.\n\nVon: Atrium <atrium@acme.example>\nGesendet: Donnerstag, 26. November 2026 14:03\nAn: Ada <ada@acme.example>\nBetreff: ATR-7 It crashes\n\nATR-7 It crashes`,
    'Seit Montag.',
  ],
  [
    'Outlook for Android',
    `Since Monday.\n\nGet Outlook for Android<https://aka.ms/x>\n________________________________\nFrom: Atrium <a@acme.example>\nSent: Thursday\nTo: Ada\nSubject: x`,
    'Since Monday.',
  ],
  ['an older Outlook', 'Since Monday.\n\n-----Original Message-----\nFrom: Atrium\n', 'Since Monday.'],
  [
    'GMX',
    `Seit Montag.\n\nGesendet: Donnerstag, 26. November 2026 um 14:03\nVon: "Atrium" <atrium@acme.example>\nAn: ada@acme.example\nBetreff: x\n${reply_marker}\n`,
    'Seit Montag.\n\nGesendet: Donnerstag, 26. November 2026 um 14:03',
  ],
  ['a program that only quotes the mail', `Since Monday.\n\n${reply_marker}\n\nATR-7 It crashes\n`, 'Since Monday.'],
  ['Windows line ends', 'Since Monday.\r\n\r\n-- \r\nAda\r\n', 'Since Monday.'],
  [
    'a text that is no quote',
    'On Monday I wrote:\nit works: see 2 and 3.\n\nFrom: here on it does not.',
    'On Monday I wrote:\nit works: see 2 and 3.\n\nFrom: here on it does not.',
  ],
  ['a quote of one’s own', '> Since when?\n\nMonday.', '> Since when?\n\nMonday.'],
  ['nothing but the quote', `On Thu, Nov 26, 2026 at 2:03 PM Atrium <atrium@acme.example> wrote:\n\n${quoted}`, ''],
  ['nothing but a signature', '-- \nAda', ''],
]

for (const [from, sent, own] of replies)
  it(`of a reply by ${from}, what the person wrote is kept`, () => assert.equal(replyText(sent), own))

it('a hostile text of a hundred thousand lines is read to its end', () => {
  for (const line of ['On 1\n', 'From: x\n', `${'-'.repeat(19)}\n`, 'On 1 wrote wrote \n']) {
    const text = line.repeat(100_000)
    assert.equal(replyText(text), text.trim())
  }
  for (const line of ['> ', '> x\n', '\n']) assert.equal(replyText(line.repeat(100_000)), '')
})
