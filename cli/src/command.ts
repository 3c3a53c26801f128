import { Command as CommanderCommand, Help, type Option } from 'commander';

const usual = new Help();

export const helpConfiguration = {
  optionDescription: (option: Option): string =>
    option.mandatory ? `${usual.optionDescription(option)} (required)` : usual.optionDescription(option),
  commandUsage: (command: CommanderCommand): string => {
    const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
    return usual.commandUsage(command).replace('[options]', [...required, '[options]'].join(' '));
  },
};

const helpOf = (lines: readonly string[]): string =>
  ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n');

export class Command extends CommanderCommand {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  json(): this {
    return this.option('--json', 'print one JSON object');
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', helpOf(lines));
  }
}
