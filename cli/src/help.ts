import { Help, type Command, type Option } from 'commander';

const usual = new Help();

/** How every command's help is written: what must be given is marked, and stands in the usage line. */
export const helpConfiguration = {
  optionDescription: (option: Option): string =>
    option.mandatory ? `${usual.optionDescription(option)} (required)` : usual.optionDescription(option),
  commandUsage: (command: Command): string => {
    const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
    return usual.commandUsage(command).replace('[options]', [...required, '[options]'].join(' '));
  },
};

/** For `addHelpText('after', ...)`: command lines, whole as they are typed. */
export const examples = (...lines: readonly string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
