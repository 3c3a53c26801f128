import type { QueueDepth } from '@rollcall/application';

interface Message {
  readonly text: string;
  attempts: number;
  dueAt: number;
  /** Its newest delivery, where it is held. */
  holder: object | undefined;
}

/** The embedded queue without storage, processes or waiting: whoever asks gets any message that is due. */
export class QueueModel {
  now = 0;
  readonly #deadlineMs: number;
  readonly #messages: Message[] = [];

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  get depth(): QueueDepth {
    const unsettled = this.#messages.filter((message) => message.holder !== undefined).length;
    return { waiting: this.#messages.length - unsettled, unsettled };
  }

  publish(text: string): void {
    const waiting = this.#waiting(text);
    if (waiting !== undefined) this.#drop(waiting);
    this.#messages.push({ text, attempts: 0, dueAt: this.now, holder: undefined });
  }

  isDue(): boolean {
    return this.#due().length > 0;
  }

  /** The message that was delivered; of equal ones, the one that was delivered as often before. */
  take(holder: object, text: string, attempt: number): void {
    const message = this.#due().find((one) => one.text === text && one.attempts + 1 === attempt);
    if (message === undefined) throw new Error(`${text}, attempt ${attempt}, was not due`);
    const equal = this.#waiting(message.text);
    if (equal !== undefined) this.#drop(equal);
    if (equal === message) this.#messages.push(message);
    message.attempts += 1;
    message.dueAt = this.now + this.#deadlineMs;
    message.holder = holder;
  }

  /** False where somebody else has the message, or nobody. */
  ack(holder: object): boolean {
    const message = this.#heldBy(holder);
    if (message !== undefined) this.#drop(message);
    return message !== undefined;
  }

  working(holder: object): void {
    const message = this.#heldBy(holder);
    if (message !== undefined) message.dueAt = this.now + this.#deadlineMs;
  }

  nak(holder: object, delayMs: number): void {
    const message = this.#heldBy(holder);
    if (message === undefined) return;
    const equal = this.#waiting(message.text);
    if (equal !== undefined) this.#drop(equal);
    message.holder = undefined;
    message.dueAt = Math.min(this.now + delayMs, equal?.dueAt ?? Infinity);
  }

  #due(): Message[] {
    return this.#messages.filter((message) => message.dueAt <= this.now);
  }

  #waiting(text: string): Message | undefined {
    return this.#messages.find((message) => message.text === text && message.holder === undefined);
  }

  #heldBy(holder: object): Message | undefined {
    return this.#messages.find((message) => message.holder === holder);
  }

  #drop(message: Message): void {
    this.#messages.splice(this.#messages.indexOf(message), 1);
  }
}
