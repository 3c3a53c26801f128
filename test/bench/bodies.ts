import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { employeesBody, type BodyOptions } from '../generators/employees.js';
import { parseFloor } from './floors.js';
import type { Times } from './times.js';

/** What people send: one list, and the same with 1 % of its employees changed, as several clients write it. */
const variants = {
  ordinary: {},
  'ordinary, changed': { onePercentChanged: true },
  shuffled: { shuffled: true },
  '.NET': { spelling: '.NET' },
  'Python, changed': { spelling: 'Python', onePercentChanged: true },
  pretty: { spelling: 'pretty' },
  wide: { wideAddresses: true },
  'wide, changed': { wideAddresses: true, onePercentChanged: true },
} as const satisfies Record<string, BodyOptions>;
export type Variant = keyof typeof variants;

export const variantNames = Object.keys(variants) as readonly Variant[];

/** Of few, the least is a matter of luck: it moved by half between runs. */
const leastFloors = 7;

/** The bodies of one size. They lie in files: half a million employees in eight spellings would fill the memory. */
export class Bodies {
  readonly size: number;
  readonly #folder: string;
  readonly #floors = new Map<Variant, Times>();
  readonly #lengths = new Map<Variant, number>();
  readonly #repetitions: number;

  constructor(parent: string, size: number, repetitions: number) {
    this.size = size;
    this.#folder = mkdtempSync(join(parent, 'bodies-'));
    this.#repetitions = repetitions;
  }

  bytes(variant: Variant): Buffer {
    const path = this.#pathOf(variant);
    if (this.#lengths.has(variant)) return readFileSync(path);
    const body = employeesBody(this.size, variants[variant]);
    writeFileSync(path, body);
    this.#lengths.set(variant, body.length);
    return body;
  }

  /** Bytes of JSON. */
  lengthOf(variant: Variant): number {
    return this.#lengths.get(variant) ?? this.bytes(variant).length;
  }

  compressed(variant: Variant): Buffer {
    return gzipSync(this.bytes(variant));
  }

  /** P of this very body. */
  floorOf(variant: Variant): Times {
    const known = this.#floors.get(variant);
    if (known) return known;
    const floor = parseFloor(this.bytes(variant), Math.max(leastFloors, this.#repetitions));
    this.#floors.set(variant, floor);
    return floor;
  }

  #pathOf(variant: Variant): string {
    return join(this.#folder, `${variantNames.indexOf(variant)}.json`);
  }
}
