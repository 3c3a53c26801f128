import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lineOf } from '@rollcall/adapters';
import {
  AnchorCheck,
  anchorIfDue,
  createInstallation,
  makeAnchor,
  verifyLog,
  type Anchor,
  type EventLog,
} from '@rollcall/application';
import { payload } from '../projector/import-calls.support.js';
import { queued } from '../projector/import-events.support.js';
import {
  append,
  configured,
  context,
  employeeSet,
  largeRefusal,
  survey,
  type Rig,
} from '../projector/projector.support.js';

const installationId = '0f8b1e6c-3d52-4a8e-9c41-7b6d2a90e5f3';
const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();
const key = () => Promise.resolve({ kid: 'one', pem });

const anchoring = ({ log, clock }: Rig) => ({ log, clock, key });

const operation = (n: number): string => `019aa2f0-5c00-7000-8000-${String(n).padStart(12, '0')}`;

async function queue(on: Rig, n: number): Promise<void> {
  const operationId = operation(n);
  await append(on, 'company-2', queued(operationId, { payload: await payload(on, operationId) }), {
    operationId,
  });
}

/** Every kind of stream, and an anchor now and then. The last event is no chunk. */
export async function writeHistory(on: Rig, events: number): Promise<void> {
  await createInstallation(on, context({ companyId: null }), { installationId, keyCheck: 'ab'.repeat(32) });
  for (const id of [1, 2, 3]) await append(on, `company-${id}`, configured(id, `Company ${id}`));
  for (let n = 0; n < events; n += 1) {
    on.clock.at += 1_000;
    if (n % 250 === 100) await append(on, `operation-${operation(n)}`, largeRefusal());
    if (n % 150 === 50) await queue(on, n);
    if (n % 400 === 200)
      await append(
        on,
        'company-1',
        employeeSet({ added: [{ number: n, id: `E-${n}` }], total: n, lastNumber: n }),
      );
    if (n % 500 === 300) {
      on.clock.at += 3_600_000;
      await anchorIfDue(anchoring(on));
    }
    const id = 1 + ((n * n) % 211);
    await append(on, `survey-${id}`, survey(id, `Survey ${n}`));
  }
}

export async function anchorNow(on: Rig): Promise<Anchor> {
  const anchor = await makeAnchor(anchoring(on));
  if (anchor === undefined) throw new Error('the log has events');
  return anchor;
}

export interface Verdict {
  /** `stream@revision` of each damaged stream. */
  readonly damaged: readonly string[];
  /** Whether every anchor fits. */
  readonly anchors: boolean;
}

export async function verdictOf(log: EventLog, anchor: Anchor): Promise<Verdict> {
  const keys = new Map([['one', publicPem]]);
  const check = await AnchorCheck.open(log, { keys, outside: [{ anchor, source: 'kept' }] });
  const verdict = await verifyLog(log, { onEvent: (event) => check.take(event) });
  const broken = verdict.kind === 'broken' ? verdict.broken : [];
  const damaged = broken.map(({ stream, revision }) => `${stream}@${revision}`).sort();
  return { damaged, anchors: check.end().problems.length === 0 };
}

/** An export of what the log gives, damaged or not. */
export async function writeExport(log: EventLog, folder: string, anchor: Anchor): Promise<void> {
  let [text, events] = ['', 0];
  for await (const item of log.subscribeToAll({ after: undefined, signal: new AbortController().signal })) {
    if (item.kind === 'caught-up') break;
    text += lineOf(item.event);
    events += 1;
  }
  const path = 'events-000001.ndjson';
  const bytes = Buffer.byteLength(text);
  const files = [{ path, bytes, sha256: createHash('sha256').update(text).digest('hex'), events }];
  const publicKeys = [{ kid: 'one', pem: publicPem }];
  await writeFile(join(folder, path), text);
  await writeFile(join(folder, 'anchors.ndjson'), `${JSON.stringify(anchor)}\n`);
  await writeFile(
    join(folder, 'manifest.json'),
    JSON.stringify({ format: 1, installationId, company: null, events, files, publicKeys }),
  );
}
