/** Makes a board, or gives one another name. */
import type { Board } from '@atrium/sdk'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useWrite } from '../../data/index.ts'
import { Button, Dialog, Field, Input, TextArea } from '../../design/index.ts'
import { useRename } from './reads.ts'

export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [, navigate] = useLocation()
  const create = useWrite({
    write: (atrium) => atrium.boards.create({ name, ...(description === '' ? {} : { description }) }),
    done: (board: Board) => `${board.name} made`,
    toastErrors: false,
  })
  const submit = async () => {
    const board = await create.run(undefined)
    if (board !== undefined) navigate(`/boards/${board.id}`)
  }
  return (
    <NamingDialog
      {...{ name, setName, onClose }}
      title="New board"
      action="Make the board"
      writer={create}
      onSubmit={submit}
    >
      <Field label="Description" error={faultsOf(create.error).description}>
        <TextArea value={description} onChange={({ currentTarget }) => setDescription(currentTarget.value)} />
      </Field>
    </NamingDialog>
  )
}

export function RenameDialog({ board, onClose }: { readonly board: Board; readonly onClose: () => void }) {
  const [name, setName] = useState(board.name)
  const rename = useRename()
  const submit = async () => {
    if (name === board.name || (await rename.run({ id: board.id, name })) !== undefined) onClose()
  }
  return (
    <NamingDialog
      {...{ name, setName, onClose }}
      title="Rename the board"
      action="Rename"
      writer={rename}
      onSubmit={submit}
    />
  )
}

interface NamingProps {
  readonly name: string
  readonly setName: (name: string) => void
  readonly onClose: () => void
  readonly title: string
  readonly action: string
  readonly writer: { readonly busy: boolean; readonly error: unknown }
  readonly onSubmit: () => Promise<void>
  readonly children?: ReactNode
}

function NamingDialog({ name, setName, onClose, title, action, writer, onSubmit, children }: NamingProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      onSubmit={() => !writer.busy && void onSubmit()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={writer.busy}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" required error={faultsOf(writer.error).name}>
          <Input value={name} autoComplete="off" onChange={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        {children}
        <FormError error={writer.error} at={['name', 'description']} />
      </div>
    </Dialog>
  )
}
