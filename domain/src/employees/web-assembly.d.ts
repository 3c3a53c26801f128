/** The part of WebAssembly's interface that is used here; Node has it, its types leave it to those of browsers. */
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
