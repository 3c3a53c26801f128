import { ConfigInvalid } from '../../config-invalid.js';

export interface NatsAddress {
  readonly servers: readonly string[];
  /** True requires encryption; it is used in any case if the server offers it. */
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

const DEFAULT_PORT = '4222';
const FORM = 'nats://user:password@host:4222 or tls://..., several servers separated by commas';

/** NATS_URL: servers with the same user and password, or token. `ConfigInvalid` (without the value) if it is malformed. */
export function parseNatsUrl(text: string): NatsAddress {
  const [scheme = 'nats://'] = /^[^:,]*:\/\//.exec(text.trim()) ?? [];
  const urls = text.split(',').map((part) => parseOne(part.trim(), scheme));
  const [first] = urls;
  if (first === undefined) throw invalid('names no server');
  if (urls.some((url) => url.protocol !== first.protocol)) throw invalid('mixes nats:// and tls://');
  const credentials = urls.filter((url) => url.username + url.password !== '').map(credentialsOf);
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

/** The scheme is for a part without one. */
function parseOne(part: string, scheme: string): URL {
  const text = part.includes('://') ? part : `${scheme}${part}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') throw invalid('is no address of a server');
  if (!['nats:', 'tls:'].includes(url.protocol)) throw invalid('begins with neither nats:// nor tls://');
  if (![url.host, `${url.host}/`].includes(text.slice(text.lastIndexOf(url.host)))) {
    throw invalid('has something behind the port');
  }
  return url;
}

function credentialsOf(url: URL): Pick<NatsAddress, 'user' | 'pass' | 'token'> {
  if (url.username === '') throw invalid('has a password and no user: name one');
  try {
    const user = decodeURIComponent(url.username);
    return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) };
  } catch {
    throw invalid('has a user or password that is not percent-encoded as it should be');
  }
}

const invalid = (what: string): ConfigInvalid => new ConfigInvalid(`NATS_URL ${what}; it should be ${FORM}`);

/** `ConfigInvalid` if the prefix cannot be part of a stream's name in NATS. */
export function checkNatsPrefix(prefix: string): void {
  if (/^[A-Za-z0-9_-]{0,100}$/.test(prefix)) return;
  throw new ConfigInvalid('STREAM_PREFIX must be at most 100 letters, digits, - and _ for QUEUE=nats');
}
