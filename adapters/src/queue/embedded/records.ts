/** A message as stored. It is held while it has a token: that of its newest delivery. */
export interface StoredMessage {
  /** How often it was delivered. */
  readonly attempts: number;
  /** When it may be delivered (again), in milliseconds since 1970. */
  readonly dueAt: number;
  readonly token: string | undefined;
  readonly body: Buffer;
}

const TOKEN_BYTES = 8;
const HELD_AT = 12;
const TOKEN_AT = 13;
const BODY_AT = TOKEN_AT + TOKEN_BYTES;

/** Attempts (4 bytes), due (8), held (1), token (8), body. */
export function encodeMessage(message: StoredMessage): Buffer {
  const bytes = Buffer.alloc(BODY_AT + message.body.length);
  bytes.writeUInt32BE(message.attempts, 0);
  bytes.writeDoubleBE(message.dueAt, 4);
  if (message.token !== undefined) {
    bytes.writeUInt8(1, HELD_AT);
    bytes.write(message.token, TOKEN_AT, 'hex');
  }
  message.body.copy(bytes, BODY_AT);
  return bytes;
}

export function decodeMessage(bytes: Buffer): StoredMessage {
  if (bytes.length < BODY_AT) throw new Error('a message in it is cut off');
  const held = bytes.readUInt8(HELD_AT) === 1;
  return {
    attempts: bytes.readUInt32BE(0),
    dueAt: bytes.readDoubleBE(4),
    token: held ? bytes.toString('hex', TOKEN_AT, BODY_AT) : undefined,
    body: bytes.subarray(BODY_AT),
  };
}

export { TOKEN_BYTES };
