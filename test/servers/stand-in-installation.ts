import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { adapterEnvironment } from './adapter-environment.js';
import { EventStoreDbServer } from './eventstoredb-server.js';
import { prepareInstallation } from './prepared-data.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

export interface StandInInstallation {
  readonly eventLog: EventStoreDbServer;
  readonly folder: string;
  readonly dataDir: string;
  /** For its processes. */
  readonly env: Readonly<Record<string, string>>;
  /** One for each company, in their order. */
  readonly tokens: readonly string[];
}

interface StandInOptions {
  readonly companyIds?: readonly number[];
  /** Further arguments of the stand-in. */
  readonly args?: readonly string[];
  /** The way to it, where that is not the direct one: a connection string. */
  readonly through?: (eventLog: EventStoreDbServer) => Promise<string>;
}

/** An installation on a stand-in of its own for EventStoreDB, all else embedded; both are gone after the test file. */
export async function standInInstallation(options: StandInOptions = {}): Promise<StandInInstallation> {
  const { companyIds = [7], args = [], through } = options;
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-'));
  tap.teardown(() => rm(folder, { recursive: true, force: true }));
  const eventLog = await EventStoreDbServer.start({ args });
  tap.teardown(() => eventLog.stop());
  const dataDir = join(folder, 'data');
  const connectionString = (await through?.(eventLog)) ?? eventLog.url;
  const config = {
    ...embeddedAdapters(dataDir),
    eventLog: { kind: 'eventstoredb', connectionString },
  } as const;
  const env = { ...adapterEnvironment(config), LOG_LEVEL: 'silent' };
  return { eventLog, folder, dataDir, env, tokens: await prepareInstallation(config, companyIds) };
}

/** A PUT of so many invented employees. */
export async function putEmployees(
  url: string,
  token: string | undefined,
  people: number,
  { companyId = 7, headers = {} }: { companyId?: number; headers?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const answer = await fetch(`${url}/v1.0/Company/${companyId}/Employee`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(generatedEmployees(people)),
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}
