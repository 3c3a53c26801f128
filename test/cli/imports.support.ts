import { projections } from '@rollcall/projector';
import { type ImportEngine, systemClock, newId } from '@rollcall/application';
import { keyPaths, openAdapters, openKeys, type Adapters } from '@rollcall/adapters';

import { Digester } from '@rollcall/employee-lists';

import type { Test } from 'tap';
import { engineOn, queue, runAll, type CallOptions } from '../application/imports.support.js';
import { projectAll } from '../projector/projector.support.js';
import { writable } from '../support/writable.js';
import { rollcallWithin } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** An installation with company 7, and what api, worker and projector do in it when a test says so. */
export interface Installation {
  readonly dataDir: string;
  readonly adapters: Adapters;
  readonly engine: ImportEngine;
  readonly rollcall: ReturnType<typeof rollcallWithin>;
  /** Queues a list of employees; its operation. */
  queue(value: unknown, options?: CallOptions): Promise<string>;
  /** Runs what is pending, and projects it. */
  run(): Promise<void>;
  project(): Promise<void>;
}

export async function installation(t: Test): Promise<Installation> {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7 --integration on');
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  t.teardown(() => adapters.close());
  const { log, readModels, snapshots } = adapters;
  const digester = new Digester((await openKeys(keyPaths(dataDir))).digestKey);
  const rig = { folder: dataDir, log, readModels: writable(readModels), snapshots, clock: systemClock };
  const engine = engineOn(rig, digester, { findRows: () => Promise.resolve([]) });
  const project = () => projectAll({ log, readModels, projections });
  await project();
  return {
    dataDir,
    adapters,
    engine,
    rollcall,
    queue: async (value, options = {}) => {
      const method = 'PUT /v1.0/Company/7/Employee';
      // Those of real calls tell their order.
      const context = { operationId: newId(), ...options.context };
      const operation = await queue(engine, 'employees', value, { method, ...options, context });
      await project();
      return operation;
    },
    run: async () => {
      await runAll(engine);
      await project();
    },
    project,
  };
}
