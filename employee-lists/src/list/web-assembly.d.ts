/** The used part of WebAssembly's interface: Node.js has it, but its types leave it to those of browsers. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  const Module: new (bytes: Uint8Array) => Module;
  class Instance {
    constructor(
      module: Module,
      imports: Record<string, Record<string, (...numbers: number[]) => number | undefined>>,
    );
    readonly exports: unknown;
  }
}
