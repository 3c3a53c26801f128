import { createHash } from 'node:crypto';
import { Digester, listProof } from '@rollcall/employee-lists';
import { readEmployeeList } from '@rollcall/employee-lists/testing';
import { rulesNumber } from '@rollcall/host';
import { frozenLines, frozenNames } from './frozen-files.js';

/** A body of employees as it stands in a frozen file. */
interface FrozenBody {
  readonly name: string;
  readonly body: string;
  readonly encoding?: 'latin1';
}

export const frozenBodies = (): string[] => frozenNames('bodies-');

/** Where the outcomes of these bodies stand by the rules in force. */
export const outcomesFile = (bodies: string, rules = rulesNumber): string => `${bodies}/rules-${rules}.txt`;

/**
 * What the rules make of each body, a line for each: how many problems it has, or all that its proof consists of. The words of a
 * problem are not part of it.
 */
export const outcomesOf = (bodies: string): string =>
  (frozenLines(`${bodies}.jsonl`) as FrozenBody[])
    .map(({ name, body, encoding }) => `${name}: ${outcomeOf(Buffer.from(body, encoding ?? 'utf8'))}\n`)
    .join('');

function outcomeOf(body: Buffer): string {
  const digester = new Digester(Buffer.alloc(32, 7));
  const reading = readEmployeeList(body, digester);
  if (reading.status === 'invalid') return `${reading.problems.length} problems`;
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const { list } = reading;
  const proof = listProof(list, { rules: 'frozen', digester, bodySha256, count: list.count });
  return `valid ${Buffer.concat(proof).toString('hex')}`;
}
