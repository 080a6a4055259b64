/** A note on the canvas: text on colored paper, which is resized at its corners, and the panel that edits it. */
import { NodeResizer } from '@xyflow/react'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Field, IconButton, Input, Select, TextArea } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { type NoteDraft, note_chars_max, note_colors, note_size_max, note_size_min } from './notes.ts'

export interface NoteData {
  readonly note: NoteDraft
  /** Absent on a canvas that is only read. */
  readonly onChange: ((change: Partial<NoteDraft>) => void) | undefined
}

export function NoteCard({ data, selected }: { readonly data: NoteData; readonly selected?: boolean }) {
  const { note, onChange } = data
  const [isEdited, setEdited] = useState(false)
  return (
    <>
      {onChange !== undefined && (
        <NodeResizer
          isVisible={selected ?? false}
          minWidth={note_size_min}
          minHeight={note_size_min}
          maxWidth={note_size_max}
          maxHeight={note_size_max}
          onResizeEnd={(_, { x, y, width, height }) =>
            onChange({ x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) })
          }
        />
      )}
      {isEdited && onChange !== undefined ? (
        <NoteText
          note={note}
          onEnd={(text) => {
            setEdited(false)
            if (text !== note.text) onChange({ text })
          }}
        />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the node around it has the focus, and the panel edits by keyboard
        <div
          className="flow-note"
          data-color={note.color}
          data-selected={selected || undefined}
          onDoubleClick={() => setEdited(onChange !== undefined)}
        >
          {note.text === '' ? <span className="subtle">{t('Empty note')}</span> : note.text}
        </div>
      )}
    </>
  )
}

/** The text of a note where it stands. It is kept when the focus leaves and with Escape, as one step of undo. */
function NoteText({ note, onEnd }: { readonly note: NoteDraft; readonly onEnd: (text: string) => void }) {
  const [text, setText] = useState(note.text)
  return (
    <textarea
      // A drag selects text and does not move the note; the wheel scrolls it.
      className="flow-note nodrag nopan nowheel"
      data-color={note.color}
      aria-label={t('Text of the note')}
      // biome-ignore lint/a11y/noAutofocus: a person has asked to edit it
      autoFocus
      maxLength={note_chars_max}
      value={text}
      onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => onEnd(text)}
      onKeyDown={(event) => {
        // Keys of the canvas, such as Delete, are for the note as a whole.
        event.stopPropagation()
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
    />
  )
}

const colorNames: Readonly<Record<string, string>> = {
  yellow: t('Yellow'),
  green: t('Green'),
  blue: t('Blue'),
  red: t('Red'),
  gray: t('Gray'),
}

interface NotePanelProps {
  readonly note: NoteDraft
  /** `kind` names the field, so that typing in it is one step of undo. */
  readonly onChange: (change: Partial<NoteDraft>, kind: string) => void
  readonly onRemove: () => void
}

export function NotePanel({ note, onChange, onRemove }: NotePanelProps) {
  const size = (name: 'width' | 'height') => (text: string) => {
    const pixels = Math.round(Number(text))
    if (pixels >= note_size_min && pixels <= note_size_max) onChange({ [name]: pixels }, `${note.id} ${name}`)
  }
  return (
    <aside className="flow-panel" aria-label={t('Settings of the note')}>
      <div className="stack">
        <div className="flow-panel-head">
          <h2 className="section-title grow">{t('Note')}</h2>
          <IconButton icon={Trash2} label={t('Remove note')} onClick={onRemove} />
        </div>
        <Field label={t('Text')} hint={t('Notes are for readers: no run and no preview knows them.')}>
          <TextArea
            autoFocus={note.text === ''}
            rows={6}
            maxLength={note_chars_max}
            value={note.text}
            onChange={({ currentTarget }) => onChange({ text: currentTarget.value }, `${note.id} text`)}
          />
        </Field>
        <Field label={t('Color')}>
          <Select
            choices={note_colors.map((value) => ({ value, label: colorNames[value] ?? value }))}
            value={note.color}
            onChange={(color) => onChange({ color }, `${note.id} color`)}
          />
        </Field>
        {(['width', 'height'] as const).map((name) => (
          <Field key={name} label={name === 'width' ? t('Width') : t('Height')}>
            <Input
              type="number"
              min={note_size_min}
              max={note_size_max}
              step={20}
              defaultValue={String(note[name])}
              key={note[name]}
              onBlur={({ currentTarget }) => size(name)(currentTarget.value)}
            />
          </Field>
        ))}
      </div>
    </aside>
  )
}
