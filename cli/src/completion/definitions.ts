import type { Command, Option } from 'commander';

/** What follows an option: nothing, a value that nobody can guess, one of a few words, or a place in the file system. */
export type OptionValue =
  | { readonly kind: 'none' | 'any' | 'file' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] };

export interface DefinedOption {
  /** With its dashes. */
  readonly name: string;
  readonly description: string;
  readonly value: OptionValue;
}

export interface DefinedCommand {
  /** As it is typed: `rollcall company show`. */
  readonly path: string;
  /** The words that may follow: commands, or what an argument can be. */
  readonly words: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly DefinedOption[];
}

const places = /<(?:file|folder)>/;

function valueOf({ required, optional, argChoices, flags }: Option): OptionValue {
  if (!required && !optional) return { kind: 'none' };
  if (argChoices) return { kind: 'choices', choices: argChoices };
  const [, spoken = ''] = /<([a-z]+(?:\|[a-z]+)+)>/.exec(flags) ?? [];
  if (spoken === 'on|off') return { kind: 'choices', choices: spoken.split('|') };
  return { kind: places.test(flags) ? 'file' : 'any' };
}

const optionOf = (option: Option): DefinedOption => ({
  name: option.long ?? option.flags,
  description: option.description,
  value: valueOf(option),
});

type Words = DefinedCommand['words'];

function wordsOf(command: Command, below: readonly Command[]): Words {
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [
    ...below.map((each) => ({ name: each.name(), description: each.description() })),
    ...choices.map((name) => ({ name, description: '' })),
  ];
}

/** A command and all below it, from Commander's definitions: what shells are told cannot differ from what is understood. */
export function definedBy(command: Command, above = ''): DefinedCommand[] {
  const path = `${above}${command.name()}`;
  const help = command.createHelp();
  const all = help.visibleCommands(command);
  const below = all.filter((each) => each.name() !== 'help');
  const own = { path, words: wordsOf(command, all), options: help.visibleOptions(command).map(optionOf) };
  // `help` is followed by what stands beside it.
  const beside =
    below.length === all.length
      ? []
      : [{ path: `${path} help`, words: wordsOf(command, below), options: [] }];
  return [own, ...below.flatMap((each) => definedBy(each, `${path} `)), ...beside];
}
