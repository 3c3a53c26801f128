import {
  importLimits,
  type ArrivingImport,
  type BareImportRequest,
  type BodyIntake,
  type ImportOutcome,
  type Imports,
} from '@rollcall/application';
import type { FastifyRequest } from 'fastify';
import { BodyBuffer } from '../http/body-memory.js';
import { sha256Of, type BodySink, declaredLength } from '../http/receive-body.js';

const { heldBody: maxHeldBytes, heldUnknownBody: maxHeldUnknownBytes } = importLimits;

/** Unpacked length; undefined for a packed body and one without a length. */
export function knownBytes({ raw }: FastifyRequest): number | undefined {
  const isPacked = (raw.headers['content-encoding'] ?? 'identity').trim().toLowerCase() === 'gzip';
  return isPacked ? undefined : declaredLength(raw);
}

/** A small arriving body is held, a thread takes up a larger one. The caller must call `abandon`. */
export class ArrivingImportBody implements BodySink {
  readonly #imports: Pick<Imports, 'accept' | 'takeUp'>;
  readonly #arriving: ArrivingImport;
  readonly #maxHeld: number;
  readonly #held = new BodyBuffer();
  #intake: BodyIntake | undefined;

  constructor(imports: Pick<Imports, 'accept' | 'takeUp'>, arriving: ArrivingImport) {
    this.#imports = imports;
    this.#arriving = arriving;
    this.#maxHeld = arriving.expectedBytes === undefined ? maxHeldUnknownBytes : maxHeldBytes;
  }

  take(chunk: Uint8Array): Promise<void> | undefined {
    this.#held.add(chunk);
    return this.#intake || this.#held.length > this.#maxHeld ? this.#handOver(undefined) : undefined;
  }

  /** Call it after the last chunk. */
  async whole(): Promise<WholeImportBody> {
    if (!this.#intake && this.#held.length <= maxHeldBytes)
      return heldBody(this.#imports, this.#held.takeWhole());
    await this.#handOver(this.#held.length);
    const intake = this.#intake;
    if (!intake) throw new Error('a body was handed over to nobody');
    return { sha256: await intake.end(), accept: (request) => intake.accept(request) };
  }

  /** Discards the body unless it is decided on. */
  abandon(): void {
    this.#intake?.abandon();
  }

  /** `length` is given where the whole body is held. */
  #handOver(length: number | undefined): Promise<void> | undefined {
    const expectedBytes = this.#arriving.expectedBytes ?? length;
    this.#intake ??= this.#imports.takeUp({ ...this.#arriving, expectedBytes });
    return this.#intake.write(this.#held.take());
  }
}

export interface WholeImportBody {
  readonly sha256: string;
  /** Decides on the body; call it once. */
  readonly accept: (request: BareImportRequest) => Promise<ImportOutcome>;
}

function heldBody(imports: Pick<Imports, 'accept'>, body: Uint8Array<ArrayBuffer>): WholeImportBody {
  const sha256 = sha256Of(body);
  return { sha256, accept: (request) => imports.accept({ ...request, body, bodySha256: sha256 }) };
}
