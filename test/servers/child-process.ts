import { bundleOf } from '../support/bundles.js';
import { Program } from '../support/program.js';

/** The processes of the service; `standalone` is what `npm start` runs. */
export type Part = 'standalone' | 'api' | 'projector' | 'worker';

/** What each says when it does its work; it serves its health before. */
export const running: Readonly<Record<Part, RegExp>> = {
  api: /The api listens on /,
  projector: /The projector runs\n/,
  worker: /The worker runs\n/,
  standalone: /Rollcall listens on /,
};

export const entryOf = (part: Part): string => bundleOf(part);

export interface ChildOptions {
  readonly dataDir: string;
  /** The program: a part of the service, or another file. */
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Loaded before the program. */
  readonly preload?: string;
}

/** A process of the service, on a free port. What it writes to stderr is passed on. */
export class ChildProcess extends Program {
  constructor({ dataDir, entry, env, preload }: ChildOptions) {
    const before = preload === undefined ? [] : ['--import', preload];
    super([...before, entry], {
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: dataDir,
        LOG_LEVEL: 'error',
        RATE_LIMIT_PER_MINUTE: '0',
        // As the companies of tests, which have no queue threshold.
        QUEUE_BODY_BYTES: String(1024 ** 3),
        ...env,
      },
    });
  }

  /** Where it serves its metrics and health, once it has said so; only with METRICS_PORT. */
  get metricsUrl(): string | undefined {
    return /Metrics are on (\S+)\/metrics/.exec(this.out)?.[1];
  }
}

const readyWithinMs = 60_000;

/** Starts a projector or a worker and waits until it does its work. */
export async function startChild(
  part: 'projector' | 'worker',
  options: Omit<ChildOptions, 'entry'>,
): Promise<ChildProcess> {
  const child = new ChildProcess({ ...options, entry: entryOf(part) });
  try {
    await child.says(/ runs\n/, readyWithinMs);
    return child;
  } catch (error) {
    await child.kill();
    throw error;
  }
}
