import { Argument } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { bashCompletion } from '../completion/bash.js';
import { definedBy } from '../completion/definitions.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function addCompletion(completion: Command, io: CliIo, whole: () => Promise<Command>): void {
  const isShell = (name: string): name is keyof typeof shells => Object.hasOwn(shells, name);
  completion
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .examples(
      'source <(rollcall completion bash)    # in ~/.bashrc',
      'source <(rollcall completion zsh)     # in ~/.zshrc, after compinit',
      'rollcall completion fish > ~/.config/fish/completions/rollcall.fish',
    )
    .action(async (shell: string) => {
      if (isShell(shell)) await io.out(shells[shell](definedBy(await whole())));
    });
}
