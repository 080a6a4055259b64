import { command, type Outcome, UsageError } from './command.ts'
import { scripts, shells } from './completion/scripts.ts'

/** Prints the script that makes a shell complete commands, operations, flags and their values. */
export const completion = command({
  name: 'completion',
  group: 'Using the API',
  summary: 'Print the completion script of a shell: bash, zsh or fish',
  details: 'The script asks this program at every Tab, so it knows the operations and profiles that there are.',
  argument: { shows: '<shell>', does: 'bash, zsh or fish' },
  examples: ['eval "$(atrium completion bash)"', 'atrium completion fish > ~/.config/fish/completions/atrium.fish'],
  async run(_given, shell): Promise<Outcome> {
    const known = shells.find((each) => each === shell)
    if (known === undefined) throw new UsageError(`there is no completion for ${shell}: ${shells.join(', ')}`, 'shell')
    return { json: { shell, script: scripts[known] }, text: scripts[known].trimEnd() }
  },
})
