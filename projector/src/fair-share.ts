import { allParts, partCount, type Parts, partsIn, partsOf } from '@rollcall/application/read';

/** What one projector says: on which parts it works. */
export interface Lease {
  readonly holder: string;
  /** Another number shows that the holder lives. */
  readonly beat: number;
  readonly parts: Parts;
}

/** Of what the others do not hold as much as is fair, rather what it holds already. */
export function fairShare(own: Parts, others: readonly Lease[]): Parts {
  const free = others.reduce((left, { parts }) => left & ~parts, allParts);
  const most = Math.ceil(partCount / (others.length + 1));
  return partsOf([...partsIn(own & free), ...partsIn(free & ~own)].slice(0, most));
}

export const leasesOf = (text: string | undefined): readonly Lease[] =>
  text === undefined || text === ''
    ? []
    : text.split(' ').map((one) => {
        const [holder = '', beat = '0', parts = '0'] = one.split(':');
        return { holder, beat: Number(beat), parts: BigInt(`0x${parts}`) };
      });

export const leasesText = (leases: readonly Lease[]): string =>
  leases.map(({ holder, beat, parts }) => `${holder}:${beat}:${parts.toString(16)}`).join(' ');
