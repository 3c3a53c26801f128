import type { DefinedCommand, DefinedOption, OptionValue } from './definitions.js';

/** In single quotes fish has two escapes. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function valueOf(value: OptionValue): string {
  switch (value.kind) {
    case 'none':
      return '';
    case 'any':
      return ' -x';
    case 'file':
      return ' -r -F';
    case 'choices':
      return ` -x -a ${quoted(value.choices.join(' '))}`;
    default:
      return value satisfies never;
  }
}

function linesOf({ path, words, options }: DefinedCommand): string[] {
  const at = `complete -c rollcall -n ${quoted(`__rollcall_at ${quoted(path)}`)}`;
  const described = (description: string): string => (description === '' ? '' : ` -d ${quoted(description)}`);
  const optionLine = ({ name, description, value }: DefinedOption): string =>
    `${at} -l ${name.replace(/^--/, '')}${valueOf(value)}${described(description)}`;
  const wordLines = words.map(({ name, description }) => `${at} -a ${quoted(name)}${described(description)}`);
  return [...wordLines, ...options.map(optionLine)];
}

/** For fish: sourced, or as `~/.config/fish/completions/rollcall.fish`. */
export const fishCompletion = (commands: readonly DefinedCommand[]): string =>
  `# fish completion for rollcall
function __rollcall_at
    set -l at rollcall
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" ${commands.map(({ path }) => quoted(path)).join(' ')}
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c rollcall -f
${commands.flatMap(linesOf).join('\n')}
`;
