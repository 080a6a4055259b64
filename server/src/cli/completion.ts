import { quoted } from '../lib/quoted.ts'
import { command, type Outcome, UsageError } from './command.ts'
import { scripts, shells } from './completion/scripts.ts'

/** Prints the script that makes a shell complete commands, operations, flags and their values. */
export const completion = command({
  name: 'completion',
  group: 'Using the API',
  summary: 'Print the completion script of a shell: bash, zsh or fish',
  details: 'The script calls this program at every Tab, so it completes operations and profiles too.',
  argument: { shows: '<shell>', does: 'One of bash, zsh and fish.' },
  examples: ['eval "$(atrium completion bash)"', 'atrium completion fish > ~/.config/fish/completions/atrium.fish'],
  async run(_given, shell): Promise<Outcome> {
    const known = shells.find((each) => each === shell)
    if (known === undefined)
      throw new UsageError(`There is no completion for ${quoted(shell)}. Use ${shells.join(', ')}.`, 'shell')
    return { json: { shell, script: scripts[known] }, text: scripts[known].trimEnd() }
  },
})
