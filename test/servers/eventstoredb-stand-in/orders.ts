import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** What may be ordered, by its name; the words behind the name are given to it. */
export type Orders = Readonly<Record<string, (...words: string[]) => Promise<void> | void>>;

/**
 * Carries out orders, one line each, `7 lead 2 500`: a number to tell the answer by, a name, words. The answer is
 * `done 7`, or `failed 7: why`.
 */
export function takeOrders(input: Readable, orders: Orders, answer: (line: string) => void): void {
  createInterface({ input }).on('line', (line) => {
    const [number = '', name = '', ...words] = line.split(' ');
    const carryOut = async (): Promise<void> => {
      const order = orders[name];
      if (order === undefined) throw new Error(`There is no order ${name}`);
      await order(...words);
    };
    carryOut().then(
      () => answer(`done ${number}\n`),
      (error: unknown) => answer(`failed ${number}: ${String(error)}\n`),
    );
  });
}
