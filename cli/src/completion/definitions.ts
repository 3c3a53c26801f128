import type { Command, Option } from 'commander';

export type OptionValue =
  | { readonly kind: 'none' | 'any' | 'file' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] };

export interface DefinedOption {
  readonly name: string;
  readonly description: string;
  readonly value: OptionValue;
}

export interface DefinedCommand {
  readonly path: string;
  readonly words: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly DefinedOption[];
}

const pathValue = /<(?:file|folder)>/;

function valueOf({ required, optional, argChoices, flags }: Option): OptionValue {
  if (!required && !optional) return { kind: 'none' };
  if (argChoices) return { kind: 'choices', choices: argChoices };
  const [, spoken = ''] = /<([a-z]+(?:\|[a-z]+)+)>/.exec(flags) ?? [];
  if (spoken === 'on|off') return { kind: 'choices', choices: spoken.split('|') };
  return { kind: pathValue.test(flags) ? 'file' : 'any' };
}

const optionOf = (option: Option): DefinedOption => ({
  name: option.long ?? option.flags,
  description: option.description,
  value: valueOf(option),
});

function wordsOf(command: Command, below: readonly Command[]): DefinedCommand['words'] {
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [
    ...below.map((each) => ({ name: each.name(), description: each.description() })),
    ...choices.map((name) => ({ name, description: '' })),
  ];
}

/** A command and all below it, from Commander's definitions, so that completion and parser agree. */
export function definedBy(command: Command, above = ''): DefinedCommand[] {
  const path = `${above}${command.name()}`;
  const help = command.createHelp();
  const all = help.visibleCommands(command);
  const below = all.filter((each) => each.name() !== 'help');
  const own = { path, words: wordsOf(command, all), options: help.visibleOptions(command).map(optionOf) };
  // `help` is followed by its siblings.
  const beside =
    below.length === all.length
      ? []
      : [{ path: `${path} help`, words: wordsOf(command, below), options: [] }];
  return [own, ...below.flatMap((each) => definedBy(each, `${path} `)), ...beside];
}
