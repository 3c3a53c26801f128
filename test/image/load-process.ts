import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Engine } from './engine.js';

export interface LoadCounts {
  readonly calls: readonly number[];
  readonly refused: number;
  readonly cut: number;
  readonly problems: readonly string[];
}

interface Part {
  readonly there: unknown;
  readonly wanted: unknown;
}

const program = fileURLToPath(new URL('./load.js', import.meta.url));

/** `load.ts` as a process where the engine publishes the apis. */
export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #ended: Promise<never>;

  constructor(engine: Engine, tokens: readonly string[]) {
    const [name = '', ...args] = engine.inside(process.execPath, program, ...tokens);
    this.#child = spawn(name, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new Error('The load has no stdout');
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#ended = once(this.#child, 'exit').then(() => {
      throw new Error('The load has ended');
    });
    this.#ended.catch(() => undefined);
    process.once('exit', this.#kill);
  }

  async urls(urls: readonly string[]): Promise<void> {
    await this.#order(`urls ${urls.join(' ')}`);
  }

  counts(): Promise<LoadCounts> {
    return this.#order('counts') as Promise<LoadCounts>;
  }

  async stop(): Promise<void> {
    await this.#order('stop');
  }

  settled(): Promise<readonly Part[]> {
    return this.#order('settled') as Promise<readonly Part[]>;
  }

  end(): void {
    process.removeListener('exit', this.#kill);
    this.#kill();
  }

  async #order(line: string): Promise<unknown> {
    const answer = once(this.#lines, 'line') as Promise<[string]>;
    this.#child.stdin?.write(`${line}\n`);
    const [text] = await Promise.race([answer, this.#ended]);
    return JSON.parse(text) as unknown;
  }

  readonly #kill = (): void => {
    this.#child.kill('SIGKILL');
  };
}
