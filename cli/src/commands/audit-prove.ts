import { eventOfLine, lineOf } from '@rollcall/adapters';
import {
  anchorOf,
  eventsToEnd,
  ownAnchors,
  problemOfProof,
  proveEvent,
  type Proof,
} from '@rollcall/application';
import { parsedJson } from '@rollcall/employee-lists/text';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

import type { CliIo } from '../cli-io.js';
import { readConfig } from '../config.js';
import { bytesOf } from '../given-file.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withLog } from '../log-session.js';
import { anchorsIn, publicAnchorKeys, type KeysOption } from './audit-anchor.js';

export interface ProveOptions {
  readonly event: string;
  readonly anchor?: readonly string[];
}

/** Prints a proof that can be checked without the log. */
export async function auditProve(io: CliIo, { event: id, anchor = [] }: ProveOptions): Promise<void> {
  const outside = await anchorsIn(anchor);
  await withLog(io, async ({ log }) => {
    const anchors = [...outside, ...(await ownAnchors(log))].map((one) => one.anchor);
    const proof = await proveEvent(eventsToEnd(log, undefined), id, anchors);
    if (proof === undefined)
      throw new Refusal(`The log has no event ${id}, or it is a chunk of a larger one.`);
    if (proof === 'not-anchored')
      throw new Refusal(
        'No anchor covers it yet: make one with rollcall audit anchor --file FILE, and name it with --anchor.',
      );
    if (proof === 'unfit')
      throw new Refusal('The log is not what its anchors say: run rollcall audit verify.');
    await io.out(`${textOf(proof)}\n`);
  });
}

function textOf({ anchor, previous, events, index, path }: Proof): string {
  const lines = events.map((event): unknown => JSON.parse(lineOf(event)));
  const hashes = path.map((hash) => Buffer.from(hash).toString('hex'));
  return JSON.stringify({ format: 1, anchor, previous, events: lines, index, path: hashes });
}

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

const isProof = Compile(
  Type.Object({
    format: Type.Literal(1),
    anchor: Type.Unknown(),
    previous: Hash,
    events: Type.Array(Type.Unknown(), { minItems: 1 }),
    index: Type.Integer({ minimum: 0 }),
    path: Type.Array(Hash),
  }),
);

/** Undefined where the text is no proof. */
function proofOf(text: string): Proof | undefined {
  const value = parsedJson(text);
  if (!isProof.Check(value)) return undefined;
  const anchor = anchorOf(value.anchor);
  const events = value.events.flatMap((line) => eventOfLine(JSON.stringify(line)) ?? []);
  if (anchor === undefined || events.length !== value.events.length) return undefined;
  const path = value.path.map((hash) => Buffer.from(hash, 'hex'));
  return { anchor, previous: value.previous, events, index: value.index, path };
}

export interface VerifyProofOptions extends KeysOption {
  readonly json?: boolean;
  readonly file: string;
}

/** Opens no store. */
export async function auditVerifyProof(io: CliIo, options: VerifyProofOptions): Promise<void> {
  const { file, json = false } = options;
  const proof = proofOf((await bytesOf(file, `--file: ${file}`)).toString());
  if (proof === undefined) throw new Refusal(`${file} is no proof.`);
  const problem = problemOfProof(proof, await publicAnchorKeys(readConfig(io.env), options));
  if (problem !== undefined) throw new Refusal(`${file} proves nothing: ${problem}.`);
  const [event] = proof.events;
  const { installationId, time, kid } = proof.anchor;
  const value = { event: event?.id, type: event?.type, stream: event?.stream, revision: event?.revision };
  const what = `${value.type} ${value.event} (${value.stream}@${value.revision})`;
  await answer(io, json, { ...value, installationId, time, kid }, [
    `${what} was in the log of ${installationId} at ${time}, by the key ${kid}.`,
  ]);
}
