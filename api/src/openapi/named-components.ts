import { isDeepStrictEqual } from 'node:util';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values below these names are no schemas. */
const isData = (name: string): boolean => name === 'example' || name === 'examples';

const without = (name: string, node: Node): Node =>
  Object.fromEntries(Object.entries(node).filter(([each]) => each !== name));

/** Moves titled schemas to `components/schemas`. Throws where two schemas share a title: a bug. */
export class NamedComponents {
  readonly #schemas = new Map<string, Node>();

  replaceIn(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.replaceIn(each));
    if (!isNode(value)) return value;
    const node = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, isData(name) ? member : this.replaceIn(member)]),
    );
    const { title } = value;
    return typeof title === 'string' ? this.#reference(title, without('title', node)) : node;
  }

  get schemas(): Readonly<Record<string, object>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #reference(title: string, schema: Node): Node {
    const known = this.#schemas.get(title);
    const same = !known || isDeepStrictEqual(without('description', known), without('description', schema));
    if (!same) throw new Error(`two schemas are called ${title}`);
    // A parameter keeps its schema's description, which the schema here lacks.
    if (known?.['description'] === undefined) this.#schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }
}
