import type { DefinedCommand, OptionValue } from './definitions.js';
import { quoted } from './quoted.js';

const entryOf = ({ name, description }: { readonly name: string; readonly description: string }): string =>
  quoted(`${name}:${description.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`);

function answerOf(value: OptionValue): string | undefined {
  switch (value.kind) {
    case 'none':
      return undefined;
    case 'any':
      return '_message value';
    case 'file':
      return '_files';
    case 'choices':
      return `compadd -- ${value.choices.map(quoted).join(' ')}`;
    default:
      return value satisfies never;
  }
}

const valuesOf = ({ path, options }: DefinedCommand): string[] =>
  options.flatMap(({ name, value }) => {
    const answer = answerOf(value);
    return answer === undefined ? [] : [`    (${quoted(`${path} ${name}`)}) ${answer}; return ;;`];
  });

const entriesOf = ({ path, words, options }: DefinedCommand): string =>
  [
    `    (${quoted(path)})`,
    `      entries=(${words.map(entryOf).join(' ')})`,
    `      flags=(${options.map(entryOf).join(' ')}) ;;`,
  ].join('\n');

/** For zsh: as a file `_rollcall` in `$fpath`, or sourced after `compinit`. */
export const zshCompletion = (commands: readonly DefinedCommand[]): string =>
  `#compdef rollcall
_rollcall() {
  local at=rollcall i
  local -a entries flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${commands.map(({ path }) => quoted(path)).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${commands.flatMap(valuesOf).join('\n')}
  esac
  case "$at" in
${commands.map(entriesOf).join('\n')}
  esac
  (( \${#entries} )) && _describe -t commands command entries
  if [[ -z "$entries" || "\${words[CURRENT]}" == -* ]]; then _describe -o option flags; fi
}
if [[ "\${funcstack[1]}" == _rollcall ]]; then _rollcall "$@"; else compdef _rollcall rollcall; fi
`;
