/** A setting as JSON. What is typed is kept until it can be read. */
import { useState } from 'react'
import { TextArea } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { SettingProps } from './setting.ts'

export function JsonField({ value, onChange }: SettingProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  const [isReadable, setReadable] = useState(true)
  const change = (next: string) => {
    setText(next)
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next))
      setReadable(true)
    } catch {
      setReadable(false)
    }
  }
  return (
    <>
      <TextArea
        className="formula-field"
        rows={4}
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      {!isReadable && <p className="field-error">{t('This is not valid JSON yet. The last valid value is used.')}</p>}
    </>
  )
}
