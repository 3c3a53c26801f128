import { type LookupFunction, isIP } from 'node:net';
import { type LookupAddress, type LookupAllOptions, lookup, Resolver } from 'node:dns';
import { request as requestHttp, type ClientRequest, type RequestOptions } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { Limiter, type WebhookAnswer, type WebhookMessage, type WebhookSender } from '@rollcall/application';
import { Webhook } from 'standardwebhooks';
import { version } from '../version.js';
import { isAllowed, isListed, type Networks } from './addresses.js';

const timeoutMs = 10_000;

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
type Find = (name: string, options: LookupAllOptions, done: Found) => void;

type Ask = (name: string, done: (error: NodeJS.ErrnoException | null) => void) => void;

/** Node.js has two threads for all names of a process: of names whose servers do not answer, one at a time takes one. */
export function sparingThreads(ask: Ask, find: Find): Find {
  const doubtful = new Limiter(1);
  return (name, options, done) =>
    ask(name, (error) => {
      const isDoubtful = error?.code === 'ETIMEOUT' || error?.code === 'ESERVFAIL';
      const leave = isDoubtful ? doubtful.tryTake() : () => undefined;
      if (!leave) return done(error, []);
      find(name, options, (...found) => {
        leave();
        done(...found);
      });
    });
}

function findByDns(): Find {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return sparingThreads((name, done) => resolver.resolve4(name, done), lookup);
}

export interface WebhookSenderOptions {
  /** Private and special addresses that may be sent to, also without TLS. */
  readonly allowed: Networks;
  readonly timeoutMs?: number;
  readonly lookup?: Find;
}

class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

const refusal = (): AddressRefused =>
  new AddressRefused(
    'the address is private, loopback or special: WEBHOOK_NETWORKS says which of these are allowed',
  );

/** Checks what is connected to, so that a name that resolves otherwise a second time gains nothing (DNS rebinding). */
const checkedLookup =
  (find: Find, check: (address: string) => Error | undefined): LookupFunction =>
  (hostname, options, done) => {
    find(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const problem = addresses.map(({ address }) => check(address)).find((each) => each !== undefined);
      const [first] = addresses;
      if (problem || first === undefined) return done(problem ?? refusal(), '', 0);
      if (options.all === true) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };

/** Sends by POST; redirects are not followed, and the answer's body is not read. */
export function openWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { allowed } = options;
  const limit = options.timeoutMs ?? timeoutMs;
  const find = options.lookup ?? findByDns();
  // It keeps TLS sessions, no connections: each is checked.
  const agent = new Agent();
  const start = (url: URL, given: RequestOptions): ClientRequest => {
    const isSecure = url.protocol === 'https:';
    const check = (address: string): Error | undefined => {
      if (!isAllowed(address, allowed)) return refusal();
      return isSecure || isListed(address, allowed)
        ? undefined
        : new AddressRefused('http:// is not allowed: use https://');
    };
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const problem = isIP(host) > 0 ? check(host) : undefined;
    if (problem) throw problem;
    const checked = { ...given, lookup: checkedLookup(find, check) };
    return isSecure
      ? requestHttps(url, { ...checked, agent })
      : requestHttp(url, { ...checked, agent: false });
  };
  return {
    send: (message) =>
      post(message, start, limit).catch((error: unknown) => ({ accepted: false, problem: problemOf(error) })),
  };
}

function post(
  { url, id, body, timestamp, secrets }: WebhookMessage,
  start: (url: URL, options: RequestOptions) => ClientRequest,
  limit: number,
): Promise<WebhookAnswer> {
  const sentAt = new Date(timestamp);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': `Rollcall/${version}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(timestamp / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
  };
  return new Promise((resolve, reject) => {
    const call = start(new URL(url), { method: 'POST', headers, signal: AbortSignal.timeout(limit) });
    call.on('response', (response) => {
      const { statusCode = 0 } = response;
      response.destroy();
      const accepted = statusCode >= 200 && statusCode < 300;
      resolve(accepted ? { accepted } : { accepted, problem: `answered ${statusCode}` });
    });
    call.on('error', reject);
    // After an answer or an error it changes nothing. A switch of protocols (101) is neither.
    call.on('close', () => resolve({ accepted: false, problem: 'closed without an answer' }));
    call.end(body);
  });
}

/** Codes and names only: the text of an error may hold an address. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error instanceof AddressRefused) return error.message;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return code === 'EPROTO' ? 'it refuses TLS, or has none of version 1.2 or newer (EPROTO)' : code;
}
