import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { plain, within } from '@rollcall/application/read';

export interface FoundProcess {
  readonly address: string;
  readonly status: 'ok' | 'degraded' | 'unavailable' | 'no answer';
  readonly version: string | null;
  readonly commit: string | null;
  readonly problems: readonly string[];
}

const ANSWER_MS = 2_000;
const NOT_ROLLCALL = 'it is no process of Rollcall';

function ownAddresses(env: NodeJS.ProcessEnv): string[] {
  const { HOST, PORT = '3000', METRICS_HOST, METRICS_PORT } = env;
  const address = (port: string, host = '127.0.0.1'): string => `http://${reachable(host)}:${port}`;
  return [address(PORT, HOST), ...(METRICS_PORT ? [address(METRICS_PORT, METRICS_HOST)] : [])];
}

/** A process that listens on all addresses is asked here. */
const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

type Resolve = (name: string) => Promise<LookupAddress[]>;

/** 2 s each. Without names the addresses of `env`, which has no blank variables; silent ones are shown only if all are silent. */
export async function askProcesses(
  env: NodeJS.ProcessEnv,
  named: readonly string[],
  resolve: Resolve = (name) => lookup(name, { all: true }),
): Promise<{ readonly processes: readonly FoundProcess[]; readonly needsPerson: readonly string[] }> {
  const addresses = named.length > 0 ? named : ownAddresses(env);
  const asked = (await Promise.all(addresses.map((address) => askAll(address, resolve)))).flat();
  const answered = asked.filter(({ status }) => status !== 'no answer');
  const processes = named.length > 0 || answered.length === 0 ? asked : answered;
  return { processes, needsPerson: processes.filter(({ status }) => status !== 'ok').map(needText) };
}

const needText = ({ address, status, problems }: FoundProcess): string =>
  `${address}: ${status}: ${problems.join('; ')}.`;

/** All processes behind a name. A process may listen on IPv4 or IPv6 only, so both are tried. */
async function askAll(origin: string, resolve: Resolve): Promise<FoundProcess[]> {
  const name = new URL(origin).hostname.replace(/^\[|\]$/g, '');
  const hosts = await within(resolve(name), ANSWER_MS).catch(() => []);
  let found: FoundProcess[] = [];
  for (const family of [4, 6]) {
    const some = hosts.filter((host) => host.family === family);
    const answers = await Promise.all(some.map((host) => ask(origin, host, some.length > 1)));
    if (answers.some(({ status }) => status !== 'no answer')) return answers;
    found = found.length > 0 ? found : answers;
  }
  return found.length > 0 ? found : [noAnswer(origin, 'ENOTFOUND')];
}

async function ask(origin: string, host: LookupAddress, isOneOfSeveral: boolean): Promise<FoundProcess> {
  const address = isOneOfSeveral ? `${origin} (${host.address})` : origin;
  try {
    return { address, ...healthOf(await answerOf(origin, host)) };
  } catch (error) {
    return noAnswer(address, whyNot(error));
  }
}

const noAnswer = (address: string, problem: string): FoundProcess => ({
  address,
  status: 'no answer',
  version: null,
  commit: null,
  problems: [problem],
});

async function answerOf(origin: string, host: LookupAddress): Promise<unknown> {
  const { request } = origin.startsWith('https:') ? await import('node:https') : await import('node:http');
  const options = {
    agent: false,
    // Certificate and Host header keep the name.
    lookup: (_name: string, _options: object, found: (error: null, hosts: LookupAddress[]) => void): void =>
      found(null, [host]),
    signal: AbortSignal.timeout(ANSWER_MS),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(`${origin}/health/ready`, options, resolve).on('error', reject);
    // A switch of protocols (101) is neither an answer nor an error.
    call.on('close', () => reject(new SyntaxError(NOT_ROLLCALL))).end();
  });
  return json(response);
}

function whyNot(error: unknown): string {
  if (error instanceof SyntaxError) return NOT_ROLLCALL;
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name);
}

function healthOf(answer: unknown): Omit<FoundProcess, 'address'> {
  const { Status, Version, Commit, Problems } = Object(answer) as Record<string, unknown>;
  const status = (['ok', 'degraded', 'unavailable'] as const).find((each) => each === Status);
  if (status === undefined || typeof Version !== 'string') throw new SyntaxError(NOT_ROLLCALL);
  const problems = Array.isArray(Problems) ? Problems.map((problem) => plain(String(problem))) : [];
  const commit = typeof Commit === 'string' ? plain(Commit) : null;
  return { status, version: plain(Version), commit, problems };
}
