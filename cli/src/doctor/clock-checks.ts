import { recordedAtOf, type EventLog, type ReadModels } from '@rollcall/application';
import { spanText } from '../situation/words.js';
import { green, red, type Check } from './check.js';
import type { OpenedStores } from './stores.js';

/** A larger difference affects the order of times, tokens, and due invitations. */
const maxClockSkewMs = 5_000;
const ADVICE = 'Have all hosts keep the time by NTP.';

export async function clockCheck({ log, readModels, found }: OpenedStores, now: number): Promise<Check> {
  const apart = [...found].flatMap(([name, { clockAheadMs }]) =>
    clockAheadMs === undefined ? [] : [{ name, ms: clockAheadMs }],
  );
  const wrong = apart.find(({ ms }) => Math.abs(ms) > maxClockSkewMs);
  if (wrong) return red('clocks', differenceText(wrong), ADVICE);
  const recorded = log && readModels && (await newestProjected(log, readModels).catch(() => undefined));
  if (recorded !== undefined && recorded - now > maxClockSkewMs) {
    const text = `the log holds an event that was recorded ${spanText(recorded - now)} after what this host's clock says`;
    return red('clocks', text, ADVICE);
  }
  const compared = [
    ...(recorded === undefined ? [] : ['log']),
    ...apart.map(({ name }) => `server of the ${name}`),
  ];
  return green(
    'clocks',
    compared.length === 0
      ? 'there is nothing to compare with'
      : `this host's is that of the ${compared.join(', the ')}, to ${spanText(maxClockSkewMs)}`,
  );
}

const differenceText = ({ name, ms }: { readonly name: string; readonly ms: number }): string =>
  `the server of the ${name} is ${spanText(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} this host`;

async function newestProjected(log: EventLog, readModels: ReadModels): Promise<number | undefined> {
  const { last } = await readModels.progress();
  const event = last && (await log.readLast(last.stream));
  return event && recordedAtOf(event);
}
