/** The part of WebAssembly's interface that is used here; Node has it, its types leave it to those of browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(
      module: Module,
      imports: Record<string, Record<string, (...numbers: number[]) => number | undefined>>,
    );
    readonly exports: unknown;
  }
}
