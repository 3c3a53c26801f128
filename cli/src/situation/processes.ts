import { plain } from '../output.js';

/** A process as its own `/health/ready` has it. */
export interface FoundProcess {
  readonly address: string;
  readonly status: 'ok' | 'degraded' | 'unavailable' | 'no answer';
  readonly version: string | null;
  readonly problems: readonly string[];
  /** Somebody named it; the others are where a process of this environment would be. */
  readonly isAsked: boolean;
}

const ANSWER_MS = 2_000;

/** Where a process with this environment serves its health. */
function ownAddresses(env: NodeJS.ProcessEnv): string[] {
  const { HOST = '127.0.0.1', PORT = '3000', METRICS_HOST = '127.0.0.1', METRICS_PORT = '' } = env;
  const address = (host: string, port: string): string => `http://${reachable(host)}:${port}`;
  return [address(HOST, PORT), ...(METRICS_PORT === '' ? [] : [address(METRICS_HOST, METRICS_PORT)])];
}

/** Whoever listens everywhere is asked here. */
const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

/** Asks each process for its health, within two seconds: those of this environment, and those that are named. */
export async function askedProcesses(
  env: NodeJS.ProcessEnv,
  named: readonly string[],
): Promise<FoundProcess[]> {
  const own = ownAddresses(env).filter((address) => !named.includes(address));
  return Promise.all([
    ...own.map((address) => ask(address, false)),
    ...named.map((address) => ask(address, true)),
  ]);
}

async function ask(address: string, isAsked: boolean): Promise<FoundProcess> {
  try {
    const answer = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return { address, isAsked, ...healthOf(await answer.json()) };
  } catch (error) {
    return { address, isAsked, status: 'no answer', version: null, problems: [whyNot(error)] };
  }
}

function whyNot(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is no process of Rollcall';
  const { cause = error } = Object(error) as { readonly cause?: unknown };
  const { code, name } = Object(cause) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name);
}

function healthOf(answer: unknown): Pick<FoundProcess, 'status' | 'version' | 'problems'> {
  const { Status, Version, Problems } = Object(answer) as Record<string, unknown>;
  const status = (['ok', 'degraded', 'unavailable'] as const).find((each) => each === Status);
  if (status === undefined || typeof Version !== 'string')
    return { status: 'no answer', version: null, problems: ['it is no process of Rollcall'] };
  const problems = Array.isArray(Problems) ? Problems.map((problem) => plain(String(problem))) : [];
  return { status, version: plain(Version), problems };
}
