import { ConfigInvalid } from '../../host/environment.js';

/** Where the servers are, and who we are there. */
export interface NatsAddress {
  /** host:port of each. */
  readonly servers: readonly string[];
  /** Whether the connection must be encrypted; where the server offers it, it is in any case. */
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

const DEFAULT_PORT = '4222';
const FORM = 'nats://user:password@host:4222 or tls://..., several servers separated by commas';

/**
 * Reads NATS_URL: one or more servers, `nats://` or `tls://`, with a user and password or a token before the `@`, which
 * are the same for all servers. `ConfigInvalid`, which repeats nothing of the value, where it is not understood.
 */
export function parseNatsUrl(text: string): NatsAddress {
  const urls = text.split(',').map((part) => parseOne(part.trim()));
  const [first] = urls;
  if (first === undefined) throw invalid('names no server');
  if (urls.some((url) => url.protocol !== first.protocol)) throw invalid('mixes nats:// and tls://');
  const credentials = urls.filter((url) => url.username !== '').map(credentialsOf);
  const [known] = credentials;
  if (new Set(credentials.map((some) => JSON.stringify(some))).size > 1) {
    throw invalid('gives different users for different servers');
  }
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || DEFAULT_PORT}`),
    tls: first.protocol === 'tls:',
    ...known,
  };
}

function parseOne(part: string): URL {
  const text = part.includes('://') ? part : `nats://${part}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') throw invalid('is no address of a server');
  if (!['nats:', 'tls:'].includes(url.protocol)) throw invalid('begins with neither nats:// nor tls://');
  if (![url.host, `${url.host}/`].includes(text.slice(text.lastIndexOf(url.host)))) {
    throw invalid('has something behind the port');
  }
  return url;
}

function credentialsOf(url: URL): Pick<NatsAddress, 'user' | 'pass' | 'token'> {
  try {
    const user = decodeURIComponent(url.username);
    return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) };
  } catch {
    throw invalid('has a user or password that is not percent-encoded as it should be');
  }
}

const invalid = (what: string): ConfigInvalid => new ConfigInvalid(`NATS_URL ${what}; it should be ${FORM}`);

/** `ConfigInvalid` where the prefix cannot stand in a stream's name in NATS. */
export function checkNatsPrefix(prefix: string): void {
  if (/^[A-Za-z0-9_-]{0,100}$/.test(prefix)) return;
  throw new ConfigInvalid('STREAM_PREFIX must be at most 100 letters, digits, - and _ for QUEUE=nats');
}
