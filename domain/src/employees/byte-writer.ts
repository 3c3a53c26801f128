/** Text that is written often, as bytes. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Writes JSON text into a buffer of fixed size. Whoever writes sees to it that there is room. */
export class ByteWriter {
  readonly buffer: Buffer;
  length: number;

  constructor(buffer: Uint8Array, length = 0) {
    this.buffer = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.length = length;
  }

  /** A text of ASCII characters. */
  ascii(text: string): void {
    const { buffer, length } = this;
    for (let i = 0; i < text.length; i++) buffer[length + i] = text.charCodeAt(i);
    this.length = length + text.length;
  }

  /** One byte. */
  byte(byte: number): void {
    this.buffer[this.length++] = byte;
  }

  /** All bytes of a short constant. */
  bytes(bytes: Uint8Array): void {
    const { buffer, length } = this;
    for (let i = 0; i < bytes.length; i++) buffer[length + i] = bytes[i] as number;
    this.length = length + bytes.length;
  }

  /** Bytes of another buffer. */
  range(bytes: Uint8Array, start: number, end: number): void {
    const { buffer } = this;
    let at = this.length;
    for (let i = start; i < end; i++) buffer[at++] = bytes[i] as number;
    this.length = at;
  }

  /** A 128-bit digest as 32 hexadecimal digits. */
  hex(words: Uint32Array, index: number): void {
    const { buffer } = this;
    let at = this.length;
    for (let i = index; i < index + 4; i++) {
      const word = words[i] ?? 0;
      for (let shift = 28; shift >= 0; shift -= 4) {
        const digit = (word >>> shift) & 15;
        buffer[at++] = digit < 10 ? 0x30 + digit : 0x57 + digit;
      }
    }
    this.length = at;
  }
}
