import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type * as Client from '@eventstore/db-client';

const load = createRequire(import.meta.url);

/** Other keys are refused here, because the client would print the string, password included. */
const KEYS = new Map(
  [
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
    'nodePreference',
    'throwOnAppendFailure',
    'tls',
    'tlsCAFile',
    'userCertFile',
    'userKeyFile',
  ].map((key) => [flat(key), key]),
);

function flat(key: string): string {
  return key.trim().toLowerCase().replace(/[_-]/g, '');
}

/** Never repeats the connection string: it may hold a password. */
export class ConnectionStringInvalid extends Error {
  override readonly name = 'ConnectionStringInvalid';
}

const keepAliveTimeoutMs = 10_000;

/** `ConnectionStringInvalid`. `nth` varies a timeout: gRPC would share a connection between clients with equal settings. */
export function clientFor(connectionString: string, nth = 0): Client.EventStoreDBClient {
  if (parse(connectionString).tls) allowServerAddresses();
  const { EventStoreDBClient } = load('@eventstore/db-client') as typeof Client;
  try {
    return EventStoreDBClient.connectionString(nth === 0 ? connectionString : varied(connectionString, nth));
  } catch (error) {
    // A parse error shows parts of the string.
    const isParseError = error instanceof Error && 'connectionString' in error;
    throw invalid(error instanceof Error && !isParseError ? error.message : 'it cannot be parsed');
  }
}

let allowsAddresses = false;

/** gRPC uses even an IP address as TLS server name, of which Node.js warns. The certificate is still checked. */
function allowServerAddresses(): void {
  if (allowsAddresses) return;
  allowsAddresses = true;
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (...given: unknown[]): void => {
    if (!given.includes('DEP0123')) Reflect.apply(emit, process, given);
  };
}

function varied(connectionString: string, nth: number): string {
  const { options } = formOf(connectionString);
  const given = Number(options.get(flat('keepAliveTimeout')) ?? keepAliveTimeoutMs);
  const timeout = (given < 0 ? keepAliveTimeoutMs : given) + nth;
  const text = connectionString.trim().replace(/[/?]+$/, '');
  return `${text}${options.size === 0 ? '?' : '&'}keepAliveTimeout=${timeout}`;
}

export function connectionStringProblem(connectionString: string): string | undefined {
  try {
    clientFor(connectionString);
    return undefined;
  } catch (error) {
    if (error instanceof ConnectionStringInvalid) return error.message;
    throw error;
  }
}

export function parse(connectionString: string) {
  const { authority, options } = formOf(connectionString);
  checkUser(authority);
  const hosts = authority
    .slice(authority.lastIndexOf('@') + 1)
    .split(/[,/]/)
    .filter((host) => host !== '')
    .map((host) => (host.includes(':') ? host : `${host}:2113`));
  const file = (key: string): Buffer | undefined => fileOf(key, options.get(flat(key)));
  return {
    hosts,
    tls: options.get('tls') !== 'false',
    authority: certificatesIn('tlsCAFile', file('tlsCAFile')),
    certificate: certificatesIn('userCertFile', file('userCertFile')),
    key: file('userKeyFile'),
  };
}

const EXPECTED =
  'expected esdb://user:password@host:2113 or esdb+discover://..., with options such as ?tls=false';

const invalid = (problem: string): ConnectionStringInvalid =>
  new ConnectionStringInvalid(`${problem}; ${EXPECTED}`);

function formOf(connectionString: string) {
  const rest = /^esdb(?:\+discover)?:\/\/(.+)$/s.exec(connectionString.trim())?.[1];
  if (rest === undefined) throw new ConnectionStringInvalid(EXPECTED);
  const [authority = '', ...queries] = rest.split('?');
  const query = queries.join('?');
  // Checked before anything is shown: the rest may be the end of a password.
  if (query.includes('@'))
    throw invalid('there is an @ behind a ?: a ? in the name or the password is written %3F, an @ %40');
  checkRaw(query, ['?', '#'], 'an option');
  return { authority, options: optionsOf(query) };
}

function optionsOf(query: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const option of query.split('&').filter((text) => text !== '')) {
    const [key = '', ...value] = option.split('=');
    if (!KEYS.has(flat(key))) {
      const shown = /^\w{1,40}$/.test(key) ? `the option ${key}` : 'an option';
      throw new ConnectionStringInvalid(`${shown} is unknown; known are ${[...KEYS.values()].join(', ')}`);
    }
    options.set(flat(key), decodeURIComponent(value.join('=')));
  }
  return options;
}

const MEANING = ['/', '#', '[', ']', ' '];

function checkUser(authority: string): void {
  const parts = authority.split('@');
  if (parts.length > 2) throw invalid('there is a second @: in the name or the password write %40');
  if (parts.length < 2) return;
  const [name = '', ...password] = (parts[0] ?? '').split(':');
  if (name === '' || password.join('') === '') throw invalid('before the @ a name and a password belong');
  checkRaw(name, MEANING, 'the name');
  checkRaw(password.join(':'), [':', ...MEANING], 'the password');
}

function checkRaw(text: string, meaning: readonly string[], where: string): void {
  const raw = meaning.filter((character) => text.includes(character));
  if (/%(?![0-9a-f]{2})/i.test(text)) raw.push('%');
  if (raw.length > 0) {
    const shown = raw.map((character) => (character === ' ' ? 'space' : character)).join(' and ');
    const codes = raw.map((character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
    throw invalid(`${where} holds a raw ${shown}: encode it (${codes.join(', ')})`);
  }
  try {
    decodeURIComponent(text);
  } catch {
    throw invalid(`${where} holds codes with % that are no UTF-8`);
  }
}

function fileOf(key: string, name: string | undefined): Buffer | undefined {
  if (name === undefined) return undefined;
  try {
    return readFileSync(resolve(name));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new ConnectionStringInvalid(`the file of ${key}, ${resolve(name)}, cannot be read: ${reason}`);
  }
}

function certificatesIn(key: string, content: Buffer | undefined): Buffer | undefined {
  if (content === undefined) return undefined;
  const found = content.toString('latin1').match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs);
  if (found === null)
    throw new ConnectionStringInvalid(`the file of ${key} holds no certificate in PEM form`);
  try {
    for (const text of found) new X509Certificate(text);
  } catch {
    throw new ConnectionStringInvalid(`the file of ${key} holds a certificate that cannot be read`);
  }
  return content;
}
