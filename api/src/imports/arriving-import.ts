import type {
  ArrivingImport,
  BareImportRequest,
  BodyIntake,
  ImportOutcome,
  Imports,
} from '@rollcall/application';
import type { FastifyRequest } from 'fastify';
import { HeldPieces } from '../http/held-pieces.js';
import { sha256Of } from '../http/json-body.js';
import { type BodySink, declaredLength } from '../http/receive-body.js';

/** Bodies up to so many bytes are held here, others go to the thread that reads them, so much at a time. */
const mostHeld = 256 * 1024;

/** How much larger a packed list of employees is when it is unpacked, about. */
const packing = 8;

/** About so many unpacked bytes come, of at most `limit`; undefined where nobody knows. */
export function expectedBytes({ raw }: FastifyRequest, limit: number): number | undefined {
  const declared = declaredLength(raw);
  const isPacked = (raw.headers['content-encoding'] ?? 'identity').trim().toLowerCase() === 'gzip';
  return declared === undefined ? undefined : Math.min(limit, isPacked ? declared * packing : declared);
}

/** The body of an import on its way in: small ones are held, the thread has the others. `abandon` has to end it. */
export class ArrivingImportBody implements BodySink {
  readonly #imports: Pick<Imports, 'accept' | 'takeUp'>;
  readonly #arriving: ArrivingImport;
  readonly #held = new HeldPieces();
  #intake: BodyIntake | undefined;

  constructor(imports: Pick<Imports, 'accept' | 'takeUp'>, arriving: ArrivingImport) {
    this.#imports = imports;
    this.#arriving = arriving;
  }

  take(chunk: Uint8Array): Promise<void> | undefined {
    this.#held.add(chunk);
    return this.#held.length > mostHeld ? this.#handOver() : undefined;
  }

  /** To be called when all of it was taken. */
  async whole(): Promise<WholeImportBody> {
    if (!this.#intake) return heldBody(this.#imports, this.#held.takeWhole());
    await this.#handOver();
    const intake = this.#intake;
    return { sha256: await intake.end(), accept: (request) => intake.accept(request) };
  }

  /** Nobody wants it any more. Does nothing where it is decided on. */
  abandon(): void {
    this.#intake?.abandon();
  }

  #handOver(): Promise<void> | undefined {
    this.#intake ??= this.#imports.takeUp(this.#arriving);
    return this.#intake.write(this.#held.take());
  }
}

/** A body that is there whole. */
export interface WholeImportBody {
  /** Hex. */
  readonly sha256: string;
  /** Decides on it; to be called once. */
  readonly accept: (request: BareImportRequest) => Promise<ImportOutcome>;
}

function heldBody(imports: Pick<Imports, 'accept'>, body: Uint8Array<ArrayBuffer>): WholeImportBody {
  const sha256 = sha256Of(body);
  return { sha256, accept: (request) => imports.accept({ ...request, body, bodySha256: sha256 }) };
}
