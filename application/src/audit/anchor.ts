import { sign, verify } from 'node:crypto';
import { checkEventData, type LogAnchored } from '@rollcall/contracts';
import { MerkleTree } from './merkle.js';

/** A signed root over the heads of all streams that stay (docs/log-format.md, "Anchors"). */
export type Anchor = LogAnchored;

export interface Head {
  /** Without the installation's prefix. */
  readonly stream: string;
  readonly revision: number;
  /** Hex. */
  readonly chain: string;
}

export interface AnchorKey {
  readonly kid: string;
  /** Ed25519, private. */
  readonly pem: string;
}

/** Public keys in PEM form, by `kid`. */
export type AnchorKeys = ReadonlyMap<string, string>;

/** Length of the name (4 bytes, big-endian), the name, revision (8 bytes, big-endian), chain value (32 bytes). */
export function leafOf({ stream, revision, chain }: Head): Buffer {
  const name = Buffer.from(stream);
  const leaf = Buffer.alloc(name.length + 44);
  leaf.writeUInt32BE(name.length);
  leaf.set(name, 4);
  leaf.writeBigUInt64BE(BigInt(revision), name.length + 4);
  leaf.write(chain, name.length + 12, 'hex');
  return leaf;
}

/** What an anchor says about heads in the byte order of their names. */
export class AnchoredHeads {
  readonly #tree = new MerkleTree();
  #events = 0;

  add(head: Head, isTarget = false): void {
    this.#events += head.revision + 1;
    this.#tree.add(leafOf(head), isTarget);
  }

  /** Ends the tree. */
  end() {
    const { size: streams } = this.#tree;
    const { root, ...target } = this.#tree.end();
    return { events: this.#events, streams, root: root.toString('hex'), ...target };
  }
}

const signedText = (anchor: Omit<Anchor, 'signature'>): Buffer => {
  const { format, installationId, time, position, events, streams, root, kid } = anchor;
  const lines = [`rollcall anchor ${format}`, installationId, time, position, events, streams, root, kid];
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
};

export const signAnchor = (
  anchor: Omit<Anchor, 'format' | 'kid' | 'signature'>,
  { kid, pem }: AnchorKey,
): Anchor => {
  const signed = { format: 1, ...anchor, kid } as const;
  return { ...signed, signature: sign(null, signedText(signed), pem).toString('base64') };
};

export function signatureOf(anchor: Anchor, keys: AnchorKeys): 'right' | 'wrong' | 'unknown-key' {
  const pem = keys.get(anchor.kid);
  if (pem === undefined) return 'unknown-key';
  return verify(null, signedText(anchor), pem, Buffer.from(anchor.signature, 'base64')) ? 'right' : 'wrong';
}

export function anchorOf(value: unknown): Anchor | undefined {
  const checked = checkEventData('LogAnchored', value);
  return checked.ok ? checked.data : undefined;
}
