import type { DefinedCommand, OptionValue } from './definitions.js';
import { quoted } from './quoted.js';

const answers = {
  none: () => undefined,
  any: () => 'return',
  file: () => 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return',
  choices: ({ choices }: Extract<OptionValue, { kind: 'choices' }>) => `words=${quoted(choices.join(' '))}`,
};

function answerOf(value: OptionValue): string | undefined {
  return value.kind === 'choices' ? answers.choices(value) : answers[value.kind]();
}

const wordsOf = ({ words, options }: DefinedCommand): string =>
  [...words, ...options].map(({ name }) => name).join(' ');

const valuesOf = ({ path, options }: DefinedCommand): string[] =>
  options.flatMap(({ name, value }) => {
    const answer = answerOf(value);
    return answer === undefined ? [] : [`    ${quoted(`${path} ${name}`)}) ${answer} ;;`];
  });

/** For bash 3.2 and newer, without the package bash-completion. Where nothing fits, files are offered. */
export const bashCompletion = (commands: readonly DefinedCommand[]): string =>
  `# bash completion for rollcall
_rollcall() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at=rollcall words='' i
  COMPREPLY=()
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${commands.map(({ path }) => quoted(path)).join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${commands.map((command) => `    ${quoted(command.path)}) words=${quoted(wordsOf(command))} ;;`).join('\n')}
  esac
  case "$at $prev" in
${commands.flatMap(valuesOf).join('\n')}
  esac
  IFS=$' \\n'
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _rollcall rollcall
`;
