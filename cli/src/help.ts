import { Help, type Command, type Option } from 'commander';

const usual = new Help();

export const helpConfiguration = {
  optionDescription: (option: Option): string =>
    option.mandatory ? `${usual.optionDescription(option)} (required)` : usual.optionDescription(option),
  commandUsage: (command: Command): string => {
    const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
    return usual.commandUsage(command).replace('[options]', [...required, '[options]'].join(' '));
  },
};

export const examples = (...lines: readonly string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
