import {
  type CopiedCollections,
  type GenerationInfo,
  type LastProjected,
  type Position,
  type Progress,
  type Share,
  readModelCollections,
  UnwritableDocument,
  type CollectionDeclaration,
  type DocumentWrite,
} from '@rollcall/application';

/** After this time an unused or abandoned generation is dropped. */
const unusedLifetimeMs = 60 * 60_000;
/** Another version's generation is dropped this long after its last write. */
const otherVersionLifetimeMs = 24 * unusedLifetimeMs;
const maxOtherVersions = 2;

/** What a store knows of a generation; times are ms since the epoch. */
export interface KnownGeneration {
  readonly number: number;
  /** The projections' version; null where unknown. */
  readonly version: string | null;
  /** Or when its claim last changed. */
  readonly begun: number;
  /** Null while it is being built. */
  readonly since: number | null;
  readonly claim?: string | undefined;
  /** The last write. */
  readonly written: number;
  readonly progress: Progress;
}

export interface StoredProgress {
  /** Decimal digits. */
  readonly position: string | null;
  readonly last?: LastProjected;
  readonly copied?: Omit<CopiedCollections, 'upTo'> & { readonly upTo?: string };
  /** The parts as hexadecimal digits. Null where nobody holds any. */
  readonly leases?: readonly StoredShare[] | null;
}

type StoredShare = Pick<Share, 'holder' | 'beats'> & {
  readonly parts: string;
  readonly position: string | null;
};

export const storedProgress = ({ position, last, copied, shares }: Progress): StoredProgress => ({
  position: position?.toString() ?? null,
  leases:
    shares?.map(({ holder, parts, position: at, beats }) => ({
      ...{ holder, beats, parts: parts.toString(16), position: at?.toString() ?? null },
    })) ?? null,
  ...(last && { last }),
  ...(copied && { copied: storedCopied(copied) }),
});

const storedCopied = ({ upTo, ...copied }: CopiedCollections): NonNullable<StoredProgress['copied']> => ({
  ...copied,
  ...(upTo !== undefined && { upTo: upTo.toString() }),
});

export const progressOf = (stored: StoredProgress | undefined): Progress => ({
  position: positionIn(stored?.position),
  ...(stored?.leases && { shares: stored.leases.map(shareOf) }),
  ...(stored?.last && { last: stored.last }),
  ...(stored?.copied && { copied: copiedOf(stored.copied) }),
});

const positionIn = (digits: string | null | undefined): Position | undefined =>
  typeof digits === 'string' ? BigInt(digits) : undefined;

const shareOf = ({ holder, beats, parts, position }: StoredShare): Share => ({
  ...{ holder, beats, parts: BigInt(`0x${parts}`), position: positionIn(position) },
});

const copiedOf = ({ upTo, ...copied }: NonNullable<StoredProgress['copied']>): CopiedCollections => ({
  ...copied,
  ...(upTo !== undefined && { upTo: BigInt(upTo) }),
});

/** Undefined, for tools and tests: any version. */
export type OwnVersion = string | undefined;

type Placed = Pick<KnownGeneration, 'number' | 'version' | 'since'>;

const isOwn = ({ version }: Placed, own: OwnVersion): boolean => own === undefined || version === own;

export const liveOf = <G extends Placed>(all: readonly G[], own: OwnVersion): G | undefined =>
  newest(all.filter((one) => one.since !== null && isOwn(one, own)));

/** The newest complete one of another, known version. */
export const copySourceOf = (all: readonly KnownGeneration[], own: OwnVersion): KnownGeneration | undefined =>
  newest(all.filter(({ since, version }) => since !== null && version !== null && version !== own));

/** The collections that have the same number in both versions. */
export function unchangedIn(version: string | null, own: OwnVersion): readonly string[] {
  const numbered = own?.split(' ') ?? [];
  const same = version?.split(' ').filter((one) => numbered.includes(one)) ?? [];
  return same.flatMap((one) => /^(?<name>.+):\d+$/.exec(one)?.groups?.['name'] ?? []);
}

export const unfinishedOf = (
  all: readonly KnownGeneration[],
  own: OwnVersion,
  now: number,
): KnownGeneration | undefined =>
  newest(all.filter((one) => one.since === null && isOwn(one, own) && !isOver(one, all, now)));

const newest = <G extends Placed>(all: readonly G[]): G | undefined =>
  all.reduce<G | undefined>((best, one) => (best && best.number > one.number ? best : one), undefined);

/** Deterministic: every process, of any version, decides the same. */
export function isOver(one: KnownGeneration, all: readonly KnownGeneration[], now: number): boolean {
  // Helpers may write on after its builder is gone.
  if (one.since === null) return now - one.begun > unusedLifetimeMs;
  const newer = all.filter(({ number, since }) => number > one.number && since !== null);
  const same = newer.filter(({ version }) => version === one.version);
  if (same.length > 0) return now - Math.min(...same.map(sinceOf)) > unusedLifetimeMs;
  if (newer.length === 0) return false;
  if (new Set(newer.map(({ version }) => version)).size > maxOtherVersions)
    return now - Math.max(...newer.map(sinceOf)) > unusedLifetimeMs;
  return now - Math.max(lastSign(one), ...newer.map(sinceOf)) > otherVersionLifetimeMs;
}

const sinceOf = ({ since }: KnownGeneration): number => since ?? 0;

const lastSign = ({ begun, written, since }: KnownGeneration): number => Math.max(begun, written, since ?? 0);

const claimOf = (builder: string, renewals: number): string => `${builder} ${renewals}`;

export const firstClaim = (builder: string): string => claimOf(builder, 0);

type ClaimedGeneration = Pick<KnownGeneration, 'since' | 'claim'>;

export const isClaimedBy = (claim: string | undefined, builder: string): boolean =>
  claim?.startsWith(`${builder} `) === true;

export const isOfAnother = (one: ClaimedGeneration | undefined, builder: string): boolean =>
  one?.since === null && one.claim !== undefined && !isClaimedBy(one.claim, builder);

/** Undefined where another builder's claim has not lapsed. */
export function nextClaim(claim: string | undefined, builder: string, lapsed?: string): string | undefined {
  if (claim === undefined || claim === lapsed) return firstClaim(builder);
  return isClaimedBy(claim, builder) ? claimOf(builder, Number(claim.split(' ')[1]) + 1) : undefined;
}

export const nameOf = (number: number): string => `generation-${number}`;

export const infosOf = (all: readonly KnownGeneration[], own: OwnVersion): GenerationInfo[] =>
  [...all]
    .sort((one, other) => one.number - other.number)
    .map((one) => ({
      name: nameOf(one.number),
      status: statusOf(one, all, own),
      version: one.version,
      at: one.since ?? lastSign(one),
      progress: one.progress,
    }));

function statusOf(
  one: KnownGeneration,
  all: readonly KnownGeneration[],
  own: OwnVersion,
): GenerationInfo['status'] {
  if (one.since === null) return isOwn(one, own) ? 'building' : 'other';
  if (liveOf(all, own) === one) return 'live';
  const newestOfIts = newest(all.filter(({ since, version }) => since !== null && version === one.version));
  return newestOfIts === one && !isOwn(one, own) ? 'other' : 'retired';
}

/** A bug: a collection or index that is not declared. */
export class Undeclared extends Error {
  override readonly name = 'Undeclared';
}

export class Collections {
  readonly #byName: ReadonlyMap<string, CollectionDeclaration>;

  constructor(declared: readonly CollectionDeclaration[] = readModelCollections) {
    this.#byName = new Map(declared.map((one) => [one.name, one]));
  }

  get all(): readonly CollectionDeclaration[] {
    return [...this.#byName.values()];
  }

  /** `Undeclared` where it is not. */
  of(name: string): CollectionDeclaration {
    const found = this.#byName.get(name);
    if (found === undefined) throw new Undeclared(`no collection of read models is called ${name}`);
    return found;
  }

  /** `Undeclared` where the collection has no such index. */
  widthOf(name: string, index: string): number {
    const width = this.of(name).indexes[index];
    if (width === undefined) throw new Undeclared(`${name} has no index ${index}`);
    return width;
  }

  /** The write's declared indexes with their numbers. `UnwritableDocument` for others. */
  indexedBy(write: DocumentWrite): readonly (readonly [index: string, numbers: readonly number[]])[] {
    if (write.op !== 'put' || write.indexed === undefined) return [];
    const { indexes } = this.of(write.collection);
    const entries = Object.entries(write.indexed);
    for (const [index, numbers] of entries)
      if (indexes[index] !== numbers.length)
        throw new UnwritableDocument(
          `the index ${index} of ${write.collection} does not take ${numbers.length} numbers`,
        );
    return entries;
  }
}

/** `UnwritableDocument` where it is no event's revision. */
export function checkedRevision(revision: number): number {
  if (Number.isSafeInteger(revision) && revision >= 0 && revision < MAX_REVISION) return revision;
  throw new UnwritableDocument('the revision of a document is a whole number from 0 on');
}

const MAX_REVISION = 2 ** 48;
