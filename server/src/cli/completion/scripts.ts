/** The scripts with which a shell asks `atrium __complete` for every word. */

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

const bash = `# atrium completion for bash: add to ~/.bashrc
#   eval "$(atrium completion bash)"
_atrium() {
  local line candidates
  candidates=()
  while IFS= read -r line; do
    candidates+=("\${line%%$'\\t'*}")
  done < <(atrium __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  for line in "\${candidates[@]}"; do
    COMPREPLY+=("$(printf '%q' "$line")")
  done
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *, ]]; then compopt -o nospace; fi
}
complete -o default -F _atrium atrium
`

const zsh = `#compdef atrium
# atrium completion for zsh: add to ~/.zshrc, behind compinit
#   eval "$(atrium completion zsh)"
_atrium() {
  local line value
  local -a values shown
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    values+=("$value")
    if [[ "$line" == *$'\\t'* ]]; then shown+=("$value -- \${line#*$'\\t'}"); else shown+=("$value"); fi
  done < <(atrium __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#values} )); then compadd -l -d shown -a values; else _files; fi
}
compdef _atrium atrium
`

const fish = `# atrium completion for fish: save as ~/.config/fish/completions/atrium.fish
function __atrium_complete
    set -l words (commandline -opc) (commandline -ct)
    atrium __complete -- $words[2..-1] 2>/dev/null
end
complete -c atrium -a '(__atrium_complete)'
`

export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }
